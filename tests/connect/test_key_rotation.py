"""What is typed for a new pair: the right environment, key and secret together, and no word of either in a message."""

import pytest

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import KEY, SCOPE, SIGNATURE
from svc_tui.connect.key_rotation import blocking_checks, parse_new_pair
from svc_tui.connect.new_connection import UnusableInput
from svc_tui.core.credentials import Environment, KeyPair

KEY_TEXT, SECRET = "svc_live_abc", "svcsec_abc"


def test_the_pair_is_what_was_typed_without_blanks_around_it() -> None:
    assert parse_new_pair(f" {KEY_TEXT}\n", f"{SECRET} ", Environment.LIVE) == KeyPair(KEY_TEXT, SECRET)


def test_a_profile_without_a_secret_gets_none() -> None:
    assert parse_new_pair(KEY_TEXT, None, Environment.LIVE) == KeyPair(KEY_TEXT)


@pytest.mark.parametrize(
    ("key", "secret", "environment", "field", "told"),
    [
        ("", SECRET, Environment.LIVE, "key", "enter the new API key"),
        ("abc", SECRET, Environment.LIVE, "key", "must begin with svc_live_ or svc_test_"),
        (KEY_TEXT, SECRET, Environment.SANDBOX, "key", "this is a LIVE key, but the profile is for SANDBOX"),
        (KEY_TEXT, " ", Environment.LIVE, "secret", "rotation changes both"),
        (KEY_TEXT, "a b", Environment.LIVE, "secret", "paste it again"),
    ],
)
def test_the_first_field_that_stands_in_the_way_is_named(
    key: str, secret: str, environment: Environment, field: str, told: str
) -> None:
    with pytest.raises(UnusableInput, match=told) as raised:
        parse_new_pair(key, secret, environment)
    assert raised.value.field == field
    assert "abc" not in str(raised.value)


def test_what_a_key_may_read_does_not_keep_it_from_being_taken() -> None:
    failed = [CheckResult(name, CheckVerdict.FAILED, "") for name in (KEY, SIGNATURE, SCOPE)]
    assert blocking_checks([*failed, CheckResult("clock", CheckVerdict.WARNING, "")]) == tuple(failed[:2])
