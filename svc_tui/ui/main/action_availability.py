"""Why actions of the main screen would not be done here and now."""

from svc_tui.core.jsontext import Absent
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.availability import COVERED_BY_DIALOG, WRITE_IN_FLIGHT, DisabledReason
from svc_tui.ui.main.bindings import TABLE_ACTIONS


class ActionAvailability:
    """Knows it of what is open in the workspace, of the drafts and of the lock."""

    def __init__(self, context: Context, drafting: DraftController) -> None:
        self._context, self._drafting = context, drafting

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Why the action's key is not taken; None where it is."""
        if action in TABLE_ACTIONS and self._context.workspace.in_console:
            return COVERED_BY_DIALOG
        return WRITE_IN_FLIGHT if action == "review" and self._drafting.writes.sending else None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """What the action says instead of being done, or comes to nothing for; "" where it would be done."""
        match action, parameters:
            case ("edit" | "edit_whole" | "take_back" | "review" | "act", _):
                return self._of_changing(action, parameters)
            case "lock", _:
                lock = self._drafting.writes.lock
                return "" if lock.unlockable else lock.refusal() or availability.NO_UNLOCKING
            case "history", _:
                return "" if self._context.session.preferences.history_limit else availability.NO_HISTORY
            case ("sort" | "columns" | "summary" | "export" | "unarrange" | "tab" | "close_tab", _):
                return self._of_table(action)
            case _:
                return self._of_looking(action, parameters)

    def _of_changing(self, action: str, parameters: tuple[object, ...]) -> str:
        workspace, drafting = self._context.workspace, self._drafting
        place, record = workspace.selection.place, workspace.selection.record
        no_record = "" if place and place.record_id is not None and record is not None else availability.NO_RECORD
        draft = drafting.drafts.draft(place) if place is not None else None
        match action, parameters:
            case "edit", _:
                if workspace.selection.shown is None:
                    return availability.NO_RECORD
                return availability.NO_FIELD if workspace.selection.steps is None else ""
            case "take_back", _:
                return (
                    "" if draft is not None and workspace.selection.field in draft.edits else availability.NOT_CHANGED
                )
            case "review", _:
                return availability.NOTHING_TO_SEND if draft is None else drafting.writes.lock.lasting_refusal or ""
            case "act", ("delete",):
                return no_record or drafting.writes.lock.lasting_refusal or ""
            case "act", ("menu",):
                return "" if workspace.selection.marked else no_record
            case ("edit_whole", _) | ("act", ("copy",)):
                return no_record
        return ""

    def _of_table(self, action: str) -> str:
        browse, path = self._context.table, self._context.selection.path
        view, ready = browse.view, browse.collection is not None and browse.rows.loaded
        in_vain = {
            "sort": (not browse.table.columns, availability.NOTHING_TO_SORT),
            "columns": (not browse.table.columns, availability.NO_COLUMNS),
            "summary": (path is None or not ready, availability.NO_COLUMN),
            "export": (not ready, availability.NOTHING_TO_EXPORT),
            "unarrange": (not (view.filter or view.sort or view.query), availability.NOTHING_ARRANGED),
            "tab": (not self._context.workspace.browse.open_collections.has_several, availability.ONLY_TAB),
            "close_tab": (not self._context.workspace.browse.open_collections.has_several, availability.ONLY_TAB),
        }
        off, reason = in_vain[action]
        return reason if off else ""

    def _of_looking(self, action: str, parameters: tuple[object, ...]) -> str:
        workspace = self._context.workspace
        match action, parameters:
            case (("follow" | "peek"), _):
                steps = workspace.selection.steps
                return (
                    ""
                    if steps and workspace.selection.references(steps, workspace.selection.value)
                    else availability.NO_NAMED
                )
            case "page", _:
                return (
                    availability.NOTHING_TO_PAGE if workspace.text is None and workspace.selection.seen is None else ""
                )
            case "copy", _:
                return availability.NO_VALUE if isinstance(workspace.selection.seen_value, Absent) else ""
            case "copy_menu", _:
                return availability.NOTHING_OPEN if workspace.selection.place is None else ""
            case ("pane", ("record",)) | ("referrers", _):
                return "" if workspace.selection.record is not None else availability.NO_RECORD
        return ""
