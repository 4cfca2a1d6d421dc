"""Asks for the values that a request still wants, one after the other, by the rules of the console's form."""

from svc_tui.console.request_form import RequestForm, compose_request, fill_blanks, value_form
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import FormLine
from svc_tui.core.visible_text import visible
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.talk import Talk
from svc_tui.service.errors import RequestRefused
from svc_tui.service.redact import holds_secret
from svc_tui.service.routes import target_of
from svc_tui.session.write_words import SECRET_TYPED

_FITS_ANYWHERE = "1"
"""Stands for the values that are not typed yet: a segment of a path, a text and a JSON value in one."""


async def ask_for_blanks(talk: Talk, form: RequestForm) -> RequestForm:
    """The form with a value for each of its blanks, as the user types them; raises Dropped where they give it up."""
    lines = value_form(form).lines
    if not lines:
        return form
    values = {line.name: _FITS_ANYWHERE for line in lines}
    for line in lines:
        while problem := _problem(talk, form, values, line, typed := await _typed(talk, line)):
            talk.say(f"{visible(problem).rstrip('.')}. Type it again; ctrl+c cancels.")
        values[line.name] = typed
    try:
        return fill_blanks(form, values)
    except (ValueProblem, RequestRefused) as error:
        raise Mistake(f"Invalid request: {visible(str(error))}") from None


async def _typed(talk: Talk, line: FormLine) -> str:
    return await talk.ask(f"Value of {visible(line.name)}{f', {line.takes}' if line.takes else ''}")


def _problem(talk: Talk, form: RequestForm, values: dict[str, str], line: FormLine, typed: str) -> str:
    """Why what was typed can't stand there, "" where it can."""
    if holds_secret(typed, talk.session.gateway.secrets):
        return SECRET_TYPED
    if problem := line.typed(typed).problem:
        return problem
    try:
        spec = compose_request(fill_blanks(form, {**values, line.name: typed}), talk.session.collections).spec
        target_of(spec.path, spec.query)
    except (ValueProblem, RequestRefused) as error:
        return str(error)
    return ""
