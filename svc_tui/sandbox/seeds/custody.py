"""Seeded hand-overs: one unbroken chain for each tunnel, and one tunnel whose chain was tampered with."""

from functools import lru_cache

from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.chain import GENESIS, linked
from svc_tui.sandbox.seeds import words
from svc_tui.sandbox.seeds.dates import timestamp
from svc_tui.sandbox.seeds.ids import ID_SHAPES, USUAL_IDS, IdKind
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import TUNNEL, TUNNELS, SeedSettings

ENTRIES_PER_TUNNEL = 20
CUSTODY = "operations/custody"

HANDOVER = IdKind("cus", 6)

BROKEN_TUNNEL = "tun-13"
BROKEN_INDEX = 7
"""The tunnel whose seeded chain does not hold, by its usual id, and the entry (from 0) whose mass was altered."""


def custody(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """Hand-over `index`: tunnels take turns, so each chain is spread evenly over the collection."""
    return dict(_all(settings)[index])


@lru_cache(maxsize=4)
def _all(settings: SeedSettings) -> tuple[dict[str, Json], ...]:
    entries: list[dict[str, Json]] = []
    heads: dict[str, str] = {}
    for index in range(TUNNELS * ENTRIES_PER_TUNNEL):
        tunnel = settings.tunnel_id(index)
        draws = SeededRandom(settings.stream(CUSTODY), index)
        entry = linked(_unlinked(index, draws, settings), heads.get(tunnel, GENESIS))
        heads[tunnel] = str(entry["hash"])
        entries.append(entry)
    broken = ID_SHAPES[USUAL_IDS].position_of(TUNNEL, BROKEN_TUNNEL)
    assert broken is not None
    entries[BROKEN_INDEX * TUNNELS + broken]["massKg"] = Number("9999.00")
    return tuple(entries)


def _unlinked(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    return {
        "id": settings.id_shape.id_at(HANDOVER, index),
        "tunnelId": settings.tunnel_id(index),
        "sequence": Number(str(index // TUNNELS + 1)),
        "lotId": settings.some_lot(draws),
        "fromWorkerId": settings.some_worker(draws),
        "toWorkerId": settings.some_worker(draws),
        "massKg": draws.decimal(180, 4_200, 2),
        "sealNumber": f"SL{draws.below(900_000) + 100_000}",
        "sealIntact": draws.chance(97),
        "handedOverAt": timestamp(index * 780 + draws.below(600)),
        "note": draws.of(words.REMARKS) if draws.chance(25) else None,
    }
