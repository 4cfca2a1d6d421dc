"""What the answer of a hash-chain verification says, in whichever of the common shapes it comes.

The document shows the route and no answer, so this reads names that such answers use; what it can't read it says.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from svc_tui.core.jsontext import Json, Number

_HOLDS = ("valid", "isvalid", "ok", "verified", "intact", "success", "passed")
_STATES = ("status", "result", "state", "verdict")
_GOOD = frozenset({"valid", "ok", "verified", "intact", "passed", "success", "whole", "unbroken"})
_BAD = frozenset({"invalid", "broken", "failed", "tampered", "corrupt", "corrupted", "mismatch"})
_CHECKED = ("entries", "checked", "entrieschecked", "checkedentries", "count", "length", "total", "verifiedcount")
_BREAK = (
    "broken", "break", "brokenat", "breakat", "firstbreak", "firstinvalid", "firstbroken", "invalidat", "failedat",
    "failure", "error", "breaks", "errors", "mismatches",
)  # fmt: skip
_INDEX = ("index", "position", "sequence", "at", "entry")
_RECORD = ("recordid", "id", "entryid", "custodyid", "blockid")
_REASON = ("reason", "message", "detail", "error")
_EXPECTED = ("expected", "expectedhash", "computed", "computedhash")
_FOUND = ("found", "foundhash", "actual", "actualhash", "stored", "storedhash")
_WRAPPERS = ("data", "result", "verification")


class ChainBreak(Struct, frozen=True):
    """Where a chain is first broken, as far as the answer tells; "" for what it leaves out.

    `index` is the entry's place as the service counts it; `record_id` names the entry.
    """

    index: str = ""
    record_id: str = ""
    reason: str = ""
    expected: str = ""
    actual: str = ""


class ChainVerdict(Struct, frozen=True):
    """Whether a chain holds; `checked` is the number of entries that were looked at, "" where that is not said."""

    holds: bool
    checked: str = ""
    place: ChainBreak | None = None


def read_verdict(answer: Json) -> ChainVerdict | None:
    """The verdict that an answer gives; None where it has no shape that is known here."""
    if not isinstance(answer, Mapping):
        return ChainVerdict(answer) if isinstance(answer, bool) else None
    fields = _fold_name(answer)
    place = _read_break(_first(fields, _BREAK))
    holds = _read_holds(fields)
    if holds is None and place is not None:
        holds = False
    if holds is None:
        inner = (fields[name] for name in _WRAPPERS if isinstance(fields.get(name), Mapping))
        return next(filter(None, map(read_verdict, inner)), None)
    if holds and place is not None:
        # It says both. What speaks of a break is not passed over.
        holds = False
    return ChainVerdict(holds, _read_checked(fields), place)


def _read_holds(fields: Mapping[str, Json]) -> bool | None:
    flag = next((value for name in _HOLDS if isinstance(value := fields.get(name), bool)), None)
    if flag is not None:
        return flag
    for word in (value.casefold() for name in _STATES if isinstance(value := fields.get(name), str)):
        if word in _GOOD or word in _BAD:
            return word in _GOOD
    broken = fields.get("broken")
    return not broken if isinstance(broken, bool) else None


def _read_checked(fields: Mapping[str, Json]) -> str:
    for name in _CHECKED:
        value = fields.get(name)
        if isinstance(value, Number):
            return value.text
        if isinstance(value, Sequence) and not isinstance(value, str):
            return str(len(value))
    return ""


def _read_break(value: Json) -> ChainBreak | None:
    match value:
        case None | bool() | "":
            return None
        case Number():
            return ChainBreak(index=value.text)
        case str():
            return ChainBreak(record_id=value) if " " not in value else ChainBreak(reason=value)
        case Mapping():
            fields = _fold_name(value)
            if not fields:
                return None
            texts = (_text(_first(fields, names)) for names in (_INDEX, _RECORD, _REASON, _EXPECTED, _FOUND))
            return ChainBreak(*texts)
        case _:
            return next(filter(None, map(_read_break, value)), None)


def _first(fields: Mapping[str, Json], names: Sequence[str]) -> Json:
    """The first of the names that says something."""
    return next((value for name in names if (value := fields.get(name)) not in (None, True, False, "", [], {})), None)


def _text(value: Json) -> str:
    if isinstance(value, Number):
        return value.text
    return value if isinstance(value, str) else ""


def _fold_name(fields: Mapping[str, Json]) -> dict[str, Json]:
    """The fields by their names in lower case, without marks between words."""
    return {name.replace("_", "").replace("-", "").casefold(): value for name, value in fields.items()}
