"""Replaces what differs from run to run by names that don't, numbered in the order in which the values appear first."""

import re

_RANDOM = {
    "uuid": r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    "request": r"\breq-[0-9a-f]{16}\b",
    "hash": r"\b[0-9a-f]{64}\b",
    "hex": r"\b(?:[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{12})\b"
    r"|(?<=-)[0-9a-f]{10}(?=-)|(?<=teams/)[0-9a-f]{10}|(?<=journal )[0-9a-f]{8}\b",
    "received": r"(?<=\"received\":\")[^\"]+",
    "key": r"\bsvc_(?:test|live)_[\w-]{43}\b",
}
_MEASURED = re.compile(
    r"\b(?:\d+(?:\.\d+)? ms|\d+\.\d+ s)\b|(?<=\"milliseconds\":)\d+|(?<=WRITABLE )\d+:\d\d|(?<=limit )[\d.]+/(?:s|min)"
    r"|(?<=^size        )[\d.]+ [kM]B"
)
"""Times, countdowns and rates, and the size of an index, which depends on the version of SQLite."""
_FILL = re.compile(r"  +|──+")
"""What makes room for a longer or shorter measurement in its line."""
_PATTERN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _RANDOM.items()))


class Normalizer:
    """The names given so far, and the fixed replacements of one run: the home directory, ports, the version."""

    def __init__(self, fixed: dict[str, str]) -> None:
        self._fixed = fixed
        self._names: dict[str, str] = {}

    def replace(self, value: str, name: str) -> None:
        """Replace a further value of this run."""
        self._fixed[value] = name

    def normalize(self, text: str) -> str:
        """Return the text with numbered names for random values."""
        return _PATTERN.sub(self._name, self._replace_fixed(text))

    def mask(self, text: str) -> str:
        """Return the text with the same name for all random values of a kind: to compare and sort before numbering."""
        return _PATTERN.sub(lambda found: f"<{found.lastgroup}>", self._replace_fixed(text))

    def _name(self, found: re.Match[str]) -> str:
        kind = found.lastgroup
        count = sum(name.startswith(f"<{kind} ") for name in self._names.values())
        return self._names.setdefault(found[0], f"<{kind} {count + 1}>")

    def _replace_fixed(self, text: str) -> str:
        for value, name in self._fixed.items():
            text = text.replace(value, name)
        return "".join(map(_without_measurements, text.splitlines(keepends=True)))


def _without_measurements(line: str) -> str:
    replaced, count = _MEASURED.subn("<measured>", line)
    return _FILL.sub(lambda fill: fill[0][:2], replaced) if count else line


def without_numbers(text: str) -> str:
    """Return a normalized text as `Normalizer.mask` would have it."""
    return re.sub(rf"<({'|'.join(_RANDOM)}) \d+>", r"<\1>", text)
