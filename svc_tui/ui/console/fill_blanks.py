"""Asks for the values that a request of the console still wants, by the form of all actions, before it is sent."""

from typing import TYPE_CHECKING, Any

from textual.content import Content

from svc_tui.console.request_form import RequestForm, fill_blanks, value_form
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import FieldForm as Lines
from svc_tui.service.errors import RequestRefused
from svc_tui.ui.dialogs.form import FormScreen
from svc_tui.ui.report import error_report
from svc_tui.ui.text import styled

if TYPE_CHECKING:
    from textual.screen import Screen

    from svc_tui.ui.console.console_pane import ConsolePane

_MAX_BODY_LINES = 6
"""Lines of a body's template that are shown above what is asked for."""


class BlanksScreen(FormScreen):
    """Asks for the values of a request's blanks; the request is sent with them at once."""

    SEND_LABEL = "send"


async def ask_for_blanks(screen: "Screen[Any]", console: "ConsolePane", form: RequestForm) -> None:
    """Ask for a value of each blank in the form; the console sends it with them, unless the form was left."""
    title = Content.assemble("Values for ", styled(form.method))
    asking = BlanksScreen(title, value_form(form), _note(form))
    await screen.app.push_screen(asking)
    while (lines := await asking.wanted()) is not None:
        filled = _fill_values(form, lines)
        if isinstance(filled, RequestForm):
            asking.dismiss(None)
            await console.send_filled(filled)
            return
        asking.say(filled)


def _fill_values(form: RequestForm, lines: Lines) -> RequestForm | str:
    """The form with the values in it, or why they can't stand there."""
    try:
        return fill_blanks(form, {line.name: line.text for line in lines.lines})
    except ValueProblem as problem:
        return str(problem)
    except RequestRefused as error:
        return error_report(error).line


def _note(form: RequestForm) -> Content:
    query = "&".join(form.query.split("\n"))
    lines = [Content.assemble(styled(form.method, "bold"), " ", styled(form.path, "$role-reference"))]
    if query:
        lines.append(styled(f"?{query}", "$role-muted"))
    if form.takes_body and form.body:
        body = form.body.split("\n")
        lines += [styled(line, "$role-muted") for line in body[:_MAX_BODY_LINES]]
        lines += [styled("…", "$role-muted")] * (len(body) > _MAX_BODY_LINES)
    return Content("\n").join(lines)
