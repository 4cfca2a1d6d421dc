"""The dialog for the name of the profile, and where its key and secret are stored."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.connect.new_connection import (
    ConnectionField,
    ConnectionInput,
    ConnectionSetup,
    CredentialStorage,
    NewConnection,
    ServiceAccess,
    UnusableInput,
    check_source,
    propose_name,
    propose_source,
)
from svc_tui.ui.connect.connection_inputs import LabeledInput, labeled_input_of
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput

_PLACES = {
    CredentialStorage.KEYRING: "System keyring",
    CredentialStorage.FILE: "Files that only you can read",
    CredentialStorage.COMMAND: "Commands that print the key and the secret",
    CredentialStorage.VARIABLE: "Environment variables",
}
_MEANING = {
    CredentialStorage.KEYRING: "The profile stores only the names of the keyring entries.",
    CredentialStorage.FILE: "Two files next to the profile, mode 0600, not encrypted.",
    CredentialStorage.COMMAND: "For example: op read op://vault/svc/key. Both commands are run now.",
    CredentialStorage.VARIABLE: "svc-tui sets them for this session. For the next session, set them in your shell.",
}


class StorageScreen(Dialog[NewConnection]):
    """A dialog that saves the connection; the result is the saved one."""

    DEFAULT_CSS = """
    StorageScreen OptionList { height: 4; }
    StorageScreen OptionList > .option-list--option { padding: 0 1; }
    StorageScreen #no_keyring { height: auto; padding-left: 1; }
    StorageScreen #meaning { height: auto; min-height: 1; padding-left: 1; }
    StorageScreen .-unasked { display: none; }
    """

    AUTO_FOCUS = "OptionList"

    _named = query_one("#name", TextInput)
    _places = query_one(OptionList)
    _meaning = query_one("#meaning", Static)

    def __init__(self, connecting: ConnectionSetup, typed: ConnectionInput, access: ServiceAccess) -> None:
        super().__init__()
        self._connecting, self._typed, self._access = connecting, typed, access
        self._busy = False
        """True while the connection is being saved, which can't be cancelled."""
        self._kept: NewConnection | None = None
        """The connection that was saved while another dialog was in front."""

    def compose(self) -> ComposeResult:
        """Compose the name, the storages, and two fields for storages that need them."""
        name = self._typed.name or propose_name(self._access.pair.environment)
        with DialogFrame(f"Save the {self._access.pair.environment.label} key", "tab next"):
            yield LabeledInput("Profile", TextInput(name, id="name", select_on_focus=False))
            yield ChangingList(*(Option(text, id=place.value) for place, text in _PLACES.items()), markup=False)
            yield Static("", id="no_keyring", classes="hint")
            yield Static("", id="meaning", classes="hint")
            yield LabeledInput("Key", TextInput(id="key_from", select_on_focus=False))
            yield LabeledInput("Secret", TextInput(id="secret_from", select_on_focus=False))
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Back", "cancel", button_id="back")
                yield Button(Content("enter Save and open"), id="keep")

    async def on_mount(self) -> None:
        """Disable the keyring if it can't be used, and highlight the last or first storage."""
        why = await self._connecting.keyring_problem()
        if why:
            self.query_one("#no_keyring", Static).update(styled(f"Keyring not available: {why}."))
            self._places.disable_option(CredentialStorage.KEYRING.value)
        usable = [place for place in CredentialStorage if not (why and place is CredentialStorage.KEYRING)]
        before = self._typed.storage
        self._places.highlighted = list(CredentialStorage).index(before if before in usable else usable[0])

    def on_screen_resume(self) -> None:
        """Close with the connection that was saved meanwhile."""
        if self._kept is not None:
            self.dismiss(self._kept)

    @property
    def _storage(self) -> CredentialStorage | None:
        place = self._places.highlighted
        return None if place is None else list(CredentialStorage)[place]

    @on(OptionList.OptionHighlighted)
    def _show_storage(self) -> None:
        """Show the fields that the storage needs, with the texts typed for it before."""
        storage = self._storage
        if storage is None:
            return
        self._typed.storage = storage
        self._say(_MEANING[storage])
        for field in self._source_inputs():
            line = labeled_input_of(field)
            line.set_class(not storage.named or not self._is_needed(field), "-unasked")
            line.show_note("")
            with field.prevent(Input.Changed):
                field.value = self._source(storage, _source_field(field))

    @on(Input.Changed)
    def _remember(self, event: Input.Changed) -> None:
        labeled_input_of(event.input).show_note("")
        storage = self._storage
        if event.input is self._named:
            # A proposed name is not kept, since a key of the other environment has another one.
            proposed = propose_name(self._access.pair.environment)
            self._typed.name = "" if event.value == proposed else event.value
            self._show_storage()
        elif storage is not None:
            self._typed.sources[storage, _source_field(event.input)] = event.value

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        """Go to the fields that the storage needs, or save the connection."""
        empty_inputs = [field for field in self._source_inputs() if self._source_named() and self._is_needed(field)]
        if empty_inputs:
            empty_inputs[0].focus()
        else:
            self._start_saving()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if event.input is self._named:
            self._places.focus()
        elif event.input.id == "key_from" and self._access.pair.signing_secret:
            self.query_one("#secret_from").focus()
        else:
            self._start_saving()

    def action_cancel(self) -> None:
        """Go back to the checks, unless the connection is being saved."""
        if not self._busy:
            super().action_cancel()

    @on(Button.Pressed, "#keep")
    def _start_saving(self) -> None:
        if self._busy or self._storage is None:
            return
        try:
            new = self._read_connection(self._storage)
        except UnusableInput as mistake:
            self._show_problem(mistake)
            return
        self._busy = True
        self._say("Saving…")
        self.run_worker(self._save(new), group="keep")

    def _read_connection(self, storage: CredentialStorage) -> NewConnection:
        """Return the connection to save; raises UnusableInput."""
        name, secret = self._named.value.strip(), self._access.pair.signing_secret
        if not storage.named:
            return NewConnection(name, self._access, storage)
        key_from, secret_from = (field.value for field in self._source_inputs())
        key_from = check_source(storage, "key_from", key_from)
        secret_from = check_source(storage, "secret_from", secret_from) if secret else ""
        return NewConnection(name, self._access, storage, key_from, secret_from)

    async def _save(self, new: NewConnection) -> None:
        try:
            await self._connecting.keep(new)
        except UnusableInput as mistake:
            self._busy = False
            self._say(_MEANING[new.storage])
            self._show_problem(mistake)
        else:
            self._kept = new
            if self.is_active:
                self.dismiss(new)

    def _show_problem(self, mistake: UnusableInput) -> None:
        if mistake.field == "keeping":
            self._say(str(mistake), problem=True)
            self._places.focus()
        else:
            labeled_input_of(self.query_one(f"#{mistake.field}", TextInput)).show_problem(str(mistake))

    def _say(self, text: str, *, problem: bool = False) -> None:
        self._meaning.update(styled(text))
        self._meaning.set_class(problem, "problem")

    def _source_inputs(self) -> list[TextInput]:
        return [self.query_one("#key_from", TextInput), self.query_one("#secret_from", TextInput)]

    def _is_needed(self, field: TextInput) -> bool:
        return field.id == "key_from" or self._access.pair.signing_secret is not None

    def _source_named(self) -> bool:
        return self._storage is not None and self._storage.named

    def _source(self, storage: CredentialStorage, which: ConnectionField) -> str:
        """Return the text that was typed for the storage, or the proposed one."""
        return self._typed.sources.get((storage, which), propose_source(storage, which, self._named.value.strip()))


def _source_field(field: Input) -> ConnectionField:
    return "key_from" if field.id == "key_from" else "secret_from"
