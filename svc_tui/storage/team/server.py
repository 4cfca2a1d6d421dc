"""A team server behind one psycopg connection, which is opened again after it was lost."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeAlias, TypeVar
from uuid import UUID, uuid4

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.conninfo import make_conninfo

from svc_tui.core.credentials import CredentialError
from svc_tui.storage.errors import ChainTaken, TeamServerError
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import MAX_NAME_CHARACTERS, ChainHead, ChainNews, Presence, SealedLine, ServiceScope
from svc_tui.storage.team.server_schema import VERSION, RoleRights, make_schema, role_rights, schema_version
from svc_tui.storage.team.team_url import TeamUrl

CONNECT_SECONDS = 5
"""Timeout for connecting."""

ANSWER_SECONDS = 20.0
"""Timeout for one call."""

LEASE_SECONDS = 30
"""Time that a record counts as open after its program stopped without `leave`."""

ServerConnection: TypeAlias = AsyncConnection[tuple[object, ...]]
_T = TypeVar("_T")


class TeamServer:
    """PostgreSQL server of the team, used by one task at a time. Every call raises TeamServerError."""

    def __init__(self, url: TeamUrl, password: Callable[[], str]) -> None:
        """Nothing is connected yet. `password` may block, and raises CredentialError."""
        self._url, self._password = url, password
        self._connection: ServerConnection | None = None
        self._understood = False
        """True if the version of the tables was checked on this connection."""
        self._program = str(uuid4())

    async def publish(self, author: Author, lines: Sequence[SealedLine]) -> None:
        """Insert the lines; existing ones are not changed."""
        async with self._ready() as connection, connection.transaction():
            await connection.execute(_JOIN, (author.chain, author.name, author.machine))
            async with connection.cursor() as cursor:
                await cursor.executemany(
                    _PUBLISH, [(line.digest, line.chain, line.sequence, line.previous, line.text) for line in lines]
                )

    async def news(self, heads: Mapping[str, ChainHead], limit: int = 500) -> Sequence[ChainNews]:
        """Return the lines of each chain after its known head, at most `limit` of each."""
        async with self._ready() as connection:
            known = (list(map(UUID, heads)), [head.sequence for head in heads.values()])
            machines = await (await connection.execute(_MACHINES, known)).fetchall()
            lines: dict[str, list[SealedLine]] = {}
            rows = await connection.execute(_NEWS, (*known, limit))
            async for row in rows:
                line = _sealed(*row)
                lines.setdefault(line.chain, []).append(line)
        return [
            ChainNews(_author(chain, name, machine), str(digest or ""), lines.get(str(chain), []))
            for chain, name, machine, digest in machines
        ]

    async def meet(self, author: Author, open_places: Sequence[Presence]) -> Sequence[Presence]:
        """Store which records this program has open for editing, and return those of others."""
        async with self._ready() as connection, connection.transaction():
            await connection.execute(_LEAVE, (self._program,))
            for open_place in open_places:
                scope = open_place.scope
                await connection.execute(
                    _MEET,
                    (
                        self._program, author.chain, author.name, author.machine,
                        scope.environment, scope.base_url, open_place.place, LEASE_SECONDS,
                    ),
                )  # fmt: skip
            rows = await (await connection.execute(_OTHERS, (self._program,))).fetchall()
        return [
            Presence(Author(*map(str, (name, machine, chain))), ServiceScope(str(environment), str(url)), str(place))
            for chain, name, machine, environment, url, place in rows
        ]

    async def leave(self) -> None:
        """Delete the presence of this program; without a connection, it expires."""
        if self._connection is not None:
            async with self._ready() as connection:
                await connection.execute(_LEAVE, (self._program,))

    async def init(self) -> tuple[int, int]:
        """Create or upgrade the tables; return their version before, 0 for none, and after."""
        return await self._asked(lambda: self._with_any_schema(make_schema))

    async def version(self) -> int:
        """Return the version of the schema, 0 if there is none."""
        return await self._asked(lambda: self._with_any_schema(schema_version))

    async def rights(self) -> RoleRights:
        """Return which rights the role lacks or should not have, for any version of the schema."""
        return await self._asked(lambda: self._with_any_schema(role_rights))

    async def check_ready(self) -> None:
        """Check that lines can be inserted now; raise TeamServerError if not."""
        async with self._ready() as connection:
            if missing := (await role_rights(connection)).missing:
                raise TeamServerError(
                    f"{self._where}: the role needs {', '.join(missing)}; run the GRANT statements of svc-tui "
                    "team init",
                    lasting=True,
                )

    async def machines(self) -> Sequence[Author]:
        """Return the authors of all chains."""
        async with self._ready() as connection:
            rows = await (await connection.execute(_EVERY_MACHINE)).fetchall()
        return [_author(*row) for row in rows]

    async def lines_of(self, chain: str, after: int, limit: int) -> Sequence[SealedLine]:
        """Return the lines of a chain after a sequence, in order, at most `limit`."""
        async with self._ready() as connection:
            rows = await (await connection.execute(_LINES_OF, (UUID(chain), after, limit))).fetchall()
        return [_sealed(*row) for row in rows]

    async def counts(self) -> Mapping[str, int]:
        """Return the number of computers and of lines."""
        async with self._ready() as connection:
            row = await (await connection.execute(_COUNTS)).fetchone()
        assert row is not None
        return {"machines": int(str(row[0])), "lines": int(str(row[1]))}

    async def aclose(self) -> None:
        """Close the connection; may be called again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                await connection.close()

    # The connection

    async def _with_any_schema(self, work: Callable[[ServerConnection], Awaitable[_T]]) -> _T:
        return await work(await self._connected())

    @asynccontextmanager
    async def _ready(self) -> AsyncIterator[ServerConnection]:
        """Connect, and check the version of the tables; raises TeamServerError."""
        async with self._explained():
            connection = await self._connected()
            if not self._understood:
                if problem := _version_problem(await schema_version(connection)):
                    await self.aclose()
                    raise TeamServerError(problem, lasting=True)
                self._understood = True
            yield connection

    async def _connected(self) -> ServerConnection:
        if self._connection is None or self._connection.closed:
            password = await asyncio.to_thread(self._password)
            secret = {"password": password} if password else {}
            self._understood = False
            about = make_conninfo(self._url.shown, **secret, **_only_there(self._url), application_name="svc-tui")
            self._connection = await AsyncConnection.connect(about, autocommit=True, connect_timeout=CONNECT_SECONDS)
        return self._connection

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        """Raise errors as TeamServerError, and close the connection after one, so that the next call reconnects."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                yield
        except TimeoutError:
            await self._drop()
            raise TeamServerError(f"{self._where} did not respond within {ANSWER_SECONDS:.0f} s") from None
        except CredentialError as error:
            raise TeamServerError(f"the password for {self._where} can't be read: {error}", lasting=True) from None
        except psycopg.Error as error:
            await self._drop()
            raise self._problem(error) from None
        except asyncio.CancelledError:
            # What was under way may come to its end at any time: nobody may be answered by it.
            await self._drop()
            raise

    async def _asked(self, work: Callable[[], Awaitable[_T]]) -> _T:
        async with self._explained():
            return await work()

    async def _drop(self) -> None:
        await asyncio.shield(self.aclose())

    @property
    def _where(self) -> str:
        return f"the team server ({self._url.shown.partition('://')[2].partition('?')[0]})"

    def _problem(self, error: psycopg.Error) -> TeamServerError:
        if isinstance(error, errors.InsufficientPrivilege):
            return TeamServerError(
                f"{self._where}: the role lacks a right ({error.diag.message_primary}); "
                "run the GRANT statements of svc-tui team init",
                lasting=True,
            )
        for kind, words in _REASONS:
            if isinstance(error, kind):
                return TeamServerError(f"{self._where} {words}", lasting=True)
        if isinstance(error, errors.UniqueViolation):
            return ChainTaken(
                f"{self._where} has other entries under the name of this computer: this journal was probably copied "
                "or restored from a backup; run svc-tui team check"
            )
        text = " ".join(str(error).split())
        if (error.sqlstate or "").startswith(_GOING):
            return TeamServerError(f"{self._where} can't be reached: {_connection_problem(text)}")
        if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
            lowered = text.casefold()
            if "certificate" in lowered or "ssl" in lowered:
                return TeamServerError(
                    f"the certificate of {self._where} is not trusted: {_certificate_problem(lowered)}", lasting=True
                )
            for words, why in _WORDS:
                if words in lowered:
                    return TeamServerError(f"{self._where} {why}", lasting=True)
            return TeamServerError(f"{self._where} can't be reached: {_connection_problem(text)}")
        # The server's own words name the table or the rule; there are too many to know.
        said = error.diag.message_primary or error.sqlstate or "no reason given"
        return TeamServerError(f"{self._where} refused the request (PostgreSQL: {' '.join(said.split())})")


def _connection_problem(text: str) -> str:
    """Return the reason for a user, without the words of libpq."""
    lowered = text.casefold()
    return next(
        (reason for words, reason in _CONNECTION_PROBLEMS if words in lowered),
        "the connection failed; check the setting team of the profile, and the network",
    )


def _certificate_problem(lowered: str) -> str:
    return next(
        (reason for words, reason in _CERTIFICATE_PROBLEMS if words in lowered),
        "the TLS connection failed; check sslmode and sslrootcert in the setting team of the profile",
    )


def _author(chain: object, name: object, machine: object) -> Author:
    return Author(str(name)[:MAX_NAME_CHARACTERS], str(machine)[:MAX_NAME_CHARACTERS], str(chain))


def _sealed(
    chain: object, sequence: object, previous: object, body: object, digest: object, received: object
) -> SealedLine:
    assert isinstance(sequence, int)
    assert isinstance(received, datetime)
    return SealedLine(str(chain), sequence, str(previous), str(body), str(digest), received)


def _version_problem(version: int) -> str:
    """Return why a schema of that version can't be used, "" if it can."""
    if version == 0:
        return "the team server has no tables yet; create them with: svc-tui team init"
    if version < VERSION:
        return f"the team's tables are older (schema {version}, not {VERSION}); upgrade them with: svc-tui team init"
    if version > VERSION:
        return f"the team's tables are newer (schema {version}, not {VERSION}); update svc-tui"
    return ""


