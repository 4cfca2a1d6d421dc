"""The one gate for text that came from outside: what could command a terminal or hide becomes a visible mark.

Records, error messages, file names and pasted text pass through here on their way to the screen. Nothing from
outside is ever part of a markup string: `styled` gives `Content`, and plain strings go where markup is off.
"""

from rich.cells import cell_len, split_graphemes
from textual.content import Content

from svc_tui.core.visible_text import field_label as field_label
from svc_tui.core.visible_text import mask_text as mask_text
from svc_tui.core.visible_text import visible as visible
from svc_tui.core.visible_text import without_commands as without_commands

ELLIPSIS = "…"

MASKED_CLASS = "-masked"
"""The class that the app has while personal data is hidden."""


def styled(text: str, style: str = "", *, lines: bool = False) -> Content:
    """`text` made visible, as content in one style (a Textual style such as `$role-muted` or `bold`)."""
    content = Content(visible(text, lines=lines))
    return content.stylize(style) if style else content


def measure(text: str) -> int:
    """The number of terminal cells that visible text takes."""
    return len(text) if text.isascii() else cell_len(text)


def shorten(text: str, cells: int) -> str:
    """Visible text cut to at most `cells` cells, never through a character; `…` stands for what was cut."""
    if measure(text) <= cells:
        return text
    if cells <= 0:
        return ""
    spans, _ = split_graphemes(text)
    end = width = 0
    for _, until, span_width in spans:
        if width + span_width > cells - 1:
            break
        end, width = until, width + span_width
    return text[:end] + ELLIPSIS


def shorten_left(text: str, cells: int) -> str:
    """Visible text cut at its beginning to at most `cells` cells, for paths, whose end tells them apart."""
    if measure(text) <= cells:
        return text
    spans, _ = split_graphemes(text)
    start, width = len(text), 0
    for begin, _, span_width in reversed(spans):
        if width + span_width > cells - 1:
            break
        start, width = begin, width + span_width
    return (ELLIPSIS if cells > 0 else "") + text[start:]


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """Visible text cut or filled up with spaces to exactly `cells` cells; `right` puts it at the right end."""
    text = shorten(text, cells)
    room = " " * (cells - measure(text))
    return room + text if right else text + room
