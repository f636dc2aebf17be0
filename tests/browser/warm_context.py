"""A browser context for one test after the other: what they store is cleared away, what they compile is kept.

Opening the lab in a new context takes twice the computing, most of it to compile Pyodide and NumPy. Within one process a
compiled module is shared as long as some page has it, and here a page that has Python stays open.
"""

from urllib.parse import urlsplit

from playwright.sync_api import Error

from lab_page import LabPage


class WarmContext:
    """Keeps a context warm; after a test that has ended its process, `context` is another one.

    Args:
        new_context: makes one, in a browser that gives the pages of a context one process.
        site: a server that no test uses.
    """

    def __init__(self, new_context, site):
        self._new_context = new_context
        self._site = site
        self._begin()

    def _begin(self):
        self.context = self._new_context()
        self._keeper = LabPage(self.context.new_page(), cores=1).open(self._site, encodings="none").page
        self._has_crashed = False
        self._keeper.on("crash", lambda: setattr(self, "_has_crashed", True))
        self._session = self.context.new_cdp_session(self._keeper)
        self._origins = set()
        self.context.on("page", lambda page: page.on("framenavigated", lambda frame: self._visited(frame.url)))

    def _visited(self, url):
        parts = urlsplit(url)
        if parts.netloc:
            self._origins.add(f"{parts.scheme}://{parts.netloc}")

    @property
    def pages(self):
        """Those of the test."""
        return [page for page in self.context.pages if page != self._keeper]

    def clean(self):
        """Close the pages of a test, and forget all that they have stored, were allowed, or have in the cache."""
        try:
            self._clear()
        except Error:
            self._has_crashed = True
        if self._has_crashed:
            self.context.close()
            self._begin()

    def _clear(self):
        for page in self.pages:
            page.close()
        self.context.clear_permissions()
        self.context.clear_cookies()
        self.context.set_offline(False)
        for origin in self._origins:
            self._session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self._origins.clear()
        self._session.send("Network.clearBrowserCache")
