"""Which proxy leads to the service."""

import traceback

import pytest

from svc_tui.client.proxies import proxy_for
from svc_tui.client.sender import Sender
from svc_tui.domain.errors import RequestRefused
from svc_tui.domain.routes import BaseUrl

FAR = BaseUrl.parse("https://api.example.com:8443/gate")
NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("settings", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ({"https_proxy": "http://lower:1", "HTTPS_PROXY": "http://upper:1"}, "http://lower:1"),
        ({"ALL_PROXY": "http://all:1"}, "http://all:1"),
        ({"HTTPS_PROXY": "http://a:1", "ALL_PROXY": "http://b:1"}, "http://a:1"),
        ({"HTTPS_PROXY": "proxy:3128"}, "http://proxy:3128"),
        ({"HTTP_PROXY": "http://proxy:3128"}, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "example.com"}, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "x, .example.com"}, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "api.example.com:8443"}, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "api.example.com:9"}, "http://proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, None),
        ({"HTTPS_PROXY": ""}, None),
    ],
)
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], proxy: str | None) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(FAR) == proxy


@pytest.mark.parametrize("url", ["https://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"])
def test_loopback_is_always_direct(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for name in NAMES[:3]:
        monkeypatch.setenv(name.upper(), "http://proxy:3128")
    assert proxy_for(BaseUrl.parse(url)) is None


@pytest.mark.parametrize("proxy", ["socks5://user:open-sesame@x:1", "http://", "http://user:open-sesame@x:port"])
def test_a_proxy_that_can_not_be_used_is_said_without_its_password(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(RequestRefused, match="http://host:port") as raised:
        proxy_for(FAR)
    assert "open-sesame" not in str(raised.value)


@pytest.mark.parametrize(
    "place", ["[::1]x:80", "ho\x01st:80", "ho\nst:80", "xn--\ud7ff:80", "a" * 70 + "é:80", "[v1.x]:80", "[zz]:80"]
)
def test_what_httpx_can_not_read_is_refused_just_as_well(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:open-sesame@{place}")
    with pytest.raises(RequestRefused, match="http://host:port") as raised:
        Sender(FAR)
    assert "open-sesame" not in "".join(traceback.format_exception(raised.value))
