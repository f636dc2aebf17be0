"""What a saved run is made of: the paths of its files, and how large each may be."""

import hashlib

from ..config import settings_table
from ..corpus import MOST_CHARACTERS, normalised
from ..model import MLP_WIDTH
from ..own_encoding.loading import LONGEST_CODE
from .layouts import MOST_POSITIONS
from .tensors import LONGEST_HEADER

FORMAT = 1  # of what stands in embedding-lab/: another number where an older lab would misread it
MODEL, CONFIG = "model.safetensors", "config.json"
TOKENIZER, TOKENIZER_CONFIG, README = "tokenizer.json", "tokenizer_config.json", "README.md"
RUN, TRAINING, TEXT = "embedding-lab/run.json", "embedding-lab/training.safetensors", "embedding-lab/text.txt"
CODE = "embedding-lab/encoding.py"
FILES = (MODEL, CONFIG, TOKENIZER, TOKENIZER_CONFIG, README, RUN, TRAINING, TEXT, CODE)
IN_TRAINING = ("mean", "square", "train_loss", "validation_steps", "validation_loss")  # of `training.Saved`
HIGHEST = {row["name"]: int(row["high"]) for row in settings_table() if "high" in row}


def _most_parameters() -> int:
    """Numbers of the largest model that the settings allow, in the layout that takes most."""
    d, layers, heads, context = (HIGHEST[name] for name in ("d", "layers", "heads", "context"))
    tables = 3 * MOST_CHARACTERS * d + MOST_POSITIONS * d  # Bloom has that of the characters three times
    blocks = layers * ((4 + 2 * MLP_WIDTH) * d * d + (9 + MLP_WIDTH) * d)
    return tables + blocks + 4 * d + heads * context * context


LARGEST_TEXT = 32 << 20  # half as much again as the 20 MB that the page is made for
LARGEST_CODE = 4 * LONGEST_CODE  # bytes: no character has more in UTF-8
LARGEST_JSON = 1 << 16  # run.json has about 1 KB
MOST_PARAMETERS = _most_parameters()  # what an encoding trains of its own counts among them
LARGEST_MODEL = 4 * MOST_PARAMETERS + LONGEST_HEADER
# Two moments, and of each step at most a loss, the number of an evaluation and its loss.
LARGEST_TRAINING = 2 * 4 * MOST_PARAMETERS + (8 + 4 + 8) * HIGHEST["steps"] + LONGEST_HEADER
LARGEST_FILE = LARGEST_TEXT + LARGEST_CODE + LARGEST_MODEL + LARGEST_TRAINING + (1 << 20)  # the last for everything else
MOST_MEMBERS = 64  # of a zip: ours has at most 9, and a system that packs the folder again adds some of its own
LARGEST_DIRECTORY = MOST_MEMBERS * 1024


class CheckpointError(ValueError):
    """A run that files cannot hold, or files that hold no run; the message says what was found and what to do."""


def text_hash(text: str) -> str:
    """SHA-256 of the text, as `normalised` makes it, in UTF-8, in hexadecimal."""
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()


def code_hash(code: bytes) -> str:
    """SHA-256 of the code, in hexadecimal: it tells that code was changed by accident, not on purpose."""
    return hashlib.sha256(code).hexdigest()


def check_text(text: str, expected: str, name: str) -> None:
    """Hold a text against the one that a run trained on.

    Args:
        expected: the `text_hash` of the latter.
        name: what the settings call it.

    Raises:
        CheckpointError: it is another.
    """
    found = text_hash(text)
    if found != expected:
        raise CheckpointError(
            f"The text {name} here is not the one that this run trained on (its SHA-256 begins with {found[:8]}, not "
            f"{expected[:8]}): open it in the lab that it comes from."
        )
