"""A pasted signature is judged: how it is written, how old it is, and what was signed."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from svc_tui.connect.pasted_signature import judge_pasted
from svc_tui.core.requests import SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.signing import ForeignSignature, sign, string_to_sign

SECRET = "s3cret"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
AT = int(NOW.timestamp()) - 60
TARGET = "/v1/operations/lots/lot%2F1?b=2&a=1"
BODY = b'{"grade": "A",  "n": 1}'
REQUEST = SignedRequest("PATCH", f"https://api.example.com{TARGET}", TARGET, (), BODY)


def made(text: str, *, at: int = AT, secret: str = SECRET) -> ForeignSignature:
    return ForeignSignature(str(at), f"t={at},v1={sign(secret, text)}")


def right(at: int = AT) -> ForeignSignature:
    return made(string_to_sign(at, "PATCH", TARGET, BODY), at=at)


def cause(pasted: ForeignSignature, *, secrets: tuple[str, ...] = (SECRET,)) -> str:
    return judge_pasted(pasted, REQUEST, NOW, secrets).cause


def test_a_right_signature_is_called_right_and_its_age_is_told() -> None:
    finding = judge_pasted(right(), REQUEST, NOW, (SECRET,))
    assert finding.cause == "The signature is correct for this request and this secret."
    assert finding.why == ("Signed at 2026-11-20 11:59:00 UTC, 60 s ago, within the limit of 300 s.",)
    assert not finding.advice
    old = judge_pasted(right(AT - 86_400), REQUEST, NOW, (SECRET,))
    assert "Sent now, it would be refused: the limit is 300 s" in old.why[0]
    assert "24 h 1 min ago" in old.why[0]
    ahead = judge_pasted(right(int((NOW + timedelta(hours=1)).timestamp())), REQUEST, NOW, (SECRET,))
    assert "1 h from now" in ahead.why[0]


def test_without_a_secret_only_form_and_age_are_judged() -> None:
    assert cause(right(), secrets=()) == "The format of the signature is correct."


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        (ForeignSignature(str(AT), ""), "x-svc-signature is missing"),
        (replace(right(), timestamp=""), "x-svc-timestamp is missing"),
        (ForeignSignature(str(AT), "abc"), "does not have the form t=<seconds>,v1=<hex>"),
        (ForeignSignature(f"{AT}000", f"t={AT}000,v1={'a' * 64}"), "is in milliseconds"),
        (ForeignSignature("9" * 12, f"t={'9' * 12},v1={'a' * 64}"), "not a valid time"),
        (ForeignSignature("9" * 20, f"t={'9' * 20},v1={'a' * 64}"), "not a valid time"),
        (ForeignSignature("soon", f"t={AT},v1={'a' * 64}"), "not a whole number of seconds"),
        (replace(right(), timestamp=str(AT + 1)), "Both must be equal"),
        (ForeignSignature(str(AT), f"t={AT},v1=abc"), "It has 3 characters"),
        (
            ForeignSignature(str(AT), f"t={AT},v1={'g' * 64}"),
            "must have 64 hexadecimal digits. It has other characters",
        ),
        (replace(right(), signature=right().signature.upper().replace("T=", "t=").replace("V1", "v1")), "uppercase"),
    ],
)
def test_what_is_written_wrong_comes_first(pasted: ForeignSignature, words: str) -> None:
    assert words in cause(pasted)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (string_to_sign(AT, "PATCH", TARGET.removeprefix("/v1"), BODY), "without /v1 in the path"),
        (string_to_sign(AT, "PATCH", TARGET.partition("?")[0], BODY), "without the query"),
        (string_to_sign(AT, "PATCH", "/v1/operations/lots/lot/1?b=2&a=1", BODY), "decoded"),
        (string_to_sign(AT, "PATCH", "/v1/operations/lots/lot%2F1?a=1&b=2", BODY), "a sorted query"),
        (string_to_sign(AT, "PATCH", TARGET, b""), "without the body"),
        (string_to_sign(AT, "PATCH", TARGET, BODY + b"\n"), "a line break after the body"),
        (string_to_sign(AT, "PATCH", TARGET, b'{"grade":"A","n":1}'), "compact JSON"),
        (string_to_sign(AT, "PATCH", TARGET, b'{"grade": "A", "n": 1}'), "spaces after commas"),
        (
            f"{AT}.PATCH.{TARGET}.{hashlib.sha256(BODY).hexdigest().upper()}",
            "digest of the body was signed in uppercase",
        ),
        (f"{AT}.patch.{TARGET}.{hashlib.sha256(BODY).hexdigest()}", "lowercase"),
        ("anything else", "none gives this signature"),
    ],
)
def test_what_was_signed_in_place_of_the_right_text_is_found(text: str, words: str) -> None:
    assert words in cause(made(text))


@pytest.mark.parametrize("written", ["", "0", "999999999999", "9999999999999", "99999999999999", "9" * 5000, "-5", "٣"])
def test_any_text_for_a_time_gets_an_answer(written: str) -> None:
    assert judge_pasted(ForeignSignature(written, f"t={written},v1={'a' * 64}"), REQUEST, NOW, (SECRET,)).cause


def test_another_secret_is_told_and_none_is_shown() -> None:
    finding = judge_pasted(made(string_to_sign(AT, "PATCH", TARGET, BODY), secret="other"), REQUEST, NOW, (SECRET,))
    assert "another secret" in finding.cause
    assert SECRET not in repr(finding)
