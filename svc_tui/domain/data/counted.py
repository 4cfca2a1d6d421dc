"""A number of things in words."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 record`, `1,200 records`; `plural` is needed only if it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