def _only_there(url: TeamUrl) -> dict[str, str]:
    """Return parameters that libpq would otherwise take from environment variables, which could name another server."""
    told = {"hostaddr": "", **({} if url.host or "host" in url.parameters else {"host": ""})}
    # A server on another computer is verified with the certificates of the system, unless the address names others.
    named = url.parameters.get("sslrootcert", "" if url.is_local else SYSTEM)
    return {**told, "sslrootcert": system_authorities()} if named == SYSTEM else told


_REASONS: Sequence[tuple[type[psycopg.Error], str]] = (
    (errors.InvalidPassword, "refused the password; check the setting team_password of the profile"),
    (errors.InvalidAuthorizationSpecification, "refused the role; check the user in the setting team of the profile"),
    (errors.InvalidCatalogName, "does not have this database; create it, or check team in the profile"),
    (errors.DiskFull, "can't store more entries: its disk is full; entries stay on this computer and are sent later"),
    (errors.ReadOnlySqlTransaction, "is read-only now; entries stay on this computer and are sent later"),
)

_CONNECTION_PROBLEMS = (
    ("connection refused", "the connection was refused; check that it is running, and the port"),
    ("is the server running", "no server listens there; check that it is running, and team in the profile"),
    ("resolve host", "the host name can't be resolved; check team in the profile"),
    ("could not translate host name", "the host name can't be resolved; check team in the profile"),
    ("name or service not known", "the host name can't be resolved; check team in the profile"),
    ("timeout", "it did not respond in time; check the network"),
    ("timed out", "it did not respond in time; check the network"),
    ("no route to host", "there is no route to the host; check the network"),
    ("unreachable", "there is no route to the host; check the network"),
    ("starting up", "it is starting; try again in a moment"),
    ("shutting down", "it is shutting down; try again later"),
    ("terminating connection", "it closed the connection; try again"),
    ("closed", "it closed the connection; try again"),
    ("lost", "the connection was lost; try again"),
    ("too many", "it has too many connections; try again later"),
)
"""Parts of error messages about connections, in lower case, and the texts for users."""

