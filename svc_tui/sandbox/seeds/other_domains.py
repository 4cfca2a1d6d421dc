"""Seeded records of the domains beside operations."""

from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.seeds import words
from svc_tui.sandbox.seeds.dates import iso_date, timestamp
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import TUNNELS, SeedSettings


def license_(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A permit to mine, blast or store."""
    issued = draws.below(300)
    return {
        "name": f"{draws.of(('Mining', 'Blasting', 'Water', 'Explosives store', 'Tailings'))} licence {index + 1}",
        "authority": draws.of(words.AUTHORITIES),
        "number": f"{draws.of(('PE', 'PR', 'ML'))} {draws.below(90_000) + 10_000}/{draws.below(30) + 1}",
        "status": draws.of(("valid", "valid", "valid", "expiring", "expired", "suspended")),
        "issuedOn": iso_date(issued),
        "expiresOn": None if draws.chance(10) else iso_date(issued + 365 + draws.below(700)),
        "tunnelIds": [settings.tunnel_id(draws.below(TUNNELS)) for _ in range(draws.below(4))],
        "conditions": [{"text": draws.of(words.REMARKS), "met": draws.chance(80)} for _ in range(draws.below(3))],
        "fee": draws.decimal(200, 40_000, 2),
        "note": draws.of(words.REMARKS) if draws.chance(30) else None,
    }


def stock_item(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A thing in the store."""
    name, unit = words.STOCK_ITEMS[index * 5 % len(words.STOCK_ITEMS)]
    record: dict[str, Json] = {
        "name": name,
        "sku": f"{draws.below(900) + 100}-{index + 1:05d}",
        "quantity": draws.decimal(0, 900, 3) if unit in ("kg", "l") else draws.whole(0, 4_000),
        "unit": unit,
        "unitPrice": draws.decimal(1, 900, 2),
        "reorderLevel": draws.whole(5, 200),
        "hazardous": unit == "kg",
        "location": {
            "store": draws.of(("surface", "level 3", "level 7")),
            "shelf": f"{draws.of('ABCD')}{draws.below(40)}",
        },
        "supplier": {"name": draws.of(words.CUSTOMERS), "leadDays": draws.whole(2, 60)},
        "expiresOn": iso_date(700 + draws.below(900)) if draws.chance(40) else None,
        "countedAt": timestamp(draws.below(1_000_000)),
    }
    if draws.chance(20):
        record["note"] = draws.of(words.REMARKS)
    return record


def reading(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A measurement of air, water, dust or ground."""
    parameter, unit, limit = draws.of(
        (
            ("CH4", "%", "1.00"),
            ("CO", "ppm", "30.0"),
            ("dust", "mg/m³", "2.50"),
            ("pH", "pH", "9.0"),
            ("noise", "dB", "85.0"),
        )
    )
    return {
        "tunnelId": settings.tunnel_id(draws.below(TUNNELS)),
        "parameter": parameter,
        "value": draws.decimal(0, 90, 3),
        "unit": unit,
        "limit": Number(limit),
        "alarm": draws.chance(4),
        "sensor": {"id": f"S-{draws.below(TUNNELS) + 1:02d}-1", "calibratedOn": iso_date(draws.below(600))},
        "measuredAt": timestamp(index * 330 + draws.below(300)),
        "acknowledgedBy": settings.some_worker(draws) if draws.chance(20) else None,
    }


def invoice(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A bill for delivered ore; amounts in hundredths add up exactly."""
    lines: list[Json] = []
    cents = 0
    for _ in range(1 + draws.below(3)):
        quantity, price = draws.below(40) + 1, draws.below(900_000) + 1_000
        cents += quantity * price
        lines.append(
            {
                "description": f"{draws.of(words.MINERALS)} concentrate, t",
                "quantity": Number(str(quantity)),
                "unitPrice": _money(price),
            }
        )
    issued = index * 700 // 800
    state = draws.of(("draft", "sent", "paid", "paid", "paid", "overdue", "void"))
    record: dict[str, Json] = {
        "number": f"2024/{index + 1:05d}",
        "customer": draws.of(words.CUSTOMERS),
        "lotId": settings.some_lot(draws),
        "status": state,
        "currency": draws.of(("EUR", "USD", "JPY", "SEK")),
        "lines": lines,
        "net": _money(cents),
        "tax": _money(cents * 19 // 100),
        "total": _money(cents + cents * 19 // 100),
        "issuedOn": iso_date(issued),
        "dueOn": iso_date(issued + 30),
        "paidAt": timestamp((issued + draws.below(40)) * 1440) if state == "paid" else None,
    }
    if draws.chance(25):
        record["note"] = draws.of(words.REMARKS)
    return record


def worker(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """A user who works in the mine."""
    return {
        "name": words.WORKER_NAMES[index % len(words.WORKER_NAMES)],
        "role": draws.of(
            ("miner", "miner", "driller", "blaster", "geologist", "electrician", "supervisor", "surveyor")
        ),
        "tunnelId": settings.tunnel_id(draws.below(TUNNELS)) if draws.chance(90) else None,
        "active": draws.chance(93),
        "hiredOn": iso_date(draws.below(650)),
        "phone": f"+00 {draws.below(900) + 100} {draws.below(9_000) + 1_000}",
        "email": f"worker{index + 1}@mine.example",
        "languages": [code for code in ("en", "fr", "ru", "zh", "ar", "he", "sv") if draws.chance(30)],
        "certifications": [
            {
                "name": draws.of(("first aid", "explosives", "hoisting", "gas")),
                "validUntil": iso_date(600 + draws.below(600)),
            }
            for _ in range(draws.below(3))
        ],
        "emergencyContact": {"name": draws.of(words.WORKER_NAMES), "relation": draws.of(("spouse", "parent", "friend"))}
        if draws.chance(80)
        else None,
        "ratePerHour": draws.decimal(14, 90, 2),
    }


def incident(index: int, draws: SeededRandom, settings: SeedSettings) -> dict[str, Json]:
    """Something that went wrong, or nearly."""
    occurred = index * 6_000 + draws.below(5_000)
    state = draws.of(("open", "investigating", "closed", "closed"))
    record: dict[str, Json] = {
        "tunnelId": settings.tunnel_id(draws.below(TUNNELS)),
        "workerId": settings.some_worker(draws),
        "severity": draws.of(("near_miss", "minor", "minor", "serious", "critical")),
        "status": state,
        "injuries": draws.whole(0, 3),
        "lostTimeHours": draws.decimal(0, 40, 1),
        "description": draws.of(words.INCIDENTS),
        "actions": [{"text": draws.of(words.REMARKS), "done": draws.chance(60)} for _ in range(draws.below(3))],
        "occurredAt": timestamp(occurred),
        "reportedAt": timestamp(occurred + draws.below(600)),
        "closedAt": timestamp(occurred + 20_000) if state == "closed" else None,
    }
    if draws.chance(15):
        record["lotId"] = settings.some_lot(draws)
    return record


def _money(cents: int) -> Number:
    return Number(f"{cents // 100}.{cents % 100:02d}")
