"""How many examples a property test tries and how long a storm lasts: a quarter in ordinary runs, all with `--deep`."""

from math import ceil

deep = False
"""Whether `--deep` was given."""


def share_of(count: int) -> int:
    """Return how many of `count` examples or rounds this run is to try."""
    return count if deep else ceil(count / 4)
