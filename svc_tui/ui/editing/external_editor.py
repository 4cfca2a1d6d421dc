"""Lends the terminal to the user's own editor, and takes it back however that ends."""

from textual.app import SuspendNotSupported

from svc_tui.session.ports import EditedText, FileWriteError, TextEditorError
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report


class ExternalEditor:
    """Has texts edited outside of the program; what hinders it is told, and never raised."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def edited(self, text: str, ending: str) -> str | None:
        """What the editor made of the text; None where nothing is to be taken, which was told."""
        problem: TextEditorError | None = None
        edited: EditedText | None = None
        try:
            with self._context.screen.app.suspend():
                # Nothing may leave this block by an error: the terminal would not be taken back.
                try:
                    edited = await self._context.session.editor.edit(text, ending)
                except TextEditorError as error:
                    problem = error
        except SuspendNotSupported:
            self._context.notify(Report("An editor can't be opened in this terminal.", severity="warning"))
            return None
        if problem is not None:
            self._context.notify(Report(f"{problem}{self._saved_copy(problem.left)}", "Editing failed", "error"))
            return None
        assert edited is not None
        if not edited.wanted:
            self._context.notify(Report("The editor ended with an error. Nothing was changed."))
            return None
        return edited.text

    def _saved_copy(self, left: str | None) -> str:
        if left is None:
            return ""
        try:
            return f" Your text is in {self._context.files.keep(left)}."
        except FileWriteError as error:
            return f" Your text is lost: {error}"
