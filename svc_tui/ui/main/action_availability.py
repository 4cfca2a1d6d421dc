"""The actions of the main screen that are available here and now, and the keys that the line of keys names for them."""

from svc_tui.core.jsontext import Absent
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.availability import COVERED_BY_CONSOLE, WRITE_IN_FLIGHT, DisabledReason
from svc_tui.ui.main.features import MainFeatures
from svc_tui.ui.main.split_layout import SplitLayout
from svc_tui.ui.sidebar.sidebar import Sidebar
from svc_tui.ui.text import shorten, visible
from svc_tui.ui.widgets.bars.key_bar import KeyEmphasis

_TABLE_ACTIONS = frozenset({
    "edit", "edit_whole", "take_back", "review", "act", "follow", "peek", "referrers", "filter", "tab", "close_tab",
    "sort", "load_rest", "columns", "summary", "next", "unarrange", "refresh_rows", "copy", "copy_menu", "export",
    "raw",
})  # fmt: skip
"""Actions on the table or the record, which have no meaning in the console, which covers both."""

_BACK_TO = "Back to "
_MAX_ID_CELLS = 14
"""Cells of an id in the line of keys."""
_RECORD_KEYS = frozenset({"record.edit", "record.review", "record.actions", "record.referrers", "table.filter"})
_KEYS_OF_ONE_RECORD = frozenset(
    {"table.open", "record.edit", "record.review", "record.follow", "record.referrers", "go.to"}
)


