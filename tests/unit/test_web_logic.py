"""The page's logic without a page: runs every web_*.test.mjs beside this file with Node's own test runner."""

import json

import pytest

from embedding_lab.config import RULES, settings_table
from embedding_lab.probes import descriptions
from node_tests import HERE, run_in_node
from probe_samples import samples


@pytest.fixture(scope="module")
def page(alice, tmp_path_factory):
    """What the modules take from Python, in a file: the page's data, and what the probes answer."""
    experiment = {"encodings": ["none", "learned", "sinusoidal"], "seeds": [1]}
    table = {"settings": settings_table(), "rules": RULES, "experiment": experiment, "probes": descriptions()}
    file = tmp_path_factory.mktemp("page") / "table.json"
    file.write_text(json.dumps({**table, "results": list(samples(alice))}))
    return file


@pytest.mark.parametrize("file", [path.name for path in sorted(HERE.glob("web_*.test.mjs"))])
def test_logic_of_the_page(file, page):
    run_in_node(file, LAB_TABLE=str(page))
