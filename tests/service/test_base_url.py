"""Base URLs: what is trimmed, what is refused, which one a key's environment chooses."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Profile
from svc_tui.service.base_url import BaseUrl, BaseUrlError, base_url_of, is_loopback
from svc_tui.service.routes import target_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://api.example.com", "https://api.example.com"),
        (" https://API.example.com/ ", "https://api.example.com"),
        ("https://api.example.com/v1", "https://api.example.com"),
        ("https://api.example.com/v1/", "https://api.example.com"),
        ("https://api.example.com:443/gate/v1//", "https://api.example.com/gate"),
        ("https://api.example.com:8443/gate/way", "https://api.example.com:8443/gate/way"),
        ("https://api.example.com/gatev1", "https://api.example.com/gatev1"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[::ffff:127.0.0.1]:8080", "http://[::ffff:127.0.0.1]:8080"),
        ("https://[2001:DB8::1]/v1", "https://[2001:db8::1]"),
        ("https://api.example.com:", "https://api.example.com"),
        ("https://api.example.com./gate", "https://api.example.com./gate"),
        ("https://10.0.0.1:8443", "https://10.0.0.1:8443"),
        ("https://api.example.com/GATE/%41/V1", "https://api.example.com/GATE/%41/V1"),
    ],
)
def test_base_urls_are_trimmed(text: str, shown: str) -> None:
    assert str(BaseUrl.parse(text)) == shown
    assert str(BaseUrl.parse(shown)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.example.com",
        "ftp://x",
        "https://",
        "https://user@x",
        "https://user:open-sesame@x",
        "https://x?a",
        "https://x#a",
        "http://api.example.com",
        "http://127.0.0.1.evil.example",
        "https://x/../y",
        "https://x/a//b",
        "https://x:99999",
        "https://x:a",
        "https://[::1",
        "https://ex ample",
        "https://é.example",
        "https://x\\y",
        "https://x/?",
        "https://@x",
        "https://x/a%zz",
        "http://localhost.evil.example",
        "https://x\n"[:9] + "\ny",
        "https://-x",
        "https://x/{a}",
        "https://x:0",
        "https://x:-1",
        "https://x:٣",
        "https://a..b",
        "https://.a",
        "https://" + "a" * 64 + ".example",
        "https://" + "a." * 127 + "example",
        "https://0177.0.0.1",
        "https://1.2.3",
        "https://127.0.0.1.",
        "https://[v1.x]",
        "https://[::1]x:80",
        "https://[fe80::1%25eth0]",
        "http://[::1%25lo]",
        "https://x/v1/v1",
        "https://x/gate/v1/v1/",
    ],
)
def test_base_urls_that_can_not_be_trusted_are_refused(text: str) -> None:
    with pytest.raises(BaseUrlError) as raised:
        BaseUrl.parse(text)
    assert "open-sesame" not in str(raised.value)


@given(
    st.text(max_size=60)
    | st.text(alphabet="htps:/.@?#[]%v1:ab0-_ \\", max_size=40).map("https://{}".format)
    | st.from_regex(r"https?://([a-z0-9.-]{1,12}|\[[0-9a-f:.]{2,12}\])(:[0-9]{0,6})?(/[a-zA-Z0-9.%/]{0,12})?(/v1)?/?")
)
def test_a_base_url_is_refused_or_read_once_and_for_all(text: str) -> None:
    try:
        base = BaseUrl.parse(text)
    except BaseUrlError:
        return
    assert BaseUrl.parse(str(base)) == base
    assert BaseUrl.parse(f"{base}/v1/") == base
    assert base.scheme == "https" or base.loopback
    assert not base.prefix.endswith(("/", "/v1"))
    target = target_of("lots/a%2Fb", [("page", "1")])
    assert str(httpx.URL(f"{base}{target}")) == f"{base}{target}"


def test_the_environment_chooses_the_base_url() -> None:
    profile = Profile("mine", base_url="https://live.example", sandbox_base_url="https://test.example/v1")
    assert str(base_url_of(profile, Environment.LIVE)) == "https://live.example"
    assert str(base_url_of(profile, Environment.SANDBOX)) == "https://test.example"
    with pytest.raises(BaseUrlError, match="SVC_BASE_URL"):
        base_url_of(Profile("mine"), Environment.LIVE)
    with pytest.raises(BaseUrlError, match="SVC_SANDBOX_BASE_URL, or sandbox_base_url in the profile mine"):
        base_url_of(Profile("mine", sandbox_base_url="http://far.example"), Environment.SANDBOX)


@pytest.mark.parametrize(
    ("live", "sandbox"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("https://api.example.com", " https://API.example.com:443/v1/ "),
        ("https://api.example.com./gate", "https://api.example.com/gate/"),
    ],
)
@pytest.mark.parametrize("environment", Environment)
def test_one_place_for_live_and_test_keys_is_refused_until_one_setting_is_gone(
    live: str, sandbox: str, environment: Environment
) -> None:
    with pytest.raises(BaseUrlError) as raised:
        base_url_of(Profile("mine", base_url=live, sandbox_base_url=sandbox), environment)
    message = str(raised.value)
    assert message.startswith("live and test keys would both use https://api.example.com")
    for name in ("correct SVC_BASE_URL", "SVC_SANDBOX_BASE_URL", "base_url or sandbox_base_url", "mine"):
        assert name in message
    alone = Profile("mine", base_url=live) if environment is Environment.LIVE else Profile("", sandbox_base_url=live)
    assert base_url_of(alone, environment) == BaseUrl.parse(live)


@pytest.mark.parametrize(
    ("live", "sandbox"),
    [
        ("https://api.example.com", "https://sandbox.example.com"),
        ("https://api.example.com", "https://api.example.com:8443"),
        ("https://api.example.com/live", "https://api.example.com/sandbox"),
        ("https://api.example.com", "not a URL"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    ],
)
def test_two_places_and_one_on_this_machine_are_as_they_are_set(live: str, sandbox: str) -> None:
    profile = Profile("mine", base_url=live, sandbox_base_url=sandbox)
    assert base_url_of(profile, Environment.LIVE) == BaseUrl.parse(live)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]
)
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["localhost.evil", "128.0.0.1", "::2", "0.0.0.0", "", "127.0.0.1.nip.io", "::1%lo", "127.1"]
)
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)
