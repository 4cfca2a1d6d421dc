"""The team's tables in PostgreSQL: creating and upgrading them, and the rights of roles."""

from collections.abc import Sequence

from msgspec import Struct
from psycopg import AsyncConnection
from psycopg.sql import SQL, Identifier

SCHEMA_NAME = "svc_tui"
"""The PostgreSQL schema of the tables."""

_LOCK = 0x5356435455490001
"""The advisory lock for creating and upgrading the tables."""

_FIRST = (
    """
    CREATE TABLE svc_tui.machine (
        chain   uuid PRIMARY KEY,
        name    text NOT NULL,
        machine text NOT NULL,
        role    text NOT NULL DEFAULT session_user,
        joined  timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
    """
    CREATE TABLE svc_tui.line (
        digest   text PRIMARY KEY,
        chain    uuid NOT NULL REFERENCES svc_tui.machine (chain),
        sequence bigint NOT NULL CHECK (sequence > 0),
        previous text NOT NULL,
        body     text NOT NULL,
        role     text NOT NULL DEFAULT session_user,
        received timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (chain, sequence)
    )
    """,
    """
    CREATE TABLE svc_tui.presence (
        program uuid NOT NULL,
        chain   uuid NOT NULL,
        name    text NOT NULL,
        machine text NOT NULL,
        environment text NOT NULL,
        base_url    text NOT NULL,
        place   text NOT NULL,
        until   timestamptz NOT NULL,
        PRIMARY KEY (program, environment, base_url, place)
    )
    """,
    # Rights do not apply to the owner; the trigger does, unless it is removed.
    """
    CREATE FUNCTION svc_tui.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$
    """,
    """
    CREATE TRIGGER line_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON svc_tui.line
    FOR EACH STATEMENT EXECUTE FUNCTION svc_tui.refuse()
    """,
    """
    CREATE TRIGGER machine_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON svc_tui.machine
    FOR EACH STATEMENT EXECUTE FUNCTION svc_tui.refuse()
    """,
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""Step n upgrades version n to version n + 1."""

VERSION = len(STEPS)
"""The version of the schema that this program understands."""

_NEEDED = (
    ("schema_version", "SELECT"),
    ("machine", "SELECT"),
    ("machine", "INSERT"),
    ("line", "SELECT"),
    ("line", "INSERT"),
    *(("presence", right) for right in ("SELECT", "INSERT", "UPDATE", "DELETE")),
)
_TOO_MUCH = tuple((table, right) for table in ("line", "machine") for right in ("UPDATE", "DELETE", "TRUNCATE"))


class RoleRights(Struct, frozen=True):
    """Rights that the connected role lacks, and rights that it should not have, each as `INSERT on line`.

    `everything` says why it has all rights: `a superuser`, `the owner of the tables`; "" for any other role.
    """

    role: str
    missing: Sequence[str]
    excessive: Sequence[str]
    everything: str = ""


def quoted(name: str) -> str:
    """Return the name of a role as an SQL identifier."""
    return '"{}"'.format(name.replace('"', '""'))


def grants(role: str) -> str:
    """Return the statements that let a role insert and read lines, but not change or delete them.

    `role` is an SQL identifier.
    """
    return "\n".join(
        f"{statement};"
        for statement in (
            f"GRANT USAGE ON SCHEMA {SCHEMA_NAME} TO {role}",
            f"GRANT SELECT ON {SCHEMA_NAME}.schema_version TO {role}",
            f"GRANT SELECT, INSERT ON {SCHEMA_NAME}.machine, {SCHEMA_NAME}.line TO {role}",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON {SCHEMA_NAME}.presence TO {role}",
        )
    )


async def make_schema(connection: AsyncConnection[tuple[object, ...]]) -> tuple[int, int]:
    """Create or upgrade the tables; return their version before, 0 for none, and after.

    Newer tables are not changed. Raises psycopg.Error.
    """
    if (version := await schema_version(connection)) >= VERSION:
        # Before the transaction, which needs the right to create.
        return version, version
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        await connection.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(SCHEMA_NAME)))
        await connection.execute("CREATE TABLE IF NOT EXISTS svc_tui.schema_version (number integer NOT NULL)")
        before = await schema_version(connection)
        for step in STEPS[before:]:
            for statement in step:
                await connection.execute(statement)
        if before < VERSION:
            await connection.execute("DELETE FROM svc_tui.schema_version")
            await connection.execute("INSERT INTO svc_tui.schema_version (number) VALUES (%s)", (VERSION,))
    return before, max(before, VERSION)


async def schema_version(connection: AsyncConnection[tuple[object, ...]]) -> int:
    """Return the version of the schema, 0 if there are no tables; raises psycopg.Error."""
    # Every role may read the catalog, so a role without rights finds out too that there are tables.
    row = await (await connection.execute(_IS_THERE, ("schema_version",))).fetchone()
    if row is None or not row[0]:
        return 0
    found = await (await connection.execute("SELECT max(number) FROM svc_tui.schema_version")).fetchone()
    return int(str(found[0])) if found is not None and found[0] is not None else 0


async def role_rights(connection: AsyncConnection[tuple[object, ...]]) -> RoleRights:
    """Return the rights of the connected role; a missing table counts as no rights. Raises psycopg.Error."""
    asked = (*_NEEDED, *_TOO_MUCH)
    rights = await connection.execute(_RIGHTS, ([table for table, _ in asked], [right for _, right in asked]))
    has = {(str(table), str(right)): bool(may) for table, right, may in await rights.fetchall()}
    row = await (await connection.execute(_ROLE)).fetchone()
    assert row is not None
    role, is_superuser, is_owner, may_enter = row
    missing = tuple(f"{right} on {table}" for table, right in _NEEDED if not has[table, right])
    return RoleRights(
        str(role),
        missing if may_enter else (f"USAGE on schema {SCHEMA_NAME}", *missing),
        tuple(f"{right} on {table}" for table, right in _TOO_MUCH if has[table, right]),
        "a superuser" if is_superuser else "the owner of the tables" if is_owner else "",
    )


_IS_THERE = """
    SELECT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = 'svc_tui' AND relname = %s
    )
"""

_RIGHTS = """
    SELECT item.name, item.privilege, coalesce(has_table_privilege(pg_class.oid, item.privilege), false)
    FROM unnest(%s::text[], %s::text[]) AS item (name, privilege)
    LEFT JOIN pg_namespace ON nspname = 'svc_tui'
    LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = item.name
"""

_ROLE = """
    SELECT rolname, rolsuper,
           EXISTS (
               SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
               WHERE nspname = 'svc_tui' AND relname IN ('line', 'machine') AND pg_has_role(relowner, 'USAGE')
           ),
           coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'svc_tui'), false)
    FROM pg_roles WHERE rolname = current_user
"""
