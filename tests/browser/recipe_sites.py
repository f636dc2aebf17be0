"""The course sites of tests/recipes, each built by its own tool as its author would, and served under its policy."""

import importlib.util
import shutil
import subprocess
import sys
import threading

import build

RECIPES = build.ROOT / "tests" / "recipes"

# What the recipes write where an author writes where her lab and her course are.
LAB = "https://lab.example.org/embedding-lab/"
COURSE = "https://course.example.org/nlp/"

# The command that builds a site, and the folder that it puts the pages into.
BUILDERS = {
    "html": (None, "."),
    "mkdocs": ("{python} -m mkdocs build --strict --quiet", "site"),
    "sphinx": ("{python} -m sphinx --fail-on-warning --quiet --builder html . _build/html", "_build/html"),
    "notebook": ("{python} -m nbconvert --config nbconvert_config.py --log-level ERROR lesson.ipynb", "site"),
}


class PolicyHandler(build.SiteHandler):
    """Serves a course with its policy as a header."""

    course = None

    def end_headers(self):
        self.send_header("Content-Security-Policy", self.course.policy)
        super().end_headers()


class Course:
    """A course site from tests/recipes: built, and served from an origin of its own under a path.

    Args:
        name: the recipe's folder.
        lab: the address of the lab's site.
        folder: an empty folder to build in.

    Attributes:
        url: the address of the course, which ends with a slash.
        policy: the Content-Security-Policy that every answer carries.
    """

    def __init__(self, name, lab, folder):
        self.source = folder / name
        command, pages = BUILDERS.get(name, (None, "."))
        pages = self.source / pages
        handler = type("Handler", (PolicyHandler,), {"course": self})
        self.server = build.make_server(pages, path="/teaching/nlp/", handler=handler)
        self.url = self.server.address
        shutil.copytree(RECIPES / name, self.source)
        for path in self.source.rglob("*"):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                path.write_text(text.replace(LAB, lab).replace(COURSE, self.url), encoding="utf-8")
        if command:
            run_tool(command, self.source)
        if name == "lms":
            platform = load(self.source / "platform.py")
            lesson = (self.source / "lesson.md").read_text(encoding="utf-8")
            (self.source / "lesson.html").write_text(platform.render(lesson, lab), encoding="utf-8")
        policy = load(RECIPES / "policy.py").policy
        self.policy = policy(pages, (self.source / "policy.txt").read_text(encoding="utf-8"))
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def run_tool(command, folder):
    """Run the command that builds a course, with this test's Python; its words are the error if it fails."""
    words = [sys.executable if word == "{python}" else word for word in command.split()]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"


def load(path):
    """A module from a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
