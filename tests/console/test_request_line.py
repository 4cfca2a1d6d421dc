"""A request on one line: what is typed becomes a form, a form becomes a line, and neither loses anything on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.request_form import METHODS, RequestForm, compose_request, form_of
from svc_tui.console.request_line import compact_body, format_line, last_word, parse_line
from svc_tui.core.catalog import SPLIT, VERIFY
from svc_tui.core.jsontext import Json, encode_json, number
from svc_tui.core.requests import RequestSpec

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(" '\"\\$=:@?&{}[]%#a\n\t", max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | TEXT | st.integers().map(number) | st.sampled_from(["1.50", "-0", "1e3"]).map(number),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
NAMES = st.from_regex(r"[A-Za-z!#$%&'*+.^_`|~-]{1,8}", fullmatch=True)
HEADERS = st.tuples(NAMES, st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12).map(str.strip))
PATHS = TEXT.map(lambda text: f"/v1/{text}".strip()) | st.just("lots/lot-000001?page=1")
FIELDS: st.SearchStrategy[Json] = st.dictionaries(TEXT, VALUES, min_size=1, max_size=4)
BODIES = (
    FIELDS.map(encode_json) | VALUES.map(encode_json) | TEXT.filter(lambda text: bool(text.strip())).map(str.encode)
)


@st.composite
def specs(draw: st.DrawFn) -> RequestSpec:
    method = draw(st.sampled_from([*METHODS, "OPTIONS", "PURGE", "M-SEARCH"]))
    query = draw(st.lists(st.tuples(TEXT.filter(bool), TEXT), max_size=3))
    headers = draw(st.lists(HEADERS, max_size=3))
    body = b"" if method in ("GET", "HEAD") else draw(BODIES | st.just(b""))
    return RequestSpec(method, draw(PATHS), tuple(query), tuple(headers), body)


@given(specs())
def test_a_printed_line_is_read_as_the_same_request(spec: RequestSpec) -> None:
    line = parse_line(format_line(form_of(spec)))
    assert line.problem is None
    assert compose_request(line.form).spec == spec


@given(TEXT)
def test_whatever_is_typed_is_a_request_or_a_problem_with_its_place(text: str) -> None:
    line = parse_line(text)
    if line.problem is not None:
        assert 1 <= line.problem.column <= len(text) + 1


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("", RequestForm()),
        ("lots", RequestForm("GET", "lots")),
        ("get lots", RequestForm("GET", "lots")),
        ("get", RequestForm("GET", "")),
        ("DELETE lots/lot-1", RequestForm("DELETE", "lots/lot-1")),
        ("PURGE lots", RequestForm("PURGE", "lots")),
        ("lots page==2 limit==50", RequestForm("GET", "lots", "page=2&limit=50")),
        ("lots ?page=2&q=a%20b", RequestForm("GET", "lots", "page=2&q=a%20b")),
        ("lots q=='a b&c'", RequestForm("GET", "lots", "q=a b%26c")),
        ("lots X-Trace:7 Accept:text/csv", RequestForm("GET", "lots", "", "X-Trace: 7\nAccept: text/csv")),
        ("lots grade=B", RequestForm("POST", "lots", body='{"grade":"B"}')),
        (
            "PATCH lots/lot-000001 grade=B massKg:=1.50 ?dry=1",
            RequestForm("PATCH", "lots/lot-000001", "dry=1", "", '{"grade":"B","massKg":1.50}'),
        ),
        ("PUT lots/1 'name=two words'", RequestForm("PUT", "lots/1", body='{"name":"two words"}')),
        ("PUT lots/1 name='two words'", RequestForm("PUT", "lots/1", body='{"name":"two words"}')),
        ('PUT lots/1 "a:b"=1', RequestForm("PUT", "lots/1", body='{"a:b":"1"}')),
        (r"PUT lots/1 a\=b=1", RequestForm("PUT", "lots/1", body='{"a=b":"1"}')),
        (r"PUT lots/1 note=$'one\ntwo'", RequestForm("PUT", "lots/1", body='{"note":"one\\ntwo"}')),
        ("PUT lots/1 note= flag:=true", RequestForm("PUT", "lots/1", body='{"note":"","flag":true}')),
        ("PUT lots/1 u=http://x/?a=b", RequestForm("PUT", "lots/1", body='{"u":"http://x/?a=b"}')),
        ("POST lots/1/split @split.json", RequestForm("POST", "lots/1/split", body="@split.json")),
        ("POST lots/1/split '@my split.json'", RequestForm("POST", "lots/1/split", body="@my split.json")),
        ("POST lots :=[1,2]", RequestForm("POST", "lots", body="[1,2]")),
        ("POST lots =@me", RequestForm("POST", "lots", body="@@me")),
        ("POST lots/{id}/split parts:={parts}", RequestForm("POST", "lots/{id}/split", body='{"parts":{parts}}')),
    ],
)
def test_a_line_is_read_the_httpie_way(line: str, form: RequestForm) -> None:
    assert parse_line(line) == type(parse_line(""))(form)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "PATCH lots/1 massKg:=1,5",
            "column 14: massKg is not valid JSON at ,5: unexpected text after the value. For text, write massKg=",
        ),
        (
            'POST lots/1/split parts:=[{"massKg":0.2}]',
            "column 19: JSON needs single quotes here: parts:='[…]'. Without them, parts is not valid JSON at "
            "massKg:0.2}]: a property name in double quotes is expected",
        ),
        (
            "POST lots/1/split parts:='[{massKg:0.2}]'",
            "column 19: parts is not valid JSON at massKg:0.2}]: a property name in double quotes is expected",
        ),
        (
            'POST lots :={"a":1}',
            "column 11: JSON needs single quotes here: :='{…}'. Without them, the body is not valid JSON at a:1}: "
            "a property name in double quotes is expected",
        ),
        ("PATCH lots/1 'grade=B", "column 14: the closing quote is missing"),
        ("PATCH lots/1 grade", "column 14: write name=text, name:=JSON, name==value, Name:value or @file here"),
        ("PATCH lots/1 grade=A grade=B", "column 22: the field grade is set twice"),
        ("PATCH lots/1 grade=A @file", "column 22: the body is set twice"),
        ("PATCH lots/1 @file grade=A", "column 20: the body is set twice"),
        ("PATCH lots/1 @", "column 14: @ needs a file name"),
        ("PATCH lots/1 'two words:x'", "column 14: a header must have the form Name:value"),
        ("GET lots grade=B", "column 10: GET requests have no body; for a query parameter write name==value"),
        ("GET lots\\", "column 9: a character is missing after the backslash"),
    ],
)
def test_what_is_no_request_is_told_with_its_place(line: str, told: str) -> None:
    assert str(parse_line(line).problem) == told


def test_a_route_is_printed_with_its_blanks_and_asks_for_them_again() -> None:
    assert format_line(form_of(VERIFY)) == "GET /v1/operations/hash-chain/verify tunnelId=={tunnelId}"
    for route in (SPLIT, VERIFY):
        again = parse_line(format_line(form_of(route))).form
        assert [str(p) for p in compose_request(again).problems] == [
            str(p) for p in compose_request(form_of(route)).problems
        ]


def test_a_body_written_over_lines_is_one_of_fields_on_the_line() -> None:
    form = RequestForm("PATCH", "lots/1", body='{\n  "grade": "B",\n  "massKg": 1.50\n}')
    assert format_line(compact_body(form)) == "PATCH lots/1 grade=B massKg:=1.50"
    assert format_line(form).startswith("PATCH lots/1 =$'{\\n")


def test_a_half_written_field_of_the_form_is_left_out_of_the_line() -> None:
    assert format_line(RequestForm("GET", "lots", "", "X-One: 1\nX-Tw")) == "GET lots X-One:1"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("", None),
        ("lo", (0, "lo")),
        ("GET lo", (0, "lo")),
        ("PATCH lots/1 gr", (1, "gr")),
        ("PATCH lots/1 grade=B ma", (2, "ma")),
        ("PATCH lots/1 ", None),
        ("PATCH lots/1 'gr", None),
    ],
)
def test_the_word_being_typed_is_known(line: str, word: tuple[int, str] | None) -> None:
    assert last_word(line) == word
