"""Writes the Content-Security-Policy of a built course site, with the hashes of what its tool wrote into the pages.

    python policy.py SITE POLICY

SITE is the folder with the built pages. POLICY is a text file with the policy, in which {scripts} and {styles} stand
for the hashes of the inline scripts and styles of all pages: nothing inline but these will run. Lines that begin with
# are remarks. The policy is printed as one line, to be sent by the server as the header Content-Security-Policy. Run it
after each build of the site.
"""

import base64
import hashlib
import sys
from html.parser import HTMLParser
from pathlib import Path

SCRIPT_TYPES = {None, "", "module", "text/javascript", "application/javascript"}  # others are data, which never runs


class InlineCode(HTMLParser):
    """The inline scripts and styles of a page.

    Args:
        page: its HTML.

    Attributes:
        elements, attributes: {"scripts": texts, "styles": texts}, those that are elements and those in attributes.
    """

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements = {"scripts": set(), "styles": set()}
        self.attributes = {"scripts": set(), "styles": set()}
        self._kind, self._text = None, ""
        self.feed(page.replace("\r\n", "\n"))  # as a browser reads it before it takes hashes
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.attributes["scripts"].update(value for name, value in attrs if name.startswith("on") and value)
        self.attributes["styles"].update(value for name, value in attrs if name == "style" and value)
        self._kind, self._text = None, ""
        if tag == "script" and "src" not in attributes and attributes.get("type") in SCRIPT_TYPES:
            self._kind = "scripts"
        elif tag == "style":
            self._kind = "styles"

    def handle_data(self, data):
        self._text += data

    def handle_endtag(self, tag):
        if self._kind and tag in ("script", "style"):
            self.elements[self._kind].add(self._text)
            self._kind = None


def policy(site, template):
    """The policy of a site in one line.

    Args:
        site: the folder with its pages.
        template: the policy, with {scripts} and {styles} where hashes belong.
    """
    pages = [InlineCode(path.read_bytes().decode()) for path in Path(site).rglob("*.html")]
    for kind in ("scripts", "styles"):
        elements = {text for page in pages for text in page.elements[kind]}
        attributes = {text for page in pages for text in page.attributes[kind]}
        hashes = sorted({_hash(text) for text in elements | attributes})
        sources = [*(["'unsafe-hashes'"] if attributes else []), *hashes]  # without it, hashes are for elements only
        template = template.replace(f"{{{kind}}}", " ".join(sources))
    lines = [line for line in template.splitlines() if not line.startswith("#")]
    return " ".join(" ".join(lines).split()).replace(" ;", ";")


def _hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(policy(sys.argv[1], Path(sys.argv[2]).read_text(encoding="utf-8")))
