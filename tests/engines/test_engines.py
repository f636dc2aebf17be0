"""The core of the lab in Chromium, Firefox and WebKit: one page in each engine, taken through what a reader does first."""

import json
import re
import subprocess

import pytest

import build
from tests.browser.course_page import origin, tag

STEPS = 50
ENCODINGS = ("none", "learned", "sinusoidal")  # what the page opens on
AGREEMENT = 1e-3  # nats, of any two losses after the same steps

# Chromium and Firefox take relaxed SIMD, with a fused multiply-add; WebKitGTK 2.50 refuses such a module, so that the lab
# has to fall back to the plain one there. A WebKit that takes it is a reason to change this line, and to rejoice.
BACKENDS = {"chromium": "relaxed-simd", "firefox": "relaxed-simd", "webkit": "simd"}

CURVES = """() => Object.fromEntries(document.querySelector("loss-chart").runs.map(({ encoding, train, validation }) =>
  [encoding, { train: [...train.loss], validation: [...validation.loss] }]))"""

# The characters on the large plane: how many, at how many places, and how many of them within it.
CHARACTERS = """() => {
  const chart = document.querySelector("lab-app geometry-chart:not(.gc-compact)");
  const plane = chart.querySelector("svg").getBoundingClientRect();
  const boxes = [...chart.querySelectorAll(".gc-marks text")].map((mark) => mark.getBoundingClientRect());
  const within = ({ left, right, top, bottom }) =>
    left >= plane.left - 1 && right <= plane.right + 1 && top >= plane.top - 1 && bottom <= plane.bottom + 1;
  return {
    vocabulary: chart.vocabulary.length,
    count: boxes.length,
    places: new Set(boxes.map(({ left, top }) => `${Math.round(left)} ${Math.round(top)}`)).size,
    within: boxes.filter(within).length,
    step: chart.step,
  };
}"""

# The code in the editor, which stands in a shadow root.
CODE = (
    'document.querySelector("lab-encoding-workbench .code-place > div")?.shadowRoot.querySelector(".cm-content")?.textContent'
)

# An input that a label names, in the focus, with all of its text selected.
FOCUS = """(label) => {
  const named = (field) => [...field.labels].some(({ textContent }) => textContent.trim() === label);
  const field = [...document.querySelectorAll("lab-controls input")].find(named);
  field.closest("details").open = true;
  field.focus();
  field.select();
}"""


