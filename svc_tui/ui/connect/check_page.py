"""The dialog that checks a new key, and leads to saving it."""

from collections.abc import AsyncIterator, Iterator, Sequence

from textual.binding import Binding
from textual.getters import query_one
from textual.widgets import Button

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.new_connection import (
    ConnectionField,
    ConnectionInput,
    ConnectionSetup,
    NewConnection,
    PairStatus,
    ServiceAccess,
    pair_status,
    refused_field,
)
from svc_tui.ui.connect.checks_dialog import ChecksDialog
from svc_tui.ui.dialogs.dialog import DialogButton
from svc_tui.ui.text import styled


class CheckScreen(ChecksDialog[ConnectionField | NewConnection]):
    """A dialog with the checks of a key; a key that the service refuses is saved only on a second request.

    The result is the saved connection, or the field whose value the service refused.
    """

    DEFAULT_CSS = """
    CheckScreen .buttons Button:disabled { text-opacity: 0%; }
    """

    BINDINGS = [Binding("k", "keep", "Save…", id="checking.keep", tooltip="Choose where to save the key")]

    _keep = query_one("#keep", Button)

    def __init__(self, connecting: ConnectionSetup, typed: ConnectionInput, access: ServiceAccess) -> None:
        super().__init__(styled(f"{access.pair.environment.label} · {access.base_url}"))
        self._connecting, self._typed, self._access = connecting, typed, access
        self._status: PairStatus | None = None
        """The result of the checks; None before they are done."""
        self._refused: ConnectionField | None = None
        """The field whose value the service refused."""
        self._warned = False
        """True if the user was warned about saving a refused key."""

    def _more_buttons(self) -> Iterator[Button]:
        keep = DialogButton("k Save…", "keep", button_id="keep")
        keep.disabled = True
        yield keep

    def action_again(self) -> None:
        """Run all checks again."""
        self._status, self._refused, self._warned = None, None, False
        if self._keep.has_focus:
            self._lines.focus()
        self._keep.disabled = True
        super().action_again()

    def action_cancel(self) -> None:
        """Go back to the key and the secret, to the one that was refused."""
        self.dismiss(self._refused)

    def action_keep(self) -> None:
        """Open the dialog that saves the key, after a warning if it was refused."""
        if self._status is None:
            return
        if self._status is PairStatus.REFUSED and not self._warned:
            self._warned = True
            note = "The service refused this key. Press esc to change it, or k again to save it anyway."
            self._say(note, "$role-danger")
            return
        from svc_tui.ui.connect.storage_page import StorageScreen

        self.app.push_screen(StorageScreen(self._connecting, self._typed, self._access), self._kept)

    def _kept(self, connection: NewConnection | None) -> None:
        if connection is not None:
            self.dismiss(connection)

    def _checks(self) -> AsyncIterator[CheckResult]:
        return self._connecting.check(self._access)

    async def _checked(self, checks: Sequence[CheckResult]) -> None:
        self._status, self._refused = pair_status(checks), refused_field(checks)
        failed = ", ".join(check.name for check in checks if check.verdict is CheckVerdict.FAILED)
        match self._status:
            case PairStatus.WORKS:
                self._say("The service accepts this key.", "$role-ok")
            case PairStatus.UNKNOWN:
                note = f"Could not check the key and the secret. Failed: {failed}. You can save them anyway."
                self._say(note, "$role-warning")
            case PairStatus.REFUSED:
                self._say(f"The service refused this key: {failed}. Press esc to change it.", "$role-danger")
        self._keep.disabled = False
        if self._status is PairStatus.WORKS:
            self._keep.focus()
