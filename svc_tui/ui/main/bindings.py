"""The keys of the main screen, in the order of help and palette: what each does, and the id to give it another key."""

from textual.binding import Binding, BindingType

from svc_tui.ui.widgets.bars.key_bar import KeyEmphasis

MAIN_BINDINGS: list[BindingType] = [
    Binding("e", "edit", "Edit", id="record.edit", tooltip="Edit the field"),
    Binding("E", "edit_whole", "Edit record", id="record.edit_whole", show=False,
            tooltip="Edit the record as JSON in $EDITOR"),
    Binding("f4", "edit(True)", "Edit in $EDITOR", id="record.edit_outside", show=False,
            tooltip="Edit the field in $EDITOR"),
    Binding("backspace", "take_back", "Discard edit", id="record.take_back", show=False,
            tooltip="Discard the edit of the field"),
    Binding("ctrl+s", "review", "Review", id="record.review", tooltip="Review the draft before sending it"),
    Binding("a,ctrl+n", "act('create')", "Add", id="record.create", show=False, tooltip="Add a record"),
    Binding("A", "act('copy')", "Add a copy", id="record.copy", show=False,
            tooltip="Add a copy of the record"),
    Binding("delete", "act('delete')", "Delete", id="record.delete", show=False,
            tooltip="Delete the record (asks first)"),
    Binding("x", "act('menu')", "Actions", id="record.actions",
            tooltip="Choose an action for the record or the marked records"),
    Binding("u", "undo", "Undo", id="writes.undo", show=False,
            tooltip="Undo a change from the journal"),
    Binding("f", "follow", "Follow", id="record.follow", show=False,
            tooltip="Open the record that this field references"),
    Binding("p", "peek", "Preview", id="record.peek", show=False,
            tooltip="Preview the record that this field references"),
    Binding("R", "referrers", "Referenced by", id="record.referrers",
            tooltip="Search for records that reference this record"),
    Binding("f3", "page", "Pager", id="text.page", show=False,
            tooltip="Show the text in $PAGER"),
    Binding("colon", "go_to", "Go to", id="go.to", key_display=":",
            tooltip="Go to a collection, a record or a path, or mark a list of ids"),
    Binding("ctrl+f", "search", "Search", id="go.find", show=False,
            tooltip="Search all collections by id, name or any text"),
    Binding("f2", "explore", "API reference", id="go.catalogue", show=False,
            tooltip="Look up the routes, rules and errors of the API"),
    Binding("left_square_bracket", "travel(-1)", "Back", id="go.back", show=False,
            tooltip="Go back to the previous place"),
    Binding("right_square_bracket", "travel(1)", "Forward", id="go.forward", show=False,
            tooltip="Go forward to the next place"),
    Binding("1", "pane('sidebar')", "Go to sidebar", id="pane.sidebar", show=False, tooltip="Go to the sidebar"),
    Binding("2", "pane('table')", "Table", id="pane.table", show=False, tooltip="Go to the table"),
    Binding("3", "pane('record')", "Record", id="pane.record", show=False,
            tooltip="Go to the record"),
    Binding("4", "pane('console')", "Console", id="pane.console", show=False,
            tooltip="Open the console to send any request"),
    Binding("b,ctrl+b", "sidebar", "Sidebar", id="pane.fold_sidebar", show=False,
            tooltip="Show or hide the sidebar"),
    Binding("z", "zoom", "Maximize", id="pane.zoom", show=False,
            tooltip="Maximize or restore this pane"),
    Binding("greater_than_sign", "size(1)", "Larger", id="pane.larger", show=False, key_display=">",
            tooltip="Enlarge this pane; you can also drag its border with the mouse"),
    Binding("less_than_sign", "size(-1)", "Smaller", id="pane.smaller", show=False, key_display="<",
            tooltip="Shrink this pane"),
    Binding("equals_sign", "usual_sizes", "Reset sizes", id="pane.usual_sizes", show=False, key_display="=",
            tooltip="Reset all panes to their default sizes"),
    Binding("slash", "filter", "Filter", id="table.filter", key_display="/",
            tooltip="Filter the loaded records; ?name=value sets the query"),
    Binding("right_curly_bracket,ctrl+pagedown", "tab(1)", "Next tab", id="tabs.next_collection", show=False,
            tooltip="Go to the next open collection"),
    Binding("left_curly_bracket,ctrl+pageup", "tab(-1)", "Previous tab", id="tabs.previous_collection", show=False,
            tooltip="Go to the previous open collection"),
    Binding("ctrl+w", "close_tab", "Close tab", id="tabs.close", show=False,
            tooltip="Close the tab of this collection; drafts are kept"),
    Binding("s", "sort", "Sort", id="table.sort", show=False, tooltip="Sort the loaded records"),
    Binding("ctrl+l", "load_rest", "Load the rest", id="table.load_rest", show=False,
            tooltip="Load the remaining records, so that filter, sorting and summary include them"),
    Binding("o", "columns", "Columns", id="table.columns", show=False,
            tooltip="Choose, order and resize the columns"),
    Binding("i", "summary", "Summary", id="table.summary", show=False,
            tooltip="Summarize the values of the column"),
    Binding("ctrl+t", "raw", "Raw values", id="table.raw", show=False,
            tooltip="Show raw or formatted values"),
    Binding("n", "next(1)", "Next match", id="table.next", show=False, tooltip="Go to the next match"),
    Binding("N", "next(-1)", "Previous match", id="table.previous", show=False,
            tooltip="Go to the previous match"),
    Binding("minus", "unarrange", "Clear", id="table.unarrange", show=False, key_display="-",
            tooltip="Clear the filter, then the sorting, then the query"),
    Binding("r,ctrl+r,f5", "refresh_rows", "Refresh", id="table.refresh", show=False,
            tooltip="Refresh the records"),
    Binding("c", "copy", "Copy", id="copy.value", show=False, tooltip="Copy the value"),
    Binding("y", "copy_menu", "Copy…", id="copy.menu", show=False,
            tooltip="Copy the id, the record, the marked records, a request or a link"),
    Binding("ctrl+e", "export", "Export", id="table.export", show=False,
            tooltip="Export all records, the matches or the marked records to a file"),
    Binding("w", "lock", "Unlock or lock", id="writes.lock", show=False,
            tooltip="Unlock or lock LIVE"),
    Binding("K", "rotate", "Replace the key", id="key.replace", show=False,
            tooltip="Replace the API key and the signing secret with new ones"),
    Binding("Y", "proof", "Copy for ticket", id="writes.proof", show=False,
            tooltip="Copy a summary of the last change for the ticket"),
    Binding("at", "journal", "Journal", id="writes.journal", show=False, key_display="@",
            tooltip="Open the journal of sent changes"),
    Binding("f8", "history", "History", id="requests.history", show=False,
            tooltip="Open the request history"),
    Binding("question_mark,f1", "help", "Help", id="app.help", key_display="?", tooltip="Show the keys that work here"),
    Binding("escape", "back", "Back", id="go.up", show=False, tooltip="Go back, or close what is open"),
    Binding("q", "leave", "Back or quit", id="app.back", show=False, tooltip="Go back, or quit if nothing is open"),
]  # fmt: skip


