"""What the embedded service is started with, and how that crosses to its own process."""

import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from svc_tui.sandbox.faults import FAULTS, parse_fault

MAX_RECORDS = 10_000_000
KEY_PREFIXES = ("svc_live_", "svc_test_")


class SandboxError(Exception):
    """The service cannot start as asked; the text is one line that says what to change."""


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A key the service accepts: shown once when it starts, never again (service-interface, "API keys")."""

    name: str
    api_key: str = field(repr=False)
    signing_secret: str | None = field(repr=False)
    note: str = ""

    def announced(self) -> dict[str, str | None]:
        """The key as the first line on stdout gives it."""
        return {
            "name": self.name,
            "api_key": self.api_key,
            "signing_secret": self.signing_secret,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """How to run the service.

    `port` 0 lets the system choose. `records` is the size of the two big collections (None: 5,000 lots and 20,000
    production logs). `latency_ms` delays each answer. `faults` are names from the registry, each with an optional
    `:N` for one request in N. `database` keeps changes across restarts; without it they live in memory. `keys`
    fixes keys by name, the others are made anew at each start. `control_token` opens the control routes.
    """

    host: str = "127.0.0.1"
    port: int = 0
    records: int | None = None
    latency_ms: int = 0
    faults: tuple[str, ...] = ()
    database: Path | None = None
    keys: tuple[IssuedKey, ...] | None = field(default=None, repr=False)
    control_token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _check_host(self.host)
        if not 0 <= self.port <= 65_535:
            raise SandboxError(f"port {self.port} is not between 0 and 65535 (0 lets the system choose)")
        if self.records is not None and not 0 <= self.records <= MAX_RECORDS:
            raise SandboxError(f"records must be between 0 and {MAX_RECORDS}, not {self.records}")
        if not 0 <= self.latency_ms <= 600_000:
            raise SandboxError(f"latency must be between 0 and 600000 ms, not {self.latency_ms}")
        for text in self.faults:
            parsed = parse_fault(text)
            if parsed is None:
                raise SandboxError(f"no fault {text!r}; choose from {', '.join(FAULTS)}, each with an optional :N")
            if parsed[0] == "hold" and self.control_token is None:
                raise SandboxError("the fault hold waits for a test to release it; choose slow instead")
        for key in self.keys or ():
            if not key.api_key.startswith(KEY_PREFIXES) or not key.api_key.isascii():
                raise SandboxError(f"the key {key.name!r} must start with svc_live_ or svc_test_")

    def to_line(self) -> str:
        """One line of JSON for the service's standard input; it holds secrets and goes nowhere else."""
        return json.dumps(
            {
                "host": self.host,
                "port": self.port,
                "records": self.records,
                "latency_ms": self.latency_ms,
                "faults": self.faults,
                "database": None if self.database is None else str(self.database),
                "keys": None if self.keys is None else [key.announced() for key in self.keys],
                "control_token": self.control_token,
            }
        )


def options_from_line(line: str) -> SandboxOptions:
    """The options that `to_line` wrote; raises SandboxError."""
    try:
        values: dict[str, Any] = dict(json.loads(line))
        keys, database = values.pop("keys"), values.pop("database")
        return SandboxOptions(
            **{**values, "faults": tuple(values["faults"])},
            database=None if database is None else Path(database),
            keys=None if keys is None else parse_issued_keys(keys),
        )
    except (ValueError, TypeError, KeyError):
        # The text may hold secrets, so neither it nor the error that quotes it is passed on.
        raise SandboxError("the first line on standard input must be the service's options as JSON") from None


def find_key(keys: tuple[IssuedKey, ...], name: str) -> IssuedKey:
    """The key of that name; KeyError if there is none."""
    return {key.name: key for key in keys}[name]


def parse_issued_keys(entries: list[Mapping[str, Any]]) -> tuple[IssuedKey, ...]:
    """Keys from their announced form."""
    return tuple(IssuedKey(e["name"], e["api_key"], e["signing_secret"], e["note"]) for e in entries)


def _check_host(host: str) -> None:
    if host == "localhost":
        return
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise SandboxError(f"host {host!r} is neither an IP address nor localhost") from None
