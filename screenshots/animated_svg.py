"""Draws screens of a terminal, one after the other, as one SVG that moves by itself: no script, and nothing fetched.

A row that stays from one frame to the next is drawn once, and so is one that comes again: a frame only says which rows
are seen while it is on. Lines and blocks are drawn as shapes, since letters of another font would leave gaps in them.
Where nothing moves, or nothing should, one frame stands still.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import TypeVar
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.segment import Segment

_CELL, _LINE = 10, 20
"""How wide and how high a cell is."""
_BASELINE = 15
"""How far below the top of its row a letter stands."""
_MARGIN, _HEAD, _FOOT = 14, 42, 54
"""Around the screen, above it and below it."""
_DIM_SHARE = 0.5
"""How much of a dim colour is left, as many terminals have it."""

_MONOSPACE = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
_SANS = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"
_WINDOW, _WINDOW_EDGE, _WINDOW_INK = "#292929", "#4c4c4c", "#c5c8c6"
_KEY, _KEY_INK = "#14171d", "#7db2f0"

_TOP, _BOTTOM = -_BASELINE, _LINE - _BASELINE
_MIDDLE = _TOP + _LINE // 2
_CORNERS = {
    "╭": f"V{_MIDDLE + 5}q0-5 5-5",
    "╮": f"V{_MIDDLE + 5}q0-5-5-5",
    "╰": f"V{_MIDDLE - 5}q0 5 5 5",
    "╯": f"V{_MIDDLE - 5}q0 5-5 5",
}
"""Corners of frames, from the middle of the edge below or above to that of the edge beside."""
_STROKE = 1.5
"""How thick a line is: a pixel where the picture is shown at two thirds of its size, as in a README."""
_LOWER = {chr(0x2580 + eighths): eighths for eighths in range(1, 9)}
"""Blocks that fill a cell from below, with the eighths that they fill."""
_LEFT = {chr(0x2590 - eighths): eighths for eighths in range(1, 8)}
"""Blocks that fill it from the left."""
_DRAWN = re.compile(f"─+|[│{''.join((*_CORNERS, *_LOWER, *_LEFT))}]")
_BLANKS = re.compile(r"\s{2,}")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FIRST_OF_OTHER_SCRIPTS = 0x590
"""From here on a letter may be as wide as it likes, or go the other way: each has its own place."""

_Shown = TypeVar("_Shown")


@dataclass(frozen=True, slots=True)
class Look:
    """How letters are drawn: colours as `#rrggbb`."""

    ink: str
    ground: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False


Row = tuple[tuple[str, Look], ...]
"""A row of the screen: texts, and how each is drawn."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is seen for some seconds: the screen, the key that led there, and what it does."""

    rows: tuple[Row, ...]
    seconds: float
    key: str
    words: str


def painted_row(segments: Iterable[Segment], text: str) -> Row:
    """A row as it was painted, with `text`, which is as long, in the place of its own."""
    runs: list[tuple[str, Look]] = []
    start = 0
    for segment in segments:
        if segment.control:
            continue
        end = start + len(segment.text)
        runs.append((text[start:end], _look(segment)))
        start = end
    return tuple(("".join(run for run, _ in same), look) for look, same in groupby(runs, key=lambda run: run[1]))


def _look(segment: Segment) -> Look:
    """How a segment looks, with what is inverse or dim counted in."""
    style = segment.style
    assert style is not None, segment
    assert style.bgcolor is not None, segment
    # Blanks may have no colour but the one behind them.
    assert style.color is not None or segment.text.isspace(), segment
    ink, ground = (style.color or style.bgcolor).get_truecolor(), style.bgcolor.get_truecolor()
    if style.reverse:
        ink, ground = ground, ink
    if style.dim:
        ink = type(ink)(*(round(b + (a - b) * _DIM_SHARE) for a, b in zip(ink, ground, strict=True)))
    flags = (style.bold, style.italic, style.underline, style.strike)
    return Look(ink.hex, ground.hex, *(bool(flag) for flag in flags))


def animated_svg(frames: Sequence[Frame], still: int, title: str, description: str) -> str:
    """All frames in turn, without end, as the text of an SVG; frame number `still` is seen where nothing moves."""
    return _Drawing(frames, still).svg(title, description)


