"""Seeded records of the operations domain."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.seeds import words
from svc_tui.sandbox.seeds.dates import iso_date, spread_minutes, timestamp
from svc_tui.sandbox.seeds.record_layout import RecordLayout, at_times, below, chance, decimal, one_of, some_of, unless
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import TUNNELS, SeedSettings

SHIFTS = ("day", "swing", "night")
LOT_STATES = ("open", "in_transit", "closed", "rejected")

_DELAY_REASONS = ("blast", "power", "repair", "traffic")


def lots(settings: SeedSettings) -> RecordLayout:
    """Lots of ore: mass, grade, assay, and where each of them stands."""
    return RecordLayout(
        {
            "opened": below(600, int),
            "status": one_of(LOT_STATES[:1] * 5 + LOT_STATES[1:2] * 2 + LOT_STATES[2:3] * 4 + LOT_STATES[3:]),
            "mineral": one_of(words.MINERALS),
            "form": one_of(("ore", "concentrate", "doré")),
            "grade": decimal(0, 24, 2),
            "massKg": decimal(180, 4_200, 2),
            "moisturePct": unless(12, decimal(1, 14, 1)),
            "tunnelId": below(TUNNELS, settings.tunnel_id),
            "workerId": below(settings.workers, settings.worker_id),
            "auPpm": decimal(0, 30, 3),
            "agPpm": decimal(0, 90, 2),
            "cuPct": decimal(0, 5, 2),
            "lab": one_of(("Kolwezi", "Örebro", "札幌", "Челябинск")),
            "method": one_of(("FA-AAS", "ICP-MS")),
            "tags": some_of(15, ("wet", "oversize", "blended", "rush", "audit")),
            "priority": one_of(("low", "normal", "normal", "high", "urgent")),
            "hazardous": chance(7),
            "sealed": chance(80),
        },
        partial(_lot, settings),
    )


def _lot(settings: SeedSettings, index: int, drawn: Mapping[str, Any], draws: SeededRandom) -> dict[str, Json]:
    opened = spread_minutes(index, settings.lots) + drawn["opened"]
    closed = drawn["status"] in ("closed", "rejected")
    record: dict[str, Json] = {
        "name": f"{drawn['mineral'].capitalize()} {drawn['form']} {index + 1}",
        "status": drawn["status"],
        "grade": drawn["grade"],
        "massKg": drawn["massKg"],
        "moisturePct": drawn["moisturePct"],
        "mineral": drawn["mineral"],
        "tunnelId": drawn["tunnelId"],
        "workerId": drawn["workerId"],
        "assay": {
            "auPpm": drawn["auPpm"],
            "agPpm": drawn["agPpm"],
            "cuPct": drawn["cuPct"],
            "lab": {"name": drawn["lab"], "method": drawn["method"]},
            "sampledAt": timestamp(opened + 180),
        },
        "tags": drawn["tags"],
        "priority": drawn["priority"],
        "hazardous": drawn["hazardous"],
        "sealed": drawn["sealed"],
        "openedAt": timestamp(opened),
        "closedAt": timestamp(opened + 4_000 + draws.below(9_000)) if closed else None,
    }
    if draws.chance(85):
        record["note"] = draws.of(words.LOT_NOTES) if draws.chance(45) else None
    if draws.chance(30):
        record["location"] = {"stockpile": draws.of("ABCDEF"), "bay": draws.whole(1, 20)}
    record["createdAt"] = record["openedAt"]
    record["updatedAt"] = timestamp(opened + draws.below(20_000))
    return record


def tunnel(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A tunnel: where it lies, how it is aired and who answers for it."""
    record: dict[str, Json] = {
        "name": f"{words.TUNNEL_NAMES[index % len(words.TUNNEL_NAMES)]} {index // len(words.TUNNEL_NAMES) + 1}",
        "status": draws.of(("active", "active", "active", "maintenance", "closed")),
        "level": draws.whole(1, 14),
        "lengthM": draws.decimal(120, 2_600, 1),
        "depthM": draws.decimal(40, 1_100, 1),
        "ventilated": draws.chance(92),
        "airflow": {"m3PerS": draws.decimal(8, 60, 1), "fans": draws.whole(1, 6)},
        "workerId": settings.some_worker(draws),
        "sensors": [f"S-{index + 1:02d}-{number}" for number in range(1, 2 + draws.below(4))],
        "openedOn": iso_date(draws.below(200)),
        "inspectedAt": None if draws.chance(10) else timestamp(draws.below(900_000)),
    }
    if draws.chance(60):
        record["note"] = draws.of(words.REMARKS)
    return record


