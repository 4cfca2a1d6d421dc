"""Blanks of a request are filled in by the rules of where they stand, and nothing that was put in asks again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.request_form import (
    RequestForm,
    compose_request,
    escape_braces,
    fill_blanks,
    form_of,
    indent_body,
    value_form,
)
from svc_tui.console.request_line import format_line, parse_line
from svc_tui.core.catalog import SPLIT
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.jsontext import JsonError, dumps, loads
from svc_tui.service.errors import RequestRefused
from svc_tui.writes.actions import json_literal

LOT = "/v1/operations/lots/{id}"


def names(form: RequestForm) -> list[tuple[str, str]]:
    return [(line.name, line.hint) for line in value_form(form).lines]


def test_every_blank_of_path_query_and_body_asks_once() -> None:
    form = RequestForm("POST", f"{LOT}?a={{a}}", "b={b}&c=x{c}", body='{"by": "{by} {id}", "parts": {parts}}')
    assert names(form) == [("id", "text"), ("a", "text"), ("b", "text"), ("c", "text"), ("by", "text"),
                           ("parts", "JSON")]  # fmt: skip


@pytest.mark.parametrize(
    "form",
    [
        RequestForm("GET", "/v1/operations/lots", "q=%7Bx%7D", body='{"by": "{by}"}'),
        RequestForm("POST", "/v1/x", body="@{file}.json"),
        RequestForm("POST", "/v1/x", headers="Content-Type: text/plain", body="{by}"),
        RequestForm("POST", "/v1/x", body='{"by": "\\u007bby}", "a": {"b": 1}}'),
    ],
)
def test_what_is_no_blank_asks_for_nothing(form: RequestForm) -> None:
    assert names(form) == []
    assert fill_blanks(form, {}) == form


def test_a_value_is_encoded_by_where_it_stands() -> None:
    form = RequestForm("POST", f"{LOT}?a={{id}}", "b={id}&c=x{id}", body='{"by": "{id}", "parts": {parts}}')
    assert fill_blanks(form, {"id": 'a/b "&{x}', "parts": "[1.50]"}) == RequestForm(
        "POST",
        "/v1/operations/lots/a%2Fb%20%22%26%7Bx%7D?a=a%2Fb%20%22%26%7Bx%7D",
        "b=a%2Fb%20%22%26%7Bx%7D&c=xa%2Fb%20%22%26%7Bx%7D",
        body='{"by": "a/b \\"&\\u007bx}", "parts": [1.50]}',
    )


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_what_would_address_something_else_is_refused(value: str) -> None:
    with pytest.raises(RequestRefused):
        fill_blanks(RequestForm("GET", LOT), {"id": value})


def test_what_is_no_json_is_refused_where_json_is_needed() -> None:
    with pytest.raises(ValueProblem, match="parts is not in quotes"):
        fill_blanks(form_of(SPLIT), {"id": "lot-1", "parts": "two"})


TEXTS = st.text(max_size=12) | st.text('{}"\\ab /?&=%', max_size=10)


@given(id_=TEXTS.filter(lambda text: text not in ("", ".", "..")), by=TEXTS, parts=TEXTS)
def test_a_filled_form_asks_for_nothing_and_sends_just_the_values(id_: str, by: str, parts: str) -> None:
    form = RequestForm("POST", LOT, "by={by}", body='{"by": "{by}", "of": {parts}}')
    try:
        made = fill_blanks(form, {"id": id_, "by": by, "parts": dumps(parts)})
    except RequestRefused:
        assert any("\ud800" <= character <= "\udfff" for character in id_)
        return
    except UnicodeEncodeError:
        pytest.fail("half a character is no reason to fall over")
    assert value_form(made).lines == ()
    composed = compose_request(made)
    if not composed.problems:
        assert loads(composed.spec.body) == {"by": by, "of": parts}
        assert composed.spec.query == (("by", by),)


def test_blanks_survive_the_line_wherever_they_stand() -> None:
    form = RequestForm("POST", LOT, "{n}={v}&a=b{c}&d={d}", body='{"parts":{parts},"by":"x {by}"}')
    assert value_form(parse_line(format_line(form)).form) == value_form(form)


def test_a_request_that_was_sent_keeps_its_braces_as_text() -> None:
    form = RequestForm("POST", "/v1/x", body='{"note": "{who} did it"}')
    assert names(form) == [("who", "text")]
    assert names(escape_braces(form)) == []
    assert loads(escape_braces(form).body) == loads(form.body)


def test_a_body_is_laid_out_with_its_blanks() -> None:
    assert indent_body('{"a":{n},"b":["{x}",{n},"blank0"],"c":1.50}') == (
        '{\n  "a": {n},\n  "b": [\n    "{x}",\n    {n},\n    "blank0"\n  ],\n  "c": 1.50\n}'
    )
    with pytest.raises(JsonError):
        indent_body('{"a": }')


@given(st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_no_text_asks_once_its_braces_are_escaped(fields: dict[str, str]) -> None:
    body = json_literal(dumps(fields))
    assert loads(body) == fields
    assert loads(indent_body(body)) == fields
    assert value_form(RequestForm("POST", "/v1/x", body=body)).lines == ()
