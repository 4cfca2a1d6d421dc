"""Certificates: who is trusted, who is not, and in which words."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest

from svc_tui.client.certificates import make_ssl_context
from svc_tui.client.client import SignedClient
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.service import errors
from svc_tui.service.retry import RetryRules
from tests.client.raw_service import KEYS, Connect, RawService
from tests.client.secure import AUTHORITY, HERE, secure_service

READ = RequestSpec("GET", "/v1/operations/lots/L-1")
POST = RequestSpec("POST", "/v1/operations/lots", body=b"{}")
HASH = "7363fb8d.0"
"""`openssl x509 -hash` of the authority, as OpenSSL names it in a directory."""


@pytest.fixture(autouse=True)
def nobody_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)


def client_of(url: str) -> SignedClient:
    return SignedClient(Profile("x", sandbox_base_url=url), KEYS, rules=RetryRules(first_wait=0, deadline=20))


async def refused(url: str) -> errors.CertificateRefused:
    async with client_of(url) as client:
        with pytest.raises(errors.CertificateRefused) as raised:
            await client.send(POST)
    assert raised.value.sent is errors.SendResult.NOT_SENT
    assert raised.value.attempts == 1
    return raised.value


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_an_authority_in_ssl_cert_file_is_trusted(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    async with secure_service() as service, client_of(f"https://{host}:{service.port}") as client:
        assert (await client.send(READ)).answer.ok
    assert [came.target for came in service.received] == [READ.path]


async def test_an_authority_in_one_of_the_directories_of_ssl_cert_dir_is_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places = [tmp_path / "own", tmp_path / "company"]
    for place in places:
        place.mkdir()
    shutil.copy(HERE / "other-name.pem", places[0] / "00000000.0")
    (places[1] / "11111111.0").symlink_to("gone.pem")
    shutil.copy(AUTHORITY, places[1] / HASH)
    monkeypatch.setenv("SSL_CERT_DIR", os.pathsep.join(map(str, places)))
    async with secure_service() as service, client_of(f"https://localhost:{service.port}") as client:
        assert (await client.send(READ)).answer.ok


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
async def test_the_variables_are_honoured_where_the_systems_own_loader_does_not_read_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    shutil.copy(AUTHORITY, tmp_path / HASH)
    monkeypatch.setenv(variable, str(tmp_path / HASH if variable == "SSL_CERT_FILE" else tmp_path))
    context = make_ssl_context("https")
    # The loader of Linux reads them at each connection; those of other systems never do.
    monkeypatch.delenv(variable)
    async with secure_service() as service:
        _, writer = await asyncio.open_connection("127.0.0.1", service.port, ssl=context, server_hostname="localhost")
        assert writer.get_extra_info("peercert")["subject"] == ((("commonName", "service"),),)
        writer.close()


async def test_without_them_the_authority_is_a_stranger() -> None:
    async with secure_service() as service:
        error = await refused(f"https://localhost:{service.port}")
    where = f"the certificate of localhost:{service.port} is not trusted: this system does not trust its issuer"
    way_out = "To add a certificate authority (CA), set SSL_CERT_FILE"
    assert str(error) == f"{where} (unable to get local issuer certificate). {way_out}"
    assert service.received == []


@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        (
            "self-signed.pem",
            r"this system does not trust its issuer \(self.signed certificate\)\. To add .*SSL_CERT_FILE",
        ),
        ("expired.pem", "certificate has expired"),
        ("other-name.pem", "Hostname mismatch, certificate is not valid for 'localhost'"),
    ],
)
async def test_a_certificate_that_proves_nothing_is_refused_once_and_in_words(
    monkeypatch: pytest.MonkeyPatch, certificate: str, words: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    async with secure_service(certificate) as service:
        error = await refused(f"https://localhost:{service.port}")
    assert re.fullmatch(rf"the certificate of localhost:{service.port} is not trusted: {words}\.?", str(error))
    assert service.received == []


async def test_a_port_that_speaks_no_tls_is_said() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    error = await refused(f"https://localhost:{port}")
    server.close()
    assert str(error) == f"the TLS connection to localhost:{port} failed: this port does not support TLS"


async def test_a_handshake_that_breaks_off_is_bad_luck_and_tried_again() -> None:
    met = 0

    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal met
        met += 1
        await reader.read(1)
        writer.close()

    server = await asyncio.start_server(leave, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with client_of(f"https://localhost:{port}") as client:
        with pytest.raises(errors.Unreachable, match=f"could not connect to localhost:{port}") as raised:
            await client.send(POST)
    server.close()
    assert not isinstance(raised.value, errors.CertificateRefused)
    assert (raised.value.sent, raised.value.attempts, met) == (errors.SendResult.NOT_SENT, 3, 3)


@pytest.mark.parametrize(
    ("variable", "name", "words"),
    [
        ("SSL_CERT_FILE", "missing.pem", "No such file or directory"),
        ("SSL_CERT_FILE", "", "Is a directory"),
        ("SSL_CERT_FILE", "empty.pem", "it contains no valid certificate"),
        ("SSL_CERT_FILE", "cut.pem", "it contains no valid certificate"),
        ("SSL_CERT_FILE", "binary.pem", "it contains no valid certificate"),
        ("SSL_CERT_DIR", "missing", "No such file or directory"),
        ("SSL_CERT_DIR", "empty.pem", "Not a directory"),
        ("SSL_CERT_DIR", "plain", r"the directory has no certificate with a hash name \(run openssl rehash\)"),
        ("SSL_CERT_DIR", "hashed", "00000000.0: it contains no valid certificate"),
    ],
)
async def test_a_variable_that_leads_to_no_certificate_is_said_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, name: str, words: str
) -> None:
    whole = AUTHORITY.read_bytes()
    (tmp_path / "empty.pem").touch()
    (tmp_path / "cut.pem").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "binary.pem").write_bytes(b"\x00\xff" * 100)
    for directory, file in (("plain", "authority.pem"), ("hashed", "00000000.0")):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / file).write_bytes(whole if directory == "plain" else b"")
    path = tmp_path / name
    monkeypatch.setenv(variable, str(path))
    async with secure_service() as service, client_of(f"https://localhost:{service.port}") as client:
        with pytest.raises(errors.RequestRefused, match=words) as raised:
            await client.send(POST)
    assert str(raised.value).startswith(f"{variable} is set to {path}, which can't be used: ")
    assert str(raised.value).endswith(f". Correct it or unset {variable}")
    assert raised.value.attempts == 1
    assert service.connections == 0


async def test_plain_http_to_loopback_asks_for_no_certificates(
    monkeypatch: pytest.MonkeyPatch, service: RawService, connect: Connect
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    async with connect() as client:
        assert (await client.send(READ)).answer.ok
