"""What a worker answers, as the page reads it: each is described by the function that gives it.

Only type checkers read this file: modules import it under TYPE_CHECKING, and the tab's wheel leaves it out.
"""

from typing import NotRequired, TypedDict, final

from ..kinds import Array, Floats, Gap, Integers, Plain, Summary, Values


class Told(TypedDict):
    """What went wrong; of a reader's own code also where, and what it had printed."""

    code: str
    field: str | None
    message: str
    line: NotRequired[int | None]
    traceback: NotRequired[str | None]
    printed: NotRequired[str]


class Failure(TypedDict):
    """What every function may answer instead."""

    error: Told


class Picture(TypedDict):
    """A projection of E."""

    points: Floats
    explained: list[float]


class Geometry(Picture):
    """The projections of a frame."""

    points3: NotRequired[Floats]
    explained3: NotRequired[list[float]]


class FrameTold(TypedDict):
    """See `runs.advance`."""

    run: str
    step: int
    steps: int
    state: str
    message: str | None
    trainFrom: int
    trainLoss: Floats
    validationSteps: Integers
    validationLoss: Floats
    seconds: float
    stepsPerSecond: float
    geometry: Geometry | None


class Rare(TypedDict):
    """The rare characters of a text: see `texts.read_text`."""

    threshold: int
    characters: list[list[str | int]]
    share: float


class About(TypedDict):
    """See `texts.about`."""

    vocabulary: list[str]
    classes: list[str]
    characters: dict[str, int]
    baselines: dict[str, float]
    rare: Rare | None


@final
class Opened(About):
    """See `runs.open_run`."""

    run: str
    config: Values
    parameters: int
    supplies: list[str]
    flopsPerStep: int
    frame: FrameTold


class Status(TypedDict):
    """See `runs.status`."""

    version: str
    python: str
    numpy: str
    backend: str


class Compared(TypedDict):
    """See `runs.compare`."""

    gaps: list[Gap]
    encodings: list[Summary]


class Finished(TypedDict):
    """A run as the page gives it to `runs.compare`."""

    encoding: str
    seed: int
    validationLoss: float | None


class Changed(TypedDict):
    """What a text was made from."""

    encoding: str
    bom: bool
    lineEnds: int
    nfc: bool
    undefined: int
    cut: int


class Facts(About):
    """What there is to say of a text before it trains."""

    distinct: int
    changed: Changed
    bytes: dict[str, int]


class TextRead(TypedDict):
    """See `texts.read_text`."""

    text: str
    encoding: str
    facts: Facts


class Probed(TypedDict):
    """See `looking.probe`."""

    probe: str
    run: str
    which: str
    step: int
    progress: float
    result: Plain | None


class Source(TypedDict):
    """See `looking.source` and `looking.source_file`."""

    file: str
    code: str


class Memory(TypedDict):
    """See `room.memory_needed`."""

    bytes: int
    limit: int


class Packed(TypedDict):
    """See `files.checkpoint`."""

    name: str
    bytes: Array


class Unpacked(TypedDict):
    """See `files.read_checkpoint`."""

    config: Values
    text: str | None
    textHash: str
    saved: Plain
    version: str
    code: str | None


class Waiting(TypedDict):
    """See `files.read_checkpoint`: a file with code that may not run."""

    config: Values
    code: str
    name: str
    version: str
    needsConsent: bool


class ConsoleOpened(TypedDict):
    """See `prompt.console_open`."""

    run: str
    step: int
    shape: list[int]
