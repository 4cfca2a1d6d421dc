"""Paths: the `/v1` rule, what is refused, placeholders, places."""

from urllib.parse import parse_qsl, quote, unquote

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.records import Place
from svc_tui.sandbox.access.signature import check_signature
from svc_tui.sandbox.data.paging import query_of
from svc_tui.service.errors import RequestRefused
from svc_tui.service.routes import (
    PlaceError,
    fill_path,
    is_addressable,
    nested_collection,
    parse_place,
    place_of_url,
    record_path,
    target_of,
)
from svc_tui.service.signing import signed_headers

LOTS = COLLECTIONS[0]


def words(text: str) -> list[str]:
    return text.split()


RESERVED = words(
    """
/v1/auth  /v1/auth/  /v1/auth/keys  auth  auth/keys  /auth/keys  v1/auth/keys  /V1/AUTH/keys  /v1/Auth
/v1/auth?x=1  /v1/%61uth  /v1/%61%75%74%68/x  /v1/%2561uth  /v1/%252561uth  /%761/auth  /v1//auth  /v1///auth//x
/v1/v1/auth
/v1%2Fauth  /v1%2fauth%2fkeys  /v1/%2Fauth  /%2Fv1/auth  /v1;a=b/auth  /v1/auth;a=b/keys  /v1/;x/auth  /v1/auth%3Bx
/v1/auth%20  /v1/auth.  /v1/auth%2e  /v1/auth%23  /v1/auth%3Fx  /v1/auth#x  /v1%5Cauth  /v1/ａuth  /v1／auth
/v1/aUtH%2F
/v1/%EF%BD%81uth
"""
)

CLIMBING = words(
    """
/v1/..  /v1/../auth  /v1/x/../auth/keys  /v1/x/..  ..  ../auth  /v1/%2e%2e/auth  /v1/.%2E/auth  /v1/%252e%252e/auth
/v1/..;/auth  /v1/x%2f..%2fauth  /v1/x%5c..%5cauth  /v1/..%2fauth  /v1/..%5Cauth  /v1/.  /v1/./auth  /v1/%2e/auth
/v1/./x  /v1/.;x/y
"""
)

ELSEWHERE = ["https://evil.example/v1/x", "HTTP://evil.example", "//evil.example/v1/x", "ftp://x", "///x"]
BROKEN = ["/v1/a\nb", "/v1/a\r\nHost: x", "/v1/\x00", "/v1/%00", "/v1/%0d%0aX", "/v1/a\\b", "\\\\evil", "/v1/\x7f"]
BROKEN += ["/v1/%ff", "/v1/%c0%ae%c0%ae/", "/v1/\ud800", "/v1/x?\n", "/v1/%" + "25" * 30 + "61"]


@pytest.mark.parametrize("path", RESERVED)
def test_the_reserved_routes_are_refused_in_every_spelling(path: str) -> None:
    with pytest.raises(RequestRefused, match="/v1/auth"):
        target_of(path)


@pytest.mark.parametrize("path", CLIMBING)
def test_dot_segments_are_refused(path: str) -> None:
    with pytest.raises(RequestRefused, match=r"'\.\.?'|/v1/auth"):
        target_of(path)


@pytest.mark.parametrize("path", ELSEWHERE)
def test_another_origin_is_refused(path: str) -> None:
    with pytest.raises(RequestRefused, match="always go to the base URL"):
        target_of(path)


@pytest.mark.parametrize("path", BROKEN, ids=ascii)
def test_paths_that_can_be_misread_are_refused(path: str) -> None:
    with pytest.raises(RequestRefused):
        target_of(path)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/authors",
        "/v1/operations/auth",
        "/v1/operations/lots/auth",
        "/v1/x?next=/v1/auth/../x",
        "/v1/author/auth",
        "/v1/a..b",
        "/v1/...",
        "/v1/x/..y",
        "/v1/.well-known",
        "/v1/oauth",
        "/v1/operations/lots/..a",
    ],
)
def test_harmless_neighbours_are_sent(path: str) -> None:
    assert target_of(path) == path


