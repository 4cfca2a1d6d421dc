"""The dialog that asks which records to export, in which format, to which file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.export_formats import Format, format_of
from svc_tui.records.record_export import ExportScope
from svc_tui.session.ports import FileWriteError, FileWriter
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.dialogs.menu import confirm_replace
from svc_tui.ui.text import measure, pad, styled, visible
from svc_tui.ui.widgets.bars.tab_bar import Tab, TabBar
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput


@dataclass(frozen=True, slots=True)
class OfferedFormat:
    """A format of the dialog; `for_edit` is True if the file is to be edited and imported as corrections."""

    file_format: Format
    name: str
    for_edit: bool = False


FORMATS = (
    OfferedFormat(Format.CSV, "CSV"),
    OfferedFormat(Format.JSONL, "JSON Lines"),
    OfferedFormat(Format.JSON, "JSON"),
    OfferedFormat(Format.MARKDOWN, "Markdown"),
)
"""The formats in the order of the dialog."""

CSV_TO_EDIT = OfferedFormat(Format.CSV, "CSV for corrections", for_edit=True)


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """The records to export, the format, and the file name."""

    share: ExportScope
    offered: OfferedFormat
    name: str

    @property
    def file_format(self) -> Format:
        """The format of the file."""
        return self.offered.file_format


class ExportDialog(Dialog[ExportChoice]):
    """A dialog for an export; `problem_of` returns why a file name can't be used, "" if it can."""

    DEFAULT_CSS = """
    ExportDialog OptionList { height: auto; max-height: 8; margin-bottom: 1; }
    ExportDialog OptionList > .option-list--option { padding: 0; }
    ExportDialog Static { height: auto; color: $role-muted; }
    ExportDialog #format { margin: 0 0 1 0; }
    """

    BINDINGS = [Binding("enter", "export", "Export", id="export.start", tooltip="Export to the file")]

    def __init__(
        self,
        title: str,
        shares: Sequence[ExportScope],
        name: str,
        problem_of: Callable[[str], str],
        *,
        formats: Sequence[OfferedFormat] = FORMATS,
        file_format: OfferedFormat = FORMATS[0],
        name_to_edit: str = "",
        at: int = 0,
    ) -> None:
        """Offer `shares`, with the one `at` highlighted, and `name` for the file.

        `name_to_edit` is offered for a file to edit, unless the user typed a name.
        """
        super().__init__()
        self._title, self._shares, self._initial, self._problem_of = title, tuple(shares), name, problem_of
        self._formats, self._format, self._at = tuple(formats), file_format, at
        self._name_to_edit = name_to_edit

    def compose(self) -> ComposeResult:
        """Compose the shares, the formats, and the line for the file."""
        cells = max(measure(visible(share.name)) for share in self._shares)
        with DialogFrame(Content(f"Export {visible(self._title)}"), "enter export · tab next · esc cancel"):
            yield ChangingList(*(Option(_share_line(share, cells)) for share in self._shares), markup=False)
            yield Static("Format", markup=False)
            yield TabBar([Tab(offered.name) for offered in self._formats], id="format")
            yield Static("File", markup=False)
            yield TextInput(self._initial)
            yield Static(classes="problem", markup=False)

    def on_mount(self) -> None:
        """Highlight the share, and choose the format."""
        self.query_one(OptionList).highlighted = self._at
        self._choose(self._format)

    @on(TabBar.Chosen)
    def _format_chosen(self, event: TabBar.Chosen) -> None:
        """Give the file the ending of the format."""
        event.stop()
        self._format = self._formats[event.index]
        field = self.query_one(TextInput)
        # After the format is set: a change of the name chooses the format in turn.
        field.value = self._name_for(self._format, field.value)

    def _name_for(self, offered: OfferedFormat, name: str) -> str:
        """Return the file name for a format, made from the last `name`."""
        if name.rpartition(".")[0] == self._initial.rpartition(".")[0] and offered.for_edit and self._name_to_edit:
            return self._name_to_edit
        if name == self._name_to_edit and not offered.for_edit:
            name = self._initial
        stem, dot, _ = name.rpartition(".")
        wanted = offered.file_format
        return f"{stem}.{wanted.ending}" if format_of(name) not in (None, wanted) and dot else name

    @on(Input.Changed)
    def _name_changed(self, event: Input.Changed) -> None:
        """Choose the format by the ending of the file."""
        event.stop()
        if (file_format := format_of(event.value)) is not None and file_format is not self._format.file_format:
            self._choose(next(offered for offered in self._formats if offered.file_format is file_format))
        self.query_one(".problem", Static).update("")

    def _choose(self, offered: OfferedFormat) -> None:
        self._format = offered
        self.query_one(TabBar).chosen = self._formats.index(offered)

    @on(OptionList.OptionSelected)
    @on(Input.Submitted)
    def action_export(self) -> None:
        """Close with the choice, if the file can be written."""
        name = self.query_one(TextInput).value.strip()
        if problem := self._problem_of(name):
            self.query_one(".problem", Static).update(visible(problem))
            self.query_one(TextInput).focus()
            return
        chosen = self.query_one(OptionList).highlighted
        self.dismiss(ExportChoice(self._shares[chosen or 0], self._format, name))


def _share_line(share: ExportScope, cells: int) -> Content:
    return Content.assemble(pad(visible(share.name), cells), "  ", styled(share.cost, "$role-muted"))


async def ask_destination(
    screen: Screen[Any],
    files: FileWriter,
    title: str,
    offered: Sequence[ExportScope],
    name: str,
    formats: Sequence[OfferedFormat] = FORMATS,
    name_to_edit: str = "",
) -> ExportChoice | None:
    """Ask what to export where, and whether to replace an existing file; return None for a cancel.

    `name` is offered for the file, `name_to_edit` for one to edit.
    """
    file_format, at = formats[0], 0
    while True:
        dialog = ExportDialog(
            title,
            offered,
            name,
            lambda name: _name_problem(files, name),
            formats=formats,
            file_format=file_format,
            name_to_edit=name_to_edit,
            at=at,
        )
        choice: ExportChoice | None = await screen.app.push_screen_wait(dialog)
        if choice is None or not files.taken(choice.name) or await confirm_replace(screen, choice.name):
            return choice
        name, file_format, at = choice.name, choice.offered, offered.index(choice.share)


def _name_problem(files: FileWriter, name: str) -> str:
    try:
        files.taken(name)
    except FileWriteError as error:
        return str(error)
    return ""
