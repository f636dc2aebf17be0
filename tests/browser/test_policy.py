"""The pages' policy as the browser enforces it: no text becomes HTML or code, in the page or in a worker, and no one adds a way."""

import pytest

pytestmark = pytest.mark.cold

# The common ways to make HTML or code of a text that Trusted Types know, and to add one more; each must throw.
WAYS = """
({
  innerHTML: () => (document.createElement("div").innerHTML = "<b>"),
  outerHTML: () => (document.body.appendChild(document.createElement("i")).outerHTML = "<b>"),
  insertAdjacentHTML: () => document.body.insertAdjacentHTML("beforeend", "<b>"),
  createContextualFragment: () => document.createRange().createContextualFragment("<b>"),
  parseFromString: () => new DOMParser().parseFromString("<b>", "text/html"),
  write: () => document.write("<b>"),
  srcdoc: () => (document.createElement("iframe").srcdoc = "<b>"),
  "script.src": () => (document.createElement("script").src = "sw.js"),
  "script.text": () => (document.createElement("script").text = "1"),
  onclick: () => document.body.setAttribute("onclick", "1"),
  eval: () => (0, eval)("1"),
  Function: () => Function("1"),
  setTimeout: () => setTimeout("1"),
  Worker: () => new Worker("sw.js"),
  "Worker of a blob": () => new Worker(URL.createObjectURL(new Blob(["1"]))),
  SharedWorker: () => new SharedWorker("sw.js"),
  policy: () => trustedTypes.createPolicy("another", {}),
  "default policy": () => trustedTypes.createPolicy("default", {}),
  "the lab's policy": () => trustedTypes.createPolicy("embedding-lab", {}),
})
"""
# In a task of its own: what Playwright itself evaluates may use eval.
TRY = f"""() => new Promise((resolve) => setTimeout(() => resolve(Object.entries({WAYS}).flatMap(([name, way]) => {{
  try {{ way(); return [name]; }} catch {{ return []; }}
}}))))"""
WORKER = """() => ["another", "default", "lit-html"].filter((name) => {
  try { self.trustedTypes.createPolicy(name, {}); return name !== "lit-html"; } catch { return name === "lit-html"; }
})"""


@pytest.mark.tolerates("policy", "console")
def test_no_text_becomes_html_or_code_and_no_policy_is_added(open_harness, site):
    site.hold("pyodide.asm.wasm")
    page = open_harness(site)
    page.locator("body").evaluate("() => window.start ?? new Promise((resolve) => addEventListener('load', resolve))")
    assert page.evaluate(TRY) == []
    with page.expect_event("worker") as told:
        page.evaluate("() => void start('first')")
    # That the worker may make the one policy of the page's list shows that it has this list, and not none of its own.
    assert told.value.evaluate(WORKER) == []
