"""Keys that somebody wants to be accepted, as a JSON file has them.

    {"keys": [
      {"name": "live", "api_key": "svc_live_…", "signing_secret": "…"},
      {"name": "reports", "api_key": "svc_test_…", "scopes": ["read"], "expires_at": "2027-01-01T00:00:00Z",
       "addresses": ["10.0.0.0/8"], "rate": {"per_second": 5, "burst": 20}}
    ]}

The first line that the service writes when it starts is such a file.
"""

import codecs
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator

from svc_tui.core.jsontext import JsonError, loads
from svc_tui.sandbox.access.address import parse_networks
from svc_tui.sandbox.access.keys import (
    LIVE_PREFIX,
    POLICIES,
    READ,
    TEST_PREFIX,
    WRITE,
    KeyPolicy,
    KeySettings,
)
from svc_tui.sandbox.access.rate_limit import RateLimit
from svc_tui.sandbox.errors import SandboxError

MAX_FILE_BYTES = 1024 * 1024

_WORD = re.compile(r"(?!svc)[A-Za-z_-]{1,30}")


class RateEntry(BaseModel):
    """How many requests a key may make."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    per_second: float = Field(ge=0.001, le=1_000_000, allow_inf_nan=False, description="average requests per second")
    burst: int = Field(ge=1, le=1_000_000, description="maximum number of requests in a burst")


class KeyEntry(BaseModel):
    """One key of the file; a name of the keys on offer begins with what that one may do."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

    name: str = Field(min_length=1, max_length=60, description="name in the control routes and the log")
    api_key: str | None = Field(
        default=None,
        repr=False,
        pattern=f"^({LIVE_PREFIX}|{TEST_PREFIX})[!-~]+$",
        max_length=400,
        description=f"the key; begins with {LIVE_PREFIX} or {TEST_PREFIX}; ASCII without spaces",
    )
    signing_secret: str | None = Field(
        default=None, repr=False, min_length=1, max_length=400, description="the signing secret"
    )
    note: str | None = Field(default=None, max_length=400, description="a short note")
    scopes: tuple[Literal["read", "write"], ...] | None = Field(
        default=None, description="a list with read, write or both"
    )
    must_sign: bool | None = Field(
        default=None, description="true or false; default: true for live keys, false for test keys"
    )
    expires_at: AwareDatetime | None = Field(default=None, description="a time such as 2027-01-01T00:00:00Z")
    revoked: bool | None = Field(default=None, description="true or false")
    addresses: tuple[str, ...] | None = Field(
        default=None, description="a list of IP addresses and CIDR blocks; empty: any IP address"
    )
    rate: RateEntry | None = Field(default=None, description="an object with per_second and burst")

    @field_validator("addresses")
    @classmethod
    def _are_networks(cls, blocks: tuple[str, ...] | None) -> tuple[str, ...] | None:
        parse_networks(*blocks or ())
        return blocks

    def settings(self) -> KeySettings:
        """The key as the service takes it; raises SandboxError where it doesn't fit its name."""
        policy = self._policy()
        if self.api_key is not None and not self.api_key.startswith(policy.prefix):
            raise SandboxError(f"the key {self.name!r} must start with {policy.prefix}")
        if policy.must_sign and self.api_key is not None and not self.signing_secret:
            raise SandboxError(f"requests with the key {self.name!r} must be signed; add its signing secret")
        return KeySettings(policy, self.api_key, self.signing_secret)

    def _policy(self) -> KeyPolicy:
        usual = next((policy for policy in POLICIES if policy.name == self.name), None)
        if usual is None:
            prefix = LIVE_PREFIX if (self.api_key or "").startswith(LIVE_PREFIX) else TEST_PREFIX
            usual = KeyPolicy(self.name, prefix, "", must_sign=prefix == LIVE_PREFIX)
        must_sign = usual.must_sign if self.must_sign is None else self.must_sign
        return KeyPolicy(
            self.name,
            usual.prefix,
            note=usual.note if self.note is None else self.note,
            scopes=usual.scopes if self.scopes is None else frozenset(self.scopes),
            must_sign=must_sign,
            # A key that comes with no secret has none, unless it can't be used without.
            has_secret=must_sign or self.signing_secret is not None or (self.api_key is None and usual.has_secret),
            expires_at=usual.expires_at if self.expires_at is None else self.expires_at.timestamp(),
            revoked=usual.revoked if self.revoked is None else self.revoked,
            allowed=usual.allowed if self.addresses is None else parse_networks(*self.addresses),
            rate=usual.rate if self.rate is None else RateLimit(self.rate.per_second, self.rate.burst),
        )


