"""The case file from the main screen: what the session holds, asked for a ticket, written to a file or copied."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static

from svc_tui.core.export_formats import encode_utf8
from svc_tui.core.phrases import counted
from svc_tui.core.values import replace
from svc_tui.history.case_file import CaseFileMask, SessionLog, render_case_file
from svc_tui.service.redact import mask_keys, mask_text
from svc_tui.session.ports import FileWriteError
from svc_tui.storage.errors import StoreError
from svc_tui.ui.context import Context
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.report import Report
from svc_tui.ui.text import styled, visible
from svc_tui.ui.widgets.inputs.text_input import TextInput

_MAX_ENTRIES = 1_000_000_000
_MAX_RUNS = 1_000
"""Runs whose titles and undos are known."""


@dataclass(frozen=True, slots=True)
class CaseFileOptions:
    """The ticket that the case file is for, and the name of its file; "": it is copied."""

    ticket: str
    name: str


class CaseScreen(Dialog[CaseFileOptions]):
    """Asks for the ticket, and where the case file goes; `problem_of` says why a name can't be used."""

    DEFAULT_CSS = """
    CaseScreen Static { height: auto; color: $role-muted; }
    """

    AUTO_FOCUS = "#ticket"

    BINDINGS = [Binding("ctrl+y", "copy", "Copy", id="case.copy", tooltip="Copy the case file instead of saving it")]

    def __init__(self, ticket: str, name: str, contents: str, problem_of: Callable[[str], str]) -> None:
        super().__init__()
        self._ticket, self._name, self._contents, self._problem_of = ticket, name, contents, problem_of

    def compose(self) -> ComposeResult:
        """What is in it, two lines, three buttons."""
        with DialogFrame("Case file"):
            yield Static(styled(self._contents))
            yield Static("Ticket", markup=False)
            yield TextInput(self._ticket, id="ticket")
            yield Static("File", markup=False)
            yield TextInput(self._name, id="name")
            yield Static(classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="back")
                yield DialogButton("ctrl+y Copy", "copy", button_id="copy")
                yield DialogButton("enter Save", "write", button_id="write")

    @on(Input.Submitted)
    def action_write(self) -> None:
        """Write it, where the file can be written."""
        name = self.query_one("#name", Input).value.strip()
        if problem := self._problem_of(name):
            self.query_one(".problem", Static).update(visible(problem))
            self.query_one("#name").focus()
        else:
            self.dismiss(CaseFileOptions(self.query_one("#ticket", Input).value.strip(), name))

    def action_copy(self) -> None:
        """Copy it instead."""
        self.dismiss(CaseFileOptions(self.query_one("#ticket", Input).value.strip(), ""))


class CaseFileController:
    """Makes the case file for one screen; its methods run in workers of the screen."""

    def __init__(self, context: Context, copy: Callable[[str], Awaitable[None]]) -> None:
        """Make it; `copy` copies a text."""
        self._context, self._copy = context, copy

    async def ask(self, log: SessionLog) -> None:
        """Ask for the ticket, and make the file for it."""
        try:
            entries = await self._context.writes.entries(_MAX_ENTRIES)
            runs = await self._context.session.run_store.runs(_MAX_RUNS)
            notes = [] if self._context.session.team is None else await self._context.session.team.notes.all()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the journal", "error"))
            return
        writes = [entry for entry in entries if entry.author is None and entry.intent.at >= log.began]
        ticket = next((entry.intent.ticket for entry in writes if entry.intent.ticket), "")
        contents = (
            f"{counted(len(log.viewed), 'record')} viewed, {counted(len(writes), 'change')}, "
            f"{counted(len(log.exchanges), 'request')}."
        )
        name = f"case-{self._context.local_now():%Y%m%d-%H%M}.md"
        options = await self._context.show(
            CaseScreen(ticket, name, contents + self._context.privacy_mask.notice, self._problem_of)
        )
        if options is None:
            return
        mask, now = self._context.privacy_mask, self._context.local_now()
        notes = [replace(note, text=mask.text(note.text)) for note in notes]
        text = render_case_file(
            options.ticket, log, entries, self._context.session.scope, self._file_mask, now, runs, notes
        )
        # Answers and records are from outside: what of the key they repeat does not leave with the file.
        text = mask_keys(mask_text(text, self._context.gateway.secrets))
        if options.name:
            await self._context.save_file(
                options.name, encode_utf8(text), "Case file saved", self._context.privacy_mask.notice
            )
        else:
            await self._copy(text)

    @property
    def _file_mask(self) -> CaseFileMask:
        privacy_mask = self._context.privacy_mask
        note = "personal data is masked" if privacy_mask.on else ""
        return CaseFileMask(privacy_mask.record, privacy_mask.entry, privacy_mask.exchange, note)

    def _problem_of(self, name: str) -> str:
        try:
            self._context.files.taken(name)
        except FileWriteError as error:
            return str(error)
        return ""
