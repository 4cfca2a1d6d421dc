"""Writing a file of the user's, which replaces another one only after a question."""

from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.screen import Screen

from svc_tui.session.ports import FileWriteError
from svc_tui.ui.report import Report
from svc_tui.ui.text import styled

if TYPE_CHECKING:
    from svc_tui.ui.session.context import Context


async def save_file(context: "Context", name: str, data: bytes, title: str, notice: str = "") -> None:
    """Write the bytes to a file, and say under `title` where it is, with the `notice`; or why it was not written."""
    try:
        if context.files.taken(name) and not await confirm_replace(context.screen, name):
            return
        path = await context.files.write(name, data)
    except FileWriteError as error:
        context.notify(Report(str(error), f"Could not save {name}", "error"))
    else:
        context.notify(Report(f"Saved to {path}.{notice}", title))


async def confirm_replace(screen: Screen[Any], name: str) -> bool:
    """Whether a file that is there already may be replaced."""
    from svc_tui.ui.dialogs.menu import MenuScreen

    lines = [(Content("Choose another name"), False), (styled(f"Replace {name}"), True)]
    return bool(await screen.app.push_screen_wait(MenuScreen("The file already exists", lines)))
