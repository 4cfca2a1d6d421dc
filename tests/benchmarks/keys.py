"""What each key costs on each surface of the program, beside a small Textual app and peers that are installed.

Every program runs in a pseudo-terminal of its own. Counted are the processor time of its process until it has come to
rest, the seconds until what the key is for is painted, and until the last byte. All are started several times, by
turns: the first press of a key in a start, which may load modules, counts for itself.
"""

import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import NamedTuple

from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.process import SandboxProcess
from tests.benchmarks.paints import PATIENCE, PseudoTerminal, Screen, spawned, text
from tests.benchmarks.startup import make_home
from tests.terminal import PROGRAM

STARTS, PRESSES = 3, 5
"""Starts of each program, and presses of each key in each of them after the first."""

OURS, TEXTUAL = "svc-tui", "ten lines of Textual"

KEY_PEERS = ("posting", "harlequin", "visidata")

_FIRST_FRAMES = {
    OURS: "000002",
    TEXTUAL: "row-000001",
    "posting": "Posting",
    "harlequin": "Catalog",
    "visidata": "row-000001",
}
"""A text that each shows when it can be used."""

_QUIET = 0.1
"""Seconds of silence after which the program has done with a key."""

_ENTER, _ESCAPE, _UP, _DOWN, _PAGE_DOWN, _BACKSPACE = b"\r", b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[6~", b"\x7f"
_CTRL_F, _CTRL_P, _F1 = b"\x06", b"\x10", b"\x1bOP"

_SCRIPT = """
from textual.app import App
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input
class Dialog(ModalScreen):
    BINDINGS = [("escape", "dismiss")]
    def compose(self):
        yield Input(placeholder="Type here")
class Ten(App):
    def compose(self):
        yield DataTable(cursor_type="row")
    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("id", "name", "status")
        table.add_rows((f"row-{n:06d}", "a name", "open") for n in range(5000))
    def key_o(self):
        self.push_screen(Dialog())
Ten().run()
"""


@dataclass(frozen=True, slots=True)
class Press:
    """A key that is measured, the keys that lead to where it is pressed, and those that take it back.

    `shows` matches the screen, line under line, once what the key is for is there; "": any paint will do. `like` names
    the press of the other programs that is nearest.
    """

    before: Sequence[bytes]
    key: bytes
    shows: str = ""
    back: Sequence[bytes] = ()
    like: str = ""


SURFACES: Mapping[str, Press] = {
    "table: down": Press((), _DOWN, like="down"),
    "table: page down": Press((), _PAGE_DOWN, like="page down"),
    "table: open a record": Press((), _ENTER, r"tags +(▾|\[\])", (_ESCAPE, _DOWN), "record"),
    "record: JSON": Press((_ENTER,), b"}", r'"id": "lot', (b"{",), "dialog"),
    "record: Raw": Press((_ENTER, b"}"), b"}", r'\{"id":"', (b"{",), "dialog"),
    "record: History": Press((_ENTER, b"}", b"}"), b"}", r"No changes|created", (b"{",), "dialog"),
    "field editor: letter": Press((_ENTER, b"j", b"e", b"qq"), b"q", "qqq", (_BACKSPACE,), "letter"),
    "filter line: letter": Press((b"/", b"gol"), b"d", "filter gold", (_BACKSPACE,), "letter"),
    "finder: letter": Press((_CTRL_F, b"gol"), b"d", r"│  gold ", (_BACKSPACE,), "letter"),
    "go to: letter": Press((b":", b"lo"), b"t", r"│  lot ", (_BACKSPACE,), "letter"),
    "palette: letter": Press((_CTRL_P, b"fil"), b"t", r"│  filt ", (_BACKSPACE,), "letter"),
    "console: letter": Press((b"4", b"qq"), b"q", "qqq", (_BACKSPACE,), "letter"),
    "go to: esc": Press((b":",), _ESCAPE, r"\A(?![\s\S]*─ Go to ─)", (b":",), "close"),
    "open the palette": Press((), _CTRL_P, "─ Commands ─", (_ESCAPE,), "palette"),
    "open go to (:)": Press((), b":", "─ Go to ─", (_ESCAPE,), "dialog"),
    "open help (?)": Press((), b"?", "─ Keys · ", (_ESCAPE,), "help"),
    "open sort (s)": Press((), b"s", "─ Sort ", (_ESCAPE,), "dialog"),
    "copy the value (c)": Press((), b"c", like="letter"),
    "open actions (x)": Press((), b"x", "─ Actions on ", (_ESCAPE,), "dialog"),
}
"""What is measured of svc-tui; each from the table of lots, where esc leads back to."""

_DIALOG = Press((), b"o", "Type here", (_ESCAPE,))

OTHERS: Mapping[str, Mapping[str, Press]] = {
    TEXTUAL: {
        "down": Press((), _DOWN),
        "page down": Press((), _PAGE_DOWN),
        "record": _DIALOG,
        "dialog": _DIALOG,
        "help": _DIALOG,
        "letter": Press((b"o", b"qq"), b"q", "qqq", (_BACKSPACE,)),
        "close": Press((b"o",), _ESCAPE, r"\A(?![\s\S]*Type here)", (b"o",)),
        "palette": Press((), _CTRL_P, "Search for commands", (_ESCAPE,)),
    },
    "posting": {
        "letter": Press((b"qq",), b"q", "qqq", (_BACKSPACE,)),
        "palette": Press((), _CTRL_P, "Search for commands", (_ESCAPE,)),
    },
    "harlequin": {
        "letter": Press((b"qq",), b"q", "qqq", (_BACKSPACE,)),
        "palette": Press((), _CTRL_P, "Search for commands", (_ESCAPE,)),
        "help": Press((), _F1, "Harlequin Help", (_ESCAPE,)),
    },
    "visidata": {
        "down": Press((), _DOWN),
        "page down": Press((), _PAGE_DOWN),
        "record": Press((), _ENTER, r"column +║ value", (b"q", _DOWN)),
        "letter": Press((b"/", b"qq"), b"q", "qqq", (_BACKSPACE,)),
    },
}
"""What is measured of the others, by what it is nearest to."""


class Cost(NamedTuple):
    """What one press took: seconds of the processor, until what it is for was painted, and until the last byte."""

    processor: float
    painted: float
    last: float


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """The costs of a press in one program: the `first` of each start, and the `later` ones of all starts."""

    first: list[Cost] = field(default_factory=list)
    later: list[Cost] = field(default_factory=list)

    @property
    def medians(self) -> Cost:
        """The median of each part of the later costs."""
        return Cost(*map(median, zip(*self.later, strict=True)))

    @property
    def painted_first(self) -> float:
        """Seconds until it is painted at the first press of a start, the median of all starts."""
        return median(cost.painted for cost in self.first)

    @property
    def painted_p95(self) -> float:
        """Seconds until it is painted that 95 of 100 later presses stay under."""
        return quantiles((cost.painted for cost in self.later), n=20, method="inclusive")[-1]


Figures = Mapping[str, Mapping[str, KeyFigures]]
"""By program, svc-tui first: the figures of its presses by name."""


def measure_keys(
    peers: Mapping[str, str], names: Sequence[str] = tuple(SURFACES), starts: int = STARTS, presses: int = PRESSES
) -> Figures:
    """Press the keys of the surfaces named, and what is like them in the others; `peers` are commands by name.

    A peer that ends before it shows itself is left out.
    """
    kinds = {SURFACES[name].like for name in names}
    presses_of = {program: {kind: keys[kind] for kind in keys if kind in kinds} for program, keys in OTHERS.items()}
    presses_of[OURS] = {name: SURFACES[name] for name in names}
    with SandboxProcess.start(SandboxOptions()) as service, tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        script, rows = directory / "ten.py", directory / "rows.csv"
        script.write_text(_SCRIPT)
        rows.write_text("id,name,status\n" + "".join(f"row-{number:06d},a name,open\n" for number in range(5000)))
        connection = {"SVC_API_KEY": service.key("sandbox").api_key, "SVC_SANDBOX_BASE_URL": service.base_url}
        commands = {
            OURS: PROGRAM,
            TEXTUAL: (sys.executable, str(script)),
            **{name: (command, *([str(rows)] if name == "visidata" else [])) for name, command in peers.items()},
        }
        figures: dict[str, Mapping[str, KeyFigures]] = {}
        for number in range(starts):
            for program, command in commands.items():
                home = make_home(directory, f"{program}-{number}", **connection)
                with spawned(command, home) as terminal:
                    terminal.keep()
                    try:
                        terminal.begins(text(_FIRST_FRAMES[program]))
                    except EOFError:
                        if program not in peers:
                            raise
                        # Another's program that can't be started here says nothing about this one.
                        continue
                    ours = figures.setdefault(program, {name: KeyFigures() for name in presses_of[program]})
                    _press_all(terminal, presses_of[program], ours, presses)
    return figures


def _press_all(
    terminal: PseudoTerminal, keys: Mapping[str, Press], figures: Mapping[str, KeyFigures], presses: int
) -> None:
    screen = Screen(synchronized=terminal.synchronized)
    for name, press in keys.items():
        try:
            for key in press.before:
                terminal.press(key, 3 * _QUIET)
            for number in range(1 + presses):
                cost = _measure(terminal, screen, press)
                (figures[name].later if number else figures[name].first).append(cost)
                for key in press.back:
                    terminal.press(key, 2 * _QUIET)
            for key in reversed(press.before):
                # A record opens at the tab that was open last.
                terminal.write(b"{" if key == b"}" else _ESCAPE)
                terminal.settled(3 * _QUIET)
        except (TimeoutError, EOFError) as error:
            list(screen.states(terminal.keep()))
            error.add_note(f"{name}: {press.key!r} did not show {press.shows!r} on\n{screen.text}")
            raise


def _measure(terminal: PseudoTerminal, screen: Screen, press: Press) -> Cost:
    painted = None
    # What was painted since the last measured key is on the screen, too.
    for _ in screen.states(terminal.keep()):
        pass
    before, begun = terminal.processor_seconds(), perf_counter()
    terminal.write(press.key)
    while painted is None:
        if perf_counter() - begun > PATIENCE:
            raise TimeoutError("the program paints, but not what the key is for")
        terminal.drain(_QUIET)
        kept = terminal.keep()
        for moment, _ in screen.states(kept):
            if painted is None and re.search(press.shows, screen.text):
                painted = moment
    return Cost(terminal.processor_seconds() - before, painted - begun, kept[-1][0] - begun)
