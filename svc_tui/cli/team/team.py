"""`svc-tui team`: creates the tables of a team journal, shows its state and checks its chains."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli.help_layout import SectionedGroup
from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import print_line

if TYPE_CHECKING:
    from svc_tui.bootstrap.team.check import CheckedChain

_PLACEHOLDER = "team_member"


@click.group(cls=SectionedGroup, invoke_without_command=True)
@shared_options
@click.pass_context
def team(ctx: click.Context) -> int:
    """Set up and check the shared journal of a team.

    To set up a team step by step, read the page "Work in a team" of the guide (svc-tui, F1).

    Without a command, svc-tui team shows the status.

    \b
    Examples:
      svc-tui team init --role ada
      svc-tui team status
      svc-tui team check
    """
    return 0 if ctx.invoked_subcommand else ctx.invoke(status)


@team.command()
@click.option(
    "--role",
    default=_PLACEHOLDER,
    show_default=True,
    metavar="NAME",
    help="Print the GRANT statements for this PostgreSQL role.",
)
@shared_options
def init(role: str) -> int:
    """Create or upgrade the team's tables; print the GRANT statements.

    For the administrator of the database. The role in the profile must be allowed to create a schema. Prints the GRANT
    statements for --role to stdout. Run them with the role that created the tables. They allow a colleague to add and
    read entries, but not to change or delete them. You can run this command again at any time. Existing entries are
    kept.

    \b
    Exit status:
      0  the tables are up to date
      1  the server refused, or the tables are newer than this svc-tui
      2  the profile has no team, or the command is wrong
      3  the server was not reached

    \b
    Examples:
      svc-tui team init --role ada
      svc-tui --profile owner team init --role ada | psql -d journal
    """
    from svc_tui.bootstrap.team.init_team import init_team

    result = init_team(role, current_options(), os.environ)
    if result.after > result.known:
        print_message(
            f"the tables are newer than this svc-tui (schema {result.after}, not {result.known}); nothing was "
            "changed; update svc-tui"
        )
        return ExitStatus.FAILED
    if result.before == result.after:
        print_message(f"the tables are up to date (schema {result.after}); nothing was changed")
    elif result.before:
        print_message(f"upgraded the tables from schema {result.before} to {result.after}")
        print_message(
            "colleagues with an older svc-tui must update it; until then, their writes stay on their computers"
        )
    else:
        print_message(f"created the tables (schema {result.after})")
    for line in result.grants.splitlines():
        print_line(line)
    return 0


@team.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of lines.")
@shared_options
def status(as_json: bool = False) -> int:
    """Show the state of the team server and the unsent entries.

    Shows the server, the role and its rights, the tables, this computer, and the number of unsent entries.

    \b
    Exit status:
      0  the server is available; stderr warns about too many rights
      1  the server refused, or its tables have another version
      2  the profile has no team, or the command is wrong
      3  the server was not reached

    \b
    Examples:
      svc-tui team status
      svc-tui team status --json | jq .waiting
    """
    from svc_tui.bootstrap.team.team_status import team_status
    from svc_tui.cli.output.team_report import json_status, status_lines, warnings

    found = team_status(current_options(), os.environ)
    if as_json:
        print_line(json_status(found))
    else:
        for line in status_lines(found):
            print_line(line)
    for warning in warnings(found):
        print_message(warning)
    return found.server.status


@team.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of lines.")
@shared_options
def check(as_json: bool) -> int:
    """Check the journal of every computer on the server.

    Each entry of a journal contains a hash of the entry before it. svc-tui loads all entries and compares them with its
    own copy. It reports each entry that was changed, deleted or replaced, with its computer, person and number. Nothing
    is changed.

    \b
    Exit status:
      0  every journal is intact
      1  a journal is damaged, or the server refused
      2  the profile has no team, or the command is wrong
      3  the server was not reached

    \b
    Examples:
      svc-tui team check
      svc-tui team check --json | jq '.chains[] | select(.problems != [])'
    """
    from svc_tui.bootstrap.team.check import check_team
    from svc_tui.cli.output.team_report import chain_lines, json_chains
    from svc_tui.core.phrases import counted

    chains: list[CheckedChain] = []

    def show(chain: "CheckedChain") -> None:
        chains.append(chain)
        if not as_json:
            print_line(chain_lines(chain))

    check_team(current_options(), os.environ, show)
    if as_json:
        print_line(json_chains(chains))
    broken = sum(bool(chain.verdict.problems) for chain in chains)
    lines = sum(chain.verdict.lines for chain in chains)
    words = (
        f"{counted(broken, 'journal')} damaged" if broken else "all journals intact" if chains else "nothing sent yet"
    )
    print_message(f"{counted(lines, 'entry', 'entries')} of {counted(len(chains), 'computer')}, {words}")
    return ExitStatus.FAILED if broken else 0
