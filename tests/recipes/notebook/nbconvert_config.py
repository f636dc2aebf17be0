"""How the notebook becomes a page: its cells are run first, and the page asks no third party for scripts."""

c = get_config()  # noqa: F821, a name that Jupyter gives
c.NbConvertApp.export_format = "html"
c.FilesWriter.build_directory = "site"
c.ExecutePreprocessor.enabled = True
c.HTMLExporter.require_js_url = ""
c.HTMLExporter.jquery_url = ""
c.HTMLExporter.mathjax_url = ""
