"""A number of things in words."""


def counted(number: int, noun: str) -> str:
    """`1 record`, `1,200 records`; `noun` is one whose plural ends in s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
