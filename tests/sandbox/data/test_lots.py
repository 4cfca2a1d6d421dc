"""Splitting a lot, and the attachments under one."""

from decimal import Decimal, localcontext

import pytest

from svc_tui.core import jsontext
from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import LOT, HandClock, RawClient

LOTS = "/v1/operations/lots"


@pytest.fixture
def lot(sandbox: RawClient) -> str:
    """The path of an open lot of 1204.50 kg."""
    return sandbox.say("POST", LOTS, '{"name":"Big","massKg":1204.50,"grade":3.20}').headers["location"]


def masses(body: bytes) -> list[str]:
    answer = jsontext.loads(body)
    assert isinstance(answer, dict)
    parts = answer["parts"]
    assert isinstance(parts, list)
    return [str(part["massKg"]) for part in parts if isinstance(part, dict)]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("2", ["602.25", "602.25"]),
        ("2.0", ["602.25", "602.25"]),
        ("7", [*["172.07"] * 6, "172.08"]),
        ("[1000, 204.50]", ["1000", "204.50"]),
        ('[{"massKg":0.50},{"massKg":1204.00}]', ["0.50", "1204.00"]),
    ],
)
def test_the_parts_add_up_to_the_lot(sandbox: RawClient, lot: str, parts: str, expected: list[str]) -> None:
    said = sandbox.say("POST", f"{lot}/split", f'{{"parts":{parts}}}')
    assert said.status == 201
    assert masses(said.body) == expected
    assert sum(map(Decimal, expected)) == Decimal("1204.50")
    assert said.json["lot"]["status"] == "closed"
    assert sandbox.say("GET", lot).json == said.json["lot"]
    for part in said.json["parts"]:
        assert part["parentLotId"] == said.json["lot"]["id"]
        assert sandbox.say("GET", f"{LOTS}/{part['id']}").json == part
    assert sandbox.say("GET", LOTS).json["meta"]["total"] == 61 + len(expected)


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"parts":1}',
        '{"parts":21}',
        '{"parts":2.5}',
        '{"parts":"2"}',
        '{"parts":[1204.50]}',
        '{"parts":[1204.49, 0.02]}',
        '{"parts":[1204.50, 0]}',
        '{"parts":[2409.00, -1204.50]}',
        '{"parts":["600","604.50"]}',
        '{"parts":2,"force":true}',
        '{"parts":[{"massKg":1204.00,"name":"first"},{"massKg":0.50}]}',
        '{"parts":[{},{"massKg":1204.50}]}',
    ],
)
def test_a_split_that_does_not_add_up_changes_nothing(sandbox: RawClient, lot: str, body: str) -> None:
    before = sandbox.say("GET", lot).body
    said = sandbox.say("POST", f"{lot}/split", body)
    assert (said.status, said.code) == (422, "validation_failed")
    assert sandbox.say("GET", lot).body == before
    assert sandbox.say("GET", LOTS).json["meta"]["total"] == 61


@pytest.mark.parametrize(
    ("mass", "parts"),
    [("0.05", 20), ("0.15", 20), ("0.01", 3), ("1", 7), ("1e30", 7), ("1e-9", 3), ("1" + "0" * 60 + ".5", 3)],
)
def test_equal_parts_of_any_mass_are_masses_that_add_up(sandbox: RawClient, mass: str, parts: int) -> None:
    lot = sandbox.say("POST", LOTS, f'{{"massKg":{mass}}}').headers["location"]
    said = sandbox.say("POST", f"{lot}/split", f'{{"parts":{parts}}}')
    assert said.status == 201
    found = [Decimal(text) for text in masses(said.body)]
    assert (len(found), min(found) > 0) == (parts, True)
    with localcontext(prec=200):
        assert sum(found) == Decimal(mass)


def test_parts_add_up_to_the_last_digit(sandbox: RawClient) -> None:
    lot = sandbox.say("POST", LOTS, '{"massKg":1e30}').headers["location"]
    assert sandbox.say("POST", f"{lot}/split", '{"parts":[1e30,1e-5]}').status == 422
    assert sandbox.say("POST", f"{lot}/split", '{"parts":[9e29,1e29]}').status == 201


def test_a_closed_lot_cannot_be_split(sandbox: RawClient, lot: str) -> None:
    assert sandbox.say("POST", f"{lot}/split", '{"parts":2}').status == 201
    again = sandbox.say("POST", f"{lot}/split", '{"parts":2}')
    assert (again.status, again.code) == (409, "conflict")


def test_a_split_of_a_lot_that_is_not_there(sandbox: RawClient) -> None:
    assert sandbox.say("POST", f"{LOTS}/lot-999999/split", '{"parts":2}').code == "not_found"


def test_attachments_behave_as_a_collection_under_the_lot(
    service: RunningService, sandbox: RawClient, clock: HandClock, lot: str
) -> None:
    path = f"{lot}/attachments"
    assert sandbox.say("GET", path).json == {"items": [], "meta": {"page": 1, "limit": 50, "total": 0, "pages": 0}}
    made = sandbox.say("POST", path, '{"fileName":"assay [1].pdf","sizeBytes":12}')
    assert made.status == 201
    assert made.json == {
        "id": "att-000061-01",
        "lotId": "lot-000061",
        "fileName": "assay [1].pdf",
        "sizeBytes": 12,
    }
    one = made.headers["location"]
    assert sandbox.say("PATCH", one, '{"caption":"two pages"}').json["caption"] == "two pages"
    assert sandbox.say("GET", f"{path}?fileName=assay+%5B1%5D.pdf").json["items"] == [sandbox.say("GET", one).json]
    assert sandbox.say("POST", path, "{}").message == "fileName is required"
    assert sandbox.say("PATCH", one, '{"lotId":"lot-000002"}').code == "validation_failed"
    assert service.record("operations/lots/lot-000061/attachments", "att-000061-01") is not None
    assert sandbox.say("DELETE", one).status == 204
    assert sandbox.say("GET", one).code == "not_found"
    assert sandbox.say("GET", path).json["meta"]["total"] == 0


def test_some_lots_come_with_attachments_and_they_go_with_the_lot(sandbox: RawClient) -> None:
    counts = {n: sandbox.say("GET", f"{LOTS}/lot-{n:06d}/attachments").json["meta"]["total"] for n in range(1, 25)}
    assert {0, 1, 2, 3} == set(counts.values())
    full = f"{LOTS}/lot-{max(counts, key=lambda n: counts[n]):06d}"
    first = sandbox.say("GET", f"{full}/attachments").json["items"][0]
    assert sandbox.say("GET", f"{full}/attachments/{first['id']}").json == first
    assert sandbox.say("DELETE", full).status == 204
    for path in (f"{full}/attachments", f"{full}/attachments/{first['id']}"):
        assert sandbox.say("GET", path).code == "not_found"


def test_only_lots_have_attachments(sandbox: RawClient) -> None:
    assert sandbox.say("GET", "/v1/operations/tunnels/tun-01/attachments").code == "not_found"
    assert sandbox.say("GET", f"{LOT}/attachments/a/b").code == "not_found"