@pytest.fixture(scope="module")
def told():
    """Losses by engine, CPython's among them: {name: {encoding: {"train": [...], "validation": [...]}}}."""
    curves = {}
    for encoding in ENCODINGS:
        command = [build.venv_python(), "-m", "embedding_lab", "train", "--encoding", encoding, "--steps", str(STEPS), "--json"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
        losses = json.loads(done.stdout)["losses"]
        curves[encoding] = {"train": losses["train"], "validation": [loss for _, loss in losses["validation"]]}
    return {"CPython": curves}


@pytest.fixture(scope="module")
def lab(engine, recorded_site):
    """The chapter with the default experiment for 50 steps, Python ready.

    Pyodide's script comes last of its files, so that whoever has not waited for it would be seen to load it another way.
    """
    recorded_site.trickle("pyodide.asm.js", 400_000)
    engine.open(f"{recorded_site.url}index.html?steps={STEPS}")
    engine.wait_for('told.find(({ name }) => name === "ready" || name === "error")')
    return engine


@pytest.fixture(scope="module")
def trained(lab):
    """The default experiment, run to its result by a press of Run."""
    _run(lab)
    return lab


def test_python_is_ready_and_computes_with_the_fastest_kernels_that_the_engine_takes(lab, record_property):
    [ready] = [event for event in lab.evaluate("() => told") if event["name"] == "ready"]
    print(f"{lab.name}: {ready['detail']}")
    record_property("ready", ready["detail"])
    assert ready["detail"]["backend"] == BACKENDS[lab.name]


def test_the_default_experiment_ends_with_the_same_losses_in_every_engine(trained, told, record_property):
    curves = trained.evaluate(CURVES)
    assert set(curves) == set(ENCODINGS)
    assert {len(curve["train"]) for curve in curves.values()} == {STEPS}
    differences = {name: _largest_difference(curves, others) for name, others in told.items()}
    told[trained.name] = curves
    finals = {name: curve["validation"][-1] for name, curve in curves.items()}
    print(f"{trained.name}: {finals}; largest difference in nats from {differences}")
    record_property("largest difference in nats", differences)
    assert len(set(finals.values())) == len(ENCODINGS), "the encodings differ, so that a mix-up would show"
    assert max(differences.values()) < AGREEMENT


def test_the_geometry_is_drawn_and_its_steps_can_be_looked_back_at(trained):
    title = 'document.querySelector("lab-app geometry-chart:not(.gc-compact) .gc-title")'
    trained.wait_for(f'{title}.textContent.endsWith("step {STEPS}")')
    drawn = trained.evaluate(CHARACTERS)
    assert drawn["step"] == STEPS
    assert drawn["count"] == drawn["within"] == drawn["vocabulary"] > 60
    assert drawn["places"] > 50
    trained.evaluate('() => document.querySelector("#geometry").scrollIntoView({ block: "center" })')
    slider = 'document.querySelector("#geometry geometry-scrubber input[type=range]")'
    trained.wait_for(f"{slider}?.max > 0")
    trained.evaluate(f'() => {{ {slider}.value = 0; {slider}.dispatchEvent(new Event("input")); }}')
    trained.wait_for(
        '/^step 0 of 50$/.test(document.querySelector("#geometry geometry-scrubber").textContent.match(/step .* of \\d+/))'
    )


def test_labs_of_the_chapter_measure(trained):
    assert _measured(trained, "lookup") == "exactly 0"
    # The largest difference of a logit that the order makes without mask and encoding: that of rounding
    assert re.fullmatch(r"0|\d(\.\d)? × 10⁻[⁴-⁹]", _measured(trained, "order"))


def test_a_run_stops_at_a_press_and_another_begins(trained):
    _set(trained, "Steps", 20000)
    trained.press("Run")
    trained.wait_for('told.at(-1).name === "progress" && told.at(-1).detail.steps === 20000 && told.at(-1).detail.step > 0')
    trained.press("Stop")
    trained.wait_for('document.querySelector("lab-run-bar .run-bar").dataset.phase === "stopped"')
    _set(trained, "Steps", 10)
    result = _run(trained)
    assert result["config"]["steps"] == 10
    assert [run["encoding"] for run in result["runs"]] == [*ENCODINGS]


def test_an_encoding_of_ones_own_is_typed_and_trains(trained):
    trained.press("+ Your own")
    trained.press("Python code of your encoding", role="textbox")
    comment = f"# typed in {trained.name}"
    trained.to_end()
    trained.type(f"\n{comment}")
    trained.wait_for(f'{CODE}.includes("{comment}")')
    trained.wait_for('/it works|cannot be trained/.test(document.querySelector("lab-encoding-workbench .state")?.textContent)')
    assert "it works" in trained.evaluate('() => document.querySelector("lab-encoding-workbench .state").textContent')
    since = trained.evaluate("() => told.length")
    trained.press("Train it")
    runs = _result(trained, since)["runs"]
    assert [run["encoding"] for run in runs if run["encoding"].startswith("own:")]


def test_a_loop_at_the_prompt_is_interrupted_and_the_variables_stay(trained):
    log = 'document.querySelector("lab-console .console-log").textContent'
    trained.press("Start the prompt")
    _type_in(trained, "kept = 7")
    _type_in(trained, "while True: pass\n")
    trained.press("Interrupt")
    trained.wait_for(f'{log}.includes("Interrupted: your variables are as they were")')
    _type_in(trained, "kept * 11")
    trained.wait_for(f'{log}.includes("Value: 77")')


def test_the_site_is_kept_for_a_visit_without_a_network(trained):
    trained.evaluate("""() => Promise.race([
      navigator.serviceWorker.ready.then(() => null),
      new Promise((_, reject) => setTimeout(() => reject(new Error("no service worker is ready after a minute")), 60_000)),
    ])""")
    page = "async () => (await caches.match('index.html', { ignoreSearch: true }))?.text()"
    assert "<title>Embedding Lab" in trained.evaluate(page)


def test_a_page_of_another_origin_runs_the_lab_by_its_tag(engine, recorded_site, course):
    small = 'encodings="none,learned" d="16" context="16" batch="8" steps="20"'
    policy = f"default-src 'none'; script-src 'self' {origin(recorded_site)}; img-src 'self'; frame-src {origin(recorded_site)}"
    page = course.put_page(
        tag(recorded_site, small), head='<script src="/recorder.js"></script>', Content_Security_Policy=policy
    )
    engine.open(page)
    engine.wait_for('customElements.get("embedding-lab") !== undefined')
    engine.evaluate('() => document.querySelector("embedding-lab").run()')
    result = _result(engine, 0)
    assert [(run["encoding"], result["config"]["steps"]) for run in result["runs"]] == [("none", 20), ("learned", 20)]
    assert engine.evaluate('() => document.querySelector("embedding-lab").results') == result
    [ready] = [event["detail"] for event in engine.evaluate("() => told") if event["name"] == "ready"]
    assert ready["backend"] == BACKENDS[engine.name]


def test_nothing_went_wrong_on_the_way(engine):
    assert engine.problems() == []


def _run(engine):
    """Press Run and wait for the result; returns it."""
    since = engine.evaluate("() => told.length")
    engine.press("Run")
    result = _result(engine, since)
    engine.wait_for('document.querySelector("lab-run-bar .run-bar").dataset.phase === "finished"')
    return result


def _result(engine, since):
    return engine.wait_for(f'told.slice({since}).find(({{ name }}) => name === "result")')["detail"]


def _set(engine, label, value):
    """Type a value into a control."""
    engine.evaluate(FOCUS, label)
    engine.type(str(value))


def _type_in(engine, source):
    """Give the prompt an input, once it takes one."""
    engine.wait_for('document.querySelector("#console-input")?.readOnly === false')
    engine.press("Python", role="textbox")
    engine.type(f"{source}\n")


def _measured(engine, probe):
    """The number of a lab of the chapter, once it looks at the end of a run."""
    engine.evaluate("(name) => document.getElementById(name).scrollIntoView({ block: 'center' })", probe)
    card = f"document.querySelector('probe-card#{probe}')"
    engine.wait_for(f"{card}.querySelector('.looks-at')?.textContent.includes('trained, at step {STEPS}')")
    return engine.evaluate(f"() => {card}.querySelector('.measured strong').textContent.trim()")


def _largest_difference(curves, others):
    """In nats, between any two losses of the same encoding at the same step."""
    differences = []
    for encoding, curve in curves.items():
        for kind, losses in curve.items():
            differences += [abs(a - b) for a, b in zip(losses, others[encoding][kind], strict=True)]
    return max(differences)
