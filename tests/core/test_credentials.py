"""Key and secret: checked when made, and never shown."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.credentials import MAX_CREDENTIAL_CHARACTERS, CredentialError, Environment, KeyPair

KEY = "svc_test_0123456789abcdef"
SECRET = "svcsec_fedcba9876543210"


def test_the_prefix_names_the_environment() -> None:
    assert KeyPair("svc_live_x").environment is Environment.LIVE
    assert KeyPair("svc_test_x").environment is Environment.SANDBOX


BROKEN = {
    "a line break": "{}\n",
    "a carriage return": "{}\r",
    "a line break within": "{}\nX-Other: 1",
    "a space": " {}",
    "a space within": "{} {}",
    "a tab": "{}\t",
    "NUL": "{}\0",
    "DEL": "{}\x7f",
    "an accent": "{}é",
    "a wide digit": "{}１",
    "a zero-width space": "{}\u200b",
    "a byte order mark": "\ufeff{}",
    "a lone surrogate": "{}\udc80",
    "too many characters": "{}" * 1000,
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_can_not_stand_in_a_header_is_refused_and_not_quoted(what: str) -> None:
    for key, secret in ((BROKEN[what].replace("{}", KEY), SECRET), (KEY, BROKEN[what].replace("{}", SECRET))):
        with pytest.raises(CredentialError) as raised:
            KeyPair(key, secret)
        name = "signing secret" if key == KEY else "API key"
        assert name in str(raised.value)
        assert KEY not in repr(raised.value)
        assert SECRET not in repr(raised.value)
        assert len(str(raised.value)) < 120
        assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\ufeff", "U+FEFF (byte order mark)"),
        ("\u200b", "U+200B (zero width space)"),
        ("\u202e", "U+202E (right-to-left override)"),
    ],
)
@pytest.mark.parametrize("place", ["{}svc_test_x", "svc_{}test_x", "svc_test_x{}"])
def test_an_invisible_character_is_refused_by_name(place: str, character: str, name: str) -> None:
    for key, secret in ((place.format(character), None), ("svc_test_x", place.format(character))):
        with pytest.raises(CredentialError) as raised:
            KeyPair(key, secret)
        assert f"contains {name}, an invisible character" in str(raised.value)


@pytest.mark.parametrize(
    "key", ["", "svc_live_", "svc_test_", "svc_prod_secret", "SVC_LIVE_secret", "secret_svc_live_"]
)
def test_a_key_of_no_environment_is_refused_and_not_quoted(key: str) -> None:
    with pytest.raises(CredentialError, match="API key") as raised:
        KeyPair(key, SECRET)
    assert "secret" not in str(raised.value)


def test_an_empty_secret_is_refused_and_none_means_unsigned() -> None:
    with pytest.raises(CredentialError, match="the signing secret is empty"):
        KeyPair(KEY, "")
    assert KeyPair(KEY).secrets == (KEY,)
    assert KeyPair(KEY, SECRET).secrets == (KEY, SECRET)


def test_the_longest_that_is_taken() -> None:
    longest = "s" * MAX_CREDENTIAL_CHARACTERS
    assert KeyPair(KEY, longest).signing_secret == longest
    with pytest.raises(CredentialError, match=f"more than {MAX_CREDENTIAL_CHARACTERS} characters"):
        KeyPair(KEY, longest + "s")


def test_a_pair_does_not_change_and_is_not_shown() -> None:
    pair = KeyPair(KEY, SECRET)
    for name in ("api_key", "signing_secret"):
        with pytest.raises(AttributeError):
            setattr(pair, name, "svc_live_other")
    assert (pair.api_key, pair.signing_secret) == (KEY, SECRET)
    for shown in (repr(pair), str(pair), f"{pair!r:>80}"):
        assert KEY not in shown
        assert SECRET not in shown
    assert pickle.loads(pickle.dumps(pair)) == pair


@given(st.text(max_size=60), st.none() | st.text(max_size=60))
def test_whatever_is_taken_can_stand_in_a_header(rest: str, secret: str | None) -> None:
    try:
        pair = KeyPair(f"svc_live_{rest}", secret)
    except CredentialError:
        return
    for text in pair.secrets:
        assert text.isascii()
        assert text.isprintable()
        assert " " not in text
