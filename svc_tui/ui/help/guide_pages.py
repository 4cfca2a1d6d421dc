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

AREAS = {
    "setup": ("Doors", "Checking", "Key"),
    "find-a-record": ("Finder", "Pointers", "Results"),
    "fixing": ("Fields", "Record", "Editor", "Review", "Conflict", "Form", "Delete", "Journal", "Writes"),
    "corrections": ("Plan", "Runs", "Run"),
    "explain-a-signature": ("Signature",),
    "hand-over-a-case": ("Case",),
    "console": ("Console", "Answer", "Requests", "History", "Catalogue", "Compare", "Body", "Path", "Method"),
    "record-index": ("Changes",),
    "team": ("Team", "Shared", "Approval"),
    "themes": ("Theme",),
}
"""The page for areas of keys; browsing is for every other."""


def matching_pages(area: str) -> GuidePage:
    """The page for the user among the keys of this area; see `ui.shortcuts`."""
    return page_named(next((page for page, areas in AREAS.items() if area in areas), "browsing"))


def page_named(name: str) -> GuidePage:
    """The page with this name, or of this file (`fixing.md`); raises KeyError where there is none."""
    page = next((page for page in PAGES if page.name == name.removesuffix(".md")), None)
    if page is None:
        raise KeyError(name)
    return page


def text_of(page: GuidePage) -> str:
    """The page as Markdown."""
    return (files("svc_tui") / "guide" / f"{page.name}.md").read_text(encoding="utf-8")
