"""What a report of a fault needs, in one Markdown file: versions, terminal, checks, settings, the end of the log."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from svc_tui.bootstrap.output import atomic_file
from svc_tui.bootstrap.profiles import ProfileCommands
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.bootstrap.version import version_line
from svc_tui.connect.checks import CheckResult
from svc_tui.service.redact import mask_keys, mask_text

LOG_LINES = 200
"""How much of the end of the log goes in."""

_PACKAGE_NAME = re.compile(r"[A-Za-z0-9._-]+")
_TERMINAL_VARIABLES = (
    "TERM",
    "TERM_PROGRAM",
    "COLORTERM",
    "NO_COLOR",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "TMUX",
    "STY",
    "SSH_TTY",
)
_PRESENCE_ONLY = frozenset({"TMUX", "STY", "SSH_TTY"})
"""Of these it counts only that they are there."""


def write_report_bundle(
    file: Path, options: Options, variables: Mapping[str, str], checks: Sequence[CheckResult]
) -> None:
    """Write the report, without keys and secrets, in place of nothing that is there; raises CommandFailure."""
    if os.path.lexists(file):
        raise CommandFailure(f"{file} already exists; choose another file")
    secrets = tuple(filter(None, (variables.get(name, "").strip() for name in ("SVC_API_KEY", "SVC_SIGNING_SECRET"))))
    text = "\n".join(_lines(options, variables, checks)) + "\n"
    with atomic_file(file) as whole:
        whole.put(mask_keys(mask_text(text, secrets)).encode("utf-8", "backslashreplace"))


def _lines(options: Options, variables: Mapping[str, str], checks: Sequence[CheckResult]) -> Iterator[str]:
    yield "# svc-tui report"
    yield ""
    yield "Keys, secrets and signatures are not included. Hosts and paths are. Read this report before you share it."
    yield ""
    yield from _versions(variables)
    yield ""
    yield "## Checks"
    yield ""
    yield from (
        f"- {check.name}: {check.verdict.value}. {check.result}{f' ({check.advice})' if check.advice else ''}"
        for check in checks
    )
    yield ""
    yield "## Settings"
    yield ""
    yield from _settings(options, variables)
    yield ""
    yield "## Last lines of the log"
    yield ""
    yield from _log(options, variables)


def _versions(variables: Mapping[str, str]) -> Iterator[str]:
    yield f"- {version_line()}"
    yield f"- packages: {', '.join(_packages())}"
    terminal = [
        name if name in _PRESENCE_ONLY else f"{name}={variables[name]}"
        for name in _TERMINAL_VARIABLES
        if variables.get(name)
    ]
    # Not `sys.stdout`: while the interface runs, that is its own.
    encoding = sys.__stdout__.encoding if sys.__stdout__ is not None else "nothing"
    yield f"- terminal: {' '.join(terminal) or 'unknown'}; output encoding: {encoding}"


def _packages() -> Iterator[str]:
    from importlib.metadata import PackageNotFoundError, requires, version

    for requirement in requires("svc-tui") or ():
        if "extra ==" in requirement:
            continue
        # A name ends where its extras, versions or conditions begin (PEP 508).
        name = _PACKAGE_NAME.match(requirement)
        assert name is not None
        try:
            yield f"{name.group()} {version(name.group())}"
        except PackageNotFoundError:
            yield f"{name.group()} (not installed)"


def _settings(options: Options, variables: Mapping[str, str]) -> Iterator[str]:
    try:
        settings = ProfileCommands(options, variables).all_settings()
        yield from (f"- {setting.name} = {setting.value}  ({setting.origin})" for setting in settings)
    except CommandFailure as mistake:
        yield f"- the settings can't be read: {mistake}"


def _log(options: Options, variables: Mapping[str, str]) -> Iterator[str]:
    from svc_tui.bootstrap.log_file import LOG_FILE_NAME
    from svc_tui.config.paths import find_locations

    path = find_locations(variables, options.config).state_directory / LOG_FILE_NAME
    try:
        lines = path.read_text(encoding="utf-8", errors="backslashreplace").splitlines()
    except FileNotFoundError:
        yield f"{path} does not exist."
    except OSError as error:
        yield f"{path} can't be read: {error.strerror}"
    else:
        yield from (f"    {line}" for line in lines[-LOG_LINES:])
