"""What has a terminal call its window something (XTWINOPS and OSC 2)."""

PUSH_TITLE, POP_TITLE = "\x1b[22;2t", "\x1b[23;2t"
"""Put the window's title on the terminal's own pile, and take it from there."""


def title_sequence(title: str) -> str:
    """Have the window called so; `title` is visible text."""
    return f"\x1b]2;{title}\x1b\\"
