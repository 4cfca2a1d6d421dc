"""Settings in force as lines: the name, the value, and where it came from."""

from collections.abc import Sequence
from typing import Protocol

from svc_tui.cli.output.stderr import one_line
from svc_tui.cli.output.stdout import print_line


class Setting(Protocol):
    """One setting in force."""

    @property
    def name(self) -> str:
        """The setting's key."""

    @property
    def value(self) -> str:
        """The setting's value, as a file would write it."""

    @property
    def origin(self) -> str:
        """Where the value came from."""


_MAX_ALIGNED_WIDTH = 60
"""Columns that a longer value does not push the origins of all others to the right of."""


def print_settings(settings: Sequence[Setting]) -> None:
    """Print the settings, the origins under each other."""
    lines = [f"{one.name} = {one_line(one.value)}" for one in settings]
    width = max((len(line) for line in lines if len(line) <= _MAX_ALIGNED_WIDTH), default=0)
    for line, one in zip(lines, settings, strict=True):
        print_line(f"{line:{width}}  # {one_line(one.origin)}")
