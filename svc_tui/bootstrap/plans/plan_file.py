"""A plan as a file: written by `svc-tui plan`, looked at by somebody, and carried out by `svc-tui apply`.

One JSON object: what the plan was made for, the plan, and a digest over all that, so that a plan that was changed after
somebody agreed to it is not carried out. It is no signature: who can write the file can write its digest too.
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from svc_tui.bootstrap.output import atomic_file
from svc_tui.bootstrap.start import CommandFailure
from svc_tui.core.credentials import Environment
from svc_tui.core.export_formats import encode_utf8
from svc_tui.core.jsontext import Json, JsonError, dumps, loads, number
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan
from svc_tui.storage.scope import StorageScope

VERSION = 1
"""The version of the format; another one is refused."""

_FORMAT = "svc-tui plan"
_HEAD = b'{"format":"svc-tui plan",'
"""What such a file begins with, as this program writes it."""

_DIGEST = "digest"
_MAX_BYTES = 500_000_000


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan, and what it was made for; `name` is the file's own, as it was given.

    `machine` is the id of the machine that it was made on, "" where that is not known, as in files of 1.0.0.
    """

    plan: Plan
    scope: StorageScope
    name: str = ""
    machine: str = ""


def write_plan_file(file: Path, kept: PlanFile) -> None:
    """Put the plan in its place, whole or not at all, readable by its owner alone; raises CommandFailure.

    A file that is there and is no plan is not replaced.
    """
    check_replaceable(file, _HEAD, "a plan")
    document = _document(kept)
    *fields, (_, plan) = document.items()
    assert isinstance(plan, dict)
    listed = plan["rows"]
    assert isinstance(listed, list)
    # A row a line: for those who look at it with the tools that they have.
    rows = ",\n".join(map(dumps, listed))
    head = ",".join(f"{dumps(name)}:{dumps(value)}" for name, value in fields)
    rest = "".join(f",{dumps(name)}:{dumps(value)}" for name, value in plan.items() if name != "rows")
    text = f'{{{head},"plan":{{"rows":[\n{rows}\n]{rest}}},"{_DIGEST}":"{_digest(document)}"}}\n'
    with atomic_file(file) as out:
        out.put(encode_utf8(text))


def read_plan_file(file: Path) -> PlanFile:
    """The plan in a file; raises CommandFailure for one that is no plan, of another version, or was changed since."""
    from svc_tui.storage.plan_rows import PLAN

    try:
        if file.stat().st_size > _MAX_BYTES:
            raise CommandFailure(f"{file} is too large for a plan (at most {_MAX_BYTES // 1_000_000} MB)")
        data = file.read_bytes()
    except OSError as error:
        raise CommandFailure(f"{file} can't be read: {error.strerror}") from None
    try:
        document = loads(data)
    except JsonError:
        document = None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise CommandFailure(f"{file} is not a plan; create one with: svc-tui plan COLLECTION FILE -o PLAN")
    if document.get("version") != number(VERSION):
        raise CommandFailure(f"{file} is from another version of svc-tui; create the plan again")
    digest = document.pop(_DIGEST, None)
    if digest != _digest(document):
        raise CommandFailure(f"{file} was edited after it was created; create the plan again")
    try:
        return _read(document, PLAN.read(document["plan"]), str(file))
    except (StoreError, KeyError, ValueError):
        raise CommandFailure(f"{file} can't be read as a plan; create the plan again") from None


def machine_id(file: Path) -> str:
    """Return the random id of this machine, kept in a file of the state directory; "" where none can be kept."""
    with suppress(OSError, UnicodeDecodeError):
        if known := file.read_text(encoding="ascii").strip():
            return known
    new = uuid4().hex
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_file(file) as out:
            out.put(f"{new}\n".encode("ascii"))
    except (OSError, CommandFailure):
        return ""
    return new


def check_replaceable(file: Path, head: bytes, what: str) -> None:
    """Refuse to replace a file that does not begin as those of this program do; raises CommandFailure."""
    try:
        with file.open("rb") as held:
            begins = held.read(len(head))
    except FileNotFoundError:
        return
    except OSError as error:
        raise CommandFailure(f"{file} can't be written: {error.strerror}") from None
    if begins and begins != head:
        raise CommandFailure(f"{file} exists and is not {what}, so it was not replaced; use another file")


def _document(kept: PlanFile) -> dict[str, Json]:
    from svc_tui.storage.plan_rows import PLAN

    plan, scope = kept.plan, kept.scope
    return {
        "format": _FORMAT,
        "version": number(VERSION),
        "profile": scope.profile,
        "environment": scope.environment.value,
        "base_url": scope.base_url,
        "made": plan.made.isoformat(),
        **({"machine": kept.machine} if kept.machine else {}),
        "plan": PLAN.write(plan),
    }


def _read(document: Mapping[str, Json], plan: Plan, name: str) -> PlanFile:
    profile, environment, base_url = document["profile"], document["environment"], document["base_url"]
    machine = document.get("machine", "")
    if not (
        isinstance(profile, str)
        and isinstance(environment, str)
        and isinstance(base_url, str)
        and isinstance(machine, str)
    ):
        raise ValueError(profile)
    return PlanFile(plan, StorageScope(profile, Environment(environment), base_url), name, machine)


def _digest(document: Mapping[str, Json]) -> str:
    """The SHA-256 of the document whatever the order of names in it and the white space between."""
    return hashlib.sha256(dumps(_ordered(dict(document)), ascii_only=True).encode("ascii")).hexdigest()


def _ordered(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value
