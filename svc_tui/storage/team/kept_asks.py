"""Changes that this machine asked colleagues to approve, stored whole so that they can be sent."""

import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Mapping

from msgspec import Struct

from svc_tui.core.jsontext import Json, dumps
from svc_tui.core.records import Place
from svc_tui.core.requests import RequestSpec
from svc_tui.storage.database import transaction
from svc_tui.storage.database_thread import DatabaseThread, on_thread
from svc_tui.storage.errors import StoreError
from svc_tui.storage.plan import Plan
from svc_tui.storage.plan_rows import PLAN
from svc_tui.storage.row_values import describe_unreadable, place_key, place_of, read_object
from svc_tui.storage.scope import StorageScope, scope_key

_UNREADABLE = describe_unreadable("an approval request")


class KeptAsk(Struct, frozen=True):
    """A change that waits for approval, as the author's computer stores it to send it later, without key and secret.

    `kind` is the kind of change, `spec` the request with its idempotency key, None for a plan, which has the run `run`.
    `shown` is the record that the author saw, None for none; its fields `concerned` must not change. `edits` are the
    fields of an edit. `salt` is the key of a plan's digest.
    """

    id: str
    kind: str
    place: Place | None = None
    spec: RequestSpec | None = None
    shown: Mapping[str, Json] | None = None
    etag: str = ""
    concerned: tuple[str, ...] = ()
    edits: Mapping[str, Json] | None = None
    ticket: str = ""
    run: str = ""
    salt: str = ""


class AskStore:
    """The changes of one scope that wait for approval. Every call raises StoreError."""

    def __init__(self, worker: DatabaseThread, scope: StorageScope) -> None:
        self._database, self._scope = worker, scope_key(scope)

    @on_thread
    def all(self, connection: sqlite3.Connection) -> list[KeptAsk]:
        """Return every stored ask, the last one first; one that can't be read stays in the database and is left out."""
        rows = connection.execute(
            "SELECT id, kept FROM team_asks WHERE shelf = ? ORDER BY number DESC", (self._scope,)
        ).fetchall()
        asks = []
        for ask_id, text in rows:
            try:
                asks.append(_kept(ask_id, read_object(text)))
            except (StoreError, ValueError):
                continue
        return asks

    @on_thread
    def keep(self, connection: sqlite3.Connection, kept: KeptAsk) -> None:
        """Store this state of an ask in place of the one before."""
        connection.execute(
            """
            INSERT INTO team_asks (shelf, id, kept) VALUES (?, ?, ?)
            ON CONFLICT (shelf, id) DO UPDATE SET kept = excluded.kept
            """,
            (self._scope, kept.id, _text(kept)),
        )

    @on_thread
    def drop(self, connection: sqlite3.Connection, ask_id: str) -> None:
        """Delete an ask."""
        connection.execute("DELETE FROM team_asks WHERE shelf = ? AND id = ?", (self._scope, ask_id))

    @on_thread
    def note_told(self, connection: sqlite3.Connection, ask_id: str, standing: str) -> bool:
        """Note the state of an ask that its author is told; return True if it is news, to one program alone."""
        changed = connection.execute(
            "UPDATE team_asks SET told = ? WHERE shelf = ? AND id = ? AND told <> ?",
            (standing, self._scope, ask_id, standing),
        )
        return changed.rowcount > 0

    @on_thread
    def keep_plan(self, connection: sqlite3.Connection, kept: KeptAsk, plan: Plan) -> None:
        """Store an ask for a plan, with the plan."""
        text, whole = _text(kept), PLAN.text(plan)
        with transaction(connection):
            connection.execute(
                "INSERT INTO team_asks (shelf, id, kept, plan) VALUES (?, ?, ?, ?)",
                (self._scope, kept.id, text, whole),
            )

    @on_thread
    def plan_of(self, connection: sqlite3.Connection, ask_id: str) -> Plan | None:
        """Return the plan that was asked for; None if there is none."""
        row = connection.execute(
            "SELECT plan FROM team_asks WHERE shelf = ? AND id = ?", (self._scope, ask_id)
        ).fetchone()
        return PLAN.read_text(row[0]) if row and row[0] else None


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
