"""The code blocks of README.md, so that tests use what its readers copy."""

import re

import build


def block(language, containing):
    """The one block in this language that contains these words."""
    text = (build.ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    [found] = [block for block in blocks if containing in block]
    return found
