"""The guide's page about the sandbox, in full, made from the tables that the service works by.

python -m svc_tui.sandbox.reference > svc_tui/guide/testing-reference.md
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from svc_tui.core.jsontext import dumps
from svc_tui.sandbox.access.key_file import KeyEntry, RateEntry
from svc_tui.sandbox.access.keys import POLICIES
from svc_tui.sandbox.data.resources import ATTACHMENT_RULES, LOTS, RULES, Resources
from svc_tui.sandbox.data.schema import FieldRule
from svc_tui.sandbox.errors import ERROR_CODES
from svc_tui.sandbox.faults import FAULTS, FaultKind
from svc_tui.sandbox.seeds.settings import SeedSettings
from svc_tui.sandbox.server.control import CONTROL_ROUTES, PREFIX, ControlRoute
from svc_tui.sandbox.server.endpoints import ENDPOINTS
from svc_tui.sandbox.variants import OPEN_POINTS, OpenPoint

_BEGINNING = """\
# The local sandbox, in full

This page lists everything that the local sandbox (`svc-tui sandbox`) accepts and returns. To learn how to use it, read
[Test your own client](testing.md). The page is generated from the code of the service; `svc-tui sandbox openapi` prints
the same as an OpenAPI 3.1 document."""

_VARIANTS = """\
The API document of the service does not define some points. The sandbox chooses a value; your client must not depend
on it. To choose another value, use `--variant NAME=VALUE`; you can repeat it."""

_KEYS = """\
The local sandbox always accepts these keys. It generates each key and its secret at every start and prints them in its
first line. To set fixed keys, pass a file with `--keys`."""

_KEY_FILE = """\
The file is a JSON object with a list named `keys`. Its other fields are ignored, so the first line of an earlier start
can be the file. Each key has a `name` and may have the other fields below. A key with a name from the table
above replaces that key; fields that you omit keep the values of the replaced key. Any other name adds a key."""

_FAULTS = """\
`--faults NAME` activates a fault from the start, for the share of requests in the table; `--faults NAME:N` activates
it for one in N requests. With the control routes you choose which requests and how many of them a fault affects."""

_CONTROL = """\
These routes exist only if the service was started with a token. Every request to them must send it in the header
`x-svc-control`. They are outside `/v1`, need no key and no signature, and are not in the list of received requests.
Bodies are JSON; a query parameter or a field that is not listed is refused. A refusal is
`{"error": {"code": "control", "message": …}}`: 400 for an invalid value, 403 for the wrong token, 404 for an
unknown name. `svc-tui sandbox ctl` has a command for each route."""

_ENDPOINTS = """\
Every route with `GET` also supports `HEAD`, without a body. Every path below `/v1/auth` returns 403
`insufficient_scope`. Any other unlisted path returns 404 `not_found`, and an unlisted method returns 405
`method_not_allowed`."""

_COLLECTIONS = """\
A new record can have all fields except those that the service sets. An update can have any field, but fields that the
service sets must keep their value. A value of another type returns 422 `validation_failed`. At the start only some lots
have attachments."""


def sandbox_reference() -> str:
    """The page as Markdown."""
    return "\n\n".join(_parts()) + "\n"


def _parts() -> Iterator[str]:
    yield _BEGINNING
    yield "## Open points of the API document"
    yield _VARIANTS
    for point in OPEN_POINTS.values():
        yield _heading(f"`{point.name}`")
        yield f"{point.not_shown}."
        yield _table(("value", "meaning"), _ways(point))
    yield "## Keys"
    yield _KEYS
    yield _table(("key", "prefix", "description"), ((_code(p.name), _code(p.prefix), p.note) for p in POLICIES))
    yield "## Key file"
    yield _KEY_FILE
    yield _table(("field", "description"), _key_fields())
    yield "## Faults"
    yield _FAULTS
    yield _table(("fault", "requests", "effect"), ((_code(f.name), _rate(f), f.meaning) for f in FAULTS.values()))
    yield "## Control routes"
    yield _CONTROL
    for route in CONTROL_ROUTES:
        yield from _control_route(route)
    yield "## Error codes"
    yield "The API document of the service lists these:"
    yield _table(("code", "status", "when"), _errors(documented=True))
    yield "The sandbox adds these for open points of the API document; the real service may use other codes:"
    yield _table(("code", "status", "when"), _errors(documented=False))
    yield "## Endpoints"
    yield _ENDPOINTS
    yield _table(("path", "methods"), _endpoints())
    yield "## Collections"
    yield _COLLECTIONS
    yield from _collections()


def _ways(point: OpenPoint) -> Iterator[tuple[str, str]]:
    for value, meaning in point.ways.items():
        yield f"{_code(value)} (default)" if value == point.usual else _code(value), meaning


def _key_fields() -> Iterator[tuple[str, str]]:
    yield from _fields(KeyEntry.model_json_schema())
    for name, meaning in _fields(RateEntry.model_json_schema()):
        yield f"`rate.{name.strip('`')}`", meaning


def _rate(fault: FaultKind) -> str:
    rate = "all" if fault.every == 1 else f"1 in {fault.every}"
    return f"writes, {rate}" if fault.writes_only else rate


def _control_route(route: ControlRoute) -> Iterator[str]:
    yield _heading(f"`{route.method} {PREFIX}{route.path}`")
    yield f"{route.title}." if route.answers else f"{route.title}. Returns 204."
    rows = [
        *(("query", _code(name), meaning) for name, meaning in route.query.items()),
        *(("body", *row) for row in (_fields(route.body.model_json_schema()) if route.body else ())),
        *(("response", _code(name), meaning) for name, meaning in route.answers.items()),
    ]
    if rows:
        yield _table(("in", "name", "description"), rows)


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and meaning of each field of a JSON Schema that pydantic wrote."""
    required = schema.get("required", ())
    for name, told in schema["properties"].items():
        kinds = [kind for kind in told.get("anyOf", (told,)) if kind.get("type") != "null"]
        words = [told.get("description") or _KINDS.get(kinds[0].get("type"), "")]
        words += (limit for kind in kinds for limit in _limits(kind))
        if name in required:
            words.append("required")
        elif told.get("default") not in (None, ""):
            words.append(f"default: `{told['default']}`")
        yield _code(name), "; ".join(filter(None, words))