def production_logs(settings: SeedSettings) -> RecordLayout:
    """Entries of production: what came out of a tunnel in part of a shift."""
    return RecordLayout(
        {
            "started": below(600, int),
            "tunnelId": below(TUNNELS, settings.tunnel_id),
            "lotId": below(settings.lots, settings.lot_id) if settings.lots else one_of((None,)),
            "workerId": below(settings.workers, settings.worker_id),
            "shift": one_of(SHIFTS),
            "massKg": decimal(90, 1_900, 2),
            "metresAdvanced": decimal(0, 6, 2),
            "minutes": unless(6, below(420, lambda number: 60 + number)),
            "loader": below(24, lambda number: f"LHD-{number + 1:02d}"),
            "hours": decimal(0, 8, 2),
            "delay": at_times(25, below(85 * len(_DELAY_REASONS), _delay)),
            "approved": chance(70),
        },
        partial(_production_log, settings),
    )


def _delay(number: int) -> Json:
    reason, minutes = divmod(number, 85)
    return {"minutes": Number(str(5 + minutes)), "reason": _DELAY_REASONS[reason]}


def _production_log(
    settings: SeedSettings, index: int, drawn: Mapping[str, Any], draws: SeededRandom
) -> dict[str, Json]:
    started = spread_minutes(index, settings.production_logs) + drawn["started"]
    record: dict[str, Json] = {
        "tunnelId": drawn["tunnelId"],
        "lotId": drawn["lotId"],
        "workerId": drawn["workerId"],
        "shift": drawn["shift"],
        "massKg": drawn["massKg"],
        "metresAdvanced": drawn["metresAdvanced"],
        "startedAt": timestamp(started),
        "endedAt": None if drawn["minutes"] is None else timestamp(started + drawn["minutes"]),
        "equipment": {"id": drawn["loader"], "hours": drawn["hours"]},
        "delays": [] if drawn["delay"] is None else [drawn["delay"]],
        "approved": drawn["approved"],
    }
    if draws.chance(40):
        record["note"] = draws.of(words.REMARKS)
    return record


def shift_log(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """What a shift hands over to the next."""
    started = spread_minutes(index, settings.shift_logs) + draws.below(600)
    return {
        "tunnelId": settings.tunnel_id(draws.below(TUNNELS)),
        "workerId": settings.some_worker(draws),
        "shift": SHIFTS[index % 3],
        "startedAt": timestamp(started),
        "endedAt": timestamp(started + 480),
        "headcount": draws.whole(3, 22),
        "massKg": draws.decimal(400, 9_000, 1),
        "signedOff": draws.chance(88),
        "handover": draws.of(words.REMARKS) if draws.chance(80) else None,
        "absent": [settings.some_worker(draws) for _ in range(draws.below(3))],
    }


def analysis(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A computed figure for a tunnel and a month."""
    record: dict[str, Json] = {
        "tunnelId": settings.tunnel_id(index),
        "metric": draws.of(("recovery", "dilution", "throughput", "downtime", "energy")),
        "period": f"2024-{index // TUNNELS % 12 + 1:02d}",
        "value": draws.decimal(0, 1_000, 4),
        "unit": draws.of(("%", "t/h", "h", "kWh/t")),
        "confidence": None if draws.chance(15) else draws.decimal(0, 1, 3),
        "breakdown": {shift: draws.decimal(0, 400, 2) for shift in SHIFTS},
        "computedAt": timestamp(index * 1_900 + draws.below(1_000)),
        "final": draws.chance(75),
    }
    if index >= 100 and draws.chance(10):
        # Larger than any machine word or float holds: the digits must survive. None is on the first screens.
        record["checksum"] = Number(f"{draws.below(10**24) + 10**24}")
    return record


def attachment(lot: str, index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """What is known of a file that belongs to a lot."""
    name = draws.of(("assay", "weighbridge", "seal", "photo", "photo côté nord", "称重单"))
    suffix, kind = draws.of((("pdf", "application/pdf"), ("jpg", "image/jpeg"), ("csv", "text/csv")))
    return {
        "lotId": lot,
        "fileName": f"{name}-{index + 1}.{suffix}",
        "contentType": kind,
        "sizeBytes": draws.whole(2_000, 9_000_000),
        "workerId": settings.some_worker(draws),
        "caption": draws.of(words.LOT_NOTES) if draws.chance(50) else None,
        "uploadedAt": timestamp(draws.below(1_000_000)),
    }
