"""Takes the values out of a table of TOML one by one, for as long as each of them is plainly right.

What may be wrong is judged by the models beside, which say what is wrong and what is allowed. The library that those
are made with takes as long to load as half a start, and what is plainly right needs no more than a look.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Reader: TypeAlias = Callable[[object], T]
"""Gives the value where it is plainly right; raises NotPlain, or ValueRejected."""

_ABSENT = object()


class NotPlain(Exception):
    """Something is not as it usually is, which may be a mistake."""


class PlainTable:
    """A table; `end` is to be called when everything is taken that it may hold. Raises NotPlain for what is none."""

    def __init__(self, values: object) -> None:
        self._left: dict[str, object] = dict(_of_type(values, dict))

    def take(self, key: str, read: Reader[T], default: T) -> T:
        """The value at `key`, or `default` where there is none."""
        value = self._left.pop(key, _ABSENT)
        return default if value is _ABSENT else read(value)

    def need(self, key: str, read: Reader[T]) -> T:
        """The value at `key`, which must be there."""
        return read(self._left.pop(key, None))

    def end(self) -> None:
        """Raises NotPlain where something is left."""
        if self._left:
            raise NotPlain


def text(*checks: Callable[[str], str]) -> Reader[str]:
    """A text that has passed the checks."""

    def read(value: object) -> str:
        result: str = _of_type(value, str)
        for check in checks:
            result = check(result)
        return result

    return read


def number(least: int, most: int) -> Reader[int]:
    """A whole number between two."""

    def read(value: object) -> int:
        result: int = _of_type(value, int)
        if not least <= result <= most:
            raise NotPlain
        return result

    return read


def flag(value: object) -> bool:
    """True or false."""
    result: bool = _of_type(value, bool)
    return result


def one_of(*texts: str) -> Reader[str]:
    """One of these texts."""

    def read(value: object) -> str:
        result: str = _of_type(value, str)
        if result not in texts:
            raise NotPlain
        return result

    return read


def list_of(read: Reader[T]) -> Reader[list[T]]:
    """A list of such items."""
    return lambda value: [read(item) for item in _of_type(value, list)]


def dict_of(key: Callable[[str], str], read: Reader[T]) -> Reader[dict[str, T]]:
    """A table of such values."""
    return lambda value: {key(name): read(item) for name, item in _of_type(value, dict).items()}


def not_empty(value: str) -> str:
    """A text with something in it."""
    if not value:
        raise NotPlain
    return value


def _of_type(value: object, kind: type) -> Any:
    # By type alone: true is no number.
    if type(value) is not kind:
        raise NotPlain
    return value