class ActionAvailability:
    """Reasons why actions are not available, and the keys to name, computed from what is open and selected."""

    def __init__(self, context: Context, features: MainFeatures, sidebar: Sidebar, layout: SplitLayout) -> None:
        self._context, self._features = context, features
        self._sidebar, self._layout = sidebar, layout

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Return why the action's key is disabled; None if it is enabled."""
        if action in _TABLE_ACTIONS and self._context.workspace.in_console:
            return COVERED_BY_CONSOLE
        return WRITE_IN_FLIGHT if action == "review" and self._features.writes.sending else None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Return why the action would do nothing; "" if it would act."""
        match action, parameters:
            case ("edit" | "edit_whole" | "take_back" | "review" | "act", _):
                return self._change_reason(action, parameters)
            case "lock", _:
                lock = self._features.lock
                return "" if lock.unlockable else lock.refusal() or availability.NO_UNLOCKING
            case "history", _:
                return "" if self._context.session.preferences.history_limit else availability.NO_HISTORY
            case ("sort" | "columns" | "summary" | "export" | "unarrange" | "tab" | "close_tab", _):
                return self._table_reason(action)
            case _:
                return self._view_reason(action, parameters)

    def _change_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        selection, drafting = self._context.selection, self._features.drafting
        place, record = selection.place, selection.record
        no_record = "" if place and place.record_id is not None and record is not None else availability.NO_RECORD
        draft = drafting.drafts.draft(place) if place is not None else None
        match action, parameters:
            case "edit", _:
                if selection.shown is None:
                    return availability.NO_RECORD
                return availability.NO_FIELD if selection.steps is None else ""
            case "take_back", _:
                return "" if draft is not None and selection.field in draft.edits else availability.NOT_CHANGED
            case "review", _:
                return availability.NOTHING_TO_SEND if draft is None else self._features.lock.lasting_refusal or ""
            case "act", ("delete",):
                return no_record or self._features.lock.lasting_refusal or ""
            case "act", ("menu",):
                return "" if selection.marked else no_record
            case ("edit_whole", _) | ("act", ("copy",)):
                return no_record
        return ""

    def _table_reason(self, action: str) -> str:
        browse, open_collections = self._context.table, self._context.workspace.browse.open_collections
        view, has_rows = browse.view, browse.collection is not None and browse.rows.loaded
        match action:
            case "sort" if not browse.table.columns:
                return availability.NOTHING_TO_SORT
            case "columns" if not browse.table.columns:
                return availability.NO_COLUMNS
            case "summary" if self._context.selection.path is None or not has_rows:
                return availability.NO_COLUMN
            case "export" if not has_rows:
                return availability.NOTHING_TO_EXPORT
            case "unarrange" if not (view.filter or view.sort or view.query):
                return availability.NOTHING_ARRANGED
            case "tab" | "close_tab" if not open_collections.has_several:
                return availability.ONLY_TAB
        return ""

    def _view_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        workspace, selection = self._context.workspace, self._context.selection
        match action, parameters:
            case (("follow" | "peek"), _):
                steps = selection.steps
                return "" if steps and selection.references(steps, selection.value) else availability.NO_NAMED
            case "page", _:
                return availability.NOTHING_TO_PAGE if workspace.text is None and selection.seen is None else ""
            case "copy", _:
                return availability.NO_VALUE if isinstance(selection.seen_value, Absent) else ""
            case "copy_menu", _:
                return availability.NOTHING_OPEN if selection.place is None else ""
            case ("pane", ("record",)) | ("referrers", _):
                return "" if selection.record is not None else availability.NO_RECORD
        return ""

    # The line of keys

    def key_emphasis(self) -> KeyEmphasis:
        """Return the keys that the line of keys names first, those it names too, and those it leaves out."""
        workspace, selection = self._context.workspace, self._context.selection
        is_narrow, in_record = self._layout.is_narrow, workspace.panes.in_record
        if self._sidebar.has_focus:
            return KeyEmphasis(without=_RECORD_KEYS, also={"go.up": "Close"} if is_narrow else {})
        marked, has_record = selection.marked, selection.record is not None
        in_range = self._context.table.marking.in_range
        opened = self._context.table.open_collections.current
        back_label = self._back_label
        is_inside = self._layout.zoomed or workspace.panes.record_open or workspace.in_console or in_range
        can_quit = not (back_label or is_inside)
        has_written = bool(self._features.writes.last_entry)
        has_room = not is_narrow or in_record
        # On a narrow screen a long label takes the room of keys that are known from other records.
        is_crowded = is_narrow and back_label.startswith(_BACK_TO)
        range_label = "End range" if in_range else "Start range"
        also: dict[str, str] = {}
        if selection.is_reference:
            also["record.follow"] = "Follow"
        if has_record and not (is_narrow or in_record):
            also["marks.range"] = range_label
        if (back_label or can_quit) and (has_room or not marked):
            also["app.back"] = back_label or "Quit"
        if has_written and (has_room or not (marked or back_label)):
            also["writes.undo"] = "Undo…"
        if is_narrow and not (in_record or marked or back_label or has_written):
            # The sidebar is a drawer there.
            also["pane.sidebar"] = "Collections"
        if lock_label := self._features.lock.key_label:
            also["writes.lock"] = lock_label
        if opened is not None and opened.apply_label:
            also["filter.done"] = opened.apply_label
        if marked:
            words = {
                "marks.toggle": "Mark",
                "record.actions": f"Actions on {marked:,}…",
                "marks.range": range_label,
                "table.export": "Export",
                "copy.menu": "Copy",
                "marks.none": "Unmark",
            }
            return KeyEmphasis(words, _KEYS_OF_ONE_RECORD, also)
        is_named = {
            "table.open": has_record,
            "marks.toggle": has_record,
            "record.actions": not ((is_narrow and can_quit) or (is_crowded and has_written)),
            "record.find": not ((is_narrow and has_written) or is_crowded),
            "record.referrers": in_record,
            "record.edit": not selection.is_id,
            "record.next_tab": not is_narrow,
        }
        return KeyEmphasis(without=frozenset(key for key in is_named if not is_named[key]), also=also)

    @property
    def _back_label(self) -> str:
        """The word for Esc in a record or a filter; "" if it closes something else first, or nothing."""
        panes, opened = self._context.workspace.panes, self._context.table.open_collections.current
        if self._layout.zoomed or self._context.table.marking.in_range:
            return ""
        if panes.in_record and panes.record is not None:
            if panes.record.is_searching:
                return "End search"
            before = self._features.navigation.trail.record_before
            return f"{_BACK_TO}{shorten(visible(before.id), _MAX_ID_CELLS)}" if before is not None else "Back"
        is_filtered = opened is not None and bool(opened.filter.text) and not (opened.filtering or opened.loads_rest)
        return "Clear filter" if is_filtered and panes.browse.has_focus_within and not panes.record_open else ""
