"""The dialog for the key, the secret and the base URL."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Button, Input

from svc_tui.connect.new_connection import (
    ConnectionField,
    ConnectionInput,
    ConnectionSetup,
    NewConnection,
    UnusableInput,
    environment_of,
    typing_problem,
)
from svc_tui.core.credentials import PREFIXES, Environment
from svc_tui.ui.connect.connection_inputs import LabeledInput, SecretInput, labeled_input_of
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.widgets.inputs.text_input import TextInput

_NO_KEY = f"begins with {' or '.join(PREFIXES)}; input is hidden"
_NO_SECRET = "empty: requests are not signed"  # noqa: S105  words
_NO_URL = "without /v1, such as https://api.example.com"


class ConnectScreen(Dialog[NewConnection]):
    """A dialog that fills in `typed` and opens the checks; the result is the saved connection."""

    AUTO_FOCUS = "#key"

    _key = query_one("#key", TextInput)
    _secret = query_one("#secret", TextInput)
    _url = query_one("#url", TextInput)

    def __init__(self, connecting: ConnectionSetup, typed: ConnectionInput) -> None:
        super().__init__()
        self._connecting, self._typed = connecting, typed

    def compose(self) -> ComposeResult:
        """Compose the fields and the buttons."""
        with DialogFrame("Set up an API key", "enter next · esc back"):
            yield LabeledInput("API key", SecretInput(self._typed.key, id="key"))
            yield LabeledInput("Signing secret", SecretInput(self._typed.secret, id="secret"))
            yield LabeledInput("Base URL", TextInput(self._typed.url, id="url", select_on_focus=False))
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Back", "cancel", button_id="back")
                yield Button(Content("Check"), id="check")

    def on_mount(self) -> None:
        """Show what each field takes."""
        for field in (self._key, self._secret, self._url):
            self._show_advice(field)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Store the texts, and update the message of the field."""
        self._typed.key, self._typed.secret, self._typed.url = self._key.value, self._secret.value, self._url.value
        self._show_advice(event.input)
        if event.input is self._key:
            # The note on an empty secret depends on the environment of the key.
            self._show_advice(self._secret)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field; from the last one, open the checks."""
        following = {"key": self._secret, "secret": self._url}.get(event.input.id or "")
        if following is None:
            self._open_checks()
        else:
            following.focus()

    @on(Button.Pressed, "#check")
    def _open_checks(self) -> None:
        try:
            access = self._typed.access()
        except UnusableInput as mistake:
            labeled_input_of(self.query_one(f"#{mistake.field}", TextInput)).show_problem(str(mistake))
            return
        from svc_tui.ui.connect.check_page import CheckScreen

        self.app.push_screen(CheckScreen(self._connecting, self._typed, access), self._checks_closed)

    def _checks_closed(self, result: ConnectionField | NewConnection | None) -> None:
        """Close with the saved connection, or go to the field that the service refused."""
        if isinstance(result, NewConnection):
            self.dismiss(result)
        elif (refused := result) is not None:
            what = "signatures with this secret" if refused == "secret" else "this key"
            field = self.query_one(f"#{refused}", TextInput)
            labeled_input_of(field).show_problem(f"the service refused {what}")

    def _show_advice(self, field: Input) -> None:
        """Show what the field's text means, what the field takes, or what is wrong with the text."""
        which: ConnectionField = "key" if field is self._key else "secret" if field is self._secret else "url"
        if problem := typing_problem(which, field.value):
            labeled_input_of(field).show_mistake(problem)
            return
        environment = environment_of(self._typed.key)
        if field is self._key:
            note = _NO_KEY if environment is None else f"a {environment.label} key"
        elif field is self._secret:
            note = "" if self._typed.secret else _NO_SECRET
            if note and environment is Environment.LIVE:
                note += "; LIVE keys usually need a signing secret"
        else:
            note = "" if self._typed.url else _NO_URL
        labeled_input_of(field).show_note(note)
