"""Editing a text in the user's own editor, which gets the terminal meanwhile."""

from textual.app import SuspendNotSupported

from svc_tui.session.ports import EditedText, FileWriteError, TextEditorError
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report


async def edit_externally(context: Context, text: str, ending: str) -> str | None:
    """Return the text as edited in the user's editor; None if nothing is to be changed, with a notice of the reason."""
    problem: TextEditorError | None = None
    edited: EditedText | None = None
    try:
        with context.screen.app.suspend():
            # An error that leaves this block would keep the app suspended.
            try:
                edited = await context.session.editor.edit(text, ending)
            except TextEditorError as error:
                problem = error
    except SuspendNotSupported:
        context.notify(Report("An editor can't be opened in this terminal.", severity="warning"))
        return None
    if problem is not None:
        context.notify(Report(f"{problem}{_save_copy(context, problem.left)}", "Editing failed", "error"))
        return None
    assert edited is not None
    if not edited.wanted:
        context.notify(Report("The editor ended with an error. Nothing was changed."))
        return None
    return edited.text


def _save_copy(context: Context, text: str | None) -> str:
    if text is None:
        return ""
    try:
        return f" Your text is in {context.files.keep(text)}."
    except FileWriteError as error:
        return f" Your text is lost: {error}"
