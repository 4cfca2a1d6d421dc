"""What a request written by hand is about."""

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.service.routes import nested_collection
from svc_tui.writes.approval_guard import Proposal, ProposedChange
from svc_tui.writes.write_requests import (
    WriteTarget,
    change_from_action,
    change_from_request,
    parse_write_target,
    proposal_from_request,
)

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot/1")
PATH = "/v1/operations/lots"
ATTACHMENTS = nested_collection(LOTS, "lot/1", "attachments")
ATTACHMENT = Place(ATTACHMENTS, "att-1")
PART = Place(nested_collection(LOTS, "lot/1", "parts"), "p-1")


@pytest.mark.parametrize(
    ("method", "target", "aim"),
    [
        ("PATCH", f"{PATH}/lot%2F1", WriteTarget(LOT, changes=LOT)),
        ("PUT", f"{PATH}/lot%2F1?force=yes", WriteTarget(LOT, changes=LOT)),
        ("DELETE", f"{PATH}/lot%2F1", WriteTarget(LOT, changes=LOT)),
        ("POST", PATH, WriteTarget(Place(LOTS), LOTS)),
        ("post", f"{PATH}?dry=no", WriteTarget(Place(LOTS), LOTS)),
        ("DELETE", PATH, WriteTarget(Place(LOTS))),
        ("POST", f"{PATH}/lot%2F1", WriteTarget(LOT)),
        ("POST", f"{PATH}/lot%2F1/split", WriteTarget(LOT)),
        ("POST", f"{PATH}/lot%2F1/approve", WriteTarget(LOT)),
        ("POST", f"{PATH}/lot%2F1/attachments", WriteTarget(Place(ATTACHMENTS), ATTACHMENTS)),
        ("PATCH", f"{PATH}/lot%2F1/attachments/att-1", WriteTarget(ATTACHMENT, changes=ATTACHMENT)),
        ("DELETE", f"{PATH}/lot%2F1/parts/p-1", WriteTarget(PART, changes=PART)),
        ("POST", "/v1/operations/hash-chain/verify", WriteTarget()),
        ("DELETE", "/v1/nowhere", WriteTarget()),
    ],
)
def test_method_and_path_tell_what_is_changed_and_where_a_record_is_made(
    method: str, target: str, aim: WriteTarget
) -> None:
    assert parse_write_target(method, target) == aim


def test_a_collection_is_known_by_the_spelling_of_the_profile() -> None:
    spelled = LOTS.spelled("ore-lots")
    assert parse_write_target("POST", "/v1/operations/ore-lots", (spelled,)) == WriteTarget(Place(spelled), spelled)
    under = parse_write_target("POST", "/v1/operations/ore-lots/lot-1/attachments", (spelled,))
    assert under.creates == nested_collection(spelled, "lot-1", "attachments")


@pytest.mark.parametrize(
    ("method", "path", "kinds", "place", "where"),
    [
        ("PATCH", f"{PATH}/lot%2F1?force=yes", ("request", "update"), LOT.key, "operations/lots/lot%2f1"),
        ("put", f"{PATH}/lot%2F1", ("request", "update"), LOT.key, "operations/lots/lot%2f1"),
        ("delete", f"{PATH}/lot%2F1", ("request", "delete"), LOT.key, "operations/lots/lot%2f1"),
        ("POST", PATH, ("request", "create"), Place(LOTS).key, "operations/lots"),
        ("POST", f"{PATH}/lot%2F1/split", ("request", "action"), LOT.key, "operations/lots/lot%2f1/split"),
        ("POST", "/v1/Nowhere/All?dry=no", ("request", "action"), "", "nowhere/all"),
        # It is refused before it is sent.
        ("DELETE", "/v1/operations/../lots", ("request", "action"), "", "operations/../lots"),
    ],
)
def test_a_rule_of_approval_is_compared_with_all_that_a_typed_request_is(
    method: str, path: str, kinds: tuple[str, ...], place: str, where: str
) -> None:
    spec = RequestSpec(method, path)
    assert change_from_request(spec) == ProposedChange(kinds, place, spec, path=where)


def test_an_approver_is_shown_the_place_of_a_typed_request_and_the_fields_that_it_sets() -> None:
    def proposal(method: str, path: str) -> Proposal:
        spec = RequestSpec(method, path, body=b'{"name":"x"}')
        whole = proposal_from_request(spec)
        assert whole.change == change_from_request(spec)
        return whole

    changed = proposal("patch", f"{PATH}/lot%2F1")
    assert (changed.place, changed.edits) == (LOT, {"name": "x"})
    for method, path, place in (
        ("PUT", f"{PATH}/lot%2F1", LOT),
        ("POST", f"{PATH}/lot%2F1/split", LOT),
        ("POST", PATH, Place(LOTS)),
        ("PATCH", PATH, Place(LOTS)),
        ("POST", "/v1/nowhere", None),
    ):
        other = proposal(method, path)
        assert (other.place, other.edits) == (place, None)


@pytest.mark.parametrize(
    ("method", "path", "kinds"),
    [
        ("POST", f"{PATH}/lot%2F1/split", ("action",)),
        ("PATCH", f"{PATH}/lot%2F1", ("action", "update")),
        ("DELETE", f"{PATH}/lot%2F1", ("action", "delete")),
        ("POST", f"{PATH}/lot%2F1/attachments", ("action", "create")),
    ],
)
def test_a_rule_of_approval_is_compared_with_all_that_an_action_does(
    method: str, path: str, kinds: tuple[str, ...]
) -> None:
    spec = RequestSpec(method, path)
    assert change_from_action(LOT, spec) == ProposedChange(kinds, LOT.key, spec)
