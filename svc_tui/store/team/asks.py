"""What this machine keeps of the changes that it asked colleagues to approve: whole, so that they can be sent."""

import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Mapping

from svc_tui.domain.editing.ports import StorageScope, StoreError
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.domain.model.records import Place
from svc_tui.domain.model.requests import RequestSpec
from svc_tui.domain.plans.plan import Plan
from svc_tui.domain.team.kept_ask import KeptAsk
from svc_tui.store.database import transaction
from svc_tui.store.database_thread import DatabaseThread
from svc_tui.store.plan_rows import PLAN
from svc_tui.store.row_values import describe_unreadable, place_key, place_of, read_object, scope_key

_UNREADABLE = describe_unreadable("an approval request")


class SqliteAsks:
    """The asks of one scope; see `domain.team.ports.AskStore` and `domain.plans.ports.AskedPlans`."""

    def __init__(self, worker: DatabaseThread, scope: StorageScope) -> None:
        self._database, self._scope = worker, scope_key(scope)

    async def all(self) -> list[KeptAsk]:
        """Every ask that is kept, the last one first; one that can't be read is left where it is, and left out."""
        return await self._database.run(self._read)

    async def keep(self, kept: KeptAsk) -> None:
        """Keep this state of an ask in place of the one before."""
        text = _text(kept)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                """
                INSERT INTO team_asks (shelf, id, kept) VALUES (?, ?, ?)
                ON CONFLICT (shelf, id) DO UPDATE SET kept = excluded.kept
                """,
                (self._scope, kept.id, text),
            )

        await self._database.run(write)

    async def drop(self, ask_id: str) -> None:
        """Forget one."""

        def forget(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM team_asks WHERE shelf = ? AND id = ?", (self._scope, ask_id))

        await self._database.run(forget)

    async def note_told(self, ask_id: str, standing: str) -> bool:
        """Note what the author is told of an ask; gives whether that is news, to one program alone."""

        def note(connection: sqlite3.Connection) -> bool:
            changed = connection.execute(
                "UPDATE team_asks SET told = ? WHERE shelf = ? AND id = ? AND told <> ?",
                (standing, self._scope, ask_id, standing),
            )
            return changed.rowcount > 0

        return await self._database.run(note)

    async def keep_plan(self, kept: KeptAsk, plan: Plan) -> None:
        """Keep an ask for a plan, with the plan."""
        text, whole = _text(kept), PLAN.text(plan)

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.execute(
                    "INSERT INTO team_asks (shelf, id, kept, plan) VALUES (?, ?, ?, ?)",
                    (self._scope, kept.id, text, whole),
                )

        await self._database.run(write)

    async def plan_of(self, ask_id: str) -> Plan | None:
        """The plan that was asked for; None where there is none."""

        def read(connection: sqlite3.Connection) -> str:
            row = connection.execute(
                "SELECT plan FROM team_asks WHERE shelf = ? AND id = ?", (self._scope, ask_id)
            ).fetchone()
            return row[0] if row else ""

        text = await self._database.run(read)
        return PLAN.read_text(text) if text else None

    def _read(self, connection: sqlite3.Connection) -> list[KeptAsk]:
        rows = connection.execute(
            "SELECT id, kept FROM team_asks WHERE shelf = ? ORDER BY number DESC", (self._scope,)
        ).fetchall()
        kept = []
        for ask_id, text in rows:
            try:
                kept.append(_kept(ask_id, read_object(text)))
            except (StoreError, ValueError):
                continue
        return kept


def _text(kept: KeptAsk) -> str:
    place, spec = kept.place, kept.spec
    whole: dict[str, Json] = {
        "kind": kept.kind,
        "place": None if place is None else place_key(place.collection, place.record_id or ""),
        "spec": None if spec is None else _spec(spec),
        "shown": kept.shown,
        "etag": kept.etag,
        "concerned": list(kept.concerned),
        "edits": kept.edits,
        "ticket": kept.ticket,
        "run": kept.run,
        "salt": kept.salt,
    }
    return dumps(whole, ascii_only=True)


def _spec(spec: RequestSpec) -> Json:
    query: list[Json] = [list(pair) for pair in spec.query]
    headers: list[Json] = [list(pair) for pair in spec.headers]
    return [spec.method, spec.path, query, headers, b64encode(spec.body).decode(), spec.idempotency_key]


def _kept(ask_id: str, stored: Mapping[str, Json]) -> KeptAsk:
    match stored:
        case {
            "kind": str(kind),
            "place": str() | None as place,
            "spec": list() | None as spec,
            "shown": dict() | None as shown,
            "etag": str(etag),
            "concerned": list(concerned),
            "edits": dict() | None as edits,
            "ticket": str(ticket),
            "run": str(run),
            "salt": str(salt),
        }:
            return KeptAsk(
                ask_id,
                kind,
                None if place is None else _place(place),
                None if spec is None else _read_spec(spec),
                shown,
                etag,
                tuple(map(str, concerned)),
                edits,
                ticket,
                run,
                salt,
            )
    raise StoreError(_UNREADABLE)


def _place(text: str) -> Place:
    collection, record_id = place_of(text)
    return Place(collection, record_id or None)


def _read_spec(stored: list[Json]) -> RequestSpec:
    match stored:
        case [str(method), str(path), list(query), list(headers), str(body), str(key)]:
            return RequestSpec(method, path, _pairs(query), _pairs(headers), b64decode(body), key)
    raise StoreError(_UNREADABLE)


def _pairs(stored: list[Json]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for pair in stored:
        match pair:
            case [str(name), str(value)]:
                pairs.append((name, value))
            case _:
                raise StoreError(_UNREADABLE)
    return tuple(pairs)
