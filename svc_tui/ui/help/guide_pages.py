"""The pages of the user guide, and which of them fits where one is."""

from importlib.resources import files
from typing import NamedTuple


class Page(NamedTuple):
    """One page: `name` is its file's, without the ending."""

    name: str
    title: str


PAGES = (
    Page("setup", "Setting up"),
    Page("browsing", "Browsing"),
    Page("fixing", "Fixing safely"),
    Page("console", "The request console"),
    Page("signing", "Signing, explained"),
    Page("troubleshooting", "Troubleshooting"),
    Page("configuration", "Configuration"),
    Page("themes", "Themes"),
    Page("keys", "Keys"),
    Page("licences", "Licences"),
)
"""In the order in which a newcomer would read them."""

_FITTING = {"Fields": "fixing", "Record": "fixing", "Console": "console", "Answer": "console", "Request": "console"}
"""The area of keys that is nearest, to a page's name; browsing for every other."""


def fitting(area: str) -> Page:
    """The page for somebody among the keys of this area; see `ui.shortcuts`."""
    return named(_FITTING.get(area, "browsing"))


def named(name: str) -> Page:
    """The page with this name, or of this file (`fixing.md`); raises KeyError where there is none."""
    found = next((page for page in PAGES if page.name == name.removesuffix(".md")), None)
    if found is None:
        raise KeyError(name)
    return found


def text_of(page: Page) -> str:
    """The page as Markdown."""
    return (files("svc_tui") / "guide" / f"{page.name}.md").read_text(encoding="utf-8")
