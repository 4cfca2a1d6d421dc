"""Values that hold secrets show none of them, in their repr nor in Rich's tracebacks."""

import pytest
from rich.pretty import pretty_repr

from svc_tui.core.credentials import KeyPair
from svc_tui.core.requests import Answer, SignedRequest
from svc_tui.core.values import HidesFields

HIDDEN = "svc_test_hidden"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (KeyPair(HIDDEN, HIDDEN), "KeyPair()"),
        (Answer(200, HIDDEN, (("X-Key", HIDDEN),), HIDDEN.encode()), "Answer(status=200, capped=False)"),
        (
            SignedRequest("GET", "http://h", "/v1", (), HIDDEN.encode()),
            "SignedRequest(method='GET', url='http://h', target='/v1', headers=(), string_to_sign=None, key_from='')",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, HidesFields) else "",
)
def test_hidden_fields_are_not_shown(value: HidesFields, shown: str) -> None:
    assert repr(value) == shown
    assert pretty_repr(value, max_width=200) == shown
    assert HIDDEN not in pretty_repr([value])
