"""Forms read into requests: separators, encodings, problems named by place, completion, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.request_form import (
    FormProblem,
    KnownPath,
    RequestForm,
    complete_path,
    compose_request,
    first_blank,
    form_of,
    known_paths,
    partial_field_name,
    toggle_header,
)
from svc_tui.core.catalog import COLLECTIONS, DOMAINS, ROUTES, SPLIT, VERIFY, Route
from svc_tui.core.requests import RequestSpec

PATHS = known_paths(DOMAINS, ROUTES)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", ()),
        ("page=1&limit=50", (("page", "1"), ("limit", "50"))),
        ("?page=1", (("page", "1"),)),
        ("page=1\n\nlimit=50\n", (("page", "1"), ("limit", "50"))),
        ("q=a%26b&q=c=d", (("q", "a&b"), ("q", "c=d"))),
        ("flag", (("flag", ""),)),
        ("q=50%&r=a+b", (("q", "50%"), ("r", "a+b"))),
        ("name=Ağa çam", (("name", "Ağa çam"),)),
    ],
)
def test_a_query_is_pairs_joined_by_ampersands_or_lines(text: str, pairs: tuple[tuple[str, str], ...]) -> None:
    composed = compose_request(RequestForm(path="/v1/operations/lots", query=text))
    assert (composed.spec.query, composed.problems) == (pairs, ())


def test_every_problem_is_named_with_its_place() -> None:
    form = RequestForm(
        method="PO ST",
        path="/v1/operations/lots/{id}/split",
        query="a=1\n=2&b={b}",
        headers="X-One: 1\nnonsense",
        body='{\n  "parts": {parts}\n}',
    )
    assert list(map(str, compose_request(form).problems)) == [
        "PO ST is not an HTTP method",
        "fill in {id}",
        "line 2: a name is missing before =2",
        "line 2: fill in {b}",
        "line 2: a header must have the form Name: value",
        "line 2, column 13: fill in {parts}",
    ]
    assert compose_request(RequestForm()).problem_of("path") == FormProblem(
        "path", "enter a path, such as /v1/operations/lots"
    )


def test_a_body_goes_out_byte_for_byte_as_json_unless_the_headers_say_otherwise() -> None:
    body = ' {"mass": 1.50} \n'
    sent = compose_request(RequestForm("patch", "/v1/x", body=body)).spec
    assert (sent.method, sent.body, sent.headers) == ("PATCH", body.encode(), ())
    text = compose_request(RequestForm("POST", "/v1/x", headers="content-type: text/csv", body="a,b"))
    assert (text.problems, text.spec.headers) == ((), (("content-type", "text/csv"),))
    json = compose_request(
        RequestForm("POST", "/v1/x", headers="Content-Type: application/merge-patch+json", body="a,b")
    )
    assert json.problem_of("body") is not None


def test_a_body_stays_here_with_get_and_blank_text_is_none() -> None:
    assert compose_request(RequestForm("GET", "/v1/x", body="{nonsense")).spec == RequestSpec("GET", "/v1/x")
    assert compose_request(RequestForm("DELETE", "/v1/x", body=" \n ")).spec == RequestSpec("DELETE", "/v1/x")


def test_half_a_character_is_a_problem_with_its_place() -> None:
    assert compose_request(RequestForm("POST", "/v1/x", body='{\n"a": "\ud800"}')).problem_of("body") == FormProblem(
        "body", "an incomplete Unicode character can't be sent; remove it", 2, 7
    )


@pytest.mark.parametrize(
    ("typed", "longer"),
    [
        ("/", "/v1/operations/lots"),
        ("/v1/op", "/v1/operations/lots"),
        ("/v1/operations/sh", "/v1/operations/shiftLogs"),
        ("/v1/operations/SHIFT", "/v1/operations/shiftLogs"),
        ("/operations/tu", "/operations/tunnels"),
        ("compliance", "compliance/licenses"),
        ("/v1/operations/lots/lot-1", "/v1/operations/lots/lot-1/attachments"),
        ("/v1/operations/lots/lot-1/at", "/v1/operations/lots/lot-1/attachments"),
        ("/operations/hash", "/operations/hash-chain/verify"),
        ("/v1/operations/lots", None),
        ("/v1/operations/lots/", None),
        ("/v1/operations/lots?st", None),
        ("/v2", None),
        ("", None),
    ],
)
def test_a_path_is_completed_from_what_is_known(typed: str, longer: str | None) -> None:
    assert complete_path(typed, "GET", PATHS) == longer


@pytest.mark.parametrize(
    ("method", "typed", "longer"),
    [
        ("POST", "/v1/operations/lots/lot-1", "/v1/operations/lots/lot-1/split"),
        ("post", "/v1/operations/lots/lot-1/s", "/v1/operations/lots/lot-1/split"),
        ("GET", "/v1/operations/lots/lot-1/s", None),
        ("DELETE", "/v1/operations/lots/lot-1", None),
        ("PATCH", "operations/hash", None),
        ("HEAD", "operations/hash", "operations/hash-chain/verify"),
        ("DELETE", "operations/lo", "operations/lots"),
        ("", "operations/hash", None),
    ],
)
def test_a_path_is_proposed_only_to_a_method_that_leads_there(method: str, typed: str, longer: str | None) -> None:
    assert complete_path(typed, method, PATHS) == longer


def test_a_path_that_serves_two_methods_is_known_under_both() -> None:
    routes = [Route("Read", "GET", "/v1/x"), Route("Make", "post", "/v1/x"), Route("Read too", "GET", "/v1/x")]
    assert known_paths((), routes) == (KnownPath("/v1/x", "GET"), KnownPath("/v1/x", "POST"))


def test_routes_fill_the_form_with_blanks_to_fill_in() -> None:
    split, verify = form_of(SPLIT), form_of(VERIFY)
    assert (split.method, split.path, split.body) == ("POST", SPLIT.path, SPLIT.body)
    assert verify.query == "tunnelId={tunnelId}"
    assert first_blank(split.path) == (split.path.index("{"), split.path.index("}") + 1)
    assert compose_request(verify).problem_of("query") == FormProblem("query", "fill in {tunnelId}", 1, blank=True)


def test_a_body_that_is_not_text_is_left_out_with_a_word() -> None:
    form = form_of(RequestSpec("PUT", "/v1/x", body=b"\xff\x00"))
    assert (form.body, form.note) == ("", "The body is not shown: 2 bytes that are not text.")


WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
TOKENS = st.from_regex(r"[A-Za-z-]{1,10}", fullmatch=True)
VALUES = st.from_regex(r"[!-~]{0,12}", fullmatch=True)


@given(
    method=st.sampled_from(["POST", "PUT", "PATCH", "DELETE"]),
    query=st.lists(st.tuples(WORDS.filter(bool), WORDS), max_size=4),
    headers=st.lists(st.tuples(TOKENS.filter(lambda name: name.lower() != "content-type"), VALUES), max_size=3),
    body=st.sampled_from([b"", b'{"a": 1.50}', '["é\\n"]\n'.encode()]),
)
def test_a_request_comes_back_from_its_form_unchanged(
    method: str, query: list[tuple[str, str]], headers: list[tuple[str, str]], body: bytes
) -> None:
    spec = RequestSpec(method, "/v1/operations/lots", tuple(query), tuple(headers), body)
    composed = compose_request(form_of(spec))
    assert (composed.spec, composed.problems) == (spec, ())


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("lots", "/v1/operations/lots"),
        ("lots/lot-1?x=1", "/v1/operations/lots/lot-1?x=1"),
        ("LICENSES/l-1", "/v1/compliance/licenses/l-1"),
        ("operations/shiftlogs", "/v1/operations/shift-logs"),
        ("shiftLogs/s-1", "/v1/operations/shift-logs/s-1"),
        ("/v1/lots", "/v1/lots"),
        ("v1/operations/lots", "v1/operations/lots"),
        ("operations/hash-chain/verify", "operations/hash-chain/verify"),
        ("nothing/known", "nothing/known"),
    ],
)
def test_a_path_may_begin_with_a_collections_name_and_is_spelled_as_the_profile_does(typed: str, path: str) -> None:
    collections = tuple(c.spelled("shift-logs") if c.name == "shiftLogs" else c for c in COLLECTIONS)
    assert compose_request(RequestForm(path=typed), collections).spec.path == path


def test_short_names_are_completed_and_lead_where_they_are_resolved_to() -> None:
    assert complete_path("tu", "GET", PATHS) == "tunnels"
    assert complete_path("lots/lot-1/s", "POST", PATHS) == "lots/lot-1/split"
    assert complete_path("hash", "GET", PATHS) is None


def test_a_body_from_a_file_is_named_and_two_signs_are_one_of_text() -> None:
    named = compose_request(RequestForm("POST", "/v1/x", body="@ my.json \n"))
    assert (named.file, named.spec.body, named.problems) == ("my.json", b"", ())
    text = compose_request(RequestForm("POST", "/v1/x", headers="Content-Type: text/plain", body="@@me"))
    assert (text.file, text.spec.body) == ("", b"@me")
    assert form_of(text.spec).body == "@@me"
    assert str(compose_request(RequestForm("POST", "/v1/x", body="@ ")).problems[0]) == "@ needs a file name"


@pytest.mark.parametrize(
    ("before", "begun"),
    [
        ('{"gr', "gr"),
        ('{"', ""),
        ('{"a": "x", "gr', "gr"),
        ('{"a": "gr', None),
        ('{"a": {"gr', None),
        ('{"a": {"b": 1}, "gr', "gr"),
        ('["gr', None),
        ('["a", "gr', None),
        (r'{"a\"b": 1, "gr', "gr"),
        ("{gr", None),
        ("", None),
    ],
)
def test_the_name_of_a_field_being_written_is_known_from_what_stands_before(before: str, begun: str | None) -> None:
    assert partial_field_name(before) == begun


def test_the_kept_key_is_put_in_taken_out_and_never_put_in_twice() -> None:
    form = RequestForm("POST", "/v1/x", headers="X-Trace: 7")
    kept = toggle_header(form, "Idempotency-Key", "key-1")
    assert kept.headers == "X-Trace: 7\nIdempotency-Key: key-1"
    assert toggle_header(kept, "idempotency-key", "key-2") == form
    assert toggle_header(form, "Idempotency-Key", "") == form
