"""A reader's own encodings: what a run trains with, and a look at one before it is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..config import ConfigError, validate
from ..positions import OWN, PositionalEncoding, PositionError
from .answers import broken, failure, memory_failure, position_failure

if TYPE_CHECKING:
    from ..kinds import Examined, Values
    from .kinds import Failure


def check_encoding(code: str, config: Values) -> Examined | Failure:
    """Look at a reader's own encoding before it is trained.

    Args:
        config: settings of the runs that it is meant for.

    Returns:
        See `own_encoding.examine`. Or an error with the code "encoding" as of `open_run`, and printed, what the code had
        printed until then; "config"; or "memory".
    """
    from ..own_encoding import OwnEncodingError, examine

    try:
        return examine(code, config)
    except OwnEncodingError as error:
        told = position_failure(error)
        told["error"]["printed"] = error.printed
        return told
    except ConfigError as error:
        return failure("config", error.field, error.message)
    except PositionError as error:
        return position_failure(error)
    except MemoryError:
        return memory_failure(validate(config)[0])
    except Exception as error:
        return broken(error, ran_code=True)


def read_encoding(config: Values, code: str | None) -> PositionalEncoding | None:
    """The encoding of a reader's code, under the name that the settings give it; None for one of the lab's."""
    name: str = config["encoding"]
    if code is None:
        return None
    if not name.startswith(OWN):
        raise ConfigError("encoding", f"encoding = {name} is the lab's own and takes no code: name yours {OWN}NAME.")
    from ..own_encoding import load  # no start of the tab waits for it

    own = load(code)
    own.name = name.removeprefix(OWN)
    return own
