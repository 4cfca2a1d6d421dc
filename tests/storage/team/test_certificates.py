"""The certificate that a team server shows: what proves nothing is refused before anything is said to it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from svc_tui.storage.errors import TeamServerError
from svc_tui.storage.team.server import SYSTEM, system_authorities
from tests.client.secure import AUTHORITY, HERE, server_context
from tests.colleagues import at_server
from tests.postgres import PORT, OwnDatabase

_ASKS_FOR_TLS = 80877103
"""The code of PostgreSQL's SSLRequest."""


@asynccontextmanager
async def secured(database: OwnDatabase, certificate: str) -> AsyncIterator[int]:
    """A port that leads to the server's socket over TLS, since the server for tests is built without it."""
    tasks = set[asyncio.Task[None]]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            request = await reader.readexactly(8)
            assert int.from_bytes(request[4:]) == _ASKS_FOR_TLS
            writer.write(b"S")
            with suppress(ssl.SSLError, ConnectionError):
                await writer.start_tls(server_context(certificate))
                socket = database.server.directory / f".s.PGSQL.{PORT}"
                server_reader, server_writer = await asyncio.open_unix_connection(socket)
                await asyncio.gather(copy(reader, server_writer), copy(server_reader, writer))
        finally:
            writer.close()

    # A client that refuses the certificate is the server's error: expected here, and not to be printed.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    front = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield front.sockets[0].getsockname()[1]
    finally:
        front.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand on what comes until it ends."""
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def version_at(port: int, parameters: str, database: OwnDatabase) -> int:
    """What is heard of the tables over TLS."""
    server = at_server(f"postgresql://postgres@127.0.0.1:{port}/{database.name}?sslmode=verify-full&{parameters}")
    try:
        return await server.version()
    finally:
        await server.aclose()


async def test_a_server_is_believed_by_the_certificate_that_the_profile_names(team_database: OwnDatabase) -> None:
    async with secured(team_database, "service.pem") as port:
        assert await version_at(port, f"sslrootcert={AUTHORITY}", team_database) == 0


async def test_the_authorities_of_the_system_are_those_of_its_file_or_of_a_variable(
    team_database: OwnDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, missing = tmp_path / "ca.crt", str(tmp_path / "missing.crt")
    own.write_bytes(AUTHORITY.read_bytes())
    assert system_authorities({}, (missing, str(own))) == str(own)
    assert system_authorities({"SSL_CERT_FILE": str(own)}, (str(own),)) == SYSTEM
    async with secured(team_database, "service.pem") as port:
        monkeypatch.setenv("SSL_CERT_FILE", str(own))
        assert await version_at(port, "sslrootcert=system", team_database) == 0


@pytest.mark.parametrize(
    ("certificate", "root"),
    [
        ("self-signed.pem", str(AUTHORITY)),
        ("other-name.pem", str(AUTHORITY)),
        ("expired.pem", str(AUTHORITY)),
        ("service.pem", "system"),
        ("service.pem", str(HERE / "nowhere.pem")),
    ],
)
async def test_a_certificate_that_proves_nothing_is_refused_in_one_line(
    team_database: OwnDatabase, certificate: str, root: str
) -> None:
    async with secured(team_database, certificate) as port:
        with pytest.raises(TeamServerError, match=r"^the certificate of the team server .* is not trusted: ") as told:
            await version_at(port, f"sslrootcert={root}", team_database)
    assert told.value.lasting
    assert "\n" not in str(told.value)
