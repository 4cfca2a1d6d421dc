"""What the user probably meant: the known word that is closest to the one that was written."""

from collections.abc import Iterable


def nearest_name(word: str, words: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The one of `words` most like `word`, whatever the case; None where none is, by at least `likeness` (0 to 1)."""
    import difflib  # five milliseconds, spent only where there is a mistake to explain

    by_fold = {known.casefold(): known for known in words}
    close = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=likeness)
    return by_fold[close[0]] if close else None
