"""A page with nothing but Python workers, for tests of those."""

import json
import subprocess

import build

HARNESS = """
import { startPythonWorker } from %s;

/** Starts a worker under a name and keeps what it told; resolves to what became of `ready`. */
window.start = (name) => {
  const progress = [];
  const onProgress = (told) => {
    progress.push(told);
    dispatchEvent(new CustomEvent("told", { detail: told }));
  };
  const printed = [];
  const worker = startPythonWorker({ onProgress, onPrinted: (text) => printed.push(text) });
  window[name] = { worker, progress, printed };
  return worker.ready.then(
    (ready) => ({ ready }),
    ({ message, code, file }) => ({ message, code, file }),
  );
};
"""

PAGE = """<!doctype html><meta charset="utf-8">%s<title>A worker</title>
<link rel="icon" href="favicon.svg"><script type="module" src="assets/%s"></script>
"""


def make(dist, folder):
    """Fill a folder to lay over the site with that page, under the site's own policy."""
    entry = folder / "harness.js"
    entry.write_text(HARNESS % json.dumps(str(build.WEB / "lab/python-worker.js")))
    command = [build.node(), build.WEB / "bundle.mjs", build.CACHE / "lab-data.json", folder / "assets", entry]
    subprocess.run(command, check=True, capture_output=True, cwd=build.WEB)
    name = next((folder / "assets").glob("harness-*.js")).name
    policy = next(line.strip() for line in (dist / "index.html").read_text().splitlines() if "Content-Security" in line)
    (folder / "harness.html").write_text(PAGE % (policy, name))


def start(page, name="first"):
    return page.evaluate("name => start(name)", name)


def call(page, name, *arguments):
    """The result of a call to the first worker, or {"message", "code"} of its error."""
    return page.evaluate(
        "([name, args]) => first.worker.call(name, ...args).catch(({ message, code }) => ({ message, code }))",
        [name, list(arguments)],
    )