def named_keys(
    marked: int,
    *,
    has_record: bool,
    in_record: bool,
    is_reference: bool,
    is_id: bool,
    in_sidebar: bool,
    back_label: str,
    can_quit: bool,
    in_range: bool,
    has_written: bool,
    is_narrow: bool,
    lock_label: str = "",
    apply_label: str = "",
) -> KeyEmphasis:
    """Return what the line of keys speaks of: what is done to `marked` records, or with the value under the cursor.

    It names how to quit (`can_quit`), and where there is room the keys that mark a range, or end the one that is marked
    (`in_range`), and show another tab of a record. Where the sidebar is a drawer, it says how to open it, and how to
    close it; once something was sent here (`has_written`), how to undo that, if need be in the place of another key. It
    does not offer to edit an id (`is_id`). `back_label` names what the key that quits elsewhere does in a record or to
    a filter, `lock_label` what the key of the lock does now, "" where they do nothing; `apply_label` what Enter does to
    a filter, "" where that is as usual.
    """
    if in_sidebar:
        return KeyEmphasis(without=_RECORD_KEYS, also={"go.up": "Close"} if is_narrow else {})
    also = {"record.follow": "Follow"} if is_reference else {}
    range_label = "End range" if in_range else "Start range"
    has_room = not is_narrow or in_record
    if has_record and not (is_narrow or in_record):
        also["marks.range"] = range_label
    if (back_label or can_quit) and (has_room or not marked):
        also["app.back"] = back_label or "Quit"
    if has_written and (has_room or not (marked or back_label)):
        also["writes.undo"] = "Undo…"
    if is_narrow and not (in_record or marked or back_label or has_written):
        also["pane.sidebar"] = "Collections"
    if lock_label:
        also["writes.lock"] = lock_label
    if apply_label:
        also["filter.done"] = apply_label
    if not marked:
        works = {
            "table.open": has_record,
            "marks.toggle": has_record,
            "record.actions": not (is_narrow and can_quit),
            "record.find": not (is_narrow and has_written),
            "record.referrers": in_record,
            "record.edit": not is_id,
            "record.next_tab": not is_narrow,
        }
        return KeyEmphasis(without=frozenset(key for key in works if not works[key]), also=also)
    return KeyEmphasis(
        {
            "marks.toggle": "Mark",
            "record.actions": f"Actions on {marked:,}…",
            "marks.range": range_label,
            "table.export": "Export",
            "copy.menu": "Copy",
            "marks.none": "Unmark",
        },
        frozenset({"table.open", "record.edit", "record.review", "record.follow", "record.referrers", "go.to"}),
        also,
    )


_RECORD_KEYS = frozenset({"record.edit", "record.review", "record.actions", "record.referrers", "table.filter"})

TABLE_ACTIONS = frozenset({
    "edit", "edit_whole", "take_back", "review", "act", "follow", "peek", "referrers", "filter", "tab", "close_tab",
    "sort", "load_rest", "columns", "summary", "next", "unarrange", "refresh_rows", "copy", "copy_menu", "export",
    "raw",
})  # fmt: skip
"""Actions on the table or the record; where the console covers both, they have no meaning, but for an undo."""
