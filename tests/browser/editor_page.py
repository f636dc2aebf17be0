"""The editor of own encodings as a reader meets it, for the tests: code is pasted into it, and it is asked what it shows."""

import re

from playwright.sync_api import expect

from lab_page import STARTING, LabPage


class EditorPage:
    """The editor on a page of the lab, opened."""

    def __init__(self, lab: LabPage):
        self.lab, self.page = lab, lab.page
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        lab.button("+ Your own").click()
        expect(self.box).to_be_visible()

    @property
    def place(self):
        return self.page.locator("lab-encoding-workbench")

    @property
    def box(self):
        return self.page.get_by_role("textbox", name="Python code of your encoding")

    @property
    def offered(self):
        """The completions in the list that is open."""
        return self.place.locator(".cm-tooltip-autocomplete").get_by_role("option")

    @property
    def state(self):
        """What is said of the code: whether it was checked, and whether it works."""
        return self.place.locator(".state")

    @property
    def failure(self):
        return self.place.locator(".failure")

    @property
    def marked(self):
        """The marks in the gutter, one for each line with an error."""
        return self.place.locator(".cm-error-mark[title]:not([title=''])")

    @property
    def pictures(self):
        """The headings of what is drawn."""
        return self.place.locator(".found").get_by_role("heading", level=2)

    def button(self, name):
        return self.place.get_by_role("button", name=name, exact=True)

    def start_from(self, title):
        self.place.get_by_label("Start from").select_option(label=title)

    def write(self, code):
        """Put this code in the place of what is there, by the clipboard."""
        self.page.evaluate("(code) => navigator.clipboard.writeText(code)", code)
        self.box.focus()
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.press("ControlOrMeta+V")

    def write_good(self, code, name):
        """Write code that works, and wait until its check has said so."""
        self.write(code)
        self.expect_checked()
        assert "it works" in self.state.inner_text(), self.failure.inner_text()
        expect(self.place.locator(".found strong").first).to_have_text(name)

    def write_bad(self, code):
        """Write code that does not work, and wait until its check has said so."""
        self.write(code)
        self.expect_checked()
        assert "cannot be trained like this" in self.state.inner_text()

    def expect_checked(self):
        """Wait until what is in the editor was checked."""
        expect(self.state).to_contain_text(re.compile("it works|cannot be trained like this"), timeout=STARTING)

    def train(self):
        """Press Train it, where it can be pressed."""
        button = self.button("Train it")
        expect(button).not_to_have_attribute("aria-disabled", "true")
        button.click()
        expect(self.place.get_by_text("was added to the runs below")).to_be_visible()
