"""A run as files: a folder that Hugging Face `transformers` opens, and from which the lab goes on exactly.

    model.safetensors, config.json          the model, in the layout of the architecture that holds it (`layouts`)
    tokenizer.json, tokenizer_config.json   its characters as tokens, for `tokenizers`
    README.md                               how to open it
    embedding-lab/run.json                  settings, step and state, and which text it was
    embedding-lab/training.safetensors      AdamW's moments, and the losses so far
    embedding-lab/text.txt                  the text, only where it is the reader's own
    embedding-lab/encoding.py               the code of the encoding, only where it is the reader's own

In a zip they stand uncompressed and with a fixed date, so the same run gives the same bytes on every machine. A zip or a
folder that is opened may be anything: every size is bounded before anything is read, and what does not fit is a
`CheckpointError`. The code of an encoding is not run unless whoever opens the run says so.
"""

from .contents import FILES, LARGEST_FILE, CheckpointError, check_text, text_hash
from .layouts import architectures
from .opening import Checkpoint, ConsentError, read, read_file, read_folder
from .saving import check_run, files, name, pack

__all__ = [
    "FILES",
    "LARGEST_FILE",
    "Checkpoint",
    "CheckpointError",
    "ConsentError",
    "architectures",
    "check_run",
    "check_text",
    "files",
    "name",
    "pack",
    "read",
    "read_file",
    "read_folder",
    "text_hash",
]
