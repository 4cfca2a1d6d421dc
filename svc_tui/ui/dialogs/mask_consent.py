"""Asks before a value that the privacy mask hides is shown where it is edited: others may see the screen."""

from collections.abc import Coroutine
from typing import Any

from svc_tui.ui.session.context import Context


async def confirm_unmask(context: Context, where: str) -> bool:
    """Whether the user agrees that the `where` (editor, form) shows what is hidden."""
    from textual.content import Content

    from svc_tui.ui.dialogs.confirm import ConfirmScreen

    body = Content(f"This value is masked. The {where} shows it to everybody who sees your screen.")
    agreed = await context.show(ConfirmScreen(Content("Personal data"), body, "Show", "Cancel"))
    return agreed is True


async def run_unmasked(context: Context, work: Coroutine[Any, Any, None], *, hidden: bool) -> None:
    """Run `work`, which opens an editor; where something in it is `hidden`, only once the user has agreed."""
    if hidden and not await confirm_unmask(context, "editor"):
        work.close()
    else:
        await work
