"""What the service's document leaves open, and the ways to settle it: one registry of switches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from svc_tui.sandbox.errors import SandboxError


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """A point that the document does not show.

    `not_shown` says what, after the document's own words. `ways` are the values of the switch with what each means, the
    usual one first.
    """

    name: str
    not_shown: str
    ways: Mapping[str, str]

    @property
    def usual(self) -> str:
        """The value that holds where nothing is said."""
        return next(iter(self.ways))


_POINTS = (
    OpenPoint(
        "ids",
        "Format of ids",
        {
            "prefixed": "`lot-000001`",
            "uuid": "a UUID",
            "digits": "`1`: each collection counts from 1",
            "awkward": "`LOT/000001 é`, which must be percent-encoded in a path",
        },
    ),
    OpenPoint(
        "meta",
        "Fields of the `meta` object",
        {
            "page": "`page`, `limit`, `total`, `pages`",
            "count": "`currentPage`, `perPage`, `totalItems`, `totalPages`",
            "snake": "`current_page`, `per_page`, `total_count`, `total_pages`",
            "next": "`page`, `limit`, `hasMore`, and no total",
            "none": "an empty object",
        },
    ),
    OpenPoint(
        "totals",
        "Total number of records in a list",
        {"exact": "included, if `meta` has a field for it", "none": "not included: no total and no pages"},
    ),
    OpenPoint(
        "page-cap",
        "Maximum allowed `limit`",
        {**{size: f"at most {size} records per page" for size in ("200", "20", "50", "100", "500", "1000")}},
    ),
    OpenPoint(
        "over-cap",
        "Effect of a `limit` above the maximum",
        {
            "capped": "the page has the maximum number of records, and `meta` shows it",
            "refused": "400 `invalid_parameter`",
        },
    ),
    OpenPoint(
        "filters",
        "Query parameters beyond `page`, `limit` and `tunnelId`",
        {
            "fields": "the name of a field filters by equal value; any other parameter returns 400 `invalid_parameter`",
            "ignored": "every other parameter is ignored",
            "refused": "every other parameter returns 400 `invalid_parameter`",
        },
    ),
    OpenPoint(
        "errors",
        "Shape of the error response body",
        {
            "nested": '`{"error": {"code", "message", "requestId"}}`',
            "flat": '`{"code", "message", "requestId"}`',
            "list": '`{"errors": [{"code", "message"}], "requestId"}`',
            "problem": "RFC 9457 (`application/problem+json`): `type`, `title`, `status`, `detail`, `code`, "
            "`requestId`",
            "empty": "no body, only the status",
        },
    ),
    OpenPoint(
        "idempotency",
        "Effect of `Idempotency-Key`",
        {
            "honoured": "an identical write with the same `Idempotency-Key` gets the same response for 24 hours, with "
            "`Idempotency-Replayed: true`; a different write with the same key returns 409 `idempotency_conflict`",
            "ignored": "the header is ignored: a write that is sent twice is done twice",
        },
    ),
    OpenPoint(
        "if-match",
        "Effect of `If-Match`",
        {
            "checked": "records have an `ETag`; a different `If-Match` returns 412 `precondition_failed`",
            "ignored": "records have no `ETag`, and `If-Match` is ignored",
        },
    ),
    OpenPoint(
        "bodies",
        "Allowed `Content-Type` of a request body",
        {
            "json": "JSON; any other returns 415 `unsupported_media_type`",
            "any": "any; the body must be JSON in UTF-8",
        },
    ),
    OpenPoint(
        "unknown-fields",
        "Unknown fields in the body of a create or update",
        {
            "refused": "an unknown field returns 422 `validation_failed`",
            "ignored": "an unknown field is ignored",
        },
    ),
    OpenPoint(
        "removed",
        "Response body of a deletion",
        {
            "empty": "204 with no body",
            "record": "200 with the deleted record",
            "confirmed": '200 with `{"id", "deleted": true}`',
        },
    ),
)

OPEN_POINTS: Mapping[str, OpenPoint] = {point.name: point for point in _POINTS}
"""Every switch, by name."""


@dataclass(frozen=True, slots=True)
class Variants(Mapping[str, str]):
    """The value of every switch; raises SandboxError where one is `chosen` that there is not."""

    chosen: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.chosen.items():
            if (point := OPEN_POINTS.get(name)) is None:
                raise SandboxError(f"unknown variant {name!r}; choose from {', '.join(OPEN_POINTS)}")
            if value not in point.ways:
                raise SandboxError(f"the variant {name} can't be {value!r}; choose from {', '.join(point.ways)}")

    def __getitem__(self, name: str) -> str:
        return self.chosen.get(name, OPEN_POINTS[name].usual)

    def __iter__(self) -> Iterator[str]:
        return iter(OPEN_POINTS)

    def __len__(self) -> int:
        return len(OPEN_POINTS)


def parse_variants(texts: tuple[str, ...]) -> Variants:
    """The switches in `NAME=VALUE`; raises SandboxError."""
    chosen: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise SandboxError(f"the variant {text!r} has no value; write NAME=VALUE, such as meta=count")
        if chosen.setdefault(name, value) != value:
            raise SandboxError(f"the variant {name} is set twice, to {chosen[name]} and to {value}")
    return Variants(chosen)
