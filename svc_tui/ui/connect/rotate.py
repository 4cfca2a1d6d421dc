"""Replacing the session's key pair: the dialog for the new pair, its checks, and the reload after the replacement."""

from collections.abc import AsyncIterator, Sequence

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Button, Input, Static

from svc_tui.connect.checks import CheckResult
from svc_tui.connect.key_rotation import KeyRotation, RotationRefused, blocking_checks, parse_new_pair
from svc_tui.connect.new_connection import UnusableInput, environment_of
from svc_tui.core.credentials import PREFIXES, Environment, KeyPair
from svc_tui.session.session import SessionRefused
from svc_tui.ui.connect.checks_dialog import ChecksDialog
from svc_tui.ui.connect.connection_inputs import LabeledInput, SecretInput, labeled_input_of
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.report import Report
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.text_input import TextInput


async def rotate(context: Context) -> None:
    """Ask for a new key pair, replace the session's own with it, and reload what is shown.

    If the session's key can't be replaced, show a notice with the reason.
    """
    session, name = context.session, context.profile.name
    try:
        rotation = session.sessions.rotation(session)
        with_secret = await rotation.with_secret()
    except (SessionRefused, RotationRefused) as error:
        context.notify(Report(str(error), "Key not replaced", "warning"))
        return
    if await context.show(NewPairScreen(rotation, name, context.gateway.environment, with_secret=with_secret)):
        context.workspace.refresh_all()
        body = "The data is reloaded with the new key. Drafts are kept."
        context.notify(Report(body, f"Replaced the key of {name}"))


class NewPairScreen(Dialog[bool]):
    """A dialog for the new key and secret, which are forgotten on closing; the result is True for a replaced pair."""

    AUTO_FOCUS = "#key"

    _key = query_one("#key", SecretInput)

    def __init__(self, rotation: KeyRotation, name: str, environment: Environment, *, with_secret: bool) -> None:
        """Ask for a pair of the profile `name` for `environment`, with a signing secret if `with_secret` is True."""
        super().__init__()
        self._rotation, self._profile, self._environment = rotation, name, environment
        self._with_secret = with_secret

    def compose(self) -> ComposeResult:
        """Compose the explanation, one or two fields, and the buttons."""
        with DialogFrame(styled(f"Replace the key of {self._profile} · {self._environment.label}"), "enter next"):
            yield Static("The new key and secret are checked first. Until then the old ones are used.", classes="hint")
            yield LabeledInput("New API key", SecretInput(id="key"))
            if self._with_secret:
                yield LabeledInput("New secret", SecretInput(id="secret"), "a new key also has a new secret")
            else:
                note = "The old key has no signing secret, so none is needed."
                if self._environment is Environment.LIVE:
                    note += (
                        f" If the new key needs a signing secret, add it with: svc-tui profiles edit {self._profile}"
                    )
                yield Static(styled(note), classes="hint")
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="cancel")
                yield Button(Content("Check"), id="check")

    def on_mount(self) -> None:
        """Show what the first field takes."""
        self._show_key_note()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Remove the message about the text before."""
        if event.input is self._key:
            self._show_key_note()
        else:
            labeled_input_of(event.input).show_note("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field; from the last one, start the checks."""
        if self._with_secret and event.input is self._key:
            self.query_one("#secret", SecretInput).focus()
        else:
            self._start_checks()

    @on(Button.Pressed, "#check")
    def _start_checks(self) -> None:
        secret = self.query_one("#secret", SecretInput).value if self._with_secret else None
        try:
            pair = parse_new_pair(self._key.value, secret, self._environment)
        except UnusableInput as mistake:
            labeled_input_of(self.query_one(f"#{mistake.field}", TextInput)).show_problem(str(mistake))
            return
        self.app.push_screen(_PairChecks(self._rotation, self._profile, pair), self._close_if_replaced)

    def _close_if_replaced(self, replaced: bool | None) -> None:
        if replaced:
            self.dismiss(True)

    def _show_key_note(self) -> None:
        environment = environment_of(self._key.value)
        prefix = next(prefix for prefix, of in PREFIXES.items() if of is self._environment)
        note = f"begins with {prefix}; input is hidden" if environment is None else f"a {environment.label} key"
        labeled_input_of(self._key).show_note(note)

    def dismiss(self, result: bool | None = None) -> AwaitComplete:
        """Clear the fields, and close."""
        with self.prevent(Input.Changed):
            for field in self.query(SecretInput):
                field.clear()
        return super().dismiss(result)


class _PairChecks(ChecksDialog[bool]):
    """The checks of the new pair, which replaces the old one if none of them fails; the result is then True."""

    def __init__(self, rotation: KeyRotation, name: str, pair: KeyPair) -> None:
        super().__init__(styled(f"Replace the key of {name} · {pair.environment.label}"))
        self._rotation, self._profile, self._pair = rotation, name, pair
        self._replacing = False
        """True while the pair is being replaced, which can't be stopped half way."""

    def _checks(self) -> AsyncIterator[CheckResult]:
        return self._rotation.check(self._pair)

    async def _check(self) -> None:
        try:
            await super()._check()
        except RotationRefused as refusal:
            self._say(f"Key not replaced: {refusal}", "$role-danger")

    async def _checked(self, checks: Sequence[CheckResult]) -> None:
        if failed := ", ".join(check.name for check in blocking_checks(checks)):
            self._say(f"Key of {self._profile} not replaced. Failed: {failed}. Press esc to go back.", "$role-danger")
            return
        self._say("The service accepts the new key. Replacing the old one…", "$role-ok")
        self._replacing = True
        try:
            await self._rotation.replace(self._pair)
        finally:
            self._replacing = False
        self.dismiss(True)

    def action_again(self) -> None:
        """Run the checks again, unless the pair is being replaced."""
        if not self._replacing:
            super().action_again()

    def action_cancel(self) -> None:
        """Go back to the fields, unless the pair is being replaced."""
        if not self._replacing:
            super().action_cancel()
