"""Which profile is in use, and what it comes to: key, secret and base URLs from one place, whole."""

import pytest

from svc_tui.config.errors import ConfigError
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.active_profile import profile_connection, resolve_connection, select_profile
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.core.credentials import CredentialError, KeyPair
from tests.config.conftest import Put
from tests.keyrings import FileKeyring

SERVICE = 'base_url = "https://api.example.com"\nsandbox_base_url = "https://sandbox.example.com"\n'
PLAIN = f'api_key = "svc_test_plain"\n{SERVICE}'
ENVIRONMENT = {
    "SVC_API_KEY": "svc_live_env",
    "SVC_SIGNING_SECRET": "env-secret",
    "SVC_BASE_URL": "https://env.example.com",
    "SVC_SANDBOX_BASE_URL": "https://env-sandbox.example.com",
}


def configure(where: Locations, text: str) -> None:
    """Write `config.toml`."""
    where.config_file.parent.mkdir(parents=True, exist_ok=True)
    where.config_file.write_text(text)
    where.config_file.chmod(0o644)


def test_an_option_beats_the_variable_the_key_the_last_choice_and_the_default_in_that_order(
    where: Locations, put: Put
) -> None:
    for name in ("option", "variable", "last", "usual"):
        put(PLAIN, name)
    configure(where, '# mine\ndefault_profile = "usual"')
    assert (select_profile(where, {}).name, select_profile(where, {}).by) == (
        "usual",
        f"{where.config_file}:2: default_profile",
    )
    FilePreferences(where).remember_profile("last")
    assert (select_profile(where, {}).name, select_profile(where, {}).by) == (
        "last",
        f"{where.state_file}: last chosen",
    )
    assert select_profile(where, ENVIRONMENT).name is None
    assert resolve_connection(where, ENVIRONMENT).profile.name == "env"
    variables = {**ENVIRONMENT, "SVC_TUI_PROFILE": "variable"}
    assert resolve_connection(where, variables).profile.name == "variable"
    assert resolve_connection(where, variables, "option").profile.name == "option"


def test_nothing_named_is_told_with_the_ways_out(where: Locations) -> None:
    assert (select_profile(where, {}).name, select_profile(where, {}).by) == (None, "")
    assert select_profile(where, {"SVC_TUI_PROFILE": ""}).by == ""
    with pytest.raises(
        ConfigError, match="no key is set; set SVC_API_KEY, create a profile with svc-tui profiles add NAME"
    ):
        resolve_connection(where, {})


def test_a_named_profile_is_taken_whole_and_nothing_of_the_environment(where: Locations, put: Put) -> None:
    put('api_key = "svc_test_plain"\nsandbox_base_url = "https://sandbox.example.com"')
    found = resolve_connection(where, ENVIRONMENT, "mine")
    assert found.keys == found.credentials.read() == KeyPair("svc_test_plain")
    assert (found.profile.base_url, found.profile.sandbox_base_url) == ("", "https://sandbox.example.com")
    put('api_key = { env = "LIVE" }\nsandbox_base_url = "https://sandbox.example.com"')
    with pytest.raises(ConfigError) as caught:
        resolve_connection(where, {**ENVIRONMENT, "LIVE": "svc_live_x"}, "mine")
    assert str(caught.value) == (
        f"{where.profiles_directory / 'mine.toml'}: base_url is missing, but the key is a svc_live_ key; "
        "add it with: svc-tui profiles edit mine"
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mien", 'there is no profile mien (--profile); available: mine, other; did you mean "mine"?'),
        ("zzz", "there is no profile zzz (--profile); available: mine, other"),
        ("env", "env is reserved by svc-tui; choose another name for the profile"),
        ("demo", "demo is reserved by svc-tui; choose another name for the profile"),
        (
            "../mine",
            '"../mine" is not a valid profile name; use up to 64 letters, digits, dots, hyphens and underscores, '
            "beginning with a letter or digit",
        ),
        (
            "",
            '"" is not a valid profile name; use up to 64 letters, digits, dots, hyphens and underscores, '
            "beginning with a letter or digit",
        ),
    ],
)
def test_a_name_that_is_none_is_told(where: Locations, put: Put, name: str, told: str) -> None:
    put(PLAIN, "mine")
    put(PLAIN, "other")
    with pytest.raises(ConfigError) as caught:
        resolve_connection(where, {}, name)
    assert str(caught.value) == told


def test_a_choice_that_is_gone_never_falls_back_to_another(where: Locations, put: Put) -> None:
    put(PLAIN, "other")
    configure(where, 'default_profile = "other"')
    FilePreferences(where).remember_profile("gone")
    with pytest.raises(ConfigError) as caught:
        resolve_connection(where, {})
    assert str(caught.value) == (
        f"there is no profile gone ({where.state_file}: last chosen); available: other; "
        "choose one with: svc-tui profiles use NAME"
    )


def test_a_damaged_state_chooses_nothing(where: Locations, put: Put) -> None:
    put(PLAIN, "other")
    configure(where, 'default_profile = "other"')
    where.state_directory.mkdir()
    where.state_file.write_text("profile = ")
    with pytest.raises(ConfigError, match=r"state\.toml:1: not valid TOML: .*; choose a profile with --profile NAME$"):
        resolve_connection(where, {})
    where.state_file.write_text("profile = 7")
    assert select_profile(where, {}).name == "other"