@given(st.text(), st.lists(st.tuples(st.text(), st.text())))
def test_a_target_is_plain_ascii_and_says_what_was_asked(record_id: str, query: list[tuple[str, str]]) -> None:
    try:
        target = target_of(record_path(LOTS, record_id), query)
    except RequestRefused:
        return
    path, mark, asked = target.partition("?")
    assert target.isascii()
    assert target.isprintable()
    assert " " not in target
    assert path.count("/") == 4
    assert unquote(path.rpartition("/")[2]) == record_id
    assert bool(mark) == bool(query)
    assert parse_qsl(asked, keep_blank_values=True) == [pair for pair in query if asked]


@given(st.text(alphabet="/.%;\\?#avuthAUTH12fe5c \t", max_size=24))
def test_what_is_sent_never_reaches_the_reserved_routes(text: str) -> None:
    try:
        path = target_of(text).partition("?")[0]
    except RequestRefused:
        return
    assert path == "/v1" or path.startswith("/v1/")
    for _ in range(6):
        path = unquote(path)
    parts = [part.partition(";")[0] for part in path.casefold().replace("\\", "/").split("/")]
    assert ".." not in parts
    assert [part for part in parts if part][1:2] != ["auth"]


@given(st.text(max_size=30))
def test_a_target_is_its_own_target(text: str) -> None:
    try:
        target = target_of(text)
    except RequestRefused:
        return
    assert target_of(target) == target


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(
    st.lists(WORDS.filter(lambda text: text not in ("", ".", "..")), max_size=4),
    st.lists(st.tuples(WORDS, WORDS), max_size=4, unique_by=lambda pair: pair[0]),
    st.binary(max_size=40),
)
def test_the_embedded_service_reads_what_was_asked_and_agrees_with_its_signature(
    words: list[str], query: list[tuple[str, str]], body: bytes
) -> None:
    template = "/v1/operations/lots" + "".join(f"/{{{place}}}" for place in range(len(words)))
    path = fill_path(template, {str(place): word for place, word in enumerate(words)})
    try:
        target = target_of(path, query)
    except RequestRefused:
        # An id with a control character, or with `..` behind an encoded slash.
        return
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(f"PUT {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    request = connection.next_event()
    assert isinstance(request, h11.Request)
    segments = request.target.partition(b"?")[0].decode("ascii").split("/")
    assert [unquote(segment) for segment in segments] == ["", "v1", "operations", "lots", *words]
    assert query_of(request.target) == dict(query)
    signed = dict(signed_headers("secret", 1_000, "PUT", target, body))
    check_signature("secret", signed["x-svc-timestamp"], signed["x-svc-signature"], "PUT", request.target, body, 1_000)


def test_ids_that_address_something_else_are_refused() -> None:
    for record_id in ("", ".", ".."):
        with pytest.raises(RequestRefused, match="an id can't be"):
            record_path(LOTS, record_id)
    assert record_path(LOTS, "a/b c") == "/v1/operations/lots/a%2Fb%20c"


def test_a_nested_collection_stands_under_its_record() -> None:
    made = nested_collection(LOTS, "a/b", "attachments")
    assert (made.path, made.key) == ("/v1/operations/lots/a%2Fb/attachments", "operations/lots/a%2Fb/attachments")
    assert record_path(made, "x") == "/v1/operations/lots/a%2Fb/attachments/x"


def test_placeholders_become_one_segment_each_and_are_read_once() -> None:
    template = "/v1/operations/lots/{id}/split/{n}"
    assert fill_path(template, {"id": "a/{n}?", "n": "2"}) == "/v1/operations/lots/a%2F%7Bn%7D%3F/split/2"
    with pytest.raises(RequestRefused, match=r"\{n\}"):
        fill_path(template, {"id": "1"})
    with pytest.raises(RequestRefused):
        fill_path(template, {"id": "..", "n": "2"})


ATTACHMENTS = nested_collection(LOTS, "lot-1", "attachments")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("lots", Place(LOTS)),
        (" Operations/Lots/ ", Place(LOTS)),
        ("operations/lots/lot-1", Place(LOTS, "lot-1")),
        ("lots/lot-1", Place(LOTS, "lot-1")),
        ("lots/a%2Fb", Place(LOTS, "a%2Fb")),
        ("operations/lots/what?", Place(LOTS, "what?")),
        ("/operations/lots", Place(LOTS)),
        ("/v1/operations/lots/", Place(LOTS)),
        ("/v1/operations/lots/a%2Fb", Place(LOTS, "a/b")),
        ("/v1/operations/lots/lot-1/attachments", Place(ATTACHMENTS)),
        ("lots/lot-1/attachments", Place(ATTACHMENTS)),
        ("operations/lots/lot-1/attachments/a-1", Place(ATTACHMENTS, "a-1")),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: collection.key)
