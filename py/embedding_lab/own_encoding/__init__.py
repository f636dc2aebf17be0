"""A reader's own encoding: their code is run, each of its answers is checked, and what is wrong is told with its line.

The rest of the lab sees a `PositionalEncoding` like any other. No start of the tab needs this package, so it is imported
only where there is code.
"""

from .examining import examine
from .loading import load, starting_points
from .own import Own
from .reader import OwnEncodingError

__all__ = ["Own", "OwnEncodingError", "examine", "load", "starting_points"]