class KeyFile(BaseModel):
    """The whole file; what else the service's first line holds is left aside."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    keys: tuple[KeyEntry, ...] = Field(max_length=1_000, description="a list of keys")


def read_key_file(path: Path) -> tuple[KeySettings, ...]:
    """The keys in a file; raises SandboxError in one line that shows no key."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SandboxError(f"{path} can't be read: {error.strerror}") from None
    if len(content) > MAX_FILE_BYTES:
        raise SandboxError(f"{path} is larger than 1 MB; it must contain only keys")
    # Some editors begin a file of UTF-8 with a mark that JSON does not know.
    return parse_keys(content.removeprefix(codecs.BOM_UTF8), str(path))


def parse_keys(text: bytes | str, source: str) -> tuple[KeySettings, ...]:
    """The keys in the text of a file, which messages call `source`; raises SandboxError."""
    try:
        entries = KeyFile.model_validate_json(text).keys
    except ValidationError as error:
        raise SandboxError(f"{source}: {_json_mistake(text) or _first_mistake(error)}") from None
    names = [entry.name for entry in entries]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SandboxError(f"{source}: two keys are named {twice!r}; use a different name for each")
    try:
        return tuple(entry.settings() for entry in entries)
    except SandboxError as error:
        raise SandboxError(f"{source}: {error}") from None


def keys_text(keys: tuple[KeySettings, ...]) -> str:
    """The keys as the text of a file, from which `parse_keys` makes them again."""
    return KeyFile(keys=tuple(map(_entry, keys))).model_dump_json(exclude_none=True)


def _entry(key: KeySettings) -> KeyEntry:
    policy = key.policy
    return KeyEntry(
        name=policy.name,
        api_key=key.api_key,
        signing_secret=key.signing_secret,
        note=policy.note,
        scopes=tuple(scope for scope in (READ, WRITE) if scope in policy.scopes),  # type: ignore[misc]
        must_sign=policy.must_sign,
        expires_at=None if policy.expires_at is None else datetime.fromtimestamp(policy.expires_at, UTC),
        revoked=policy.revoked,
        addresses=tuple(map(str, policy.allowed)),
        rate=None if policy.rate is None else RateEntry(per_second=policy.rate.per_second, burst=policy.rate.burst),
    )


def _json_mistake(text: bytes | str) -> str:
    """Return why and where the text is not JSON; "" if it is JSON."""
    try:
        loads(text)
    except JsonError as error:
        return f"not JSON: {error}"
    return ""


def _first_mistake(error: ValidationError) -> str:
    """The first thing that is wrong, where it is, and what may stand there: never what stands there, a key perhaps."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return "it is not JSON"
    model: type[BaseModel] = KeyFile
    place, description = "", "an object with a list named keys"
    for step in first["loc"]:
        if isinstance(step, int):
            place += f"[{step}]"
            if model is KeyFile:
                model, description = KeyEntry, "an object with name, api_key and other fields"
            continue
        place += f".{step}" if place else step
        if step not in model.model_fields:
            # A key may have slipped to where a name belongs, so nothing but a short word is shown.
            shown = place if _WORD.fullmatch(step) else f"a field in {place.removesuffix(f'.{step}')}"
            return f"{shown} is not a known field; the fields are {', '.join(model.model_fields)}"
        description = model.model_fields[step].description or ""
        if step == "rate":
            model = RateEntry
    return (
        f"{place or 'it'} must be {description}" if first["type"] != "missing" else f"{place} is missing: {description}"
    )
