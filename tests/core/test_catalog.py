"""The service's table of domains, collections and irregular routes."""

import pytest

from svc_tui.core.catalog import COLLECTIONS, DOMAINS, ROUTES, SPLIT, VERIFY, Collection, find_collection
from svc_tui.core.values import replace

TABLE = {
    "operations": ["lots", "tunnels", "productionLogs", "shiftLogs", "custody", "analytics"],
    "compliance": ["licenses"],
    "inventory": ["stock"],
    "environment": ["monitoring"],
    "finance": ["invoices"],
    "workforce": ["workers"],
    "safety": ["incidents"],
}


def test_the_table_is_the_documents() -> None:
    assert {domain.name: [c.name for c in domain.collections] for domain in DOMAINS} == TABLE
    assert len(COLLECTIONS) == 12
    assert [c.path for c in COLLECTIONS] == [f"/v1/{d}/{name}" for d, names in TABLE.items() for name in names]
    assert [c.key for c in COLLECTIONS] == [f"{d}/{name}" for d, names in TABLE.items() for name in names]


def test_a_spelling_changes_the_path_and_not_the_name() -> None:
    logs = find_collection("productionLogs")
    assert logs is not None
    spelled = logs.spelled("production-logs")
    assert (spelled.path, spelled.key) == ("/v1/operations/production-logs", "operations/productionLogs")
    assert find_collection("production-logs", (spelled,)) == spelled


def test_a_nested_collection_is_named_by_its_path() -> None:
    made = Collection("operations", "attachments", under="/v1/operations/lots/a%2Fb")
    assert (made.path, made.key) == (
        "/v1/operations/lots/a%2Fb/attachments",
        "operations/lots/a%2Fb/attachments",
    )


@pytest.mark.parametrize("text", ["lots", "LOTS", "/lots/", "operations/lots", "Operations/Lots", "/operations/lots"])
def test_collections_are_found_by_name(text: str) -> None:
    assert find_collection(text) is COLLECTIONS[0]


@pytest.mark.parametrize("text", ["", "lot", "operations", "safety/lots", "operations/lots/1"])
def test_other_words_name_no_collection(text: str) -> None:
    assert find_collection(text) is None


def test_an_ambiguous_name_needs_its_domain() -> None:
    two = (Collection("a", "lots"), Collection("b", "lots"))
    assert find_collection("lots", two) is None
    assert find_collection("b/lots", two) is two[1]


def test_the_irregular_routes_are_the_documents() -> None:
    assert [(route.method, route.path) for route in ROUTES] == [
        ("POST", "/v1/operations/lots/{id}/split"),
        ("GET", "/v1/operations/lots/{id}/attachments"),
        ("GET", "/v1/operations/hash-chain/verify"),
    ]
    assert "{parts}" in SPLIT.body
    assert VERIFY.query == (("tunnelId", "{tunnelId}"),)


def test_what_hangs_under_a_record_is_remembered_for_all_such_records() -> None:
    lots = COLLECTIONS[0]
    under = replace(lots, name="attachments", under=f"{lots.path}/lot-1")
    assert (under.key, under.kind) == ("operations/lots/lot-1/attachments", "operations/lots/*/attachments")
    assert lots.kind == lots.key
