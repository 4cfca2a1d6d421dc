"""The keys of the request console."""

from textual.binding import Binding, BindingType

CONSOLE_BINDINGS: list[BindingType] = [
    Binding(
        "ctrl+j,ctrl+enter",
        "send",
        "Send",
        id="console.send",
        priority=True,
        tooltip="Send the request as it stands",
    ),
    Binding(
        "f6",
        "copy",
        "Copy request",
        show=False,
        id="console.copy",
        tooltip="Copy the request: as a line, as curl, as Python, as a link",
    ),
    Binding(
        "y",
        "copy",
        "Copy request",
        show=False,
        id="console.copy_menu",
        tooltip="Copy the request, outside its fields",
    ),
    Binding(
        "f9",
        "explain",
        "Explain signature",
        show=False,
        id="console.explain",
        tooltip="Explain the request's signature: what was signed, and why it was refused if it was",
    ),
    Binding("ctrl+e", "save", "Save answer", show=False, id="console.save", tooltip="Save the answer's body to a file"),
    Binding(
        "f7",
        "keep_key",
        "Keep the key",
        show=False,
        id="console.keep_key",
        tooltip="Send again with the last idempotency key, or with a new one each time",
    ),
    Binding(
        "o",
        "open_place",
        "Open",
        show=False,
        id="console.open",
        tooltip="Open what the request reads: a list as a table, a record as a record",
    ),
    Binding(
        "ctrl+s",
        "keep",
        "Save request",
        show=False,
        id="console.keep",
        tooltip="Save the request under a name, for the sidebar, the palette and scripts",
    ),
    Binding(
        "f4",
        "edit_body",
        "Body in $EDITOR",
        show=False,
        id="console.edit_body",
        tooltip="Edit the request's body in $EDITOR",
    ),
    Binding("escape", "leave", "Leave", show=False, id="console.leave", tooltip="Back to where you came from"),
]
