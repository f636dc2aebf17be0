"""Results of every probe, small ones, for the tests of the page that draws and cites them."""

from embedding_lab.config import RunConfig
from embedding_lab.positions import ENCODINGS
from embedding_lab.probes import PROBES, View, run_probe
from embedding_lab.training import Run

SMALL = {"d": 16, "context": 16, "batch": 8, "steps": 30}
BRIEF = {
    "geometry": {"shuffles": 49},
    "relabel": {"updates": 5},
    "merges": {"count": 30, "characters": 5000},
    "width": {"widths": [8, 16], "seeds": [1, 2], "updates": 5},
    "tying": {"seeds": [1, 2], "updates": 5},
    "amplitude": {"amplitudes": [0, 0.05, 1], "seeds": [1, 2], "updates": 5},
    "extrapolation": {"lengths": [16, 32], "characters": 512},
    "generate": {"length": 12},
}


def measure(view, name):
    work = run_probe(name, view, BRIEF.get(name, {}))
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def samples(corpus):
    """A result of each probe for each encoding, before and after training; those that are not defined are left out."""
    for encoding in ENCODINGS:
        run = Run(RunConfig(encoding=encoding, **SMALL), corpus, evaluate=False)
        while run.state == "training":
            run.advance(1)
        for untrained in (True, False):
            view = View.of(run, untrained=untrained)
            for name, probe in PROBES.items():
                if not probe.needs_model and (encoding != "learned" or untrained):
                    continue  # these train models of their own, or none: once is enough
                result = measure(view, name)
                if result.get("defined") is not False:
                    yield {"probe": name, "encoding": encoding, "which": view.which, "result": result}
