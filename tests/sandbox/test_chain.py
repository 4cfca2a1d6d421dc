"""Hash chains of custody: whole, broken on purpose, broken by an edit or a deletion."""

import hashlib
import json
from typing import Any

import pytest

from svc_tui.core.jsontext import Number
from svc_tui.sandbox.chain import GENESIS, HASHED_FIELDS, entry_hash, first_break, linked
from svc_tui.sandbox.seeds.custody import BROKEN_INDEX, BROKEN_TUNNEL
from svc_tui.sandbox.server.inprocess import RunningService
from tests.sandbox.raw_client import RawClient

VERIFY = "/v1/operations/hash-chain/verify"
CUSTODY = "/v1/operations/custody"


def verified(sandbox: RawClient, tunnel: str) -> dict[str, Any]:
    said = sandbox.say("GET", f"{VERIFY}?tunnelId={tunnel}")
    assert said.status == 200
    answer: dict[str, Any] = said.json
    return answer


def entries(sandbox: RawClient, tunnel: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = sandbox.say("GET", f"{CUSTODY}?tunnelId={tunnel}&limit=200").json["items"]
    return items


def test_a_whole_chain(sandbox: RawClient) -> None:
    chain = entries(sandbox, "tun-12")
    assert verified(sandbox, "tun-12") == {
        "tunnelId": "tun-12",
        "valid": True,
        "entries": len(chain),
        "head": chain[-1]["hash"],
        "broken": None,
    }


def test_the_chain_is_linked_from_one_entry_to_the_next(sandbox: RawClient) -> None:
    previous = GENESIS
    for number, entry in enumerate(entries(sandbox, "tun-12"), 1):
        assert (entry["sequence"], entry["previousHash"]) == (number, previous)
        previous = entry["hash"]


def test_the_seeded_tunnel_is_broken_where_it_is_said(sandbox: RawClient) -> None:
    chain = entries(sandbox, BROKEN_TUNNEL)
    found = verified(sandbox, BROKEN_TUNNEL)
    assert (found["valid"], found["entries"]) == (False, len(chain))
    assert (found["broken"]["index"], found["broken"]["recordId"]) == (BROKEN_INDEX, chain[BROKEN_INDEX]["id"])
    assert found["broken"]["found"] == chain[BROKEN_INDEX]["hash"] != found["broken"]["expected"]


def test_every_other_tunnel_is_whole(sandbox: RawClient) -> None:
    tunnels = [f"tun-{number:02d}" for number in range(1, 65)]
    assert [tunnel for tunnel in tunnels if not verified(sandbox, tunnel)["valid"]] == [BROKEN_TUNNEL]


def test_new_entries_join_the_chain(sandbox: RawClient) -> None:
    before = verified(sandbox, "tun-05")
    made = [sandbox.say("POST", CUSTODY, '{"tunnelId":"tun-05","massKg":10.50}').json for _ in range(2)]
    assert [entry["previousHash"] for entry in made] == [before["head"], made[0]["hash"]]
    after = verified(sandbox, "tun-05")
    assert (after["valid"], after["entries"], after["head"]) == (True, before["entries"] + 2, made[1]["hash"])


def test_an_entry_for_a_tunnel_that_is_not_there_is_refused(sandbox: RawClient) -> None:
    assert "tunnelId" in sandbox.say("POST", CUSTODY, '{"tunnelId":"tun-99"}').message
    assert "tunnelId" in sandbox.say("POST", CUSTODY, '{"massKg":1}').message


def test_an_edit_breaks_the_chain_and_a_note_does_not(sandbox: RawClient) -> None:
    entry = entries(sandbox, "tun-20")[3]
    sandbox.say("PATCH", f"{CUSTODY}/{entry['id']}", '{"note":"seen"}')
    assert verified(sandbox, "tun-20")["valid"]
    sandbox.say("PATCH", f"{CUSTODY}/{entry['id']}", '{"massKg":1.00}')
    broken = verified(sandbox, "tun-20")["broken"]
    assert (broken["index"], broken["recordId"], broken["found"]) == (3, entry["id"], entry["hash"])


def test_a_deletion_breaks_the_chain_at_the_next_entry(sandbox: RawClient) -> None:
    chain = entries(sandbox, "tun-21")
    sandbox.say("DELETE", f"{CUSTODY}/{chain[2]['id']}")
    broken = verified(sandbox, "tun-21")["broken"]
    assert (broken["index"], broken["recordId"]) == (2, chain[3]["id"])
    assert (broken["expected"], broken["found"]) == (chain[1]["hash"], chain[2]["hash"])


def test_the_fault_breaks_any_chain(service: RunningService, sandbox: RawClient) -> None:
    service.faults.next("chain-broken")
    assert [verified(sandbox, "tun-12")["valid"] for _ in range(2)] == [False, True]


@pytest.mark.parametrize("query", ["", "?", "?tunnelId=", "?tunnel=tun-12", "?tunnelId=tun-12&page=1"])
def test_the_tunnel_must_be_named_and_nothing_else(sandbox: RawClient, query: str) -> None:
    said = sandbox.say("GET", VERIFY + query)
    assert (said.status, said.code) == (400, "invalid_parameter")


def test_a_tunnel_that_is_not_there(sandbox: RawClient) -> None:
    assert sandbox.say("GET", f"{VERIFY}?tunnelId=tun-65").code == "not_found"


def test_the_hash_covers_every_covered_field_and_the_entry_before() -> None:
    entry = linked({"id": "cus-1", "tunnelId": "tun-01", "massKg": Number("1.50"), "note": "n"}, GENESIS)
    covered = ["cus-1", "tun-01", None, None, None, None, 1.5, None, None, GENESIS]
    text = json.dumps(covered, separators=(",", ":")).replace("1.5", "1.50")
    assert entry["hash"] == hashlib.sha256(text.encode()).hexdigest()
    for name in HASHED_FIELDS:
        assert entry_hash({**entry, name: "other"}) != entry["hash"]
    assert entry_hash({**entry, "note": "other"}) == entry["hash"]
    assert first_break([entry, linked({"id": "cus-2"}, str(entry["hash"]))]) is None
    assert first_break([]) is None
