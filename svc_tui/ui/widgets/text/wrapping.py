"""Wrapping of text from outside to a number of cells and rows."""

from svc_tui.ui.text import measure, visible


def wrap_text(text: str, cells: int, most: int) -> tuple[list[str], int]:
    """Return at most `most` visible rows of at most `cells` cells, broken at spaces, and the characters they stand for.

    The second value is len(text) if the rows show all of it. Only as much of the text is read as the rows take.
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
    """Return the number of first characters that fit into `cells` cells, at least one."""
    until = len(text)
    while until > 1 and (excess := measure(visible(text[:until])) - cells) > 0:
        # No character is wider than the longest mark.
        until -= max(1, min(excess // _MAX_MARK_CELLS, until - 1))
    return until


_MAX_MARK_CELLS = 7
"""Cells of the longest mark that stands for one character, `⟨1d173⟩`."""
