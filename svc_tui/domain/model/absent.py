"""The value of a field that a record does not have, told apart from null."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Absent:
    """The old or new value of a field that a record does not have; null and "" are values."""


ABSENT = Absent()
