"""The options that every command takes, before its name or after it, and those that several share."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from svc_tui.bootstrap.start import LOG_LEVELS, Options
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SharedOption

if TYPE_CHECKING:
    import os
    from pathlib import Path

F = TypeVar("F", bound=Callable[..., Any])

ROW_FORMATS = ("table", "jsonl", "json", "csv", "markdown")
"""A table for people, and what `export` writes."""

COMPLETION_VARIABLE = "_SVC_TUI_COMPLETE"
"""The variable by which a shell asks for completions; see click's documentation of shell completion."""


class FilePath(click.Path):
    """A file, not a directory, as a `pathlib.Path`."""

    def __init__(self, *, exists: bool = False) -> None:
        super().__init__(exists=exists, dir_okay=False)

    def coerce_path_result(self, value: "str | os.PathLike[str]") -> "Path":
        """The file; its class is loaded where a command line names one."""
        from pathlib import Path

        return Path(value)


def shared_options(command: F) -> F:
    """The command with the options that are the same everywhere; read them with `chosen`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def current_options() -> Options:
    """What the options of the running command say; the last word counts."""
    return _options_in(click.get_current_context())


def format_option(command: F) -> F:
    """The command with `--format`, a table where nothing is said."""
    return click.option(
        "--format", "form", type=click.Choice(ROW_FORMATS), default="table", show_default=True, help="Output format."
    )(command)


def corrections_option(command: F) -> F:
    """The command with `--corrections`, "" where nothing is said."""
    return click.option(
        "--corrections",
        default="",
        metavar="FILE",
        type=click.Path(),
        help="Start with the plan for this file of corrections (CSV, TSV, JSON, JSON Lines, .xlsx); PLACE is its "
        "collection.",
    )(command)


def collections_option(command: F) -> F:
    """The command with `--collection`, which may be repeated."""
    return click.option(
        "-C",
        "--collection",
        "collections",
        multiple=True,
        metavar="COLLECTION",
        shell_complete=completers.place,
        help="Only this collection, such as lots or operations/lots. May be repeated.",
    )(command)


def _store_option(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None:
        change: dict[str, Any] = {str(parameter.name): value}
        ctx.find_root().obj = replace(_options_in(ctx), **change)


def _print_version(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    if value and not ctx.resilient_parsing:
        from svc_tui.bootstrap.version import version_line

        click.echo(version_line())
        ctx.exit()


def _options_in(ctx: click.Context) -> Options:
    options = ctx.find_root().obj
    return options if isinstance(options, Options) else Options()


_OPTIONS = (
    click.option(
        "--profile",
        cls=SharedOption,
        metavar="NAME",
        expose_value=False,
        callback=_store_option,
        help="Use the key, secret and base URLs of this profile (or set SVC_TUI_PROFILE).",
        shell_complete=completers.profile,
    ),
    click.option(
        "--theme",
        cls=SharedOption,
        metavar="NAME",
        expose_value=False,
        callback=_store_option,
        help="Use this color theme for this run, such as svc-dark.",
        shell_complete=completers.theme,
    ),
    click.option(
        "--read-only",
        cls=SharedOption,
        is_flag=True,
        default=None,
        expose_value=False,
        callback=_store_option,
        help="Refuse every write.",
    ),
    click.option(
        "--reader/--no-reader",
        cls=SharedOption,
        default=None,
        envvar="SVC_TUI_READER",
        expose_value=False,
        callback=_store_option,
        help="Print plain lines for a screen reader, instead of full-screen mode (or set SVC_TUI_READER).",
    ),
    click.option(
        "--config",
        cls=SharedOption,
        metavar="FILE",
        type=FilePath(),
        expose_value=False,
        callback=_store_option,
        help="Use this file instead of config.toml, and the profiles in its directory (or set SVC_TUI_CONFIG).",
    ),
    click.option(
        "--log-level",
        cls=SharedOption,
        type=click.Choice(LOG_LEVELS),
        expose_value=False,
        callback=_store_option,
        help=f"Level of svc-tui.log in the state directory. Default: {Options().log_level}.",
    ),
    click.option(
        "--version",
        cls=SharedOption,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the versions of svc-tui, Python and the system, and exit.",
    ),
)
