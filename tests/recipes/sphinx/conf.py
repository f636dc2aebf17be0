"""A course made with Sphinx: Markdown by MyST, the theme of Jupyter Book. For the lab: html_js_files, and order.md."""

project = "Reading machines"
author = "the teachers of this course"
language = "en"
extensions = ["myst_parser"]
html_theme = "sphinx_book_theme"
html_title = "Reading machines"
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # as light or dark as the reader's system until she chooses
html_static_path = ["_static"]
html_js_files = [
    ("https://lab.example.org/embedding-lab/embedding-lab.js", {"async": "async"}),
    "verdict.js",
]