def test_every_collection_is_a_place_by_its_name_and_by_its_path(collection: Collection) -> None:
    assert parse_place(collection.key) == parse_place(collection.path) == Place(collection)
    assert parse_place(collection.name) == Place(collection)


def test_a_profiles_spelling_is_understood() -> None:
    logs = Collection("operations", "productionLogs", "production-logs")
    assert parse_place("/v1/operations/production-logs/7", [logs]) == Place(logs, "7")
    assert parse_place("operations/productionLogs/7", [logs]) == Place(logs, "7")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "/v1",
        "nowhere",
        "operations",
        "operations/nowhere",
        "/lots",
        "/v1/operations/hash-chain/verify",
        "lots//a",
        "lots/..",
        "/v1/operations/lots/%2e%2e",
        "/v1/operations/lots?page=2",
        "x" * 500,
        "lots/\ud800",
        "lots/\ud800/b",
        "\ud800",
        "/v1/operations/lots/\ud800",
        "/v1/operations/lots/%ff/attachments",
        "/v1/operations/lots/%ed%a0%80",
    ],
)
def test_what_is_no_place_is_said(text: str) -> None:
    with pytest.raises(PlaceError) as raised:
        parse_place(text)
    assert len(str(raised.value)) < 200


@given(st.text(min_size=1).filter(lambda text: text not in (".", "..")))
def test_a_records_path_leads_back_to_it(record_id: str) -> None:
    try:
        path = record_path(LOTS, record_id)
    except RequestRefused:
        return
    assert parse_place(path) == Place(LOTS, record_id)
    assert path == f"/v1/operations/lots/{quote(record_id, safe='')}"


Ids = st.text(min_size=1).filter(lambda text: text not in (".", "..")) | st.sampled_from(
    ["a/b", "%2F", "%", "what?", "a#b", "\n", " ", "/", "v1", "lots", "é", "🚂"]
)


@given(Ids, Ids, Ids)
def test_a_places_path_is_read_back_exactly(record_id: str, name: str, inner: str) -> None:
    for place in (
        Place(LOTS, record_id),
        Place(nested_collection(LOTS, record_id, name)),
        Place(nested_collection(LOTS, name, inner), inner),
    ):
        assert parse_place(place.path) == place
        assert is_addressable(place)


@pytest.mark.parametrize("record_id", ["", ".", "..", "\ud800", "a\udfff"])
def test_ids_that_no_path_can_name(record_id: str) -> None:
    place = Place(LOTS, record_id)
    assert not is_addressable(place)
    if record_id:
        with pytest.raises(PlaceError):
            parse_place(place.path)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://api.example.com/gate/v1/operations/lots/lot-1", "operations/lots/lot-1"),
        ("HTTPS://API.example.com/gate/v1/operations/lots/lot%2F1?expand=all#top", "operations/lots/lot/1"),
        ("https://api.example.com/gate/v1/operations/lots?page=2&limit=50", "operations/lots"),
    ],
)
def test_a_url_of_the_service_is_a_place(url: str, key: str) -> None:
    assert place_of_url(url, "https://api.example.com/gate").key == key


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1/operations/lots",
        "https://evil.example/gate/v1/operations/lots",
        "http://api.example.com/gate/v1/operations/lots",
        "https://api.example.com/gate/v10/operations/lots",
    ],
)
def test_a_url_of_another_service_is_refused_with_the_one_in_use(url: str) -> None:
    with pytest.raises(PlaceError, match=r"does not belong to the current service, https://api\.example\.com/gate"):
        place_of_url(url, "https://api.example.com/gate")
