"""The pages of the user guide, and which of them fits where one is."""

from importlib.resources import files
from typing import NamedTuple


class GuidePage(NamedTuple):
    """One page: `name` is its file's, without the ending."""

    name: str
    title: str


PAGES = (
    GuidePage("contents", "Contents"),
    GuidePage("setup", "Set up"),
    GuidePage("browsing", "Find and read records"),
    GuidePage("fixing", "Change records"),
    GuidePage("corrections", "Correct records from a file"),
    GuidePage("console", "Send any request"),
    GuidePage("signing", "Explain a signature"),
    GuidePage("record-index", "Index all records"),
    GuidePage("team", "Work in a team"),
    GuidePage("reader", "Use a screen reader"),
    GuidePage("testing", "Test your own client"),
    GuidePage("troubleshooting", "Troubleshooting"),
    GuidePage("commands", "Commands"),
    GuidePage("configuration", "Configuration and themes"),
    GuidePage("keys", "Keys"),
    GuidePage("stability", "Compatibility"),
    GuidePage("testing-reference", "The local sandbox, in full"),
)
"""In reading order; the generated reference of the sandbox at the end is not part of it."""

READING_ORDER = PAGES[:-1]
"""The pages that the keys for the next and the previous page go through."""

AREAS = {
    "setup": ("Welcome", "Checking", "Key"),
    "fixing": ("Fields", "Record", "Editor", "Review", "Conflict", "Form", "Delete", "Journal", "Writes", "Case file"),
    "corrections": ("Plan", "Runs", "Run"),
    "signing": ("Signature",),
    "console": ("Console", "Response", "Requests", "Request", "History", "API reference", "Comparison"),
    "record-index": ("Changes",),
    "team": ("Team", "Shared", "Approval"),
    "configuration": ("Theme",),
}
"""The page for areas of keys; all other areas have `browsing`."""


def matching_pages(area: str) -> GuidePage:
    """The page for the user among the keys of this area; see `ui.keys.shortcuts`."""
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
