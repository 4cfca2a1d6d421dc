"""The frame of a record: its name above; below, the unsent edits and the cursor's position; its age at the tabs."""

from collections.abc import Callable
from datetime import datetime

from textual.content import Content

from svc_tui.core.draft import Draft
from svc_tui.core.durations import age_words
from svc_tui.core.outline import OutlineEntry, path_text
from svc_tui.core.phrases import counted
from svc_tui.ui.record.nested_table import NestedPane
from svc_tui.ui.record.record_tabs import NESTED, RAW
from svc_tui.ui.record.record_views import ShownRecord
from svc_tui.ui.text import shorten, styled, visible
from svc_tui.ui.widgets.answer.exchange_text import age_text

MAX_LABEL_CELLS = 40
"""Cells that a label, a path or a text that was sought takes at most."""
MAX_NAME_CELLS = 20
"""Cells of a colleague's name at most."""


class RecordFrame:
    """Puts into words what is to be known of the record on show beside what its tab shows."""

    draft_age = 0.0
    """Seconds since the edits were last changed, when they were shown."""
    others: tuple[str, ...] = ()
    """The colleagues who have the record open for editing now."""

    is_alone = False
    """Whether no table stands beside the record, so that the title says where it is."""
    collection = ""
    """The name of the collection that the record is of."""
    position = ""
    """The record's place among the rows of the table, such as `42 of 5,000`; "" while that is not known."""
    edited_kind = ""
    """The kind of the value that is being edited in its place, "" while none is."""

    def __init__(self, *, raw: bool, now: Callable[[], datetime]) -> None:
        self.raw, self._now = raw, now
        self.nested = NestedPane.FrameChanged("", Content(""))
        """What the table of what hangs under the record told last."""

    def title(self, record: ShownRecord) -> Content:
        """Return the record's id, with a dot before it where edits are not sent; of one that is loading too.

        A record alone on the screen is called by its collection and its name too: `lots / lot-000042 · Silver ore 42`.
        """
        draft = record.draft
        collection = f"{self.collection} / " if self.is_alone and self.collection else ""
        if draft is None:
            return styled(f"{collection}{record.pending_id}") if record.pending_id else Content("Record")
        mark = Content.styled("• ", "$role-changed") if draft.edits else Content("")
        label = draft.base.label[:MAX_LABEL_CELLS] if self.is_alone else ""
        name = " · ".join(filter(None, (draft.base.id or "Record", label)))
        return Content.assemble(mark, styled(f"{collection}{name}"), self._others_content())

    @property
    def count(self) -> str:
        """The record's place among the rows, where no table beside it shows that."""
        return self.position if self.is_alone else ""

    def _others_content(self) -> Content:
        """Who else is at the record, beside its name."""
        if not self.others:
            return Content()
        first, more = shorten(visible(self.others[0]), MAX_NAME_CELLS), len(self.others) - 1
        who = f"{first} and {more:,} more" if more else first
        return styled(f" · {who} {'are' if more else 'is'} editing", "$role-warning")

    def subtitle(self, record: ShownRecord, tab: str, entry: OutlineEntry | None) -> Content:
        """What is not sent, and where one is in what the tab shows; `entry` is the value under the cursor."""
        if self.edited_kind:
            return styled(self.edited_kind)
        if record.draft is None:
            return Content("loading" if record.pending_id else "")
        parts = self._nested_parts(record.draft) if tab == NESTED else self._field_parts(record.draft, entry)
        return Content(" · ").join(filter(None, parts))

    def age(self, record: ShownRecord, tab: str) -> str:
        """How long ago the answer that the tab shows came; "" where it shows none, or has no room for it."""
        if record.reading is None or not (tab == RAW or self.is_alone):
            return ""
        return age_text((self._now() - record.reading.exchange.received).total_seconds())

    def _field_parts(self, draft: Draft, entry: OutlineEntry | None) -> tuple[Content, ...]:
        """What is not sent and for how long, the path of a nested value or the label, how values are shown."""
        age = age_words(self.draft_age)
        path = path_text(entry.path) if entry and len(entry.path) > 1 else ""
        return (
            _draft_content(draft, f", {age} old" if age else ""),
            styled(
                (path and shorten(visible(path[-MAX_LABEL_CELLS:]), MAX_LABEL_CELLS))
                or ("" if draft.edits or self.is_alone else draft.base.label[:MAX_LABEL_CELLS])
            ),
            Content("raw values" if self.raw else ""),
        )

    def _nested_parts(self, draft: Draft) -> tuple[Content, ...]:
        """What is not sent, how much of a collection under the record is in view, and the state of that."""
        return _draft_content(draft), Content(self.nested.count), self.nested.state


def _draft_content(draft: Draft, age: str = "") -> Content:
    """Return how many fields the draft changes, such as `draft: 2 fields, 3 h old`; nothing where it changes none."""
    words = f"draft: {counted(len(draft.edits), 'field')}{age}"
    return Content.styled(words if draft.edits else "", "$role-changed")