def test_read_only_in_a_profile_or_by_option_holds(where: Locations, put: Put) -> None:
    put(f"{PLAIN}read_only = true")
    assert resolve_connection(where, {}, "mine").profile.read_only
    put(PLAIN)
    assert not resolve_connection(where, {}, "mine").profile.read_only
    assert resolve_connection(where, {}, "mine", read_only=True).profile.read_only


def test_a_live_key_without_a_secret_is_used_unsigned(where: Locations, put: Put) -> None:
    put(f'api_key = {{ env = "LIVE" }}\n{SERVICE}')
    found = resolve_connection(where, {**ENVIRONMENT, "LIVE": "svc_live_x"}, "mine")
    assert found.keys == KeyPair("svc_live_x", None)


def test_a_secret_is_written_out_for_test_keys_alone(where: Locations, put: Put) -> None:
    path = put(f'api_key = {{ env = "KEY" }}\n{SERVICE}signing_secret = "hidden"')
    assert resolve_connection(where, {"KEY": "svc_test_x"}, "mine").keys == KeyPair("svc_test_x", "hidden")
    with pytest.raises(ConfigError) as caught:
        resolve_connection(where, {"KEY": "svc_live_x"}, "mine")
    assert str(caught.value) == (
        f"{path}:4: signing_secret is in plain text, which is only allowed for test keys; "
        "store it in a keyring, file, variable (env) or command"
    )


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('{ env = "NONE" }', "the variable NONE is not set"),
        ('{ command = ["false"] }', "the command false failed (exit status 1); run it in a terminal to see why"),
        (
            '{ command = ["echo", "sk_hidden"] }',
            "the API key must begin with svc_live_ or svc_test_; copy the whole key",
        ),
        (
            '{ command = ["echo", "svc_live_hid den"] }',
            "the API key contains a space, a line break or a character that is not ASCII; paste it again",
        ),
    ],
)
def test_a_key_that_is_not_to_be_had_is_told_with_file_line_and_setting(
    where: Locations, put: Put, written: str, told: str
) -> None:
    path = put(f"{SERVICE}api_key = {written}")
    with pytest.raises(ConfigError) as caught:
        resolve_connection(where, {}, "mine")
    assert str(caught.value) == f"{path}:3: api_key: {told}"


def test_a_rotated_pair_is_seen_when_it_is_read_again_wherever_it_is(
    where: Locations, put: Put, own_keyring: FileKeyring
) -> None:
    variables = {"KEY": "svc_test_1"}
    put(f'api_key = {{ env = "KEY" }}\nsigning_secret = {{ keyring = "svc-tui/s" }}\n{SERVICE}')
    own_keyring.set_password("svc-tui", "s", "one")
    credentials = resolve_connection(where, variables, "mine").credentials
    assert credentials.read() == KeyPair("svc_test_1", "one")
    variables["KEY"] = "svc_test_2"
    own_keyring.set_password("svc-tui", "s", "two")
    assert credentials.read() == KeyPair("svc_test_2", "two")
    put(f'api_key = "svc_test_3"\n{SERVICE}')
    assert credentials.read() == KeyPair("svc_test_3")
    put("api_key = ")
    with pytest.raises(CredentialError, match=":1: not valid TOML"):
        credentials.read()


def test_a_connection_tells_where_things_come_from_and_no_secret(where: Locations, put: Put) -> None:
    path = put(f'api_key = {{ env = "KEY" }}\nsigning_secret = {{ command = ["echo", "hidden"] }}\n{SERVICE}')
    found = profile_connection(Profiles(where), "mine", {"KEY": "svc_live_hidden"})
    assert found.settings == ("api_key (variable KEY)", "signing_secret (command echo)", "base_url")
    assert (found.key_origin, found.file) == ("variable KEY", path)
    assert "hidden" not in repr(found)


def test_a_teams_password_is_read_when_it_is_asked_for_and_anew_each_time(
    where: Locations, put: Put, own_keyring: FileKeyring
) -> None:
    put(f'{PLAIN}team_password = {{ keyring = "svc-tui/team" }}')
    found = resolve_connection(where, {}, "mine")
    own_keyring.set_password("svc-tui", "team", "one")
    assert found.read_team_password() == "one"
    own_keyring.set_password("svc-tui", "team", "two")
    assert found.read_team_password() == "two"
    path = put(f'{PLAIN}team_password = {{ env = "TEAM" }}')
    with pytest.raises(CredentialError) as caught:
        found.read_team_password()
    assert str(caught.value) == f"{path}:4: team_password: the variable TEAM is not set"
    put("api_key = ")
    with pytest.raises(CredentialError, match=":1: not valid TOML"):
        found.read_team_password()


def test_without_a_password_none_is_given_and_a_key_from_the_environment_has_no_team(
    where: Locations, put: Put
) -> None:
    put(f'{PLAIN}team = "postgresql:///journal"')
    found = resolve_connection(where, ENVIRONMENT, "mine")
    assert (found.profile.team, found.read_team_password()) == ("postgresql:///journal", "")
    found = resolve_connection(where, ENVIRONMENT)
    assert (found.profile.name, found.profile.team, found.read_team_password()) == ("env", "", "")
