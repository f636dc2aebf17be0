"""All that the page may call, by name in `__all__`: plain values in, plain objects out, one worker with its runs.

A failure that the reader can mend comes back as {"error": {code, field, message}}; anything else is a bug, and raises.
Keys are in camelCase because JavaScript reads them; NumPy arrays become typed arrays on the way (web/lab/start.py).

What no start of the tab needs is imported in the function that needs it.
"""

from .encodings import check_encoding
from .files import checkpoint, read_checkpoint
from .looking import probe, source, source_file
from .opened import close_run
from .prompt import console_open, console_run
from .room import memory_needed
from .runs import advance, compare, open_run, save_run, status
from .texts import read_text

__all__ = [
    "advance",
    "check_encoding",
    "checkpoint",
    "close_run",
    "compare",
    "console_open",
    "console_run",
    "memory_needed",
    "open_run",
    "probe",
    "read_checkpoint",
    "read_text",
    "save_run",
    "source",
    "source_file",
    "status",
]
