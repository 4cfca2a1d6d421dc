"""Tables on a terminal: columns that fit it, and a last column that goes below its row where it does not."""

import pytest

from svc_tui.cli.output import rows
from svc_tui.cli.output.rows import TextTable

ROWS = [
    {"row": "2", "name": "Concentrate of zinc 4", "change": "8.42 → 9.9", "problem": "grade: is now 7.7 (changed)."},
    {"row": "3", "name": "Lot", "change": "1 → 2", "problem": "No."},
]


def printed(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of the table in a terminal of so many columns."""
    monkeypatch.setattr(rows, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    TextTable(("row", "name", "change", "problem"), shortened="name").add(ROWS)
    return capsys.readouterr().out.splitlines()


def test_a_last_column_that_does_not_fit_goes_below_its_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed(31, capsys, monkeypatch) == [
        "row  name            change",
        "     problem",
        "2    Concentrate o…  8.42 → 9.9",
        "     grade: is now 7.7",
        "     (changed).",
        "3    Lot             1 → 2",
        "     No.",
    ]


def test_in_a_wide_terminal_a_row_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed(80, capsys, monkeypatch) == [
        "row  name                   change      problem",
        "2    Concentrate of zinc 4  8.42 → 9.9  grade: is now 7.7 (changed).",
        "3    Lot                    1 → 2       No.",
    ]
