"""The chains of custody as they are stored: reading one, adding to one, verifying one."""

from collections.abc import Mapping

from svc_tui.core.jsontext import Json, Number, dumps
from svc_tui.sandbox.chain import GENESIS, first_break, linked
from svc_tui.sandbox.data.records import parse_record
from svc_tui.sandbox.data.schema import validation_error
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.seeds.custody import CUSTODY


def chain_of(store: SandboxStore, tunnel: str) -> list[dict[str, Json]]:
    """The entries of a tunnel's chain, first to last."""
    resource = store.resources[CUSTODY]
    texts, _ = store.records.matching(resource, (("tunnelId", tunnel),), 0, store.records.total(resource))
    return [parse_record(text) for text in texts]


def next_entry(store: SandboxStore, record: Mapping[str, Json]) -> dict[str, Json]:
    """A new hand-over, linked to the last of its tunnel; raises ApiError (422) for a tunnel that is not there."""
    tunnel = record["tunnelId"]
    if not isinstance(tunnel, str) or store.record("operations/tunnels", tunnel) is None:
        raise validation_error("tunnelId is not the id of a tunnel")
    entries = chain_of(store, tunnel)
    last = entries[-1] if entries else {}
    place = last.get("sequence")
    sequence = int(place.text) + 1 if isinstance(place, Number) else 1
    return linked({**record, "sequence": Number(str(sequence))}, str(last.get("hash", GENESIS)))


def verification(store: SandboxStore, tunnel: str, *, tampered: bool) -> str:
    """The answer of hash-chain verify; `tampered` alters an entry on its way out of the store."""
    entries = chain_of(store, tunnel)
    if tampered and entries:
        middle = len(entries) // 2
        entries[middle] = {**entries[middle], "massKg": Number("0.01")}
    broken = first_break(entries)
    return dumps(
        {
            "tunnelId": tunnel,
            "valid": broken is None,
            "entries": Number(str(len(entries))),
            "head": entries[-1].get("hash") if entries else None,
            "broken": None
            if broken is None
            else {
                "index": Number(str(broken.index)),
                "recordId": broken.record_id,
                "reason": broken.reason,
                "expected": broken.expected,
                "found": broken.actual,
            },
        }
    )
