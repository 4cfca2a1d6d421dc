"""The pages of the user guide."""

from importlib.resources import files
from typing import NamedTuple


class GuidePage(NamedTuple):
    """A page; `name` is the name of its file without the suffix."""

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
"""The pages in reading order, and last the generated reference of the sandbox."""

READING_ORDER = PAGES[:-1]
"""The pages to turn through."""

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
"""The areas of keys by the page about them; all other areas belong to `browsing`."""


def matching_pages(area: str) -> GuidePage:
    """Return the page about an area of keys; see `ui.keys.shortcuts`."""
    return page_named(next((page for page, areas in AREAS.items() if area in areas), "browsing"))


def page_named(name: str) -> GuidePage:
    """Return the page with this name or of this file (`fixing.md`); raises KeyError if there is none."""
    page = next((page for page in PAGES if page.name == name.removesuffix(".md")), None)
    if page is None:
        raise KeyError(name)
    return page


def text_of(page: GuidePage) -> str:
    """Return the page as Markdown."""
    return (files("svc_tui") / "guide" / f"{page.name}.md").read_text(encoding="utf-8")
