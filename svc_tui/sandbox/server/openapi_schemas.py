"""JSON Schemas (2020-12) of what the service takes and gives, made from the rules that it checks by."""

from collections.abc import Iterable, Mapping
from typing import Any

from svc_tui.sandbox.data.lots import MAX_PARTS
from svc_tui.sandbox.data.resources import Resource
from svc_tui.sandbox.data.schema import (
    BOOLEAN,
    DATE,
    INTEGER,
    LIST,
    MAX_TEXT,
    NUMBER,
    OBJECT,
    TEXT,
    TIME,
    FieldRule,
)
from svc_tui.sandbox.variants import OPEN_POINTS, Variants

Part = dict[str, Any]
"""A part of the document: a schema, a parameter, an answer."""

_YEAR = "(?:[1-9][0-9]{3}|0(?:[1-9][0-9]{2}|0[1-9][0-9]|00[1-9]))"
_DAY = f"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_HOUR = "(?:[01][0-9]|2[0-3])"

_KINDS: Mapping[str, Part] = {
    TEXT.kind: {"type": "string", "maxLength": MAX_TEXT},
    NUMBER.kind: {"type": "number"},
    INTEGER.kind: {"type": "integer"},
    BOOLEAN.kind: {"type": "boolean"},
    TIME.kind: {
        "type": "string",
        "format": "date-time",
        "pattern": f"^{_DAY}T{_HOUR}:[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{{1,9}})?(?:Z|[+-]{_HOUR}:[0-5][0-9])$",
    },
    DATE.kind: {"type": "string", "format": "date", "pattern": f"^{_DAY}$"},
    LIST.kind: {"type": "array"},
    OBJECT.kind: {"type": "object"},
}

_COUNT: Part = {"type": "integer", "minimum": 1}
_TOTAL: Part = {"type": "integer", "minimum": 0}

_META: Mapping[str, Mapping[str, Part]] = {
    "page": {"page": _COUNT, "limit": _COUNT, "total": _TOTAL, "pages": _TOTAL},
    "count": {"currentPage": _COUNT, "perPage": _COUNT, "totalItems": _TOTAL, "totalPages": _TOTAL},
    "snake": {"current_page": _COUNT, "per_page": _COUNT, "total_count": _TOTAL, "total_pages": _TOTAL},
    "next": {"page": _COUNT, "limit": _COUNT, "hasMore": {"type": "boolean"}},
    "none": {},
}


def open_point(name: str, variants: Variants) -> str:
    """What the service's document leaves open at a point, and how this service settles it."""
    point = OPEN_POINTS[name]
    return f"Not in the API document: {point.not_shown}. This service: {point.ways[variants[name]]}."


def exact(properties: Mapping[str, Part], required: Iterable[str] | None = None, **more: object) -> Part:
    """An object with these fields and no others; all are required unless it is said which."""
    names = list(properties if required is None else required)
    return {
        "type": "object",
        **more,
        **({"properties": dict(properties)} if properties else {}),
        **({"required": names} if names else {}),
        "additionalProperties": False,
    }


def reference(kind: str, name: str) -> Part:
    """A reference to a component."""
    return {"$ref": f"#/components/{kind}/{name}"}


def id_schema(resource: Resource) -> Part:
    """The id of a record."""
    return {"type": "string", "pattern": resource.id_pattern, "examples": [resource.id_at(0)]}


def record_schema(resource: Resource) -> Part:
    """A record as it is answered: the service's own fields and the required ones are always there."""
    properties = {
        name: id_schema(resource) | {"readOnly": True} if name == "id" else _field_schema(rule)
        for name, rule in resource.rules.items()
    }
    return exact(properties, [name for name, rule in resource.rules.items() if rule.read_only or rule.required])


