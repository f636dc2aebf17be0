"""Other ways to train a small transformer in the same browser: @genai-fi/nanogpt and @jax-js/jax.

They are installed into .cache for the bench alone, and what cannot be installed or started is reported with its reason.
"""

import os
import shutil
from dataclasses import asdict
from pathlib import Path

from playwright.sync_api import Browser, Error

import build
from embedding_lab.optimizer import BETA1, BETA2, EPSILON, WEIGHT_DECAY, learning_rate
from tests.bench import subject
from tests.bench.rounds import Unavailable
from tests.bench.site import FOLDER, PAGE, Site

HERE = Path(__file__).parent / "peers"
INSTALLED = build.CACHE / "bench-peers"
PATIENCE = 120_000  # ms


def install() -> None:
    """Install what tests/bench/peers/package-lock.json lists, exactly.

    Raises:
        Unavailable: npm cannot.
    """
    files = [HERE / name for name in ("package.json", "package-lock.json", ".npmrc")]
    stamp = INSTALLED / "stamp.json"
    made_from = build.fingerprint(files)
    if build.read_stamp(stamp).get("made_from") == made_from:
        return
    build.say("Installing the peers to compare with into .cache/bench-peers ...")
    INSTALLED.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    for file in files:
        shutil.copy(file, INSTALLED)
    npm = build.tool("npm", "install it with Node.js")
    try:
        build.run([npm, "ci", "--omit=optional"], "npm ci failed", cwd=INSTALLED)
    except build.BuildError as error:
        raise Unavailable(str(error)) from error
    build.write_stamp(stamp, {"made_from": made_from})


def add_pages(folder: Path) -> None:
    """Install the peers and bundle each into a page of its own beside the bench's.

    Raises:
        Unavailable: npm or esbuild cannot.
    """
    install()
    modules = INSTALLED / "node_modules"
    out = folder / FOLDER / "peers"
    command = [
        *(build.node(), build.NODE_MODULES / "esbuild/bin/esbuild", HERE / "nanogpt.js", HERE / "jax-js.js"),
        *("--bundle", "--format=esm", "--splitting", f"--outdir={out}", "--log-level=error"),
        f"--alias:nanogpt-files={modules / '@genai-fi/nanogpt/dist'}",
    ]
    try:
        build.run(command, "esbuild cannot bundle a peer", cwd=HERE, env={**os.environ, "NODE_PATH": str(modules)})
    except build.BuildError as error:
        raise Unavailable(str(error)) from error
    for name in ("nanogpt", "jax-js"):
        (out / f"{name}.html").write_text(PAGE.format(script=f'<script type="module" src="{name}.js"></script>'))


class Peer:
    """A page that trains one peer.

    Attributes:
        parameters: how many its model has.
        losses: those of its first steps.

    Raises:
        Unavailable: it does not start here.
    """

    def __init__(self, browser: Browser, site: Site, name: str, task: dict):
        self.page = browser.new_page()
        self.page.set_default_timeout(PATIENCE)
        try:
            self.page.goto(f"{site.url}{FOLDER}/peers/{name}.html")
            told = self.page.evaluate("task => setUp(task)", task)
        except Error as error:
            raise Unavailable(_first_line(error)) from error
        self.parameters, self.losses = told["parameters"], told["losses"]

    def seconds_per_step(self, seconds: float) -> float:
        """Train for about this long, and at least one step."""
        try:
            return self.page.evaluate("seconds => measure(seconds)", seconds)
        except Error as error:
            raise Unavailable(_first_line(error)) from error

    def close(self) -> None:
        self.page.close()


def nanogpt(browser: Browser, site: Site, config, corpus, backend: str) -> Peer:
    """The model type v1 with RoPE, at the same sizes, on one backend of TensorFlow.js."""
    task = {"characters": len(corpus.vocabulary), "backend": backend, **_common(config, corpus)}
    return Peer(browser, site, "nanogpt", task)


def jax_js(browser: Browser, site: Site, config, corpus) -> Peer:
    """The same model from the same weights, whose losses can be held against the lab's."""
    start = subject.starting_model(config, corpus).parameters.arrays
    parameters = {name: {"shape": part.shape, "values": part.ravel().tolist()} for name, part in start.items()}
    optimizer = {"beta1": BETA1, "beta2": BETA2, "epsilon": EPSILON, "weightDecay": WEIGHT_DECAY}
    rates = [learning_rate(step + 1, config.steps, config.lr) for step in range(subject.UPDATES + 1)]
    task = {"parameters": parameters, "optimizer": optimizer, "rates": rates, **_common(config, corpus)}
    return Peer(browser, site, "jax-js", task)


def _common(config, corpus) -> dict:
    batches = subject.first_batches(config, corpus, 16)
    return {"config": asdict(config), "batches": [[part.ravel().tolist() for part in batch] for batch in batches]}


def _first_line(error: Error) -> str:
    return error.message.splitlines()[0]
