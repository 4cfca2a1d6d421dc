"""Pieces of sentences: numbers of things, how much is loaded, a capital at the beginning."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 record`, `1,200 records`; `plural` is needed only if it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def loaded_of(loaded: int, known: int, *, end_known: bool = True) -> str:
    """`300 of 12,400 loaded`, `300 of 350+ loaded` if there may be more than the `known` records."""
    return f"{loaded:,} of {known:,}{'' if end_known else '+'} loaded"


def capitalize_first(text: str) -> str:
    """Return `text` with a capital first letter, for the start of a sentence; the other letters stay as they are."""
    return f"{text[:1].upper()}{text[1:]}"
