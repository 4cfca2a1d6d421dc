"""The pages of the user guide, and which of them fits where one is."""

from importlib.resources import files
from typing import NamedTuple


class GuidePage(NamedTuple):
    """One page: `name` is its file's, without the ending."""

    name: str
    title: str


PAGES = (
    GuidePage("contents", "Contents"),
    GuidePage("find-a-record", "Find a record"),
    GuidePage("fix-a-field", "Fix a field"),
    GuidePage("correct-from-a-file", "Correct records from a file"),
    GuidePage("explain-a-signature", "Explain a signature"),
    GuidePage("hand-over-a-case", "Hand over a case"),
    GuidePage("setup", "Setting up"),
    GuidePage("browsing", "Browsing"),
    GuidePage("fixing", "Fixing safely"),
    GuidePage("corrections", "Corrections from a file"),
    GuidePage("console", "The request console"),
    GuidePage("record-index", "Find anything: the index"),
    GuidePage("team", "A team around one journal"),
    GuidePage("reader", "Without eyes: the reader"),
    GuidePage("signing", "Signing, explained"),
    GuidePage("testing", "A service for your tests"),
    GuidePage("testing-reference", "The sandbox, in full"),
    GuidePage("troubleshooting", "Troubleshooting"),
    GuidePage("commands", "Commands"),
    GuidePage("configuration", "Configuration"),
    GuidePage("themes", "Themes"),
    GuidePage("keys", "Keys"),
    GuidePage("systems", "Systems and terminals"),
    GuidePage("stability", "What stays"),
    GuidePage("licences", "Licences"),
)
"""In the order in which a newcomer would read them."""

_FITTING = {"Fields": "fixing", "Record": "fixing", "Console": "console", "Answer": "console", "Request": "console"}
"""The area of keys that is nearest, to a page's name; browsing for every other."""


def matching_pages(area: str) -> GuidePage:
    """The page for the user among the keys of this area; see `ui.shortcuts`."""
    return page_named(_FITTING.get(area, "browsing"))


def page_named(name: str) -> GuidePage:
    """The page with this name, or of this file (`fixing.md`); raises KeyError where there is none."""
    page = next((page for page in PAGES if page.name == name.removesuffix(".md")), None)
    if page is None:
        raise KeyError(name)
    return page


def text_of(page: GuidePage) -> str:
    """The page as Markdown."""
    return (files("svc_tui") / "guide" / f"{page.name}.md").read_text(encoding="utf-8")
