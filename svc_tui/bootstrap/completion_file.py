"""The script of a shell's completion, put where that shell looks for those of its user."""

import stat
from collections.abc import Mapping
from pathlib import Path

from svc_tui.bootstrap.output import atomic_file
from svc_tui.bootstrap.start import CommandFailure

_SIGN = "# Written by svc-tui completion --install, which may replace it."
"""The last line of a file that is this program's to replace; zsh wants the first one for itself."""


def install_completion(shell: str, script: str, variables: Mapping[str, str]) -> Path:
    """Put the script in its place, for this user alone; gives the file. Raises CommandFailure.

    A file there that this program did not write stays as it is.
    """
    file = completion_file(shell, variables)
    script = script.rstrip("\n")
    try:
        if not _is_ours(file, script):
            raise CommandFailure(f"{file} already exists and was not written by svc-tui; rename it and try again")
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailure(f"{file} can't be written: {error.strerror}") from None
    with atomic_file(file) as out:
        out.put(f"{script}\n\n{_SIGN}\n".encode())
    return file


def completion_file(shell: str, variables: Mapping[str, str]) -> Path:
    """Where the shell looks for the completion of this program; raises CommandFailure for a user without a home."""
    if shell == "bash":
        # Several may be named, as in PATH.
        named, _, _ = variables.get("BASH_COMPLETION_USER_DIR", "").partition(":")
        directory = Path(named) if named else _base(variables, "XDG_DATA_HOME", ".local/share") / "bash-completion"
        return directory / "completions" / "svc-tui"
    if shell == "zsh":
        return _base(variables, "ZDOTDIR", "") / ".zfunc" / "_svc-tui"
    return _base(variables, "XDG_CONFIG_HOME", ".config") / "fish" / "completions" / "svc-tui.fish"


def _base(variables: Mapping[str, str], variable: str, default: str) -> Path:
    if (directory := variables.get(variable, "")) and Path(directory).is_absolute():
        return Path(directory)
    try:
        return Path.home() / default
    except RuntimeError:
        raise CommandFailure("the home directory is unknown; set HOME") from None


def _is_ours(file: Path, script: str) -> bool:
    """Whether the place is free, or holds what this program wrote or printed; raises OSError."""
    try:
        # What a link leads to is kept by whoever made the link.
        if not stat.S_ISREG(file.lstat().st_mode):
            return False
        held = file.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    except FileNotFoundError:
        return True
    return held == script or held.endswith(f"\n{_SIGN}")