def body_schema(resource: Resource, variants: Variants, *, partial: bool) -> Part:
    """What creates a record, or changes one where it is `partial`."""
    rules = {name: rule for name, rule in resource.rules.items() if not rule.read_only}
    told = "Only the service sets " + ", ".join(f"`{name}`" for name in resource.rules if name not in rules)
    told += ": a request can repeat such a value, but not change it." if partial else "."
    schema = exact(
        {name: _field_schema(rule) for name, rule in rules.items()},
        () if partial else [name for name, rule in rules.items() if rule.required],
        description=f"{told} {open_point('unknown-fields', variants)}",
    )
    if variants["unknown-fields"] == "ignored":
        del schema["additionalProperties"]
    return schema


def page_schema(name: str) -> Part:
    """A page of the records whose schema is called `name`."""
    return exact(
        {"items": {"type": "array", "items": reference("schemas", name)}, "meta": reference("schemas", "meta")}
    )


def meta_schema(variants: Variants) -> Part:
    """What describes a page."""
    fields = {
        name: part
        for name, part in _META[variants["meta"]].items()
        if variants["totals"] == "exact" or part is not _TOTAL
    }
    said = " ".join(open_point(point, variants) for point in ("meta", "totals"))
    return exact(fields, description=said)


def error_schema(shape: str, codes: Iterable[str]) -> Part:
    """The body of a refusal with one of these codes; `shape` is a value of the variant `errors` that has a body."""
    told: dict[str, Part] = {"code": {"enum": list(codes)}, "message": {"type": "string", "minLength": 1}}
    request: dict[str, Part] = {"requestId": {"type": "string", "description": "The value of `x-request-id`."}}
    match shape:
        case "flat":
            return exact(told | request)
        case "list":
            return exact({"errors": {"type": "array", "items": exact(told), "minItems": 1}, **request})
        case "problem":
            return exact(
                {
                    "type": {"const": "about:blank"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": told["message"],
                    "code": told["code"],
                    **request,
                }
            )
        case _:
            return exact({"error": exact(told | request)})


def removed_schema(name: str, resource: Resource, variants: Variants) -> Part | None:
    """The answer to a removal; None where it has no body."""
    match variants["removed"]:
        case "record":
            return reference("schemas", name)
        case "confirmed":
            return exact({"id": id_schema(resource), "deleted": {"const": True}})
        case _:
            return None


def split_schemas(lot: Part) -> tuple[Part, Part]:
    """What splits a lot, and the answer; `lot` is the schema of a lot."""
    mass: Part = {"type": "number", "exclusiveMinimum": 0, "description": "A mass in kg."}
    count: Part = {"type": "integer", "minimum": 2, "maximum": MAX_PARTS, "description": "Number of equal parts."}
    masses: Part = {
        "type": "array",
        "items": {"anyOf": [mass, exact({"massKg": mass})]},
        "minItems": 2,
        "maxItems": MAX_PARTS,
        "description": "The masses of the parts. Their sum must equal the mass of the lot.",
    }
    parts: Part = {"type": "array", "items": lot, "minItems": 2, "maxItems": MAX_PARTS}
    return exact({"parts": {"anyOf": [count, masses], "examples": [2]}}), exact({"lot": lot, "parts": parts})


def verification_schema(tunnel: Part) -> Part:
    """The answer to the verification of a tunnel's chain; `tunnel` is the schema of its id."""
    text: Part = {"type": "string"}
    broken = exact(
        {
            "index": {"type": "integer", "minimum": 0, "description": "Index of the damaged entry, from 0."},
            "recordId": text,
            "reason": text,
            "expected": text,
            "found": text,
        }
    )
    return exact(
        {
            "tunnelId": tunnel,
            "valid": {"type": "boolean"},
            "entries": {"type": "integer", "minimum": 0},
            "head": {"type": ["string", "null"], "description": "The hash of the last entry."},
            "broken": {"anyOf": [broken, {"type": "null"}], "description": "The first damaged entry of the chain."},
        }
    )


def _field_schema(rule: FieldRule) -> Part:
    schema: Part = {"type": "string", "enum": list(rule.choices)} if rule.choices else dict(_KINDS[rule.kind])
    if rule.nullable:
        schema["type"] = [schema["type"], "null"]
    if rule.read_only:
        schema["readOnly"] = True
    return schema
