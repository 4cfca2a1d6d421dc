"""Splitting a lot into new lots whose masses add up to its own."""

from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

from svc_tui.core.jsontext import Json, Number, dumps
from svc_tui.sandbox.data.records import parse_record
from svc_tui.sandbox.data.resources import LOTS
from svc_tui.sandbox.data.schema import is_whole, validation_error
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.errors import ApiError

MAX_PARTS = 20

_EXACT = Context(prec=30_000, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Keeps every digit of any two masses that a number of JSON can be read as."""

_INHERITED_FIELDS = ("grade", "mineral", "tunnelId", "workerId", "assay", "priority", "hazardous")


def split(store: SandboxStore, record: Mapping[str, Json], payload: Mapping[str, Json], at: str) -> str:
    """Closes a lot and stores its parts; the answer's text: `{"lot": …, "parts": […]}`.

    `payload` is `{"parts": N}`, or `{"parts": [mass, …]}` with masses in kg (plain, or as `{"massKg": mass}`).
    `at` is the time to note. Raises ApiError (422, 409) and then changes nothing.
    """
    if record.get("status") not in ("open", "in_transit"):
        raise ApiError(
            "conflict", f"only a lot with the status open or in_transit can be split; this one is {record['status']}"
        )
    masses = _masses(record.get("massKg"), payload)
    resource, lot_id = store.resources[LOTS], str(record["id"])
    parts = [
        store.records.append(
            resource,
            {
                "id": store.records.next_id(resource),
                "name": f"{record.get('name') or lot_id} / {number}",
                "status": "open",
                "massKg": mass,
                **{name: record[name] for name in _INHERITED_FIELDS if name in record},
                "parentLotId": lot_id,
                "openedAt": at,
                "createdAt": at,
                "updatedAt": at,
            },
        )
        for number, mass in enumerate(masses, 1)
    ]
    closed = {**record, "status": "closed", "closedAt": at, "updatedAt": at}
    text = store.records.replace(resource, lot_id, closed)
    return dumps({"lot": parse_record(text), "parts": [parse_record(part) for part in parts]})


def _masses(whole: Json, payload: Mapping[str, Json]) -> list[Number]:
    for name in payload:
        if name != "parts":
            raise validation_error(f"{name[:60]!r} is not a field of a split; the only field is parts")
    mass = whole.decimal if isinstance(whole, Number) else None
    if mass is None or mass <= 0:
        raise validation_error("massKg of the lot is not a positive number")
    with localcontext(_EXACT):
        match payload.get("parts"):
            case Number() as count if is_whole(count) and 2 <= (count.decimal or 0) <= MAX_PARTS:
                return _equal_parts(mass, int(count.decimal or 0))
            case list(parts) if 2 <= len(parts) <= MAX_PARTS:
                return _given_parts(mass, parts)
    raise validation_error(f"parts must be a number from 2 to {MAX_PARTS}, or a list of 2 to {MAX_PARTS} masses in kg")


def _equal_parts(mass: Decimal, count: int) -> list[Number]:
    """Masses as equal as the lot's decimals allow; more decimals where a part would come to nothing."""
    step = Decimal(1).scaleb(min(0, int(mass.as_tuple().exponent)))
    while True:
        each = (mass / count).quantize(step)
        last = mass - each * (count - 1)
        if each > 0 and last > 0:
            return [Number(f"{each:f}")] * (count - 1) + [Number(f"{last:f}")]
        step = step.scaleb(-1)


def _given_parts(mass: Decimal, parts: list[Json]) -> list[Number]:
    masses: list[Number] = []
    for part in parts:
        part_mass = part["massKg"] if isinstance(part, Mapping) and part.keys() == {"massKg"} else part
        value = part_mass.decimal if isinstance(part_mass, Number) else None
        if not isinstance(part_mass, Number) or value is None or value <= 0:
            raise validation_error(
                "parts must contain masses above 0 kg, each as a number or as an object with only massKg"
            )
        masses.append(part_mass)
    total = sum((Decimal(part_mass.text) for part_mass in masses), Decimal(0))
    if total != mass:
        raise validation_error(f"parts must add up to the lot's {_short(mass)} kg; these are {_short(total)} kg")
    return masses


def _short(mass: Decimal) -> str:
    """A mass for people: of one with very many digits, the first and their place."""
    return str(mass) if len(str(mass)) <= 40 else f"about {mass:.6e}"
