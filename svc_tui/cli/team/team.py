"""`svc-tui team`: the journal that a team shares: its tables made, its server asked, its chains checked."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import count_text, print_message
from svc_tui.cli.output.stdout import print_line

if TYPE_CHECKING:
    from svc_tui.bootstrap.team.check import CheckedChain

BROKEN_STATUS = 1

_PLACEHOLDER = "team_member"


@click.group(invoke_without_command=True)
@shared_options
@click.pass_context
def team(ctx: click.Context) -> int:
    """Set up and look at the journal that the profile's team shares; with no command, say how things stand.

    The guide's page "A team around one journal" (svc-tui, F1) has it step by step.

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
    metavar="NAME",
    help=f"The PostgreSQL role to print the GRANT statements for; {_PLACEHOLDER} unless told.",
)
@shared_options
def init(role: str) -> int:
    """Make the team's tables in its database, or bring them up to date, and print what a role is to be granted.

    For whoever looks after the database: run it as a role that may make a schema there. Several may do so at once; it
    is done once. Nothing is changed where all is there. stdout has the GRANT statements, to be run by the same role;
    with them a colleague can add lines and read them, and never change or remove one.

    Exit status: 0 the tables are there as this svc-tui knows them, 1 the server refuses or they are newer, 2 the
    profile has no team, 3 the server can't be reached.

    \b
    Examples:
      svc-tui team init --role ada
      svc-tui --profile owner team init --role ada | psql -d journal
    """
    from svc_tui.bootstrap.team.schema import init_team

    result = init_team(role, current_options(), os.environ)
    if result.after > result.known:
        print_message(
            f"the tables are newer (schema {result.after}; this svc-tui knows {result.known}), and nothing was "
            "changed: somebody set them up with a newer svc-tui; update this one"
        )
        return 1
    if result.before == result.after:
        print_message(f"the tables were there, as this svc-tui knows them (schema {result.after}); nothing was changed")
    elif result.before:
        print_message(f"the tables were brought from schema {result.before} to {result.after}")
        print_message("whoever has an older svc-tui has to update it: their lines wait on their machine until then")
    else:
        print_message(f"the tables were made (schema {result.after})")
    for line in result.grants.splitlines():
        print_line(line)
    return 0


@team.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document in place of lines.")
@shared_options
def status(as_json: bool = False) -> int:
    """Say whether the team's server can be used, as whom, with which rights, and what waits on this machine.

    Exit status: 0 it can be used (too many rights are a warning), 1 it refuses, or the tables are not those that this
    svc-tui knows, 2 the profile has no team, 3 it can't be reached.

    \b
    Examples:
      svc-tui team status
      svc-tui team status --json | jq .waiting
    """
    from svc_tui.bootstrap.team.status import team_status
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document in place of lines.")
@shared_options
def check(as_json: bool) -> int:
    """Check the journal of every machine as the server has it, line by line, from its first.

    Each line seals the one before it, and is compared with what this machine has read of it before, and with what it
    sent itself. So a line that was changed, taken out, put in the place of another, or cut off at the end is told, with
    the machine, the name and the line's number. Only reads.

    Exit status: 0 all are whole, 1 one is not, or the server refuses, 2 the profile has no team, 3 the server can't be
    reached.

    \b
    Examples:
      svc-tui team check
      svc-tui team check --json | jq '.chains[] | select(.problems != [])'
    """
    from svc_tui.bootstrap.team.check import check_team
    from svc_tui.cli.output.team_report import chain_lines, json_chains

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
    words = f"{broken} of them not as written" if broken else "all as written" if chains else "nobody has sent any yet"
    print_message(f"{count_text(lines, 'line')} of {count_text(len(chains), 'machine')}, {words}")
    return BROKEN_STATUS if broken else 0
