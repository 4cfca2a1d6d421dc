"""The pages of the catalogue say what the document says, of everything in it, and are found by any of their words."""

import pytest

from svc_tui.core.catalog import COLLECTIONS, OPERATIONS, ROUTES, VERIFY, Route
from svc_tui.core.settings import CollectionSettings, Profile
from svc_tui.service.errors import ERRORS_BY_CODE
from svc_tui.ui.catalogue.api_reference import (
    ERROR_TYPES,
    NOT_DOCUMENTED,
    ApiReferenceEntry,
    reference_entries,
    reference_texts,
    search_entries,
)

MINE = Route("Close the month", "POST", "/v1/finance/invoices/{id}/close", (("day", "{day}"),), '{"by": "{by}"}')
PROFILE = Profile(
    "mine",
    collections={
        "operations/lots": CollectionSettings(query={"status": "open"}),
        "workforce/workers": CollectionSettings(segment="people"),
    },
    routes=(MINE,),
)
CATALOGUE = reference_entries(PROFILE, {"operations/lots": ("id", "grade")}, "https://api.example.com", signs=True)


def page(title: str, *, of: tuple[ApiReferenceEntry, ...] = CATALOGUE, route: str = "") -> dict[str, str]:
    """The facts of the entry with that title, and of that route's path where there is more than one."""
    [entry] = [e for e in of if e.title == title and (not route or (e.route and e.route.path == route))]
    return {fact.label: fact.text for fact in (*entry.facts, *entry.common)}


def routes() -> list[tuple[str, str]]:
    return [(entry.route.method, entry.route.path) for entry in CATALOGUE if entry.route]


def test_the_texts_are_of_what_has_a_page_and_of_nothing_else() -> None:
    texts = reference_texts()
    assert list(texts.operations) == [operation.name for operation in OPERATIONS]
    assert list(texts.routes) == [route.path for route in ROUTES]
    assert texts.errors.keys() == ERROR_TYPES.keys()
    pages = (*texts.operations.values(), *texts.routes.values(), texts.any_route, *texts.service.values())
    assert all(facts and all(facts.values()) for facts in pages)


def test_no_placeholder_of_a_text_is_left_open() -> None:
    assert [fact for entry in CATALOGUE for fact in (*entry.facts, *entry.common) if "$" in fact.text] == []


def test_every_operation_of_every_collection_is_there_and_spelled_as_the_profile_says() -> None:
    listed = set(routes())
    for collection in map(PROFILE.spelled, COLLECTIONS):
        for operation in OPERATIONS:
            route = operation.route(collection)
            assert (route.method, route.path) in listed
    assert ("GET", "/v1/workforce/people/{id}") in listed


def test_the_irregular_routes_and_the_profiles_own_are_there() -> None:
    listed = set(routes())
    for route in (*ROUTES, MINE):
        assert (route.method, route.path) in listed
    assert page("Close the month")["Placeholders"] == "id, day, by"
    assert page("Verify a hash chain")["tunnelId"] == "The tunnel's id, in the query; required."


def test_a_route_below_a_collection_is_spelled_as_the_profile_spells_that() -> None:
    profile = Profile("mine", collections={"operations/lots": CollectionSettings(segment="batches")})
    told = [entry for entry in reference_entries(profile, {}) if entry.title == "Split a lot"]
    assert [entry.route.path for entry in told if entry.route] == ["/v1/operations/batches/{id}/split"]
    assert "An action on one lot" in told[0].facts[0].text


def test_what_enter_puts_into_the_console_is_the_route_itself() -> None:
    [verify] = [entry for entry in CATALOGUE if entry.title == VERIFY.name]
    assert verify.route == VERIFY
    [update] = [e for e in CATALOGUE if e.route and e.route.path == "/v1/safety/incidents/{id}" and e.route.body]
    assert (update.title, update.route.method if update.route else "") == ("Update a record", "PATCH")


def test_an_operation_tells_parameters_answer_signing_scope_limit_and_errors() -> None:
    told = page("List the records", route="/v1/operations/lots")
    assert told["page"] == "A whole number; the first page is 1."
    assert "50" in told["limit"]
    assert told["Always sent"].startswith("status=open")
    assert "items" in told["Response"]
    assert "meta" in told["Response"]
    assert "largest page and the largest limit" in told[NOT_DOCUMENTED]
    assert told["Signed"].startswith("The path from /v1")
    assert "insufficient_scope" in told["Scope"]
    assert "Retry-After" in told["Limit"]
    assert "Idempotency" not in told
    assert "Idempotency-Key" in page("Delete a record", route="/v1/operations/lots/{id}")["Idempotency"]


def test_a_key_without_a_secret_is_told_not_to_sign() -> None:
    unsigned = reference_entries(PROFILE, {})
    assert page("Get one record", of=unsigned, route="/v1/operations/lots/{id}")["Signed"].startswith(
        "Not with this key"
    )


def test_fields_that_were_seen_are_told_where_the_document_shows_none() -> None:
    assert page("lots")["Known fields"] == "id, grade"
    assert "Known fields" not in page("incidents")


def test_every_code_of_the_service_has_a_page_that_says_what_to_do() -> None:
    codes = {code: texts.status for code, texts in reference_texts().errors.items() if texts.status}
    assert codes.keys() == ERRORS_BY_CODE.keys()
    for code, status in codes.items():
        told = page(code)
        assert told["Status"] == str(status)
        assert told["When"]
        assert told["What to do"], code
    assert "clock, not the secret" in page("timestamp_stale")["When"]
    assert "NTP" in page("timestamp_stale")["What to do"]


def test_what_else_can_become_of_a_request_tells_the_fate_of_a_write() -> None:
    assert page("server error")["Change"] == "It is not known whether the change was saved."
    assert page("unreachable")["Change"] == "Nothing was sent."
    assert page("not found")["What to do"]


def test_nothing_typed_finds_everything() -> None:
    assert search_entries(CATALOGUE, " ") == (CATALOGUE, 0)


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [
        ("split", "Split a lot"),
        ("hash chain", "Verify a hash chain"),
        ("incidents create", "Create a record"),
        ("timestamp_stale", "timestamp_stale"),
        ("429", "Limits"),
        ("PATCH stock", "Update a record"),
        ("/v1/operations/tunnels", "tunnels"),
        ("allowlist", "Allowed addresses"),
        ("LOTS list", "List the records"),
    ],
)
def test_typing_finds_the_nearest_entry_by_any_of_its_words(typed: str, nearest: str) -> None:
    listed, at = search_entries(CATALOGUE, typed)
    assert listed[at].title == nearest


def test_what_is_found_stands_under_what_it_is_part_of() -> None:
    listed, at = search_entries(CATALOGUE, "incidents create")
    assert [(entry.title, entry.depth) for entry in listed[: at + 1]] == [
        ("safety", 0),
        ("incidents", 1),
        ("Create a record", 2),
    ]


def test_a_fact_that_all_operations_share_is_found_where_it_is_told_alone() -> None:
    listed, _ = search_entries(CATALOGUE, "insufficient_scope")
    assert {entry.title for entry in listed} == {"Errors", "insufficient_scope"}


def test_words_that_stand_nowhere_find_nothing() -> None:
    assert search_entries(CATALOGUE, "no such words here") == ((), 0)
