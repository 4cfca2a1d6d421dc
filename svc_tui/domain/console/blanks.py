"""The `{name}` blanks of a request that is being written: what they ask for, and the request with values in it.

In a path a value becomes one encoded segment, in a query it is encoded; in a JSON body it is escaped text inside quotes
and a checked JSON value outside. What was put in asks for nothing again.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from svc_tui.domain.console.request_form import RequestForm, json_body
from svc_tui.domain.editing.actions import action_form, fill_body, json_literal
from svc_tui.domain.editing.forms import FieldForm as Lines
from svc_tui.domain.http.routes import fill_path
from svc_tui.domain.model.catalog import BLANK
from svc_tui.domain.model.jsontext import dumps, loads

_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def value_form(form: RequestForm) -> Lines:
    """A line for each blank, in the order in which they stand; none where nothing is asked for."""
    body = json_body(form)
    return action_form((name for text in (form.path, form.query, body) for name in BLANK.findall(text)), body)


def fill_blanks(form: RequestForm, values: Mapping[str, str]) -> RequestForm:
    """The form with a value for every blank; raises RequestRefused and ValueProblem for one that can't stand there."""
    path, mark, query = form.path.partition("?")
    filled = replace(
        form, path=fill_path(path, values) + mark + _fill_query(query, values), query=_fill_query(form.query, values)
    )
    return replace(filled, body=json_literal(fill_body(form.body, values))) if json_body(form) else filled


def escape_braces(form: RequestForm) -> RequestForm:
    """The form of a request that was sent once: braces in its JSON body are text, and ask for nothing."""
    return replace(form, body=json_literal(form.body)) if json_body(form) else form


def indent_body(body: str) -> str:
    """The JSON body over indented lines, blanks outside quotes included; raises JsonError."""
    held: list[str] = []
    mark = "blank"
    while f'"{mark}' in body:
        mark += "_"

    def hold(match: re.Match[str]) -> str:
        held.append(match[0])
        return f'"{mark}{len(held) - 1}"'

    at, pieces = 0, []
    for text in _JSON_STRING.finditer(body):
        pieces += [BLANK.sub(hold, body[at : text.start()]), text[0]]
        at = text.end()
    template = dumps(loads("".join((*pieces, BLANK.sub(hold, body[at:])))), indent=2)
    return re.sub(rf'"{mark}(\d+)"', lambda match: held[int(match[1])], template)


def _fill_query(query: str, values: Mapping[str, str]) -> str:
    return BLANK.sub(lambda match: quote(values[match[1]], safe=""), query)
