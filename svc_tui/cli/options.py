"""The options that every command takes, before its name or after it, and those that several share."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from svc_tui.bootstrap.start import LOG_LEVELS, Options
from svc_tui.cli import completers

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
        "--format", "form", type=click.Choice(ROW_FORMATS), default="table", help="What to write; a table unless told."
    )(command)


def corrections_option(command: F) -> F:
    """The command with `--corrections`, "" where nothing is said."""
    return click.option(
        "--corrections",
        default="",
        metavar="FILE",
        type=click.Path(),
        help="Begin with this file of corrections (CSV, JSON, .xlsx) of the collection at PLACE.",
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
        help="Only this collection, such as lots or operations/lots; may be repeated.",
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
        metavar="NAME",
        expose_value=False,
        callback=_store_option,
        help="Use this profile, whole.",
        shell_complete=completers.profile,
    ),
    click.option(
        "--theme",
        metavar="NAME",
        expose_value=False,
        callback=_store_option,
        help="Colours for this run.",
        shell_complete=completers.theme,
    ),
    click.option(
        "--read-only",
        is_flag=True,
        default=None,
        expose_value=False,
        callback=_store_option,
        help="Refuse every write.",
    ),
    click.option(
        "--reader/--no-reader",
        default=None,
        envvar="SVC_TUI_READER",
        expose_value=False,
        callback=_store_option,
        help="Talk in lines that a screen reader follows, without a full screen.",
    ),
    click.option(
        "--config",
        metavar="FILE",
        type=FilePath(),
        expose_value=False,
        callback=_store_option,
        help="Read this file in place of config.toml.",
    ),
    click.option(
        "--log-level",
        type=click.Choice(LOG_LEVELS),
        expose_value=False,
        callback=_store_option,
        help="How much the browser writes into its log: svc-tui.log in the state directory; info unless told.",
    ),
    click.option(
        "--version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Show the versions of svc-tui, Python and the system, and exit.",
    ),
)