class _Drawing:
    """One SVG: what was drawn so far, and the names that it goes by."""

    def __init__(self, frames: Sequence[Frame], still: int) -> None:
        self._frames, self._still = frames, still
        grounds = [look.ground for row in frames[0].rows for text, look in row for _ in text]
        self._ground = max(sorted(set(grounds)), key=grounds.count)
        self._looks: dict[tuple[str, ...], str] = {}
        self._rows: dict[str, str] = {}
        self._spans: set[tuple[int, int]] = set()

    def svg(self, title: str, description: str) -> str:
        """The whole of it."""
        columns = max(sum(cell_len(text) for text, _ in row) for row in self._frames[0].rows)
        lines = len(self._frames[0].rows)
        screen_width, screen_height = columns * _CELL, lines * _LINE
        width, height = screen_width + 2 * _MARGIN, _HEAD + screen_height + _FOOT
        places = [*self._screen(lines), *self._captions(_MARGIN, _HEAD + screen_height)]
        drawn = [f'<g id="{name}">{inner}</g>' for inner, name in self._rows.items()]
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
                ' aria-labelledby="title desc">',
                f'<title id="title">{_xml(title)}</title>',
                f'<desc id="desc">{_xml(description)}</desc>',
                f"<style>{self._style()}</style>",
                "<defs>",
                *drawn,
                "</defs>",
                f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="{_WINDOW}"'
                f' stroke="{_WINDOW_EDGE}"/>',
                '<circle cx="24" cy="21" r="7" fill="#ff5f57"/><circle cx="46" cy="21" r="7" fill="#febc2e"/>'
                '<circle cx="68" cy="21" r="7" fill="#28c840"/>',
                f'<text class="words" x="{width // 2}" y="27" text-anchor="middle">svc-tui</text>',
                f'<rect x="{_MARGIN}" y="{_HEAD}" width="{screen_width}" height="{screen_height}"'
                f' fill="{self._ground}"/>',
                *places,
                "</svg>",
                "",
            )
        )

    def _screen(self, lines: int) -> Iterator[str]:
        """Where each row of the screen is seen, and when."""
        for number in range(lines):
            drawn = [self._row(frame.rows[number]) for frame in self._frames]
            for name, first, until in _spans(drawn):
                y = _HEAD + number * _LINE + _BASELINE
                yield f'<use href="#{name}" x="{_MARGIN}" y="{y}"{self._when(first, until)}/>'

    def _captions(self, x: int, y: int) -> Iterator[str]:
        """The key of each frame and what it does, under the screen."""
        shown = [(frame.key, frame.words) for frame in self._frames]
        for (key, words), first, until in _spans(shown):
            length = len(key) * 12
            yield (
                f'<g transform="translate({x} {y + 10})"{self._when(first, until)}>'
                f'<rect width="{length + 28}" height="34" rx="7" fill="{_KEY}" stroke="{_KEY_INK}"/>'
                f'<text class="key" x="14" y="24" textLength="{length}">{_xml(key)}</text>'
                f'<text class="words" x="{length + 46}" y="24">{_xml(words)}</text></g>'
            )

    def _when(self, first: int, until: int) -> str:
        """The attribute of what is seen from one frame on, until another."""
        if (first, until) == (0, len(self._frames)):
            return ""
        self._spans.add((first, until))
        stays = " s" if first <= self._still < until else ""
        return f' class="f f{first}-{until}{stays}"'

    def _row(self, row: Row) -> str:
        """The name of the drawing of a row, which is made unless there is one."""
        inner = "".join((*self._grounds(row), *self._marks(row)))
        return self._rows.setdefault(inner, f"r{len(self._rows)}")

    def _grounds(self, row: Row) -> Iterator[str]:
        """What is behind the letters, where that is not what is behind the whole screen."""
        shapes: dict[str, str] = {}
        for x, text, look in _placed(row):
            if look.ground != self._ground:
                part = _area(x, _TOP, cell_len(text) * _CELL, _LINE)
                shapes[look.ground] = shapes.get(look.ground, "") + part
        for ground, path in shapes.items():
            yield f'<path class="g {self._name("color", ground)}" d="{path}"/>'

    def _marks(self, row: Row) -> Iterator[str]:
        """Lines, blocks and letters."""
        corners: dict[str, str] = {}
        blocks: dict[str, str] = {}
        letters: list[str] = []
        for x, text, look in _placed(row):
            for at, part in _parts(x, text):
                if part in _CORNERS:
                    corners[look.ink] = corners.get(look.ink, "") + _corner(at, part)
                elif _DRAWN.match(part):
                    blocks[look.ink] = blocks.get(look.ink, "") + _block(at, part)
                else:
                    letters.append(self._letters(at, part, look))
        for ink, path in corners.items():
            yield f'<path class="l {self._name("color", ink)}" d="{path}"/>'
        for ink, path in blocks.items():
            yield f'<path class="g {self._name("color", ink)}" d="{path}"/>'
        yield from letters

    def _letters(self, x: int, text: str, look: Look) -> str:
        decoration = [word for word, on in (("underline", look.underline), ("line-through", look.strike)) if on]
        name = self._name(
            "color",
            look.ink,
            *(("font-weight", "bold") if look.bold else ()),
            *(("font-style", "italic") if look.italic else ()),
            *(("text-decoration", " ".join(decoration)) if decoration else ()),
        )
        width = cell_len(text) * _CELL
        if _has_own_place(text[0]):
            return f'<text class="{name} m" x="{x + width // 2}">{_xml(text)}</text>'
        length = f' textLength="{width}"' if len(text) > 1 else ""
        return f'<text class="{name}" x="{x}"{length}>{_xml(text)}</text>'

    def _name(self, *rule: str) -> str:
        """The class of a rule: properties, each with its value behind it."""
        return self._looks.setdefault(rule, f"c{len(self._looks)}")

    def _style(self) -> str:
        """The style sheet: how letters look, and when which rows are seen."""
        ends = [0.0, *accumulate(frame.seconds for frame in self._frames)]
        rules = [
            f"text{{font:16.6px {_MONOSPACE};fill:currentColor}}",
            ".g{fill:currentColor;shape-rendering:crispEdges}",
            f".l{{fill:none;stroke:currentColor;stroke-width:{_STROKE}}}",
            ".m{text-anchor:middle}",
            f".key{{font:bold 20px {_MONOSPACE};fill:{_KEY_INK}}}",
            f".words{{font:20px {_SANS};fill:{_WINDOW_INK}}}",
        ]
        for rule, name in self._looks.items():
            values = ";".join(f"{name}:{value}" for name, value in zip(rule[::2], rule[1::2], strict=True))
            rules.append(f".{name}{{{values}}}")
        rules += [f".f{{visibility:hidden;animation:{_short(ends[-1])}s step-end infinite}}", ".s{visibility:visible}"]
        for first, until in sorted(self._spans):
            name = f"f{first}-{until}"
            hidden = "0%{visibility:hidden}" if first else ""
            gone = "" if until == len(self._frames) else f"{_share(ends, until)}{{visibility:hidden}}"
            steps = f"{hidden}{_share(ends, first)}{{visibility:visible}}{gone}"
            rules.append(f".{name}{{animation-name:{name}}}@keyframes {name}{{{steps}}}")
        rules.append("@media (prefers-reduced-motion:reduce){.f{animation:none!important}}")
        return "\n".join(rules)


