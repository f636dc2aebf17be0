"""A stand-in for a learning platform: pages are Markdown, and no HTML gets through but iframes of hosts it knows.

It has what such platforms have: authors cannot add scripts, styles or attributes of their own, and the platform's own
script (`gradebook.js`) is the only one on the page.
"""

import nh3
from markdown_it import MarkdownIt

TEXT = {"a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "hr", "li", "ol", "p", "pre", "strong", "ul"}
FRAME = {"src", "title", "width", "height", "loading", "sandbox"}

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Learning platform</title>
<link rel="stylesheet" href="platform.css">
<script type="module" src="gradebook.js"></script>
<p>Score: <output>nothing handed in</output></p>
<main>
{lesson}</main>
</html>
"""


def render(markdown, allowed):
    """The page of a lesson.

    Args:
        markdown: what its author wrote.
        allowed: what the address of an iframe must begin with, or its address is taken away.
    """

    def keep(tag, attribute, value):
        return value if (tag, attribute) != ("iframe", "src") or value.startswith(allowed) else None

    html = MarkdownIt("commonmark").render(markdown)
    clean = nh3.clean(html, tags={*TEXT, "iframe"}, attributes={"iframe": FRAME, "a": {"href"}}, attribute_filter=keep)
    return PAGE.replace("{lesson}", clean)
