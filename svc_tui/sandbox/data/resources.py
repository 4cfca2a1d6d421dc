"""The twelve collections and the attachments of a lot: ids, sizes, fields, and what each starts with."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import Json
from svc_tui.sandbox.data.schema import (
    BOOLEAN,
    DATE,
    INTEGER,
    LIST,
    NUMBER,
    OBJECT,
    TEXT,
    TIME,
    FieldRule,
    choice,
    required,
    set_by_service,
)
from svc_tui.sandbox.seeds import operations, other_domains
from svc_tui.sandbox.seeds.custody import CUSTODY, ENTRIES_PER_TUNNEL, HANDOVER, custody
from svc_tui.sandbox.seeds.hostile import HOSTILE
from svc_tui.sandbox.seeds.ids import IdKind
from svc_tui.sandbox.seeds.operations import LOT_STATES, SHIFTS
from svc_tui.sandbox.seeds.seeded_random import SeededRandom
from svc_tui.sandbox.seeds.settings import LOT, TUNNEL, TUNNELS, WORKER, SeedSettings

LOTS = "operations/lots"
TUNNELS_KEY = "operations/tunnels"

RecordFactory = Callable[[int, SeededRandom, SeedSettings], dict[str, Json]]

_ATTACHMENTS_KEY = re.compile(r"operations/lots/(.+)/attachments", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Resource:
    """One collection; `make` makes all of a seeded record but its id."""

    key: str
    ids: IdKind
    size: int
    rules: Mapping[str, FieldRule]
    make: RecordFactory = field(repr=False)
    settings: SeedSettings = field(repr=False)
    defaults: Mapping[str, Json] = field(default_factory=dict)

    def id_at(self, position: int) -> str:
        """The id of the record at a position from 0."""
        return self.settings.id_shape.id_at(self.ids, position)

    def position_of(self, record_id: str) -> int | None:
        """The position that an id names; None for text that is not an id of this collection."""
        return self.settings.id_shape.position_of(self.ids, record_id)

    @property
    def id_pattern(self) -> str:
        """A regular expression that every id matches; of attachments, those of any lot."""
        prefix = f"att-[0-9]{{{LOT.digits},12}}" if _ATTACHMENTS_KEY.fullmatch(self.key) else self.ids.prefix
        return self.settings.id_shape.pattern(replace(self.ids, prefix=prefix))

    @property
    def stream(self) -> str:
        """What names the random numbers of its seeded records."""
        return self.settings.stream(self.key)

    def seeded(self, position: int) -> dict[str, Json]:
        """The record that a new service holds at a position below `size`."""
        record: dict[str, Json] = {"id": self.id_at(position)}
        record |= self.make(position, SeededRandom(self.stream, position), self.settings)
        if (wild := HOSTILE.get((self.key, position))) is not None:
            record.update(wild)
        return record

    @property
    def hostile(self) -> frozenset[int]:
        """The positions below `size` where a seeded record is not all as `make` makes it."""
        return frozenset(position for key, position in HOSTILE if key == self.key and position < self.size)


_ID = {"id": set_by_service(TEXT)}

RULES: dict[str, dict[str, FieldRule]] = {
    LOTS: _ID
    | {
        "name": TEXT,
        "status": choice(*LOT_STATES),
        "grade": NUMBER,
        "massKg": NUMBER,
        "moisturePct": NUMBER,
        "mineral": TEXT,
        "tunnelId": TEXT,
        "workerId": TEXT,
        "parentLotId": replace(TEXT, seeded=False),
        "assay": OBJECT,
        "tags": LIST,
        "priority": choice("low", "normal", "high", "urgent"),
        "hazardous": BOOLEAN,
        "sealed": BOOLEAN,
        "openedAt": TIME,
        "closedAt": TIME,
        "note": TEXT,
        "location": OBJECT,
        "createdAt": set_by_service(TIME),
        "updatedAt": set_by_service(TIME),
    },
    TUNNELS_KEY: _ID
    | {
        "name": TEXT,
        "status": choice("active", "maintenance", "closed"),
        "level": INTEGER,
        "lengthM": NUMBER,
        "depthM": NUMBER,
        "ventilated": BOOLEAN,
        "airflow": OBJECT,
        "workerId": TEXT,
        "sensors": LIST,
        "openedOn": DATE,
        "inspectedAt": TIME,
        "note": TEXT,
    },
    "operations/productionLogs": _ID
    | {
        "tunnelId": TEXT,
        "lotId": TEXT,
        "workerId": TEXT,
        "shift": choice(*SHIFTS),
        "massKg": NUMBER,
        "metresAdvanced": NUMBER,
        "startedAt": TIME,
        "endedAt": TIME,
        "equipment": OBJECT,
        "delays": LIST,
        "approved": BOOLEAN,
        "note": TEXT,
    },
    "operations/shiftLogs": _ID
    | {
        "tunnelId": TEXT,
        "workerId": TEXT,
        "shift": choice(*SHIFTS),
        "startedAt": TIME,
        "endedAt": TIME,
        "headcount": INTEGER,
        "massKg": NUMBER,
        "signedOff": BOOLEAN,
        "handover": TEXT,
        "absent": LIST,
    },
    CUSTODY: _ID
    | {
        "tunnelId": required(TEXT),
        "sequence": set_by_service(INTEGER),
        "lotId": TEXT,
        "fromWorkerId": TEXT,
        "toWorkerId": TEXT,
        "massKg": NUMBER,
        "sealNumber": TEXT,
        "sealIntact": BOOLEAN,
        "handedOverAt": TIME,
        "note": TEXT,
        "previousHash": set_by_service(TEXT),
        "hash": set_by_service(TEXT),
    },
    "operations/analytics": _ID
    | {
        "tunnelId": TEXT,
        "metric": choice("recovery", "dilution", "throughput", "downtime", "energy"),
        "period": TEXT,
        "value": NUMBER,
        "unit": TEXT,
        "confidence": NUMBER,
        "breakdown": OBJECT,
        "computedAt": TIME,
        "final": BOOLEAN,
        "checksum": INTEGER,
    },
    "compliance/licenses": _ID
    | {
        "name": TEXT,
        "authority": TEXT,
        "number": TEXT,
        "status": choice("valid", "expiring", "expired", "suspended"),
        "issuedOn": DATE,
        "expiresOn": DATE,
        "tunnelIds": LIST,
        "conditions": LIST,
        "fee": NUMBER,
        "note": TEXT,
    },
    "inventory/stock": _ID
    | {
        "name": TEXT,
        "sku": TEXT,
        "quantity": NUMBER,
        "unit": choice("piece", "kg", "l", "box"),
        "unitPrice": NUMBER,
        "reorderLevel": INTEGER,
        "hazardous": BOOLEAN,
        "location": OBJECT,
        "supplier": OBJECT,
        "expiresOn": DATE,
        "countedAt": TIME,
        "note": TEXT,
    },
    "environment/monitoring": _ID
    | {
        "tunnelId": TEXT,
        "parameter": choice("CH4", "CO", "dust", "pH", "noise"),
        "value": NUMBER,
        "unit": TEXT,
        "limit": NUMBER,
        "alarm": BOOLEAN,
        "sensor": OBJECT,
        "measuredAt": TIME,
        "acknowledgedBy": TEXT,
    },
    "finance/invoices": _ID
    | {
        "number": TEXT,
        "customer": TEXT,
        "lotId": TEXT,
        "status": choice("draft", "sent", "paid", "overdue", "void"),
        "currency": choice("EUR", "USD", "JPY", "SEK"),
        "lines": LIST,
        "net": NUMBER,
        "tax": NUMBER,
        "total": NUMBER,
        "issuedOn": DATE,
        "dueOn": DATE,
        "paidAt": TIME,
        "note": TEXT,
    },
    "workforce/workers": _ID
    | {
        "name": TEXT,
        "role": choice("miner", "driller", "blaster", "geologist", "electrician", "supervisor", "surveyor"),
        "tunnelId": TEXT,
        "active": BOOLEAN,
        "hiredOn": DATE,
        "phone": TEXT,
        "email": TEXT,
        "languages": LIST,
        "certifications": LIST,
        "emergencyContact": OBJECT,
        "ratePerHour": NUMBER,
    },
    "safety/incidents": _ID
    | {
        "tunnelId": TEXT,
        "workerId": TEXT,
        "lotId": TEXT,
        "severity": choice("near_miss", "minor", "serious", "critical"),
        "status": choice("open", "investigating", "closed"),
        "injuries": INTEGER,
        "lostTimeHours": NUMBER,
        "description": TEXT,
        "actions": LIST,
        "occurredAt": TIME,
        "reportedAt": TIME,
        "closedAt": TIME,
    },
}

ATTACHMENT_RULES = _ID | {
    "lotId": set_by_service(TEXT),
    "fileName": required(TEXT),
    "contentType": TEXT,
    "sizeBytes": INTEGER,
    "workerId": TEXT,
    "caption": TEXT,
    "uploadedAt": TIME,
}


def _factories(settings: SeedSettings) -> dict[str, tuple[IdKind, RecordFactory, dict[str, Json]]]:
    return {
        LOTS: (LOT, operations.lots(settings), {"status": "open"}),
        TUNNELS_KEY: (TUNNEL, operations.tunnel, {"status": "active"}),
        "operations/productionLogs": (IdKind("plog", 6), operations.production_logs(settings), {"approved": False}),
        "operations/shiftLogs": (IdKind("slog", 5), operations.shift_log, {"signedOff": False}),
        CUSTODY: (HANDOVER, custody, {}),
        "operations/analytics": (IdKind("ana", 5), operations.analysis, {"final": False}),
        "compliance/licenses": (IdKind("lic", 4), other_domains.license_, {"status": "valid"}),
        "inventory/stock": (IdKind("stk", 5), other_domains.stock_item, {}),
        "environment/monitoring": (IdKind("mon", 5), other_domains.reading, {"alarm": False}),
        "finance/invoices": (IdKind("inv", 5), other_domains.invoice, {"status": "draft"}),
        "workforce/workers": (WORKER, other_domains.worker, {"active": True}),
        "safety/incidents": (IdKind("inc", 4), other_domains.incident, {"status": "open"}),
    }


class Resources:
    """Every collection by its key: `operations/lots`, `operations/lots/lot-000001/attachments`."""

    def __init__(self, settings: SeedSettings) -> None:
        self.settings = settings
        counts = {
            LOTS: self.settings.lots,
            TUNNELS_KEY: TUNNELS,
            "operations/productionLogs": self.settings.production_logs,
            "operations/shiftLogs": self.settings.shift_logs,
            CUSTODY: TUNNELS * ENTRIES_PER_TUNNEL,
            "operations/analytics": 500,
            "compliance/licenses": 40,
            "inventory/stock": 600,
            "environment/monitoring": 3_000,
            "finance/invoices": 800,
            "workforce/workers": self.settings.workers,
            "safety/incidents": 150,
        }
        factories = _factories(self.settings)
        self._all: dict[str, Resource] = {}
        for collection in COLLECTIONS:
            ids, make, defaults = factories[collection.key]
            self._all[collection.key] = Resource(
                collection.key,
                ids,
                counts[collection.key],
                RULES[collection.key],
                make,
                self.settings,
                defaults,
            )

    def find(self, key: str) -> Resource | None:
        """The collection with this key; for attachments, whether or not there is such a lot."""
        if (nested := _ATTACHMENTS_KEY.fullmatch(key)) is not None:
            return self._attachments(key, nested[1])
        return self._all.get(key)

    def __getitem__(self, key: str) -> Resource:
        if (resource := self.find(key)) is None:
            raise KeyError(key)
        return resource

    def _attachments(self, key: str, lot: str) -> Resource | None:
        if (position := self._all[LOTS].position_of(lot)) is None:
            return None
        draws = SeededRandom(self.settings.stream(key), -1)
        return Resource(
            key,
            IdKind(f"att-{position + 1:0{LOT.digits}d}", 2),
            (0, 0, 2, 0, 1, 3)[draws.below(6)] if position < self.settings.lots else 0,
            ATTACHMENT_RULES,
            partial(operations.attachment, lot),
            self.settings,
            {"lotId": lot},
        )
