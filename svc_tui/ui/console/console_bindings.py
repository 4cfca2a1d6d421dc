"""The keys of the request console."""

from textual.binding import Binding, BindingType

CONSOLE_BINDINGS: list[BindingType] = [
    Binding(
        "ctrl+j,ctrl+enter",
        "send",
        "Send",
        id="console.send",
        priority=True,
        tooltip="Send the request",
    ),
    Binding(
        "f6",
        "copy",
        "Copy request",
        show=False,
        id="console.copy",
        tooltip="Copy the request as an svc-tui command, curl, Python or a link",
    ),
    Binding(
        "y",
        "copy",
        "Copy request",
        show=False,
        id="console.copy_menu",
        tooltip="Copy the request (when not in a text field)",
    ),
    Binding(
        "f9",
        "explain",
        "Explain signature",
        show=False,
        id="console.explain",
        tooltip="Explain what was signed and why the signature was refused",
    ),
    Binding(
        "ctrl+e", "save", "Save response", show=False, id="console.save", tooltip="Save the response body to a file"
    ),
    Binding(
        "f7",
        "keep_key",
        "Reuse idempotency key",
        show=False,
        id="console.keep_key",
        tooltip="Reuse the last idempotency key, or use a new one each time",
    ),
    Binding(
        "o",
        "open_place",
        "Open",
        show=False,
        id="console.open",
        tooltip="Open the list as a table, or the record",
    ),
    Binding(
        "ctrl+s",
        "keep",
        "Save request",
        show=False,
        id="console.keep",
        tooltip="Save the request to send it again from the sidebar, Commands (ctrl+p) or a script",
    ),
    Binding(
        "f4",
        "edit_body",
        "Body in $EDITOR",
        show=False,
        id="console.edit_body",
        tooltip="Edit the body in $EDITOR",
    ),
    Binding("escape", "leave", "Back", show=False, id="console.leave", tooltip="Go back"),
]
