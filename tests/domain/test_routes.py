"""Paths: the `/v1` rule, what is refused, base URLs, placeholders, places."""

from urllib.parse import parse_qsl, quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.domain.catalog import COLLECTIONS, Collection
from svc_tui.domain.credentials import Environment
from svc_tui.domain.errors import RequestRefused
from svc_tui.domain.records import Place
from svc_tui.domain.routes import (
    BaseUrl,
    BaseUrlError,
    PlaceError,
    addressable,
    base_url_of,
    fill,
    is_loopback,
    nested,
    parse_place,
    record_path,
    target_of,
)
from svc_tui.domain.settings import Profile

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
    with pytest.raises(RequestRefused, match="base URL and nowhere else"):
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


def test_ids_that_address_something_else_are_refused() -> None:
    for record_id in ("", ".", ".."):
        with pytest.raises(RequestRefused, match="an id can't be"):
            record_path(LOTS, record_id)
    assert record_path(LOTS, "a/b c") == "/v1/operations/lots/a%2Fb%20c"


def test_a_nested_collection_stands_under_its_record() -> None:
    made = nested(LOTS, "a/b", "attachments")
    assert (made.path, made.key) == ("/v1/operations/lots/a%2Fb/attachments", "operations/lots/a%2Fb/attachments")
    assert record_path(made, "x") == "/v1/operations/lots/a%2Fb/attachments/x"


def test_placeholders_become_one_segment_each_and_are_read_once() -> None:
    template = "/v1/operations/lots/{id}/split/{n}"
    assert fill(template, {"id": "a/{n}?", "n": "2"}) == "/v1/operations/lots/a%2F%7Bn%7D%3F/split/2"
    with pytest.raises(RequestRefused, match=r"\{n\}"):
        fill(template, {"id": "1"})
    with pytest.raises(RequestRefused):
        fill(template, {"id": "..", "n": "2"})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://api.example.com", "https://api.example.com"),
        (" https://API.example.com/ ", "https://api.example.com"),
        ("https://api.example.com/v1", "https://api.example.com"),
        ("https://api.example.com/v1/", "https://api.example.com"),
        ("https://api.example.com:443/gate/v1//", "https://api.example.com/gate"),
        ("https://api.example.com:8443/gate/way", "https://api.example.com:8443/gate/way"),
        ("https://api.example.com/gatev1", "https://api.example.com/gatev1"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ],
)
def test_base_urls_are_trimmed(text: str, shown: str) -> None:
    assert str(BaseUrl.parse(text)) == shown
    assert str(BaseUrl.parse(shown)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.example.com",
        "ftp://x",
        "https://",
        "https://user@x",
        "https://user:open-sesame@x",
        "https://x?a",
        "https://x#a",
        "http://api.example.com",
        "http://127.0.0.1.evil.example",
        "https://x/../y",
        "https://x/a//b",
        "https://x:99999",
        "https://x:a",
        "https://[::1",
        "https://ex ample",
        "https://é.example",
        "https://x\\y",
        "https://x/?",
        "https://@x",
        "https://x/a%zz",
        "http://localhost.evil.example",
        "https://x\n"[:9] + "\ny",
        "https://-x",
        "https://x/{a}",
    ],
)
def test_base_urls_that_can_not_be_trusted_are_refused(text: str) -> None:
    with pytest.raises(BaseUrlError) as raised:
        BaseUrl.parse(text)
    assert "open-sesame" not in str(raised.value)


def test_the_environment_chooses_the_base_url() -> None:
    profile = Profile("mine", base_url="https://live.example", sandbox_base_url="https://test.example/v1")
    assert str(base_url_of(profile, Environment.LIVE)) == "https://live.example"
    assert str(base_url_of(profile, Environment.SANDBOX)) == "https://test.example"
    with pytest.raises(BaseUrlError, match="SVC_BASE_URL"):
        base_url_of(Profile("mine"), Environment.LIVE)
    with pytest.raises(BaseUrlError, match="SVC_SANDBOX_BASE_URL, or sandbox_base_url in the profile mine"):
        base_url_of(Profile("mine", sandbox_base_url="http://far.example"), Environment.SANDBOX)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.evil", "128.0.0.1", "::2", "0.0.0.0", "", "127.0.0.1.nip.io"])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


ATTACHMENTS = nested(LOTS, "lot-1", "attachments")


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
        Place(nested(LOTS, record_id, name)),
        Place(nested(LOTS, name, inner), inner),
    ):
        assert parse_place(place.path) == place
        assert addressable(place)


@pytest.mark.parametrize("record_id", ["", ".", "..", "\ud800", "a\udfff"])
def test_ids_that_no_path_can_name(record_id: str) -> None:
    place = Place(LOTS, record_id)
    assert not addressable(place)
    if record_id:
        with pytest.raises(PlaceError):
            parse_place(place.path)
