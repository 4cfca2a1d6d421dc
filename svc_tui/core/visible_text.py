"""Text from outside made harmless: what could command a terminal or hide becomes a visible mark."""

import re

_INVISIBLE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # controls, C0 and C1: escape sequences begin with one of them
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"  # fillers and soft hyphens: no width, no ink
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls
    "\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff"  # zero-width characters and separators
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors: terminals disagree about their width
    "\ud800-\udfff"  # halves of surrogate pairs: they can't be written at all
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"  # annotations, tags
    "\U00013430-\U0001343f"  # hieroglyphic joiners and segment marks: no width
    "]"
)
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_NAMED_CONTROLS = {
    "\n": "↵",
    "\r": "␍",
    "\t": "⇥",
    "\x7f": "␡",
    "\u200d": "⁀",  # the joiner inside an emoji made of several
    "\u200b": "⟨zwsp⟩",
    "\u200c": "⟨zwnj⟩",
    "\ufeff": "⟨bom⟩",
    "\u200e": "⟨lrm⟩",
    "\u200f": "⟨rlm⟩",
    "\xad": "⟨shy⟩",
}


_COMBINING = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06dc"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
_STACKED_MARKS = re.compile(f"([{_COMBINING}]{{3}})([{_COMBINING}]+)")
"""More marks upon one character than any writing has: they would spread over the lines above and below."""


def _mark_character(match: re.Match[str]) -> str:
    character = match.group()
    if character in _NAMED_CONTROLS:
        return _NAMED_CONTROLS[character]
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
        return ""
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨{code:04x}⟩"


def visible(text: str, *, lines: bool = False) -> str:
    """`text` with everything that hides or commands made visible; with `lines`, line feeds stay as they are."""
    if text.isascii() and text.isprintable():
        return text
    text = _STACKED_MARKS.sub(lambda stack: f"{stack[1]}⟨+{len(stack[2])}⟩", text)
    if lines:
        return "\n".join(_INVISIBLE.sub(_mark_character, line) for line in text.split("\n"))
    return _INVISIBLE.sub(_mark_character, text)


def field_label(name: str) -> str:
    """The name of a field, or its path, as it is shown: `""` where it is empty."""
    return visible(name) if name else '""'


def mask_text(text: str) -> str:
    """`text` with one visible character for each that hides or commands: for editors, where a character is a place."""
    return _INVISIBLE.sub(_one_mark, text)


def _one_mark(match: re.Match[str]) -> str:
    mark = _mark_character(match)
    return mark if len(mark) == 1 else "␦"


def without_commands(text: str) -> tuple[str, int]:
    """The text without control characters other than tab and line feed, or halves of surrogate pairs; and how many.

    For text that leaves for somewhere else, or arrives as input: what stays is text there too.
    """
    return _COMMANDS.subn("", text.replace("\r\n", "\n"))
