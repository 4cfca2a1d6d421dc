"""The contrast ratio agrees with the standard."""

import pytest

from svc_tui.domain.app.contrast import contrast_ratio


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#ff0000", "#ffffff", 4.0),
        ("#123456", "#123456", 1),
    ],
)
def test_the_formula_agrees_with_the_standard(one: str, other: str, ratio: float) -> None:
    assert contrast_ratio(one, other) == contrast_ratio(other, one) == pytest.approx(ratio, abs=0.005)
