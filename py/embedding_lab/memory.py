"""How much memory a run needs, from the shapes of its arrays, before it is spent; and how much the Python of a tab has."""

import sys

from .config import RunConfig
from .corpus import CHUNK, TRAIN_SHARE
from .model import MLP_WIDTH
from .positions import OWN, Trainable, build
from .training import EVALUATION_CHARACTERS, VALIDATION_CHARACTERS

FLOAT = 4  # bytes of the numbers that the model computes with
# Arrays as large as what an encoding computes from a parameter: that itself, its gradient, and two on the way to them.
COMPUTED = 4
# Bytes of a character in a Python text that has one beyond the first 65,536, such as an emoji; others have 1 or 2.
WIDEST = 4
# WebAssembly of 32 bits has addresses for 4 GiB. Python with NumPy and the lab takes 29 MiB of them, and arrays of 64 MiB
# each fill all but 64 MiB (measured in Pyodide 0.29.5); the rest is left to probes, and to holes between arrays.
LIMIT = (4096 - 192) << 20
# Bytes of a file. One of this size whose characters are at their widest takes 1.8 GiB to read (measured as above), so that
# what can be read can be trained on, and pages of several workers have room.
LARGEST_FILE = 128 << 20


def width(text: str) -> int:
    """Bytes that Python takes for each character of a text: 1, 2 or 4."""
    return min(WIDEST, round((sys.getsizeof(text) - sys.getsizeof("")) / max(1, len(text))))  # short ones have a larger head


def reading(characters: int, width: int = WIDEST, as_it_is: bool = False, replaced: int = 0) -> int:
    """Bytes at most while a text becomes ids.

    Args:
        width: bytes of each character.
        as_it_is: True where the text is known to be normalised: else there is a second one for a while, and unless
            each character has one byte, CPython composes it in buffers of four.
        replaced: how many characters `RARE` stands for.
    """
    texts = width if as_it_is else 2 * width
    counting = (texts + 1) * characters + 8 * replaced + 10 * (sys.maxunicode + 1) + 14 * min(characters, CHUNK)
    composing = 0 if as_it_is or width == 1 else (2 * width + 9) * characters
    return max(counting, composing)


def parameters(config: RunConfig, vocabulary: int) -> int:
    """How many numbers a model learns. A reader's own encoding is taken to train a table and a bias.

    Args:
        vocabulary: V.
    """
    d = config.d
    tables = (1 if config.tied else 2) * vocabulary * d
    block = (4 + 2 * MLP_WIDTH) * d * d + (9 + MLP_WIDTH) * d  # four linear layers, and two norms
    return tables + _position(config)[0] + config.layers * block + 2 * d


def needed(
    config: RunConfig,
    characters: int,
    vocabulary: int,
    width: int = WIDEST,
    replaced: int = 0,
    compiled: bool = True,
) -> int:
    """Bytes that a run takes at most from the opening of its text to the end of its training.

    Args:
        characters: of the text.
        vocabulary: V.
        width: bytes of each character of the text that it is opened with.
        replaced: how many characters `RARE` stands for.
        compiled: False where NumPy computes, which makes arrays on the way.
    """
    d, length = config.d, config.context
    learned = 4 * parameters(config, vocabulary)  # with their gradients, and the two moments of AdamW
    kept = learned + _position(config)[1]
    kept += sum(_forward(config, sequences, vocabulary) for sequences in _evaluated_at_once(config, characters))
    opening = kept + (0 if compiled else 4 * MLP_WIDTH * EVALUATION_CHARACTERS * d)
    training = kept + _forward(config, config.batch, vocabulary) + _backward(config, vocabulary)
    training += 0 if compiled else config.batch * length * max(6 * MLP_WIDTH * d, config.heads * length)
    held = characters + 4 * replaced
    return max(
        reading(characters, width, replaced=replaced),
        width * characters + held + FLOAT * opening,
        held + FLOAT * training,
    )


def _position(config: RunConfig) -> tuple[int, int]:
    """The numbers that an encoding trains, and those that it takes beside them: fixed ones, and what `value` computes."""
    d, length, heads = config.d, config.context, config.heads
    if config.encoding.startswith(OWN):
        return length * d + heads * length * length, 0
    encoding = build(config.encoding, length, config.position_scale)
    trained, beside = 0, 0
    for added, size in ((encoding.table(length, d), length * d), (encoding.bias(length, heads), heads * length * length)):
        if isinstance(added, Trainable):
            trained += added.start.size
            beside += COMPUTED * size if added.value else 0
        elif added is not None:
            beside += size
    rotation = encoding.rotation(length, d // heads)
    return trained, beside + (sum(part.size for part in rotation) if rotation else 0)


def _forward(config: RunConfig, sequences: int, vocabulary: int) -> int:
    """Numbers that the forward pass leaves for the backward pass."""
    d, rows = config.d, sequences * config.context
    attention = sequences * config.heads * config.context**2
    # Each row: two norms; queries, keys and values; what attention mixed; the inner layer of the MLP before and after its
    # gate; two additions to the stream. And of each norm the mean and the deviation.
    block = (2 + 3 + 1 + 2 * MLP_WIDTH + 2) * rows * d + 4 * rows + attention
    return config.layers * block + rows * (2 * d + 2 + 2 * vocabulary + 1)  # the stream, the last norm, logits, losses


def _backward(config: RunConfig, vocabulary: int) -> int:
    """Numbers that the backward pass works in, one block after another in the same."""
    d, rows = config.d, config.batch * config.context
    attention = config.batch * config.heads * config.context**2
    return (2 + 3 + 1 + 2 * MLP_WIDTH) * rows * d + attention + rows * vocabulary


def _evaluated_at_once(config: RunConfig, characters: int) -> set[int]:
    """The numbers of sequences that are evaluated together, but for that of the training, whose arrays serve for both."""
    length, validation = config.context, characters - int(TRAIN_SHARE * characters)
    count = min((validation - 1) // length, max(1, VALIDATION_CHARACTERS // length))
    at_once = max(1, EVALUATION_CHARACTERS // length)
    return {min(count, at_once), count % at_once} - {0, config.batch}
