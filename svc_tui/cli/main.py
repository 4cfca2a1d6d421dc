"""The program as a whole: its commands, and what is said when one of them can't go on."""

import atexit
import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import CommandFailure, ExitStatus, run_last_steps
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedGroup
from svc_tui.cli.options import COMPLETION_VARIABLE, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import flush_streams, redirect_to_null

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "apply": "plans.apply",
    "browse": "browse",
    "changes": "index.changes",
    "completion": "completion",
    "config": "config",
    "demo": "demo",
    "doctor": "doctor",
    "export": "export",
    "find": "index.find",
    "index": "index.index",
    "journal": "journal.journal",
    "plan": "plans.plan",
    "profiles": "profiles",
    "request": "request",
    "sandbox": "sandbox.sandbox",
    "sql": "index.sql",
    "team": "team.team",
}
"""Every command, with its module in this package."""

COMMAND_SECTIONS = {
    "Full-screen mode": ("browse", "demo"),
    "Requests and records": ("request", "export", "plan", "apply", "journal"),
    "Index": ("index", "find", "sql", "changes"),
    "Setup": ("profiles", "config", "doctor", "team", "completion"),
    "A service for tests": ("sandbox",),
}
"""The headings of the commands in help, as the guide has them."""

_PLACE = click.Argument(["place"])


class CommandGroup(SectionedGroup):
    """The commands, each imported when it is asked for, and `browse` where the first word is none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if (module := COMMANDS.get(cmd_name)) is None:
            return None
        command = getattr(import_module(f"svc_tui.cli.{module}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, by what they are about."""
        width = max(map(len, COMMANDS))
        for heading, names in COMMAND_SECTIONS.items():
            commands = {name: command for name in names if (command := self.get_command(ctx, name))}
            limit = formatter.width - 6 - width
            with formatter.section(heading):
                formatter.write_dl(
                    [(f"{name:{width}}", command.get_short_help_str(limit)) for name, command in commands.items()]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name; a word that is only close to a command is a mistake, not a place."""
        if args[0] not in COMMANDS:
            self._check_place(args[0])
            args = ["browse", *args]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Commands and options, and the places that can stand where a command does."""
        return [*super().shell_complete(ctx, incomplete), *completers.place(ctx, _PLACE, incomplete)]

    def _check_place(self, word: str) -> None:
        if "/" in word:
            return
        from svc_tui.core.catalog import find_collection
        from svc_tui.core.spelling import nearest_name

        if find_collection(word):
            return
        if close := nearest_name(word, COMMANDS):
            raise click.UsageError(f'there is no command or collection called "{word}" (did you mean {close}?)')


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="[PLACE] | COMMAND [ARGS]...",
)
@shared_options
@click.pass_context
def program(ctx: click.Context) -> int:
    """A terminal browser for a mining-operations HTTP API with signed requests.

    Without a command, svc-tui opens full-screen mode at PLACE. It connects with the profile from
    --profile, or the profile that you chose last. Without a profile, it uses SVC_API_KEY with SVC_BASE_URL (live keys)
    or SVC_SANDBOX_BASE_URL (test keys).

    PLACE is a collection (lots or operations/lots), a record (lots/lot-000001), a path that begins with /, or a link
    that begins with svctui://.

    \b
    Examples:
      svc-tui demo                  # try it without a key
      svc-tui profiles add work     # connect a key
      svc-tui lots                  # browse the lots
    """
    if ctx.invoked_subcommand:
        # Its own result is the program's.
        return 0
    # A question about the program alone loads no command.
    from svc_tui.cli.browse import browse

    status: int = ctx.invoke(browse)
    return status


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program on the words of the command line and exit with its status."""
    # As it shuts down, the interpreter searches all that was loaded for garbage, several times. What must be closed is
    # closed by then, and the memory goes with the process.
    atexit.register(gc.freeze)
    if COMPLETION_VARIABLE in os.environ:
        from svc_tui.cli.completion import quote_for_bash

        quote_for_bash()
    try:
        sys.exit(_status(arguments))
    finally:
        flush_streams()
        run_last_steps()


def _status(arguments: Sequence[str] | None) -> int:
    try:
        result = program.main(arguments, prog_name="svc-tui", standalone_mode=False)
    except CommandFailure as error:
        print_message(str(error))
        return error.status
    except SystemExit as ended:
        # Commands give their status back, and signals end with one of their own: 1 is click's, for a reader of its help
        # who has gone away, which is no error.
        if ended.code != 1:
            raise
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "svc-tui"
        print_message(f"{error.format_message().rstrip('.')}; see {command} --help")
        return error.exit_code
    except click.ClickException as error:
        print_message(error.format_message())
        return ExitStatus.REFUSED
    except (click.Abort, KeyboardInterrupt):
        print_message("interrupted")
        return ExitStatus.INTERRUPTED
    except OSError as error:
        if error.filename is not None or error.errno not in (errno.ENOSPC, errno.EIO):
            raise
        # What is asked of the program alone is written by click.
        redirect_to_null(sys.stdout)
        print_message(f"can't write to stdout: {error.strerror}")
        return ExitStatus.UNKNOWN
    return result if isinstance(result, int) else 0