_CERTIFICATE_PROBLEMS = (
    ("expired", "it has expired"),
    ("does not match host name", "it is for another host name"),
    (
        "self-signed",
        "it is self-signed; add the certificate of its authority (CA) to team in the profile: ?sslrootcert=FILE",
    ),
    (
        "self signed",
        "it is self-signed; add the certificate of its authority (CA) to team in the profile: ?sslrootcert=FILE",
    ),
    ("root certificate file", "the file of sslrootcert does not exist"),
    (
        "verify failed",
        "its authority (CA) is not trusted; add the certificate of the CA to team in the profile: ?sslrootcert=FILE",
    ),
    ("does not support ssl", "the server does not support TLS"),
)
"""The same for certificates."""

_GOING = ("08", "57P")
"""SQLSTATE classes for lost connections, and for servers that are starting or shutting down."""

_WORDS = (
    ("password authentication failed", "refused the password; check the setting team_password of the profile"),
    ("no password supplied", "requires a password; set team_password in the profile"),
    ("does not exist", "does not have this role or database; check team in the profile"),
    ("no pg_hba.conf entry", "does not allow this role from this computer; ask its administrator"),
)
"""Parts of libpq's messages about refused connections, which have no SQLSTATE, and the texts for users."""

_JOIN = "INSERT INTO svc_tui.machine (chain, name, machine) VALUES (%s, %s, %s) ON CONFLICT (chain) DO NOTHING"

