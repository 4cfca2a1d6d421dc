"""The service as environment variables describe it."""

from collections.abc import Mapping

import pytest

from svc_tui.config.errors import ConfigError
from svc_tui.config.profiles.environment import EnvironmentCredentials, environment_connection, has_key
from svc_tui.core.credentials import CredentialError, Environment, KeyPair

LIVE = {"SVC_API_KEY": "svc_live_abc", "SVC_BASE_URL": "https://api.example.com/"}
TEST = {"SVC_API_KEY": "svc_test_abc", "SVC_SANDBOX_BASE_URL": "http://127.0.0.1:8000"}


def test_a_live_key_and_its_secret() -> None:
    found = environment_connection({**LIVE, "SVC_SIGNING_SECRET": "shh"})
    assert found.profile.key_from == "SVC_API_KEY"
    assert found.keys == KeyPair("svc_live_abc", "shh")
    assert found.keys.environment is Environment.LIVE
    assert (found.profile.name, found.profile.base_url) == ("env", "https://api.example.com/")
    assert not found.profile.read_only


def test_a_test_key_needs_no_secret_and_no_live_url() -> None:
    found = environment_connection(TEST, read_only=True)
    assert found.keys == KeyPair("svc_test_abc")
    assert found.profile.sandbox_base_url == "http://127.0.0.1:8000"
    assert found.profile.read_only


def test_a_line_break_at_the_end_of_a_key_is_no_part_of_it() -> None:
    assert environment_connection({**LIVE, "SVC_API_KEY": "svc_live_abc\n"}).keys == KeyPair("svc_live_abc")


@pytest.mark.parametrize("variables", [{}, {"SVC_API_KEY": ""}, {"SVC_API_KEY": "  "}, {"SVC_SIGNING_SECRET": "s"}])
def test_no_key_is_told_with_the_way_out(variables: Mapping[str, str]) -> None:
    assert not has_key(variables)
    with pytest.raises(ConfigError) as caught:
        environment_connection(variables)
    assert str(caught.value) == (
        "no key is set; set SVC_API_KEY, create a profile with svc-tui profiles add NAME, or try svc-tui demo"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"SVC_API_KEY": "sk_hidden"}, "SVC_API_KEY: the API key must begin with svc_live_ or svc_test_"),
        ({"SVC_API_KEY": "svc_live_hid den"}, "SVC_API_KEY: the API key contains a space, a line break or a character"),
        ({"SVC_SIGNING_SECRET": "hidden\tx"}, "SVC_SIGNING_SECRET: the signing secret contains a space, a line break"),
        ({"SVC_BASE_URL": ""}, "no base URL for svc_live_ keys: set SVC_BASE_URL, or base_url in the profile env"),
        ({"SVC_BASE_URL": "http://api.example.com"}, "plain http to api.example.com would send the key unencrypted"),
        ({"SVC_BASE_URL": "https://u:hidden@api.example.com"}, "the base URL contains a user name or a password"),
    ],
)
def test_a_mistake_is_one_line_that_shows_no_secret(change: Mapping[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        environment_connection({**LIVE, **change})
    assert str(caught.value).startswith(message)
    assert "hid" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_test_key_wants_the_url_of_the_sandbox() -> None:
    with pytest.raises(ConfigError, match="no base URL for svc_test_ keys: set SVC_SANDBOX_BASE_URL"):
        environment_connection({**LIVE, "SVC_API_KEY": "svc_test_abc"})


def test_a_rotated_pair_is_seen_when_it_is_read_again() -> None:
    variables = {**LIVE, "SVC_SIGNING_SECRET": "old"}
    credentials = environment_connection(variables).credentials
    variables.update(SVC_API_KEY="svc_live_new", SVC_SIGNING_SECRET="new")
    assert credentials.read() == KeyPair("svc_live_new", "new")
    del variables["SVC_API_KEY"]
    with pytest.raises(CredentialError, match="SVC_API_KEY: the API key is empty"):
        credentials.read()


def test_no_secret_in_a_repr() -> None:
    found = environment_connection({**LIVE, "SVC_SIGNING_SECRET": "shh"})
    assert found.profile.key_from == "SVC_API_KEY"
    assert "svc_live_abc" not in repr(found)
    assert "shh" not in repr(EnvironmentCredentials({"SVC_SIGNING_SECRET": "shh"}))
