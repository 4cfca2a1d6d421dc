"""Where a profile's key and secret are kept: the system's keyring, a variable, a file, a command, or the profile."""

import codecs
import shlex
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from svc_tui.config.child_environment import child_environment
from svc_tui.config.errors import ConfigError
from svc_tui.config.files import read_trusted, write_text
from svc_tui.config.slow_calls import NOTICE_SECONDS, call_with_timeout, show_notice
from svc_tui.core.credentials import MAX_CREDENTIAL_CHARACTERS, CredentialError
from svc_tui.platform.processes import awaited, end_with_children, start_apart

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

COMMAND_SECONDS = 30.0
"""How long a command may take to give a secret."""

KEYRING_SECONDS = 60.0
"""How long the keyring may take: it may ask the user to unlock it."""

_Result = TypeVar("_Result")
_MAX_BYTES = 4 * MAX_CREDENTIAL_CHARACTERS
_ALTERNATIVES = 'use { env = "NAME" }, { file = "path" } or { command = ["…"] }'


class KeyringSource(Struct, frozen=True):
    """An entry of the system's keyring."""

    service: str
    user: str

    def __str__(self) -> str:
        return f"keyring {self.service}/{self.user}"


class VariableSource(Struct, frozen=True):
    """An environment variable."""

    name: str

    def __str__(self) -> str:
        return f"variable {self.name}"


class FileSource(Struct, frozen=True):
    """A file with nothing else in it; a relative name counts from the profile's directory."""

    name: str

    def __str__(self) -> str:
        return f"file {self.name}"


@dataclass(frozen=True, slots=True)
class CommandSource:
    """What a command prints; its words are shown nowhere but in the profile."""

    words: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return f"command {self.words[0]}"


@dataclass(frozen=True, slots=True)
class InlineSource:
    """Written out in the profile."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return "plain text in the profile"


SecretSource = KeyringSource | VariableSource | FileSource | CommandSource | InlineSource


@dataclass(frozen=True, slots=True)
class SecretStore:
    """Reads sources, and keeps a secret in those that can be written; all of it may block.

    `variables` are the environment's, `directory` is the profile's.
    """

    variables: Mapping[str, str] = field(repr=False)
    directory: Path

    def read(self, source: SecretSource) -> str:
        """The secret as it stands now; raises CredentialError that never quotes it."""
        match source:
            case KeyringSource():
                return _from_keyring(source)
            case VariableSource(name):
                value = self.variables.get(name, "").strip()
                if not value:
                    raise CredentialError(f"the variable {name} is not set")
                return value
            case FileSource(name):
                return _from_file(self.file(name))
            case CommandSource(words):
                return _from_command(words, child_environment(self.variables, self.directory))
            case InlineSource(text):
                return text

    def keep(self, source: KeyringSource | FileSource, secret: str) -> None:
        """Put the secret in place of the one before; raises CredentialError."""
        match source:
            case KeyringSource():
                keep_in_keyring(source, secret)
            case FileSource(name):
                try:
                    write_text(self.file(name), f"{secret}\n")
                except OSError as error:
                    raise CredentialError(f"{self.file(name)} can't be written: {error.strerror}") from None

    def forget(self, source: KeyringSource | FileSource) -> None:
        """Remove the secret; one that is not there is no error. Raises CredentialError."""
        match source:
            case KeyringSource(service, user):
                _with_keyring("be written to", lambda keyring: _delete_password(keyring, service, user))
            case FileSource(name):
                try:
                    self.file(name).unlink(missing_ok=True)
                except OSError as error:
                    raise CredentialError(f"{self.file(name)} can't be deleted: {error.strerror}") from None

    def file(self, name: str) -> Path:
        """The file that a profile calls `name`."""
        return self.directory / Path(name).expanduser()


def keyring_problem() -> str:
    """Return why the system's keyring can't be used and what to do; "" if it can."""
    try:
        _with_keyring("be used", lambda _: None)
    except CredentialError as error:
        return str(error)
    return ""


def keep_in_keyring(entry: KeyringSource, text: str, seconds: float | None = None) -> None:
    """Put the text in place of the entry's old one; raises CredentialError."""
    _with_keyring("be written to", lambda keyring: keyring.set_password(entry.service, entry.user, text), seconds)


def read_keyring(entry: KeyringSource, seconds: float | None = None) -> str:
    """Return the text of the entry, "" if there is none; raises CredentialError."""
    text = _with_keyring("be read", lambda keyring: keyring.get_password(entry.service, entry.user), seconds)
    if text is None:
        return ""
    # Some backends return what the system holds, whatever its type.
    if not isinstance(text, str):
        raise CredentialError(
            f"the keyring entry {entry.service} {entry.user} is not text; save the secret with: "
            f"keyring set {shlex.quote(entry.service)} {shlex.quote(entry.user)}"
        )
    return text