_PUBLISH = """
    INSERT INTO svc_tui.line (digest, chain, sequence, previous, body) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (digest) DO NOTHING
"""

_KNOWN = "SELECT * FROM unnest(%s::uuid[], %s::bigint[]) AS known (chain, sequence)"

_MACHINES = f"""
    WITH known AS ({_KNOWN})
    SELECT machine.chain, machine.name, machine.machine,
           (SELECT digest FROM svc_tui.line
            WHERE line.chain = machine.chain AND line.sequence = known.sequence)
    FROM svc_tui.machine LEFT JOIN known USING (chain)
"""  # noqa: S608  of this module's own words

_NEWS = f"""
    WITH known AS ({_KNOWN})
    SELECT line.chain, line.sequence, line.previous, line.body, line.digest, line.received
    FROM svc_tui.machine LEFT JOIN known USING (chain)
    CROSS JOIN LATERAL (
        SELECT * FROM svc_tui.line WHERE line.chain = machine.chain AND line.sequence > coalesce(known.sequence, 0)
        ORDER BY line.sequence LIMIT %s
    ) AS line
    ORDER BY line.chain, line.sequence
"""  # noqa: S608  of this module's own words

_EVERY_MACHINE = "SELECT chain, name, machine FROM svc_tui.machine ORDER BY name, machine, chain"

_LINES_OF = """
    SELECT chain, sequence, previous, body, digest, received FROM svc_tui.line
    WHERE chain = %s AND sequence > %s ORDER BY sequence LIMIT %s
"""

_LEAVE = "DELETE FROM svc_tui.presence WHERE program = %s OR until < clock_timestamp()"

_MEET = """
    INSERT INTO svc_tui.presence (program, chain, name, machine, environment, base_url, place, until)
    VALUES (%s, %s, %s, %s, %s, %s, %s, clock_timestamp() + make_interval(secs => %s))
"""

_OTHERS = """
    SELECT chain, name, machine, environment, base_url, place FROM svc_tui.presence
    WHERE program <> %s AND until > clock_timestamp() ORDER BY name
"""

_COUNTS = "SELECT (SELECT count(*) FROM svc_tui.machine), (SELECT count(*) FROM svc_tui.line)"


SYSTEM = "system"
"""The value of `sslrootcert` with which OpenSSL uses `SSL_CERT_FILE`, `SSL_CERT_DIR` or its own directory."""

_USUAL_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""The files with the certificates of the system: Debian, Fedora, openSUSE, Alpine and macOS."""


def system_authorities(variables: Mapping[str, str] = os.environ, usual_files: Sequence[str] = _USUAL_FILES) -> str:
    """Return the file with the certificates of the system.

    psycopg's binary package has its own OpenSSL, whose default directory exists on no system, so that with
    `sslrootcert=system` it trusts nobody.
    """
    if variables.get("SSL_CERT_FILE") or variables.get("SSL_CERT_DIR"):
        return SYSTEM
    own = ssl.get_default_verify_paths().cafile
    return next((file for file in (*usual_files, own) if file and Path(file).is_file()), SYSTEM)
