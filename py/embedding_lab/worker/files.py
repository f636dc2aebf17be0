"""Runs as files: makes one of a run that is open, and looks into one that a reader gave."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from ..positions import PositionError
from .answers import broken, failure, for_page, no_memory_to, position_failure, unknown_run
from .opened import has_code, runs

if TYPE_CHECKING:
    from .kinds import Failure, Packed, Unpacked, Waiting


def checkpoint(id: str, label: str) -> Packed | Failure:
    """A run as it is now as a file to keep, which `read_checkpoint` and Hugging Face `transformers` open.

    Args:
        label: what the reader knows the run by.

    Returns:
        name, such as learned-seed1-500.zip; bytes, uint8. Or an error with the code "unknown-run", "checkpoint",
        "encoding" or "memory".
    """
    from ..checkpoint import CheckpointError, files, name, pack  # no first loss waits for them

    if id not in runs:
        return unknown_run(id)
    run = runs[id]
    try:
        return {"name": name(run), "bytes": np.frombuffer(pack(files(run, label)), np.uint8)}
    except CheckpointError as error:
        return failure("checkpoint", None, str(error))
    except PositionError as error:
        return position_failure(error)
    except MemoryError:
        characters = len(run.corpus.train) + len(run.corpus.validation)
        return no_memory_to(f"save this run with its text of {characters:,} characters")
    except Exception as error:
        return broken(error, has_code(id))


def read_checkpoint(bytes: memoryview, run_code: bool = False) -> Unpacked | Waiting | Failure:
    """Look into a file that a reader gave; nothing else changes.

    Args:
        bytes: its content, which may be anything.
        run_code: whether the code of its encoding may run, if it has some.

    Returns:
        config; text, None for a text of the lab that config names; textHash, the SHA-256 in hexadecimal of the text in
        UTF-8, as `corpus.normalised` makes it; saved, as `open_run` takes it; version, of the lab that wrote it; code, of
        the encoding, None for one of the lab. Where there is code that may not run, config, code, version, name, of the
        encoding, and needsConsent, true. Or an error with the code "checkpoint", "encoding" or "memory".
    """
    from ..checkpoint import CheckpointError, ConsentError, read

    try:
        found = read(bytes, run_code)
    except ConsentError as waits:
        return {
            "config": asdict(waits.config),
            "code": waits.code,
            "name": waits.name,
            "version": waits.version,
            "needsConsent": True,
        }
    except CheckpointError as error:
        return failure("checkpoint", None, str(error))
    except PositionError as error:
        return position_failure(error)
    except MemoryError:
        return no_memory_to(f"open this file of {len(bytes):,} bytes with its text")
    except Exception as error:
        return broken(error, ran_code=run_code)
    return {
        "config": asdict(found.config),
        "text": found.text,
        "textHash": found.text_hash,
        "saved": for_page(found.saved),
        "version": found.version,
        "code": getattr(found.encoding, "code", None),
    }
