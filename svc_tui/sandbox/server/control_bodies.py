"""What the control routes are asked with: checked by pydantic, and told by the OpenAPI document."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.config import JsonDict

from svc_tui.sandbox.clock import MAX_OFFSET_SECONDS
from svc_tui.sandbox.faults import FAULTS, SLOW_SECONDS

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

_ONE_LINE: JsonDict = {
    "anyOf": [{"type": ["integer", "null"]}, {"type": "string", "maxLength": 100, "pattern": "^[ -~]*$"}]
}


def _as_whole(value: object) -> object:
    """A number such as 2.0 as the whole number that it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_WHOLE = BeforeValidator(_as_whole)
Count = Annotated[int, Field(ge=1, le=1_000_000), _WHOLE]


class ControlBody(BaseModel):
    """A JSON object without fields that mean nothing, and with no text or truth value for a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FaultBody(ControlBody):
    """A fault to arm: it meets `count` requests, or one in `every` until it is cleared."""

    name: str = Field(description="the fault", json_schema_extra={"enum": list(FAULTS)})
    count: Count = Field(default=1, description="number of requests that it affects; not used with `every`")
    every: Count | None = Field(default=None, description="affect 1 in this many requests until cleared")
    after: Annotated[int, Field(ge=0, le=1_000_000), _WHOLE] = Field(
        default=0, description="number of requests to let through first"
    )
    method: Method | None = Field(default=None, description="only requests with this method")
    path: str = Field(
        default="", max_length=2_000, description="only requests whose path begins with this text, as sent"
    )
    retry_after: Annotated[int, _WHOLE] | str | None = Field(
        default=None,
        description="value of `Retry-After`; empty: no header; default: 1 for `429`, otherwise none",
        json_schema_extra=_ONE_LINE,
    )
    delay: float = Field(default=SLOW_SECONDS, ge=0, le=600, description="delay in seconds, for `slow`")

    @field_validator("name")
    @classmethod
    def _is_a_fault(cls, name: str) -> str:
        if name not in FAULTS:
            raise ValueError(f"unknown fault {name[:60]!r}; choose from {', '.join(FAULTS)}")
        return name

    @field_validator("retry_after")
    @classmethod
    def _is_one_line(cls, text: int | str | None) -> int | str | None:
        if isinstance(text, str) and not (text.isascii() and (text.isprintable()) and len(text) <= 100):
            raise ValueError("retry_after must be printable ASCII, at most 100 characters")
        return text


class RotationBody(ControlBody):
    """A key to replace: the old one goes on for `overlap_seconds` of the service's clock."""

    key: str = Field(max_length=60, description="the key's name")
    overlap_seconds: float = Field(
        default=0, ge=0, le=MAX_OFFSET_SECONDS, description="seconds that the old key still works"
    )


class ClockBody(ControlBody):
    """Where the clock is to stand: `offset_seconds` ahead of the true time, or `advance_seconds` ahead of now."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"properties": {name: {"type": "number"}}, "required": [name]}
                for name in ("offset_seconds", "advance_seconds")
            ]
        }
    )

    offset_seconds: float | None = Field(
        default=None, ge=-MAX_OFFSET_SECONDS, le=MAX_OFFSET_SECONDS, description="seconds ahead of the real time"
    )
    advance_seconds: float | None = Field(
        default=None, ge=-MAX_OFFSET_SECONDS, le=MAX_OFFSET_SECONDS, description="seconds to move the clock forward"
    )

    @model_validator(mode="after")
    def _has_one(self) -> "ClockBody":
        if (self.offset_seconds is None) is (self.advance_seconds is None):
            raise ValueError("set either offset_seconds or advance_seconds")
        return self


class SnapshotBody(ControlBody):
    """The name of a snapshot."""

    name: str = Field(default="default", min_length=1, max_length=60, description="name of the snapshot")


_MISTAKES = {
    "missing": "is missing",
    "extra_forbidden": "is not a known field",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
}
"""pydantic's kinds of mistakes, and what users read instead; source: pydantic, "Validation Errors"."""


def first_mistake(error: ValidationError) -> str:
    """The first thing that is wrong with a body, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON"
    if first["type"] == "value_error":
        return first["msg"].removeprefix("Value error, ")
    # Python's name of the branch of a union is a part of its place.
    place = ".".join(str(step) for step in first["loc"] if step not in ("int", "str"))
    if not place:
        return "the body must be a JSON object"
    limits = first.get("ctx", {})
    words = _MISTAKES.get(first["type"], "is not valid")
    return f"{place} {words.format_map(limits)}"