_KINDS = {"integer": "a whole number", "number": "a number", "string": "text", "boolean": "true or false"}


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


def _limits(kind: Mapping[str, Any]) -> Iterator[str]:
    """What a schema says that a value must keep to, as far as people need telling."""
    if "enum" in kind:
        yield ", ".join(map(_code, kind["enum"]))
    if "minimum" in kind:
        yield f"{_number(kind['minimum'])} to {_number(kind['maximum'])}"
    if "maxLength" in kind:
        yield f"at most {kind['maxLength']:,} characters"


def _errors(*, documented: bool) -> Iterator[tuple[str, str, str]]:
    for name, code in ERROR_CODES.items():
        if code.documented is documented:
            yield _code(name), str(code.status), code.condition


def _endpoints() -> Iterator[tuple[str, str]]:
    methods: dict[str, list[str]] = {}
    for endpoint in ENDPOINTS:
        methods.setdefault(endpoint.path, []).append(f"`{endpoint.method}` {endpoint.operation}")
    for path, words in methods.items():
        yield _code(path), ", ".join(words)


def _collections() -> Iterator[str]:
    resources = Resources(SeedSettings())
    for key, rules in RULES.items():
        resource = resources[key]
        yield _heading(_code(key))
        defaults = ", ".join(_code(f"{name}: {dumps(value)}") for name, value in resource.defaults.items())
        new = f" A new record has {defaults} by default." if defaults else ""
        yield f"{resource.size:,} records; the first id is {_code(resource.id_at(0))}.{new}"
        yield _table(("value", "fields"), _rules(rules))
    attachments = f"{LOTS}/{resources[LOTS].id_at(0)}/attachments"
    yield _heading(_code(f"{LOTS}/{{id}}/attachments"))
    yield f"Example of an id, for the first lot: {_code(resources[attachments].id_at(0))}."
    yield _table(("value", "fields"), _rules(ATTACHMENT_RULES))


def _rules(rules: Mapping[str, FieldRule]) -> Iterator[tuple[str, str]]:
    fields: dict[str, list[str]] = {}
    for name, rule in rules.items():
        fields.setdefault(_held(rule), []).append(_code(name))
    for held, names in fields.items():
        yield held, ", ".join(names)


def _held(rule: FieldRule) -> str:
    if rule.read_only:
        return "set by the service"
    kind = f"one of {', '.join(map(_code, rule.choices))}" if rule.choices else rule.kind
    if rule.required:
        return f"{kind}; required"
    return f"{kind}, or null" if rule.nullable else kind


def _heading(text: str) -> str:
    return f"### {text}"


def _code(text: str) -> str:
    return f"`{text}`"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


if __name__ == "__main__":
    sys.stdout.buffer.write(sandbox_reference().encode())
