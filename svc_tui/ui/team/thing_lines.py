"""The words for a thing that is handed to colleagues: what it would be here, whole."""

from collections.abc import Iterator

from textual.content import Content

from svc_tui.core.phrases import counted
from svc_tui.core.views import View
from svc_tui.session.masking import domain_of
from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.team.shares import SharedDraft, SharedRequest, SharedThing, SharedView, draft_of
from svc_tui.ui.text import field_label, pad, styled
from svc_tui.ui.widgets.text.difference import diff_content

_LABEL_CELLS = 10
_MAX_CHARACTERS = 20_000
"""Characters of a request that are shown; a saved one is a small text."""


def thing_content(thing: SharedThing, mask: PrivacyMask) -> Content:
    """What the thing holds, as it may be seen."""
    match thing:
        case SharedRequest(toml=toml):
            text = mask.text(toml[:_MAX_CHARACTERS])
            more = (
                f"\n… and {counted(len(toml) - _MAX_CHARACTERS, 'more character')}"
                if len(toml) > _MAX_CHARACTERS
                else ""
            )
            return styled(text.strip() + more, lines=True)
        case SharedView(view=view):
            return Content("\n").join(
                Content.assemble((pad(label, _LABEL_CELLS), "$role-muted"), styled(mask.text(text)))
                for label, text in _view_lines(view)
            )
        case SharedDraft():
            return _draft_content(thing, mask)


def _view_lines(view: View) -> Iterator[tuple[str, str]]:
    yield "filter", view.filter or "none"
    order = "default"
    if view.sort is not None:
        order = f"{field_label(view.sort.field)}, {'descending' if view.sort.descending else 'ascending'}"
    yield "sorting", order
    yield "columns", ", ".join(field_label(column.field) for column in view.columns) or "default"
    if view.query:
        yield "query", " ".join(f"?{name}={value}" for name, value in view.query)


def _draft_content(thing: SharedDraft, mask: PrivacyMask) -> Content:
    changes = diff_content(mask.draft(draft_of(thing), domain_of(thing.path)).changes)
    return Content("\n\n").join(filter(None, (changes, masked_content(thing))))


def masked_content(thing: SharedThing) -> Content:
    """Which fields did not leave their author's machine; nothing where all did."""
    if not isinstance(thing, SharedDraft) or not thing.masked:
        return Content()
    return styled(f"Not shared (masked): {', '.join(thing.masked)}.", "$role-warning")