def _spans(shown: Sequence[_Shown]) -> Iterator[tuple[_Shown, int, int]]:
    """What is seen in turn: each with its first frame, and the one that it is no longer seen in."""
    starts = [0, *(number for number in range(1, len(shown)) if shown[number] != shown[number - 1]), len(shown)]
    for first, until in pairwise(starts):
        yield shown[first], first, until


def _placed(row: Row) -> Iterator[tuple[int, str, Look]]:
    """The runs of a row, each with where it begins."""
    x = 0
    for text, look in row:
        yield x, text, look
        x += cell_len(text) * _CELL


def _parts(x: int, text: str) -> Iterator[tuple[int, str]]:
    """The parts of a run that are drawn each by itself, and where; blanks between them are left out."""
    for part in _split(text):
        if not part.isspace():
            yield x, part
        x += cell_len(part) * _CELL


def _split(text: str) -> Iterator[str]:
    """A run, taken apart at lines, blocks, wide blanks, and letters that have a place of their own."""
    plain = ""
    at = 0
    while at < len(text):
        drawn = _DRAWN.match(text, at) or _BLANKS.match(text, at)
        length = len(drawn[0]) if drawn else 1
        piece = text[at : at + length]
        if drawn or _has_own_place(piece):
            yield from (part for part in (plain.rstrip(" "), " " * (len(plain) - len(plain.rstrip(" ")))) if part)
            yield piece
            plain = ""
        elif piece == " " and not plain:
            yield piece
        else:
            plain += piece
        at += length
    if plain:
        yield plain.rstrip(" ") or plain


def _has_own_place(letter: str) -> bool:
    return ord(letter) >= _FIRST_OF_OTHER_SCRIPTS or cell_len(letter) != 1


def _corner(x: int, part: str) -> str:
    return f"M{x + _CELL // 2} {_BOTTOM if part in '╭╮' else _TOP}{_CORNERS[part]}"


def _block(x: int, part: str) -> str:
    """A line or a block, as an area: it is filled without soft edges, so that areas meet with neither gap nor seam."""
    if part[0] == "─":
        return _area(x, _MIDDLE - _STROKE / 2, len(part) * _CELL, _STROKE)
    if part == "│":
        return _area(x + _CELL / 2 - _STROKE / 2, _TOP, _STROKE, _LINE)
    if part in _LEFT:
        return _area(x, _TOP, _LEFT[part] * _CELL / 8, _LINE)
    height = _LOWER[part] * _LINE / 8
    return _area(x, _BOTTOM - height, _CELL, height)


def _area(x: float, y: float, width: float, height: float) -> str:
    return f"M{_short(x)} {_short(y)}h{_short(width)}v{_short(height)}H{_short(x)}z"


def _share(ends: Sequence[float], number: int) -> str:
    return f"{_short(100 * ends[number] / ends[-1])}%"


def _short(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _xml(text: str) -> str:
    """A text as XML may hold it, whatever is in it."""
    return escape(_NOT_XML.sub("\ufffd", text))
