"""The page of the welcome that asks what the profile is called, and where its key and secret are kept."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.domain.doctor.new_connection import (
    Access,
    Connecting,
    Field,
    Keeping,
    NewConnection,
    NotUsable,
    Typed,
    check_source,
    proposed_name,
    proposed_source,
)
from svc_tui.ui.dialogs.dialog import Dialog
from svc_tui.ui.text import shown
from svc_tui.ui.widgets.inputs.labelled_input import LabelledLine, line_of
from svc_tui.ui.widgets.inputs.text_input import TextInput

_PLACES = {
    Keeping.KEYRING: "In the system's keyring",
    Keeping.FILE: "In files that you alone can read",
    Keeping.COMMAND: "Where a command prints them",
    Keeping.VARIABLE: "In environment variables",
}
_MEANING = {
    Keeping.KEYRING: "The profile names the entries, and holds neither.",
    Keeping.FILE: "Two files beside the profile, mode 0600, not encrypted.",
    Keeping.COMMAND: "A password manager's, say: op read op://vault/svc/key. Both are tried now.",
    Keeping.VARIABLE: "svc-tui sets them for this run; set them in your shell for the next.",
}


class KeepingScreen(Dialog[None]):
    """Keeps the connection, and ends the welcome with the profile's name."""

    DEFAULT_CSS = """
    KeepingScreen { background: $role-background; }
    KeepingScreen OptionList { height: 4; }
    KeepingScreen OptionList > .option-list--option { padding: 0 1; }
    KeepingScreen #no_keyring { height: auto; padding-left: 1; }
    KeepingScreen #meaning { height: auto; min-height: 1; padding-left: 1; }
    KeepingScreen .-unasked { display: none; }
    """

    AUTO_FOCUS = "OptionList"

    _named = query_one("#name", TextInput)
    _places = query_one(OptionList)
    _meaning = query_one("#meaning", Static)

    def __init__(self, connecting: Connecting, typed: Typed, access: Access) -> None:
        super().__init__()
        self._connecting, self._typed, self._access = connecting, typed, access
        self._busy = False
        """The connection is being kept: there is no way back."""

    def compose(self) -> ComposeResult:
        """The name, the places, and two fields for the places that must be told."""
        name = self._typed.name or proposed_name(self._access.pair.environment)
        with Vertical(id="dialog") as dialog:
            dialog.border_title = f"Keep the {self._access.pair.environment.label} key"
            dialog.border_subtitle = "enter keep and open · tab next · esc back"
            yield LabelledLine("Profile", TextInput(name, id="name", select_on_focus=False))
            yield OptionList(*(Option(text, id=place.value) for place, text in _PLACES.items()), markup=False)
            yield Static("", id="no_keyring", classes="hint")
            yield Static("", id="meaning", classes="hint")
            yield LabelledLine("Key", TextInput(id="key_from", select_on_focus=False))
            yield LabelledLine("Secret", TextInput(id="secret_from", select_on_focus=False))
            with Horizontal(classes="buttons"):
                yield Button(Content("esc Back"), id="back")
                yield Button(Content("enter Keep and open"), id="keep")

    async def on_mount(self) -> None:
        """Find out whether there is a keyring; what can't be used can't be chosen."""
        why = await self._connecting.keyring_problem()
        if why:
            self.query_one("#no_keyring", Static).update(shown(f"No keyring: {why}."))
            self._places.disable_option(Keeping.KEYRING.value)
        usable = [place for place in Keeping if not (why and place is Keeping.KEYRING)]
        before = self._typed.keeping
        self._places.highlighted = list(Keeping).index(before if before in usable else usable[0])

    @property
    def _keeping(self) -> Keeping | None:
        place = self._places.highlighted
        return None if place is None else list(Keeping)[place]

    @on(OptionList.OptionHighlighted)
    def _turned(self) -> None:
        """Ask for what the place needs, and show what was typed for it before."""
        keeping = self._keeping
        if keeping is None:
            return
        self._typed.keeping = keeping
        self._say(_MEANING[keeping])
        for field in self._asked():
            line = line_of(field)
            line.set_class(not keeping.told or not self._wants(field), "-unasked")
            line.tell("")
            with field.prevent(Input.Changed):
                field.value = self._source(keeping, _which(field))

    @on(Input.Changed)
    def _remember(self, event: Input.Changed) -> None:
        line_of(event.input).tell("")
        keeping = self._keeping
        if event.input is self._named:
            # One that was only proposed is not kept for a key of the other environment.
            proposed = proposed_name(self._access.pair.environment)
            self._typed.name = "" if event.value == proposed else event.value
            self._turned()
        elif keeping is not None:
            self._typed.sources[keeping, _which(event.input)] = event.value

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        """Enter or a click on a place: to what must be told, else it is kept there."""
        asked = [field for field in self._asked() if self._keeping_told() and self._wants(field)]
        if asked:
            asked[0].focus()
        else:
            self._keep()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if event.input is self._named:
            self._places.focus()
        elif event.input.id == "key_from" and self._access.pair.signing_secret:
            self.query_one("#secret_from").focus()
        else:
            self._keep()

    @on(Button.Pressed, "#back")
    def _back(self) -> None:
        self.action_cancel()

    def action_cancel(self) -> None:
        """Back to the checks, unless it is being kept just now."""
        if not self._busy:
            super().action_cancel()

    @on(Button.Pressed, "#keep")
    def _keep(self) -> None:
        if self._busy or self._keeping is None:
            return
        try:
            new = self._new(self._keeping)
        except NotUsable as mistake:
            self._complain(mistake)
            return
        self._busy = True
        self._say("Keeping…")
        self.run_worker(self._kept(new), group="keep")

    def _new(self, keeping: Keeping) -> NewConnection:
        """What is to be kept; raises NotUsable."""
        name, secret = self._named.value.strip(), self._access.pair.signing_secret
        if not keeping.told:
            return NewConnection(name, self._access, keeping)
        key_from, secret_from = (field.value for field in self._asked())
        key_from = check_source(keeping, "key_from", key_from)
        secret_from = check_source(keeping, "secret_from", secret_from) if secret else ""
        return NewConnection(name, self._access, keeping, key_from, secret_from)

    async def _kept(self, new: NewConnection) -> None:
        try:
            await self._connecting.keep(new)
        except NotUsable as mistake:
            self._busy = False
            self._say(_MEANING[new.keeping])
            self._complain(mistake)
        else:
            self.app.exit(new.name)

    def _complain(self, mistake: NotUsable) -> None:
        if mistake.field == "keeping":
            self._say(str(mistake), problem=True)
            self._places.focus()
        else:
            line_of(self.query_one(f"#{mistake.field}", TextInput)).complain(str(mistake))

    def _say(self, text: str, *, problem: bool = False) -> None:
        self._meaning.update(shown(text))
        self._meaning.set_class(problem, "problem")

    def _asked(self) -> list[TextInput]:
        return [self.query_one("#key_from", TextInput), self.query_one("#secret_from", TextInput)]

    def _wants(self, field: TextInput) -> bool:
        return field.id == "key_from" or self._access.pair.signing_secret is not None

    def _keeping_told(self) -> bool:
        return self._keeping is not None and self._keeping.told

    def _source(self, keeping: Keeping, which: Field) -> str:
        """What was typed for the place, else what is proposed."""
        return self._typed.sources.get((keeping, which), proposed_source(keeping, which, self._named.value.strip()))


def _which(field: Input) -> Field:
    return "key_from" if field.id == "key_from" else "secret_from"
