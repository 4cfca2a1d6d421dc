"""Which proxy leads to the service, what it sees, and what is said when it does not lead there."""

import base64
import logging
import socket
import traceback

import pytest

from svc_tui.client.client import SignedClient
from svc_tui.client.proxies import proxy_for
from svc_tui.client.sender import Sender
from svc_tui.core.requests import RequestSpec
from svc_tui.core.settings import Profile
from svc_tui.service import errors
from svc_tui.service.base_url import BaseUrl
from svc_tui.service.errors import RequestRefused
from svc_tui.service.retry import RetryRules
from tests.client.raw_service import BREAK, KEYS, SECRET
from tests.client.secure import AUTHORITY, ConnectProxy, secure_service, tunnels

FAR = BaseUrl.parse("https://api.example.com:8443/gate")
NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
SERVICE = "service.test:443"
POST = RequestSpec("POST", "/v1/operations/lots", (("note", "asked-for"),), body=b'{"grade": "body-text"}')


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))


def client_of(url: str = "https://service.test", *, deadline: float = 20.0) -> SignedClient:
    return SignedClient(Profile("x", sandbox_base_url=url), KEYS, rules=RetryRules(first_wait=0, deadline=deadline))


@pytest.mark.parametrize(
    ("settings", "proxy"),
    [
        ({}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128"}, "proxy:3128"),
        ({"HTTPS_PROXY": "HTTP://Proxy.Example:3128/"}, "Proxy.Example:3128"),
        ({"HTTPS_PROXY": "http://user:open-sesame@proxy:3128"}, "proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy"}, "proxy:80"),
        ({"HTTPS_PROXY": "https://proxy"}, "proxy:443"),
        ({"HTTPS_PROXY": "http://[2001:db8::1]:3128"}, "[2001:db8::1]:3128"),
        ({"https_proxy": "http://lower:1", "HTTPS_PROXY": "http://upper:1"}, "lower:1"),
        ({"https_proxy": "", "HTTPS_PROXY": "http://upper:1"}, ""),
        ({"ALL_PROXY": "http://all:1"}, "all:1"),
        ({"all_proxy": "http://all:1"}, "all:1"),
        ({"HTTPS_PROXY": "http://a:1", "ALL_PROXY": "socks5://b:1"}, "a:1"),
        ({"HTTPS_PROXY": "proxy:3128"}, "proxy:3128"),
        ({"HTTP_PROXY": "http://proxy:3128"}, ""),
        ({"http_proxy": "http://proxy:3128"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "example.com"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "no_proxy": "EXAMPLE.com"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "x, .example.com"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "ample.com"}, "proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "api.example.com:8443"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "api.example.com:9"}, "proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*.example.com"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*.example.com:9"}, "proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*.other.com *.example.com\tx"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "api.example.com."}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "example.com.:8443"}, ""),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*ample.com, 10.0.0.0/8, ., *., :8443, []"}, "proxy:3128"),
        ({"HTTPS_PROXY": "socks5://proxy:1", "NO_PROXY": "*"}, ""),
        ({"HTTPS_PROXY": ""}, ""),
    ],
)
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], proxy: str) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    found = proxy_for(FAR)
    assert ("" if found is None else str(found)) == proxy
    assert client_of(str(FAR)).proxy == proxy
    assert "open-sesame" not in repr(found)


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://api.example.com", "api.example.com:443"),
        ("https://[2001:db8::1]", "2001:db8::1"),
        ("https://[2001:db8::1]", "[2001:db8::1]"),
        ("https://[2001:db8::1]:8443", "[2001:db8::1]:8443"),
        ("https://[2001:db8::1]:8443", "2001:db8::/32"),
        ("https://[2001:db8::1]:8443", "[2001:db8::]/32"),
        ("https://[2001:db8::1]", "2001:0db8:0::1"),
        ("https://10.1.2.3", "x,10.0.0.0/8"),
        ("https://10.1.2.3", "10.1.2.3/31"),
        ("https://10.1.2.3:8443", "10.1.2.3"),
        ("https://10.1.2.3:8443", "10.1.2.3:8443"),
        ("https://api.example.com.", "api.example.com"),
    ],
)
def test_no_proxy_may_name_the_usual_port_an_address_and_a_network(
    monkeypatch: pytest.MonkeyPatch, url: str, names: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert proxy_for(BaseUrl.parse(url)) is not None
    monkeypatch.setenv("NO_PROXY", names)
    assert proxy_for(BaseUrl.parse(url)) is None


@pytest.mark.parametrize("names", ["2.3", "10.2.0.0/16", "0.0.0.0/0:80", "10.1.2.3:80", "::/0", "10.1.2.3/99", "1.2.3"])
def test_no_proxy_names_another_address(monkeypatch: pytest.MonkeyPatch, names: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", names)
    assert proxy_for(BaseUrl.parse("https://10.1.2.3")) is not None


@pytest.mark.parametrize(
    "url",
    [
        "https://localhost:1",
        "https://LOCALHOST.",
        "http://127.0.0.1:1",
        "http://127.8.9.10",
        "http://[::1]:1",
        "https://[::ffff:127.0.0.1]",
    ],
)
def test_loopback_is_always_direct(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for name in NAMES[:3]:
        monkeypatch.setenv(name.upper(), "http://proxy:3128")
    assert proxy_for(BaseUrl.parse(url)) is None


def test_a_proxy_that_would_see_the_requests_in_clear_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy:3128")
    monkeypatch.setenv("ALL_PROXY", "http://proxy:3128")
    with pytest.raises(RequestRefused, match=r"ALL_PROXY could read the requests to api\.example\.com"):
        Sender(BaseUrl("http", "api.example.com"))


@pytest.mark.parametrize("scheme", ["socks5", "SOCKS5h", "socks4", "socks"])
def test_a_socks_proxy_is_refused_with_the_two_ways_out(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://user:open-sesame@x:1")
    with pytest.raises(RequestRefused) as raised:
        proxy_for(FAR)
    assert str(raised.value) == (
        "ALL_PROXY is set to a SOCKS proxy, which is not supported. Set an HTTP proxy (http://host:port) in "
        "HTTPS_PROXY, or add api.example.com to NO_PROXY to connect directly"
    )


@pytest.mark.parametrize(
    "proxy",
    [
        "http://",
        "ftp://user:open-sesame@x:1",
        "http://user:open-sesame@x:port",
        "http://user:open-sesame@x:0",
        "http://user:open-sesame@x:65536",
        "http://user:open-sesame@x:1/path",
        "http://user:1/open-sesame@x:1",
        "http://user:1#open-sesame@x:1",
        "http://user:1?open-sesame@x:1",
        "http://user:open-sesame@\udcff:1",
        "http://user:open-sesame\udcff@x:1",
        "http://user:open-sesame@[::1]x:80",
        "http://user:open-sesame@ho\x01st:80",
        "http://user:open-sesame@ho\nst:80",
        "http://user:open-sesame@xn--\ud7ff:80",
        "http://user:open-sesame@" + "a" * 70 + "é:80",
        "http://user:open-sesame@a..b:80",
        "http://user:open-sesame@[v1.x]:80",
        "http://user:open-sesame@[zz]:80",
        "http://user:open-sesame@[fe80::1%eth0]:80",
        "http://user:open-sesame@x y:80",
    ],
    ids=ascii,
)
async def test_a_proxy_that_can_not_be_used_is_said_without_its_password(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    async with client_of() as client:
        with pytest.raises(RequestRefused) as raised:
            await client.send(POST)
        with pytest.raises(RequestRefused, match="HTTPS_PROXY"):
            _ = client.proxy
    assert str(raised.value) == "the proxy in HTTPS_PROXY is not valid; use http://host:port"
    assert raised.value.attempts == 1
    assert "open-sesame" not in "".join(traceback.format_exception(raised.value))


def assert_nothing_told(proxy: ConnectProxy, *more: bytes) -> None:
    """Nothing of a request is in what went through the proxy."""
    unseen = (KEYS.api_key.encode(), SECRET.encode(), b"x-svc", b"v1=", b"operations", b"asked-for", b"body-text")
    for text in (*unseen, *more):
        assert text not in bytes(proxy.seen).lower()


async def test_a_proxy_is_told_where_to_and_carries_what_it_can_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with secure_service() as service, tunnels({SERVICE: service.port}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        async with client_of("https://service.test/gate") as client:
            assert client.proxy == f"127.0.0.1:{proxy.port}"
            for _ in range(2):
                assert (await client.send(POST)).answer.ok
    assert proxy.asked == [f"CONNECT {SERVICE} HTTP/1.1\r\nHost: {SERVICE}\r\nAccept: */*\r\n\r\n"]
    came = service.received[0]
    assert (came.target, came.body) == ("/gate/v1/operations/lots?note=asked-for", POST.body)
    assert came.header("x-svc-signature")
    assert_nothing_told(proxy, came.header("x-svc-signature").encode(), b"gate")


async def test_a_proxy_is_asked_for_an_ipv6_address_in_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "[2001:db8::1]:8443"
    async with secure_service() as service, tunnels({place: service.port}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        async with client_of(f"https://{place}") as client:
            # The certificate is for other names, which only a handshake that names the bare address can tell.
            with pytest.raises(errors.CertificateRefused, match=r"not valid for '2001:db8::1'|IP address mismatch"):
                await client.send(POST)
    assert proxy.asked == [f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\nAccept: */*\r\n\r\n"]


async def test_a_clear_text_proxy_that_is_called_an_https_proxy_is_told_how_to_write_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with tunnels({}) as proxy:
        proxy.answers = [b"HTTP/1.1 400 Bad Request\r\n\r\n"] * 3
        monkeypatch.setenv("HTTPS_PROXY", f"https://127.0.0.1:{proxy.port}")
        async with client_of(deadline=5.0) as client:
            with pytest.raises(errors.Unreachable) as raised:
                await client.send(POST)
    assert str(raised.value).endswith(
        f"; if it is not an HTTPS proxy, set HTTPS_PROXY to http://127.0.0.1:{proxy.port}"
    )


async def test_a_proxys_password_goes_to_the_proxy_alone_and_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with secure_service() as service, tunnels({SERVICE: service.port}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://some%40body:open%2Fsesame@127.0.0.1:{proxy.port}")
        async with client_of() as client:
            exchange = await client.send(POST)
            shown = repr(client) + repr(exchange) + client.proxy
            proxy.answers = [b"HTTP/1.1 407 open/sesame\r\nContent-Length: 0\r\n\r\n"]
        async with client_of() as client:
            with pytest.raises(errors.ProxyRefused) as raised:
                await client.send(POST)
    token = base64.b64encode(b"some@body:open/sesame").decode()
    assert f"\r\nProxy-Authorization: Basic {token}\r\n" in proxy.asked[0]
    assert [name for name, _ in service.received[0].headers if name.lower().startswith("proxy")] == []
    shown += "".join(traceback.format_exception(raised.value)) + repr(raised.value.__dict__) + caplog.text
    for secret in ("open/sesame", "open%2Fsesame", token):
        assert secret not in shown


@pytest.mark.parametrize(
    ("status", "user", "attempts", "words"),
    [
        (407, "", 1, "requires a login (407): set HTTPS_PROXY to http://user:password@127.0.0.1:{port}"),
        (407, "me:wrong@", 1, "refused the user name and password in HTTPS_PROXY (407)"),
        (403, "", 1, "did not connect to service.test: it returned 403"),
        (503, "", 3, "did not connect to service.test: it returned 503"),
        (429, "", 3, "did not connect to service.test: it returned 429"),
    ],
)
async def test_a_proxy_that_refuses_is_named_and_asked_again_only_where_it_may_help(
    monkeypatch: pytest.MonkeyPatch, status: int, user: str, attempts: int, words: str
) -> None:
    async with tunnels({}) as proxy:
        proxy.answers = [f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()] * 3
        monkeypatch.setenv("HTTPS_PROXY", f"http://{user}127.0.0.1:{proxy.port}")
        async with client_of() as client:
            with pytest.raises(errors.Unreachable) as raised:
                await client.send(POST)
    assert str(raised.value) == f"the proxy 127.0.0.1:{proxy.port} {words.format(port=proxy.port)}"
    assert isinstance(raised.value, errors.ProxyRefused) == (attempts == 1)
    assert (raised.value.sent, raised.value.attempts) == (errors.SendResult.NOT_SENT, attempts)
    assert len(proxy.asked) == attempts
    assert_nothing_told(proxy)


async def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async with tunnels({}) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"http://me:open-sesame@127.0.0.1:{proxy.port}")
    async with client_of() as client:
        with pytest.raises(errors.Unreachable) as raised:
            await client.send(POST)
    where = f"could not connect to the proxy 127.0.0.1:{proxy.port}"
    assert str(raised.value) == f"{where}: connection refused; check ALL_PROXY"
    assert raised.value.sent is errors.SendResult.NOT_SENT


async def test_a_proxy_with_two_addresses_is_not_there_at_either(monkeypatch: pytest.MonkeyPatch) -> None:
    async with tunnels({}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://two.test:{proxy.port}")
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", proxy.port))] * 2
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    async with client_of() as client:
        with pytest.raises(errors.Unreachable, match=r"the proxy two\.test:[0-9]+: connection refused"):
            await client.send(POST)


async def test_a_proxy_whose_name_nobody_knows_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://no-such-proxy.invalid:3128")
    async with client_of() as client:
        with pytest.raises(errors.Unreachable, match=r"could not connect to the proxy no-such-proxy\.invalid:3128: "):
            await client.send(POST)


async def test_nothing_was_sent_to_the_service_while_the_proxy_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    async with tunnels({}) as proxy:
        proxy.answers = [None] * 3
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        async with client_of(deadline=2.0) as client:
            with pytest.raises(errors.Unreachable, match=f"the proxy 127.0.0.1:{proxy.port} did not respond") as raised:
                await client.send(POST)
    assert raised.value.sent is errors.SendResult.NOT_SENT
    assert_nothing_told(proxy)


async def test_a_proxy_that_hangs_up_has_sent_nothing_and_even_a_post_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with secure_service() as service, tunnels({SERVICE: service.port}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        proxy.answers = [b"", b"HTTP/1.1 200"]
        async with client_of() as client:
            assert (await client.send(POST)).attempts == 3
            assert len(service.received) == 1
        proxy.answers = [b""] * 3
        async with client_of() as client:
            with pytest.raises(errors.Unreachable, match="closed the connection") as raised:
                await client.send(POST)
    assert raised.value.sent is errors.SendResult.NOT_SENT


async def test_what_breaks_off_at_the_end_of_a_tunnel_may_have_been_carried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with secure_service() as service, tunnels({SERVICE: service.port}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        service.rest = BREAK
        async with client_of() as client:
            with pytest.raises(errors.ConnectionBroken, match=r"the connection to service\.test was lost") as raised:
                await client.send(POST)
    assert (raised.value.sent, raised.value.attempts) == (errors.SendResult.UNKNOWN, 1)
    assert len(service.received) == 1


async def test_at_the_end_of_a_tunnel_the_service_still_proves_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with secure_service("other-name.pem") as service, tunnels({SERVICE: service.port}) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        async with client_of() as client:
            with pytest.raises(
                errors.CertificateRefused, match=r"^the certificate of service\.test is not trusted"
            ) as raised:
                await client.send(POST)
    assert raised.value.attempts == 1
    assert service.received == []


async def test_a_service_that_proved_nothing_behind_a_tunnel_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        secure_service("other-name.pem") as other,
        secure_service() as service,
        tunnels({SERVICE: other.port}) as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        async with client_of(deadline=4.0) as client:
            for _ in range(2):
                with pytest.raises(errors.CertificateRefused):
                    await client.send(POST)
            proxy.ways[SERVICE] = service.port
            assert (await client.send(POST)).answer.ok
    assert (len(service.received), other.received) == (1, [])


async def test_a_proxy_may_be_spoken_to_over_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    async with secure_service() as service, tunnels({SERVICE: service.port}, certificate="service.pem") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"https://localhost:{proxy.port}")
        proxy.answers = [b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"]
        async with client_of() as client:
            with pytest.raises(errors.ProxyRefused):
                await client.send(POST)
            # Whom the client trusts is loaded once, for the proxy as for the service.
            monkeypatch.delenv("SSL_CERT_FILE")
            assert (await client.send(POST)).answer.ok
    assert len(service.received) == 1
    assert_nothing_told(proxy)


async def test_a_proxy_over_tls_must_prove_who_it_is_before_it_gets_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with secure_service() as service, tunnels({SERVICE: service.port}, certificate="self-signed.pem") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"https://me:open-sesame@localhost:{proxy.port}")
        async with client_of() as client:
            with pytest.raises(errors.ProxyRefused) as raised:
                await client.send(POST)
    assert str(raised.value).startswith(f"the certificate of the proxy localhost:{proxy.port} is not trusted: ")
    assert "if it is not an HTTPS proxy" not in str(raised.value)
    assert proxy.asked == []


async def test_http_proxy_alone_catches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with tunnels({}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        async with client_of("https://no-such-host.invalid") as client:
            with pytest.raises(errors.Unreachable, match=r"could not connect to no-such-host\.invalid"):
                await client.send(POST)
    assert proxy.asked == []
