"""Options: what is refused, how they cross to the process, what they never show."""

from pathlib import Path
from typing import Any

import pytest

from svc_tui.sandbox.options import IssuedKey, SandboxError, SandboxOptions, options_from_line

KEY = IssuedKey("live", "svc_live_hidden", "svcsec_hidden", "a note")


def test_options_cross_as_one_line() -> None:
    options = SandboxOptions("::1", 8080, 7, 20, ("429:2",), Path("a b.db"), (KEY,), "token")
    line = options.to_line()
    assert "\n" not in line
    assert options_from_line(line) == options
    assert options_from_line(SandboxOptions().to_line()) == SandboxOptions()


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "{}", "null", '{"port": 1}', '{"keys": null, "database": null, "faults": [], "x": 1}']
)
def test_a_line_that_holds_no_options(line: str) -> None:
    with pytest.raises(SandboxError, match="options as JSON"):
        options_from_line(line)


def test_a_repr_shows_no_secret() -> None:
    shown = repr(SandboxOptions(keys=(KEY,), control_token="svc-control-hidden")) + repr(KEY)
    assert "hidden" not in shown


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"port": -1}, "port -1 is not between 0 and 65535"),
        ({"port": 65_536}, "port 65536"),
        ({"records": -1}, "records must be between 0 and 10000000, not -1"),
        ({"latency_ms": -1}, "latency must be between 0 and 600000 ms, not -1"),
        ({"faults": ("429", "flood")}, "no fault 'flood'; choose from 429, 500"),
        ({"faults": ("429:0",)}, "no fault '429:0'"),
        ({"faults": ("hold",)}, "the fault hold waits for a test to release it"),
        ({"host": "example.com"}, "host 'example.com' is neither an IP address nor localhost"),
        ({"keys": (IssuedKey("live", "other_key", None),)}, "the key 'live' must start with svc_live_ or svc_test_"),
    ],
)
def test_a_bad_option_is_refused_in_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SandboxError) as refused:
        SandboxOptions(**values)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
