"""What is typed for a new connection, and what the checks say of it."""

import pytest

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import ADDRESS, CERTIFICATE, CLOCK, KEY, RATE_LIMIT, REACHABILITY, SCOPE, SIGNATURE
from svc_tui.connect.new_connection import (
    ConnectionField,
    ConnectionInput,
    CredentialStorage,
    NewConnection,
    PairStatus,
    UnusableInput,
    check_source,
    environment_of,
    mask_secret,
    pair_status,
    propose_source,
    typing_problem,
)
from svc_tui.core.credentials import Environment

KEY_TEXT, SECRET, URL = "svc_test_abc123", "svcsec_def456", "https://sandbox.example.com"


def test_spaces_around_what_was_pasted_and_a_trailing_v1_do_not_count() -> None:
    access = ConnectionInput(f" {KEY_TEXT}\n", f"{SECRET} ", f" {URL}/v1/ ").access()
    assert (access.pair.api_key, access.pair.signing_secret, access.base_url) == (KEY_TEXT, SECRET, URL)
    assert access.pair.environment is Environment.SANDBOX


def test_an_empty_secret_is_none() -> None:
    assert ConnectionInput(KEY_TEXT, "  ", URL).access().pair.signing_secret is None


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        (ConnectionInput("", SECRET, URL), "key", "enter the API key"),
        (ConnectionInput("abc", SECRET, URL), "key", "must begin with svc_live_ or svc_test_"),
        (ConnectionInput("svc_test_", SECRET, URL), "key", "is only a prefix"),
        (ConnectionInput(f"{KEY_TEXT} {SECRET}", "", URL), "key", "contains a space"),
        (ConnectionInput(KEY_TEXT, "a b", URL), "secret", "the signing secret contains a space"),
        (ConnectionInput(KEY_TEXT, SECRET, ""), "url", "enter the base URL of SANDBOX"),
        (ConnectionInput(KEY_TEXT, SECRET, KEY_TEXT), "url", "this is a key"),
        (ConnectionInput(KEY_TEXT, SECRET, "http://example.com"), "url", "use https"),
    ],
)
def test_the_first_field_that_stands_in_the_way_is_told_and_nothing_hidden_is_quoted(
    typed: ConnectionInput, field: str, said: str
) -> None:
    with pytest.raises(UnusableInput, match=said) as raised:
        typed.access()
    assert raised.value.field == field
    assert "\n" not in str(raised.value)
    assert "abc123" not in str(raised.value)
    assert "def456" not in str(raised.value)


def test_no_repr_shows_what_is_secret() -> None:
    typed = ConnectionInput(
        KEY_TEXT, SECRET, URL, sources={(CredentialStorage.COMMAND, "key_from"): f"echo {KEY_TEXT}"}
    )
    access = typed.access()
    told = repr((typed, access, NewConnection("x", access, CredentialStorage.COMMAND, f"echo {KEY_TEXT}", SECRET)))
    assert "abc123" not in told
    assert "def456" not in told
    assert URL in told


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("svc_live_abc", "svc_live_•••"),
        ("svc_test_", "svc_test_"),
        ("svc_tes", "•••••••"),
        ("svcsec_ab", "•••••••••"),
        (" svc_test_a", "•••••••••••"),
        ("", ""),
    ],
)
def test_only_the_prefix_of_a_key_is_seen(text: str, seen: str) -> None:
    assert mask_secret(text) == seen


def test_the_environment_is_known_from_the_prefix_alone() -> None:
    assert environment_of(" svc_live_") is Environment.LIVE
    assert environment_of("svc_test_x") is Environment.SANDBOX
    assert environment_of("svc_") is None


def failing(*names: str) -> list[CheckResult]:
    names_of_all = (REACHABILITY, CERTIFICATE, CLOCK, KEY, ADDRESS, SIGNATURE, RATE_LIMIT, SCOPE)
    return [
        CheckResult(name, CheckVerdict.FAILED if name in names else CheckVerdict.WARNING, "") for name in names_of_all
    ]


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ((), PairStatus.WORKS),
        ((REACHABILITY,), PairStatus.UNKNOWN),
        ((CERTIFICATE,), PairStatus.UNKNOWN),
        ((CLOCK,), PairStatus.UNKNOWN),
        ((RATE_LIMIT,), PairStatus.UNKNOWN),
        ((KEY,), PairStatus.REFUSED),
        ((ADDRESS,), PairStatus.REFUSED),
        ((SIGNATURE,), PairStatus.REFUSED),
        ((RATE_LIMIT, SCOPE), PairStatus.REFUSED),
    ],
)
def test_a_key_is_refused_only_by_a_check_of_its_own(failed: tuple[str, ...], said: PairStatus) -> None:
    assert pair_status(failing(*failed)) is said


def test_variables_are_proposed_by_the_profiles_name_and_commands_are_not() -> None:
    assert propose_source(CredentialStorage.VARIABLE, "key_from", "my-live.2") == "SVC_MY_LIVE_2_KEY"
    assert propose_source(CredentialStorage.VARIABLE, "secret_from", "x") == "SVC_X_SECRET"
    assert propose_source(CredentialStorage.COMMAND, "key_from", "x") == ""


@pytest.mark.parametrize(
    ("storage", "text", "said"),
    [
        (CredentialStorage.COMMAND, " ", "enter the command that prints the key"),
        (CredentialStorage.VARIABLE, "", "enter the name of the variable with the key"),
        (CredentialStorage.COMMAND, f"echo {KEY_TEXT}", "this is the key itself"),
        (CredentialStorage.VARIABLE, "MY-KEY", "use letters, digits and underscores"),
        (CredentialStorage.VARIABLE, "2KEY", "use letters, digits and underscores"),
    ],
)
def test_what_names_no_place_is_refused_and_not_quoted(storage: CredentialStorage, text: str, said: str) -> None:
    with pytest.raises(UnusableInput, match=said) as raised:
        check_source(storage, "key_from", text)
    assert raised.value.field == "key_from"
    assert "abc123" not in str(raised.value)


def test_a_place_is_taken_without_the_spaces_around_it() -> None:
    assert check_source(CredentialStorage.COMMAND, "key_from", " op read x ") == "op read x"
    assert check_source(CredentialStorage.VARIABLE, "key_from", " _A1 ") == "_A1"


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("key", "", ""),
        ("key", "svc_t", ""),
        ("key", "svc_test_a", ""),
        ("key", "sk_live_a", "must begin with"),
        ("key", "svc_test_a b", "a space"),
        ("secret", "fine", ""),
        ("secret", "a\u00e9", "not ASCII"),
        ("url", "https:/", ""),
        ("url", "ftp://x", "https://"),
        ("url", "svc_live_x", "this is a key"),
    ],
)
def test_what_no_typing_mends_is_wrong_at_once(field: ConnectionField, text: str, words: str) -> None:
    problem = typing_problem(field, text)
    assert (words in problem) if words else problem == ""
