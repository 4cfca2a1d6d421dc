"""What the data of a service is made from: the seed, the shape of ids, the sizes of collections."""

from dataclasses import dataclass, replace

from svc_tui.sandbox.seeds.ids import ID_SHAPES, USUAL_IDS, IdKind, IdShape
from svc_tui.sandbox.seeds.seeded_random import SEED, SeededRandom

TUNNELS = 64

LOT, TUNNEL, WORKER = IdKind("lot", 6), IdKind("tun", 2), IdKind("wrk", 4)


@dataclass(frozen=True, slots=True)
class SeedSettings:
    """The same settings give the same data: `seed` another mine, `ids` a name of `ID_SHAPES`, the others are counts."""

    lots: int = 5_000
    production_logs: int = 20_000
    workers: int = 300
    shift_logs: int = 2_000
    seed: int = 0
    ids: str = USUAL_IDS

    @classmethod
    def sized(cls, records: int | None = None, seed: int = 0, ids: str = USUAL_IDS) -> "SeedSettings":
        """With so many lots and production logs each; None: the usual sizes."""
        usual = cls(seed=seed, ids=ids)
        return usual if records is None else replace(usual, lots=records, production_logs=records)

    @property
    def id_shape(self) -> IdShape:
        """How ids are written."""
        return ID_SHAPES[self.ids]

    def stream(self, collection: str) -> str:
        """What names the random numbers for a collection."""
        return f"{SEED}#{self.seed}/{collection}" if self.seed else f"{SEED}/{collection}"

    def tunnel_id(self, number: int) -> str:
        """The id of tunnel `number`, from 0; they come round."""
        return self.id_shape.id_at(TUNNEL, number % TUNNELS)

    def worker_id(self, number: int) -> str:
        """The id of worker `number`, from 0."""
        return self.id_shape.id_at(WORKER, number)

    def lot_id(self, number: int) -> str:
        """The id of lot `number`, from 0."""
        return self.id_shape.id_at(LOT, number)

    def some_worker(self, draws: SeededRandom) -> str:
        """A worker's id."""
        return self.worker_id(draws.below(self.workers))

    def some_lot(self, draws: SeededRandom) -> str | None:
        """A lot's id; None where there are no lots."""
        return self.lot_id(draws.below(self.lots)) if self.lots else None
