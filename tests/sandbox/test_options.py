"""Options: what is refused, how they cross to the process, what they never show."""

from pathlib import Path
from typing import Any

import pytest

from svc_tui.sandbox.access.keys import IssuedKey
from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.options import SandboxOptions, options_from_line
from svc_tui.sandbox.variants import Variants
from tests.fixed_keys import fixed

KEY = IssuedKey("live", "svc_live_hidden", "svcsec_hidden", "signed, may read and write")


def test_options_cross_as_one_line() -> None:
    options = SandboxOptions(
        "::1",
        8080,
        7,
        20,
        ("429:2",),
        Path("a b.db"),
        fixed(KEY),
        "a token of the test",
        seed=3,
        clock_offset=-90,
        variants=Variants({"meta": "count"}),
        split=True,
    )
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
    shown = repr(SandboxOptions(keys=fixed(KEY), control_token="svc-control-hidden")) + repr(KEY)
    assert "hidden" not in shown


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"port": -1}, "port must be between 0 and 65535 (0: the system chooses), not -1"),
        ({"port": 65_536}, "port must be between"),
        ({"records": -1}, "records must be between 0 and 10000000, not -1"),
        ({"latency_ms": -1}, "latency must be between 0 and 600000 ms, not -1"),
        ({"faults": ("429", "flood")}, "unknown fault 'flood'; choose from 429, 500"),
        ({"faults": ("429:0",)}, "unknown fault '429:0'"),
        ({"faults": ("hold",)}, "the fault 'hold' needs a control token"),
        ({"host": "example.com"}, "host 'example.com' is not an IP address or localhost"),
        ({"seed": -1}, "seed must be between 0 and"),
        ({"clock_offset": 10**12}, "the clock's offset must be between -315360000 and 315360000 s"),
        ({"split": True, "port": 65_535}, "--split needs two ports"),
        ({"control_token": "short"}, "the control token must have at least 8 characters"),
        ({"control_token": " " * 8}, "the control token must not begin or end with a space"),
        ({"control_token": "long enough\n"}, "the control token must be ASCII without control characters"),
    ],
)
def test_a_bad_option_is_refused_in_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SandboxError) as refused:
        SandboxOptions(**values)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
