"""The terminal is told of what it does not show already, and of nothing else."""

import random
from itertools import pairwise

import pyte
import pytest
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from svc_tui.ui.terminal.painting import CellRun, ScreenBuffer

SIZE = Size(12, 3)
RED, BLUE = Style.parse("red"), Style.parse("blue")


class Terminal:
    """A buffer and the terminal that it stands for."""

    def __init__(self) -> None:
        self.buffer, self.screen = ScreenBuffer(), pyte.Screen(*SIZE)
        self._stream = pyte.Stream(self.screen)
        self._console = Console(color_system="truecolor")
        self._console._color_system = ColorSystem.TRUECOLOR

    def show(self, *runs: CellRun, size: Size = SIZE) -> str:
        """Show the runs; what was written for it."""
        written = self.buffer.update(size, runs, self._console)
        self._stream.feed(written)
        return written

    @property
    def rows(self) -> list[str]:
        """What is shown, row by row."""
        return [row.rstrip() for row in self.screen.display]


def strip(*parts: str | tuple[str, Style]) -> Strip:
    """Cells with these texts in them."""
    return Strip([Segment(part, None) if isinstance(part, str) else Segment(*part) for part in parts])


def row(text: str, y: int = 0, x: int = 0) -> CellRun:
    """A text in one run."""
    return y, x, strip(text)


@pytest.fixture
def terminal() -> Terminal:
    """One that shows nothing yet."""
    return Terminal()


def test_what_is_shown_already_is_not_written_again(terminal: Terminal) -> None:
    assert terminal.show(row("lot-1 open  "), row("lot-2 closed", 1))
    assert terminal.rows[:2] == ["lot-1 open", "lot-2 closed"]
    assert terminal.show(row("lot-1 open  "), row("lot-2 closed", 1)) == ""
    written = terminal.show(row("lot-1 open  "), row("lot-2 open  ", 1))
    assert "lot-2" in written
    assert "lot-1" not in written
    assert terminal.rows[:2] == ["lot-1 open", "lot-2 open"]


def test_another_style_is_another_cell_and_where_a_click_leads_is_not(terminal: Terminal) -> None:
    terminal.show((0, 0, strip(("open", RED))))
    assert terminal.show((0, 0, strip(("open", BLUE))))
    assert terminal.screen.buffer[0][0].fg == "blue"
    linked = BLUE + Style.from_meta({"@click": "open()"})
    assert terminal.show((0, 0, strip(("open", linked)))) == ""


def test_runs_that_are_cut_otherwise_are_compared_by_what_is_in_them(terminal: Terminal) -> None:
    terminal.show(row("0123456789ab"))
    assert terminal.show(row("0123"), row("4567", x=4), row("89ab", x=8)) == ""
    assert terminal.show(row("0123456789ab")) == ""
    written = terminal.show(row("01"), row("XX", x=2), row("456789ab", x=4))
    assert written == "\x1b[1;3HXX"
    assert terminal.rows[0] == "01XX456789ab"


def test_a_wide_character_that_an_edge_goes_through_is_written_again(terminal: Terminal) -> None:
    terminal.show(row("ab坑道cdefgh"))
    # A window over columns 3 to 6: of the first character only the left half would be left, of the second nothing.
    terminal.show(row("ab "), row("│  │", x=3), row("defgh", x=7))
    assert terminal.rows[0] == "ab │  │defgh"
    terminal.show(row("ab坑道cdefgh"))
    assert terminal.rows[0].replace(" ", "") == "ab坑道cdefgh"


def test_after_it_forgot_or_the_size_changed_everything_is_written(terminal: Terminal) -> None:
    terminal.show(row("lot-1"))
    terminal.buffer.forget()
    assert "lot-1" in terminal.show(row("lot-1"))
    assert terminal.show(row("lot-1")) == ""
    assert "lot-1" in terminal.show(row("lot-1"), size=Size(12, 2))


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_shown_in_whatever_runs_the_terminal_shows_it(seed: int) -> None:
    chosen, terminal = random.Random(seed), Terminal()
    characters = "ab ─│坑é●"
    for _ in range(30):
        y = chosen.randrange(3)
        cells: list[str] = []
        while sum(map(len, cells)) < SIZE.width:
            character = chosen.choice(characters)
            cells.append(character + "\0" if character == "坑" else character)
        wanted = "".join(cells)[: SIZE.width]
        if wanted.endswith("坑"):
            wanted = wanted[:-1] + " "
        cuts = sorted({0, SIZE.width, *(chosen.randrange(SIZE.width) for _ in range(chosen.randrange(4)))})
        # No run begins in the middle of a character.
        cuts = [cut for cut in cuts if cut == SIZE.width or wanted[cut] != "\0"]
        runs = [(y, a, strip(wanted[a:b].replace("\0", ""))) for a, b in pairwise(cuts)]
        terminal.show(*runs)
        assert terminal.screen.display[y] == wanted.replace("\0", "")


@pytest.mark.parametrize("known_cells", [1, 2])
@pytest.mark.parametrize("emoji", ["\U0001fae8", "\U0001fae9", "\U0001fadf", "\u2764\ufe0f", "\U0001f1e9\U0001f1ea"])
def test_an_emoji_that_the_terminal_takes_for_narrow_does_not_shift_the_row(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, emoji: str, known_cells: int
) -> None:
    monkeypatch.setattr("pyte.screens.wcwidth", lambda character: known_cells if ord(character) > 0x1F000 else 1)
    terminal.show(row("old old old "))
    terminal.show(row(f"a {emoji} b│c "))
    assert [terminal.screen.buffer[0][column].data for column in range(5, 8)] == ["b", "│", "c"]
    assert terminal.screen.buffer[0][4].data == " "
    # What stands behind it is found where it was.
    terminal.show(row("X", x=6))
    assert [terminal.screen.buffer[0][column].data for column in range(5, 8)] == ["b", "X", "c"]


def test_wide_characters_that_every_terminal_knows_are_written_as_they_are(terminal: Terminal) -> None:
    assert terminal.show(row("鉱石 lot-1  ")).count("\x1b[") == 1
    assert terminal.show(row("⏎ Open      ", 1)).count("\x1b[") == 1


def test_around_a_character_of_uncertain_width_the_rest_is_written_as_it_is(terminal: Terminal) -> None:
    emoji = "\U0001fae8"
    written = terminal.show((0, 0, strip("plain ", (f"{emoji} ", RED), "end")))
    assert written.startswith("\x1b[1;1Hplain ")
    assert written.endswith("end")
    assert terminal.show((0, 0, strip("plain ", (f"{emoji} ", RED), "end"))) == ""


def test_what_is_left_of_a_wide_character_is_taken_for_lost(terminal: Terminal) -> None:
    terminal.show(row("a坑道b       "))
    terminal.show(row("x", x=2))
    # Terminals show different things where its left half was.
    assert terminal.show(row("a "))
    assert terminal.rows[0].split() == ["a", "x道b"]
