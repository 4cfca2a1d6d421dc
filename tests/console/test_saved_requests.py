"""Saved requests: what was typed comes back from its file, asks for its values, and fills them in where they stand."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.request_form import RequestForm, compose_request, value_form
from svc_tui.console.saved_requests import (
    DamagedRequest,
    SavedRequest,
    SavedRequestError,
    file_name,
    find_by_name,
    find_mistakes,
    form_from_file,
    group_values,
    make_saved_request,
    to_toml,
)
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.requests import RequestSpec

SPLIT = RequestForm("POST", "/v1/operations/lots/{id}/split", body='{"parts": {parts}, "by": "{who}"}')


def read_back(text: str) -> SavedRequest:
    """The saved request as its file writes it."""
    table = tomllib.loads(text)
    query = table.get("query", {})
    if isinstance(query, dict):
        query = group_values((n, v) for n, vs in query.items() for v in (vs if isinstance(vs, list) else [vs]))
    headers = group_values(
        (n, v) for n, vs in table.get("headers", {}).items() for v in (vs if isinstance(vs, list) else [vs])
    )
    form = form_from_file(table["method"], table["path"], query, headers, table.get("body", ""))
    return SavedRequest(table["name"], form, table.get("description", ""))


def test_a_value_goes_where_its_name_stands_and_is_never_read_for_braces_again() -> None:
    form = RequestForm("POST", "/v1/operations/lots/{id}/split", "note={who}&dry=1", "X-Trace: {id}", SPLIT.body)
    spec = SavedRequest("Split", form).request({"id": "a/b {who}", "parts": "[1.50]", "who": '{id} "&'})
    assert spec == RequestSpec(
        "POST",
        "/v1/operations/lots/a%2Fb%20%7Bwho%7D/split",
        (("note", '{id} "&'), ("dry", "1")),
        (("X-Trace", "{id}"),),
        b'{"parts": [1.50], "by": "\\u007bid} \\"&"}',
    )


def test_what_it_asks_for_stands_in_order_with_what_each_takes() -> None:
    lines = value_form(SPLIT).lines
    assert [(line.name, line.hint) for line in lines] == [("id", "text"), ("parts", "JSON"), ("who", "text")]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "Split needs values for id, parts, who"),
        ({"id": "1", "who": "me"}, "Split needs values for parts"),
        ({"id": "1", "parts": "2", "who": "me", "whom": "x"}, 'Split has no placeholder whom; did you mean "who"?'),
        (
            {"id": "1", "parts": "2", "who": "me", "zzz": "x"},
            "Split has no placeholder zzz; its placeholders: id, parts, who",
        ),
        ({"id": "1", "parts": "two", "who": "me"}, "Split: parts is not in quotes, so it must be JSON: line 1"),
        ({"id": "", "parts": "2", "who": "me"}, "Split: "),
        ({"id": "..", "parts": "2", "who": "me"}, "Split: "),
    ],
)
def test_values_that_do_not_fit_are_told(values: dict[str, str], message: str) -> None:
    with pytest.raises(SavedRequestError) as raised:
        SavedRequest("Split", SPLIT).request(values)
    assert str(raised.value).startswith(message)


def test_a_file_is_written_to_be_read() -> None:
    form = RequestForm(
        "PATCH", "/v1/operations/lots/{id}", "dry=1&tag=a%26b&tag={tag}", "X-Trace: 7", '{\n  "name": "{name}"\n}\n'
    )
    assert to_toml(SavedRequest("Rename a lot", form, 'As "agreed" in C:\\docs')) == (
        'name = "Rename a lot"\n'
        "description = 'As \"agreed\" in C:\\docs'\n"
        'method = "PATCH"\n'
        'path = "/v1/operations/lots/{id}"\n'
        "body = '''\n{\n  \"name\": \"{name}\"\n}\n'''\n"
        "\n"
        "[query]\n"
        'dry = "1"\n'
        'tag = ["a&b", "{tag}"]\n'
        "\n"
        "[headers]\n"
        'X-Trace = "7"\n'
    )


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text("{}ab'\"\\\n\t %&=?#@\x7f", max_size=8)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), max_size=4)


@given(name=TEXTS, about=TEXTS, path=TEXTS, query=PAIRS, body=TEXTS)
def test_any_request_comes_back_from_its_file(
    name: str, about: str, path: str, query: list[tuple[str, str]], body: str
) -> None:
    typed = form_from_file("POST", path, group_values(query), {}, body)
    saved = SavedRequest(name, typed, about)
    assert read_back(to_toml(saved)) == saved


@pytest.mark.parametrize("query", ["a=1&b=2&a=3", "q=%7Bid%7D", "a=%41", "%7Bn%7D=1"])
def test_a_query_that_no_table_says_is_written_as_it_was_typed(query: str) -> None:
    saved = SavedRequest("x", RequestForm("GET", "/v1/x", query))
    assert f'query = "{query}"' in to_toml(saved)
    assert read_back(to_toml(saved)) == saved


def test_what_stands_in_the_console_is_saved_spelled_out() -> None:
    form = RequestForm("patch", "lots/{id}?a=1", "b= 2 \n?c={c}", "X-Trace: 7", '@@{"x"}')
    with pytest.raises(SavedRequestError, match=r"The body can't be sent: line 1, column 1: not valid JSON"):
        make_saved_request(form, "x", "", COLLECTIONS, ())
    saved = make_saved_request(
        RequestForm("get", "lots/{id}?a=1", "b=2 3\n?c={c}", "", "left behind"), " x ", " y ", COLLECTIONS, ()
    )
    assert saved == SavedRequest("x", RequestForm("GET", "/v1/operations/lots/{id}", "a=1&b=2 3&c={c}"), "y")


@pytest.mark.parametrize(
    ("form", "name", "message"),
    [
        (SPLIT, "", "The name is empty; enter a name."),
        (RequestForm("GET", ""), "x", "The path can't be sent: enter a path, such as /v1/operations/lots."),
        (RequestForm("G T", "/v1/x"), "x", "The method can't be sent: G T is not an HTTP method."),
        (RequestForm("GET", "/v1/auth/keys"), "x", "The path can't be used: "),
        (RequestForm("GET", "/v1/x", "=1"), "x", "The query can't be sent: line 1: a name is missing before =1."),
        (RequestForm("GET", "/v1/x", headers="Nonsense"), "x", "The headers can't be sent: "),
        (
            RequestForm("GET", "/v1/x", headers="Cookie: a"),
            "x",
            "The headers contain Cookie with credentials; remove it",
        ),
        (
            RequestForm("GET", "/v1/x", headers="X-Api-Key: a"),
            "x",
            "The headers contain X-Api-Key with credentials; remove it",
        ),
        (RequestForm("GET", "/v1/x", headers="Host: a"), "x", "The headers contain Host with credentials; remove it"),
        (
            RequestForm("POST", "/v1/x", body='{"a": {b}, "c": }'),
            "x",
            "The body can't be sent: line 1, column 17: not valid JSON",
        ),
        (RequestForm("POST", "/v1/x", body="@body.json"), "x", "The body is in a file. A saved request must contain"),
        (RequestForm("GET", "/v1/x", "q=svc_test_0123"), "x", "The query contains an API key or signing secret"),
        (RequestForm("GET", "/v1/x", "q=svc%5Flive_0123"), "x", "The query contains an API key or signing secret"),
        (RequestForm("POST", "/v1/x", body='"whsec"'), "x", "The body contains an API key or signing secret"),
        (RequestForm("GET", "/v1/x"), "svc_live_9", "The name contains an API key or signing secret"),
        (RequestForm("GET", "/v1/x\ud800"), "x", "The path contains an incomplete Unicode character"),
    ],
)
def test_what_can_not_be_saved_is_told(form: RequestForm, name: str, message: str) -> None:
    with pytest.raises(SavedRequestError) as raised:
        make_saved_request(form, name, "", COLLECTIONS, ("whsec",))
    assert str(raised.value).startswith(message)


def test_a_body_that_is_no_json_asks_for_nothing() -> None:
    saved = SavedRequest("x", RequestForm("POST", "/v1/x", headers="Content-Type: text/plain", body="{a} is no blank"))
    assert list(find_mistakes(saved)) == []
    assert value_form(saved.form).lines == ()
    assert saved.request({}).body == b"{a} is no blank"


def test_one_is_found_by_its_name_or_its_file() -> None:
    one, two = SavedRequest("Split a lot", SPLIT, file="split"), SavedRequest("Other", SPLIT, file="other")
    twin = SavedRequest("split A lot", SPLIT, file="twin")
    broken = DamagedRequest("broken", "/r/broken.toml: path is missing")
    assert find_by_name((one, two), "split a LOT", "/r") == one
    assert find_by_name((one, two, twin), "split", "/r") == one
    for kept, wanted, message in (
        ((one, twin), "split a lot", '2 saved requests are named "split a lot"; use the file name: split, twin'),
        ((one, broken), "broken", "/r/broken.toml: path is missing"),
        ((one, two), "Othr", 'no saved request in /r is named "Othr"; did you mean "Other"?'),
        ((one, two), "zzz", 'no saved request in /r is named "zzz"; available: Split a lot, Other'),
        ((), "zzz", 'no saved request in /r is named "zzz"; there are none yet'),
        (
            (broken,),
            "mine",
            'no saved request in /r is named "mine"; there are none yet; 1 can\'t be used: '
            "/r/broken.toml: path is missing",
        ),
    ):
        with pytest.raises(SavedRequestError) as raised:
            find_by_name(kept, wanted, "/r")
        assert str(raised.value) == message


@pytest.mark.parametrize(
    ("name", "file"), [("Split a lot", "split-a-lot"), ("../../x", "x"), ("Łódź / 7", "łódź-7"), ("…", "request")]
)
def test_a_file_is_named_after_the_request(name: str, file: str) -> None:
    assert file_name(name) == file


def test_a_saved_request_without_blanks_composes_as_it_stands() -> None:
    form = RequestForm("GET", "/v1/operations/lots", "page=2")
    assert SavedRequest("x", form).request({}) == compose_request(form).spec