def _with_keyring(
    what: str, operation: "Callable[[KeyringBackend], _Result]", seconds: float | None = None
) -> "_Result":
    """Return what `operation` returns for the system's keyring; `what` says what it does, in error messages.

    Raises CredentialError if it fails, or if the keyring gives no answer in `seconds`, None: KEYRING_SECONDS.
    """
    seconds = KEYRING_SECONDS if seconds is None else seconds
    try:
        return call_with_timeout(lambda: operation(_open_keyring()), "waiting for the keyring", seconds)
    except CredentialError:
        raise
    except TimeoutError:
        raise CredentialError(
            f"the keyring did not respond within {seconds:.0f} s; unlock or restart it, or {_ALTERNATIVES}"
        ) from None
    except Exception as error:
        raise CredentialError(_describe_failure(what, error)) from None


def _open_keyring() -> "KeyringBackend":
    try:
        import keyring
        from keyring.backends import fail, null
    except ImportError:
        raise CredentialError(
            f"the keyring needs a library that is not installed: pip install keyring; or {_ALTERNATIVES}"
        ) from None
    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring | null.Keyring):
        raise CredentialError(f"this system has no usable keyring; {_ALTERNATIVES}")
    return backend


def _delete_password(keyring: "KeyringBackend", service: str, user: str) -> None:
    from keyring.errors import PasswordDeleteError

    with suppress(PasswordDeleteError):
        keyring.delete_password(service, user)


def _describe_failure(what: str, error: Exception) -> str:
    from keyring.errors import InitError, KeyringLocked

    if isinstance(error, KeyringLocked | InitError):
        return f"the keyring is locked; unlock it and try again, or {_ALTERNATIVES}"
    # Backends raise errors of other programs and libraries; their text could contain anything.
    return f"the keyring can't {what}; check it with: keyring --list-backends; or {_ALTERNATIVES}"


def _from_keyring(entry: KeyringSource) -> str:
    if not (secret := read_keyring(entry)):
        raise CredentialError(
            f"the keyring has no entry {entry.service} {entry.user}; "
            f"create it with: keyring set {shlex.quote(entry.service)} {shlex.quote(entry.user)}"
        )
    return secret.strip()


def _from_file(path: Path) -> str:
    try:
        file = read_trusted(path)
        file.check_private()
    except ConfigError as error:
        raise CredentialError(str(error)) from None
    except FileNotFoundError:
        raise CredentialError(f"{path} does not exist; create it, or correct its path in the profile") from None
    except OSError as error:
        raise CredentialError(f"{path} can't be read: {error.strerror}") from None
    if not (secret := file.text.strip()):
        raise CredentialError(f"{path} is empty; write the secret into it")
    return secret


def _from_command(words: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """What the command prints, run without a shell and without a terminal; nothing of it is ever shown."""
    name, nowhere = words[0], subprocess.DEVNULL
    try:
        process = start_apart(words, stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere, env=environment)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it contains a null character"
        raise CredentialError(f"the command {name} can't be started: {why}") from None
    late = False

    def give_up() -> None:
        nonlocal late
        late = True
        end_with_children(process)

    timers = (
        Timer(COMMAND_SECONDS, give_up),
        Timer(NOTICE_SECONDS, show_notice, (f"waiting for the command {name}",)),
    )
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        with awaited(process), process:
            assert process.stdout is not None
            output = process.stdout.read(_MAX_BYTES + 1)
            if len(output) > _MAX_BYTES:
                end_with_children(process)
    except BaseException:
        end_with_children(process)
        raise
    finally:
        for timer in timers:
            timer.cancel()
    if late:
        raise CredentialError(f"the command {name} did not finish within {COMMAND_SECONDS:.0f} s")
    if len(output) > _MAX_BYTES:
        raise CredentialError(
            f"the command {name} printed more than {_MAX_BYTES:,} bytes; it must print only the secret"
        )
    if process.returncode:
        raise CredentialError(
            f"the command {name} failed (exit status {process.returncode}); run it in a terminal to see why"
        )
    try:
        secret = output.removeprefix(codecs.BOM_UTF8).decode().strip()
    except UnicodeDecodeError:
        raise CredentialError(f"the command {name} printed something that is not UTF-8 text") from None
    if not secret:
        raise CredentialError(f"the command {name} printed nothing")
    return secret
