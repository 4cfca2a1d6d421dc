"""The frame of a record: its name above; below, the unsent edits and the cursor's position."""

from textual.content import Content

from svc_tui.domain.data.outline import OutlineEntry, path_text
from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.model.durations import age_words
from svc_tui.ui.text import shorten, styled, visible

MAX_LABEL_CELLS = 40
"""Cells that a label, a path or a text that was sought takes at most."""


def title_content(draft: Draft | None, pending_id: str = "") -> Content:
    """The record's id, a dot before it where edits are not sent; `pending_id` where the record is still to come."""
    if draft is None:
        return styled(pending_id) if pending_id else Content("Record")
    mark = Content.styled("• ", "$role-changed") if draft.edits else Content("")
    return Content.assemble(mark, styled(draft.base.id or "Record"))


def subtitle_content(draft: Draft, age: float, entry: OutlineEntry | None, *, raw: bool) -> Content:
    """What is not sent, for how many seconds (`age`), the path of a nested value or the label, how values are shown."""
    old = f"{words} old · ctrl+s" if (words := age_words(age)) else ""
    count = len(draft.edits)
    path = path_text(entry.path) if entry and len(entry.path) > 1 else ""
    parts = [
        Content.styled(f"{count} not sent · {old or 'ctrl+s reviews'}" if count else "", "$role-changed"),
        styled(
            (path and shorten(visible(path[-MAX_LABEL_CELLS:]), MAX_LABEL_CELLS))
            or ("" if count else draft.base.label[:MAX_LABEL_CELLS])
        ),
        Content("raw values" if raw else ""),
    ]
    return Content(" · ").join(filter(None, parts))


def nested_subtitle_content(draft: Draft, count: str, state: Content) -> Content:
    """How much of a collection under it is in view, and the state of that."""
    unsent = Content.styled(f"{len(draft.edits)} not sent" if draft.edits else "", "$role-changed")
    return Content(" · ").join(filter(None, (unsent, Content(count), state)))
