"""What the embedded service is started with, and how that crosses to its own process."""

import ipaddress
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from svc_tui.sandbox.access.keys import KeySettings
from svc_tui.sandbox.clock import MAX_OFFSET_SECONDS
from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.faults import FAULTS, parse_fault
from svc_tui.sandbox.variants import Variants

MAX_RECORDS = 10_000_000
MAX_SEED = 2**63 - 1
MIN_TOKEN_LENGTH = 8


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """How to run the service.

    `port` 0 lets the system choose. `records` is the size of the two big collections (None: 5,000 lots and 20,000
    production logs). `latency_ms` delays each answer. `faults` are names from the registry, each with an optional
    `:N` for one request in N. `database` keeps changes across restarts; without it they go with the service. `keys`
    fixes keys by name, the others are made anew at each start. `control_token` opens the control routes. Another
    `seed` makes other data of the same kind. The clock goes `clock_offset` seconds ahead. `variants` settle what the
    service's document leaves open. `split` serves live and test keys at base URLs of their own, each with its data.
    """

    host: str = "127.0.0.1"
    port: int = 0
    records: int | None = None
    latency_ms: int = 0
    faults: tuple[str, ...] = ()
    database: Path | None = None
    keys: tuple[KeySettings, ...] = field(default=(), repr=False)
    control_token: str | None = field(default=None, repr=False)
    seed: int | None = None
    clock_offset: int = 0
    variants: Variants = field(default_factory=Variants)
    split: bool = False

    def __post_init__(self) -> None:
        _check_host(self.host)
        _check_range("port", self.port, 0, 65_535, " (0: the system chooses)")
        if self.split and self.port == 65_535:
            raise SandboxError("--split needs two ports; choose a port below 65535")
        if self.records is not None:
            _check_range("records", self.records, 0, MAX_RECORDS)
        _check_range("latency", self.latency_ms, 0, 600_000, " ms")
        if self.seed is not None:
            _check_range("seed", self.seed, 0, MAX_SEED)
        _check_range("the clock's offset", self.clock_offset, -MAX_OFFSET_SECONDS, MAX_OFFSET_SECONDS, " s")
        for text in self.faults:
            parsed = parse_fault(text)
            if parsed is None:
                raise SandboxError(f"unknown fault {text!r}; choose from {', '.join(FAULTS)}, each with an optional :N")
            if parsed[0] == "hold" and self.control_token is None:
                raise SandboxError(
                    "the fault 'hold' needs a control token, to release the responses; without one, use 'slow'"
                )
        if self.control_token is not None and not (self.control_token.isascii() and self.control_token.isprintable()):
            raise SandboxError("the control token must be ASCII without control characters")
        if self.control_token is not None and self.control_token != self.control_token.strip():
            # HTTP takes it from the ends of a header, so nobody could send it.
            raise SandboxError("the control token must not begin or end with a space")
        if self.control_token is not None and len(self.control_token) < MIN_TOKEN_LENGTH:
            raise SandboxError(f"the control token must have at least {MIN_TOKEN_LENGTH} characters")

    def to_line(self) -> str:
        """One line of JSON for the service's standard input; it holds secrets and goes nowhere else."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        if self.keys:
            # Only who fixes keys waits for the library that reads them.
            from svc_tui.sandbox.access.key_file import keys_text

            values["keys"] = keys_text(self.keys)
        values["database"] = None if self.database is None else str(self.database)
        values["variants"] = dict(self.variants.chosen)
        return json.dumps(values)


def options_from_line(line: str) -> SandboxOptions:
    """The options that `to_line` wrote; raises SandboxError."""
    try:
        values: dict[str, Any] = dict(json.loads(line))
        keys, database, variants = values.pop("keys"), values.pop("database"), values.pop("variants")
        return SandboxOptions(
            **{**values, "faults": tuple(values["faults"])},
            database=None if database is None else Path(database),
            keys=_parsed_keys(keys) if keys else (),
            variants=Variants(variants),
        )
    except (ValueError, TypeError, KeyError):
        # The text may hold secrets, so neither it nor the error that quotes it is passed on.
        raise SandboxError("the first line on standard input must be the service's options as JSON") from None


def _parsed_keys(text: str) -> tuple[KeySettings, ...]:
    from svc_tui.sandbox.access.key_file import parse_keys

    return parse_keys(text, "the keys")


def _check_range(name: str, value: int, least: int, most: int, more: str = "") -> None:
    if not least <= value <= most:
        raise SandboxError(f"{name} must be between {least} and {most}{more}, not {value}")


def _check_host(host: str) -> None:
    if host == "localhost":
        return
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise SandboxError(f"host {host!r} is not an IP address or localhost") from None
