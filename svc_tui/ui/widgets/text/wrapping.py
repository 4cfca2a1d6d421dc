"""Text from outside in rows of so many cells, as far as there is room for it."""

from svc_tui.ui.text import measure, visible


def wrap_text(text: str, cells: int, most: int) -> tuple[list[str], int]:
    """At most `most` visible rows of at most `cells` cells, broken at spaces where there are any; and what they hold.

    The second value counts the characters of `text` that the rows stand for; it is len(text) where that is all.
    Only as much of the text is looked at as the rows take.
    """
    cells = max(1, cells)
    rows: list[str] = []
    at = 0
    while at < len(text) and len(rows) < most:
        until = at + fitting_length(text[at : at + cells], cells)
        feed = text.find("\n", at, until + 1)
        if feed >= 0:
            rows.append(visible(text[at:feed]))
            at = feed + 1
            continue
        if until < len(text) and text[until] != " " and (space := text.rfind(" ", at + 1, until)) > 0:
            until = space
        rows.append(visible(text[at:until]))
        # The space at which a row is broken stands for the break.
        at = until + 1 if until < len(text) and text[until] == " " else until
    return rows or [""], at


def fitting_length(text: str, cells: int) -> int:
    """How many of its first characters fit into `cells` cells; one at least."""
    until = len(text)
    while until > 1 and (excess := measure(visible(text[:until])) - cells) > 0:
        # No character is wider than what its mark takes.
        until -= max(1, min(excess // _MAX_MARK_CELLS, until - 1))
    return until


_MAX_MARK_CELLS = 7
"""Cells of the longest mark that stands for one character, `⟨1d173⟩`."""
