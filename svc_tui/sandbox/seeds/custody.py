"""Seeded hand-overs: one unbroken chain for each tunnel, and one tunnel whose chain was tampered with."""

from functools import lru_cache

from svc_tui.domain.model.jsontext import Json, Number
from svc_tui.sandbox.chain import GENESIS, linked
from svc_tui.sandbox.seeds import words
from svc_tui.sandbox.seeds.dates import timestamp
from svc_tui.sandbox.seeds.operations import TUNNELS, CollectionSizes, some_lot, some_worker, tunnel_id
from svc_tui.sandbox.seeds.seeded_random import SeededRandom

ENTRIES_PER_TUNNEL = 20
CUSTODY = "operations/custody"

BROKEN_TUNNEL = "tun-13"
BROKEN_INDEX = 7
"""The tunnel whose seeded chain does not hold, and the entry (from 0) whose mass was altered."""


def custody(index: int, draws: SeededRandom, sizes: CollectionSizes) -> dict[str, Json]:
    """Hand-over `index`: tunnels take turns, so each chain is spread evenly over the collection."""
    return dict(_all(sizes)[index])


@lru_cache(maxsize=4)
def _all(sizes: CollectionSizes) -> tuple[dict[str, Json], ...]:
    entries: list[dict[str, Json]] = []
    heads: dict[str, str] = {}
    for index in range(TUNNELS * ENTRIES_PER_TUNNEL):
        entry = linked(_unlinked(index, SeededRandom(CUSTODY, index), sizes), heads.get(tunnel_id(index), GENESIS))
        heads[tunnel_id(index)] = str(entry["hash"])
        entries.append(entry)
    broken = BROKEN_INDEX * TUNNELS + next(n for n in range(TUNNELS) if tunnel_id(n) == BROKEN_TUNNEL)
    entries[broken]["massKg"] = Number("9999.00")
    return tuple(entries)


def _unlinked(index: int, draws: SeededRandom, sizes: CollectionSizes) -> dict[str, Json]:
    return {
        "id": f"cus-{index + 1:06d}",
        "tunnelId": tunnel_id(index),
        "sequence": Number(str(index // TUNNELS + 1)),
        "lotId": some_lot(draws, sizes),
        "fromWorkerId": some_worker(draws, sizes),
        "toWorkerId": some_worker(draws, sizes),
        "massKg": draws.decimal(180, 4_200, 2),
        "sealNumber": f"SL{draws.below(900_000) + 100_000}",
        "sealIntact": draws.chance(97),
        "handedOverAt": timestamp(index * 780 + draws.below(600)),
        "note": draws.of(words.REMARKS) if draws.chance(25) else None,
    }
