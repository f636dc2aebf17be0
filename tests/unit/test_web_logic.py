"""The page's logic without a page: runs every web_*.test.mjs beside this file with Node's own test runner."""

import json

import pytest

from embedding_lab.config import RULES, settings_table
from embedding_lab.own_encoding import starting_points
from embedding_lab.probes import descriptions
from embedding_lab.worker import check_encoding
from node_tests import HERE, run_in_node
from probe_samples import samples

# Encodings whose answers have what those of the starting points have not: no direction in a table, all three, a limit.
UNUSUAL = [
    "def table(self, length, d): return np.zeros((length, d))",
    "def table(self, length, d): return np.ones((length, d))",
    "def bias(self, length, heads): return np.zeros((heads, length, length))",
    "max_length = 10**30\n    def table(self, length, d): print('asked'); return 9 * np.eye(length, d)\n"
    "    def rotation(self, length, head_dim): return 2 * np.ones((2, length, head_dim // 2))\n"
    "    def bias(self, length, heads): return np.ones((heads, length, length))",
    "max_length = 16\n    def table(self, length, d): return Trainable(np.zeros((length, d)), noise=0.1)",
    "def table(self, length, d): return None",
    "def table(self, length, d): return 1 / 0",
    "def table(self",
]
BEGINNING = "import numpy as np\nfrom embedding_lab.positions import PositionalEncoding, Trainable\nclass Mine(PositionalEncoding):\n    "


def checks():
    """What `check_encoding` answers, as the page gets it."""
    settings = {"d": 16, "layers": 1, "heads": 2, "context": 8, "batch": 4, "steps": 20}
    codes = [point["code"] for point in starting_points()] + [BEGINNING + code for code in UNUSUAL]
    return [check_encoding(code, settings) for code in codes] + [check_encoding(codes[0], {**settings, "d": 15})]


@pytest.fixture(scope="module")
def page(alice, tmp_path_factory):
    """What the modules take from Python, in a file: the page's data, what the probes and the checks of encodings answer."""
    experiment = {"encodings": ["none", "learned", "sinusoidal"], "seeds": [1]}
    table = {"settings": settings_table(), "rules": RULES, "experiment": experiment, "probes": descriptions()}
    file = tmp_path_factory.mktemp("page") / "table.json"
    file.write_text(json.dumps({**table, "results": list(samples(alice)), "checks": checks()}))
    return file


@pytest.mark.parametrize("file", [path.name for path in sorted(HERE.glob("web_*.test.mjs"))])
def test_logic_of_the_page(file, page):
    run_in_node(file, LAB_TABLE=str(page))
