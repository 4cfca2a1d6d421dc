"""What every command begins with: its options, and how it ends where it can't go on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from pathlib import Path

Notify = Callable[[str], None]
"""Shows one line to whoever started the program."""

LogLevel: TypeAlias = Literal["debug", "info", "warning", "off"]
"""How much is written into the log."""

LOG_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)


_last_steps: list[Callable[[], None]] = []


def run_at_end(step: Callable[[], None]) -> None:
    """Have `step` run when the program has shown all that it has to show, right before it ends."""
    _last_steps.append(step)


def run_last_steps() -> None:
    """Run what was left for the end; ctrl+c skips the rest."""
    with suppress(KeyboardInterrupt):
        while _last_steps:
            _last_steps.pop()()
    _last_steps.clear()


class ExitStatus(IntEnum):
    """How a command ended, for scripts."""

    DONE = 0
    """Done; for `request`, the service answered 2xx."""
    FAILED = 1
    """The service answered with an error, a check failed, or nothing was found."""
    REFUSED = 2
    """Bad usage or configuration, or refused here before anything was sent."""
    UNKNOWN = 3
    """The service could not be reached, its response made no sense, or the outcome of a write is unknown."""
    CHANGES = 4
    """`plan`: there are changes to apply."""
    INTERRUPTED = 130
    """Interrupted by ctrl+c or SIGINT."""


class CommandFailure(Exception):
    """The program can't go on: the text is one line for people, `status` the exit status."""

    def __init__(self, line: str, status: int = ExitStatus.REFUSED) -> None:
        super().__init__(line)
        self.status = status


@dataclass(frozen=True, slots=True)
class Options:
    """What every command takes."""

    profile: str | None = None
    theme: str | None = None
    read_only: bool = False
    config: "Path | None" = None
    log_level: LogLevel = "info"
    reader: bool | None = None
    """Whether the program talks in lines in place of a screen; None: as the preferences say."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn every expected error into the line and the status that the program ends with."""
    try:
        yield
    except Exception as error:
        if isinstance(error, _expected_errors()):
            raise CommandFailure(str(error)) from None
        raise


def _expected_errors() -> tuple[type[Exception], ...]:
    """The errors whose text is for people; looked up when something went wrong, not at every start."""
    from svc_tui.config.errors import ConfigError
    from svc_tui.core.credentials import CredentialError
    from svc_tui.sandbox.errors import SandboxError
    from svc_tui.service.base_url import BaseUrlError
    from svc_tui.service.routes import PlaceError
    from svc_tui.storage.errors import StoreError

    return ConfigError, CredentialError, BaseUrlError, PlaceError, StoreError, SandboxError


@contextmanager
def translate_errors_to(kind: type[Exception]) -> Iterator[None]:
    """Turn every expected error into one of that kind, where the program continues."""
    try:
        with translate_errors():
            yield
    except CommandFailure as stopped:
        raise kind(str(stopped)) from None
