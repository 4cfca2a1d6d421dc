"""`svc-tui doctor`: what is wrong between here and the service, a line for each check."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import FilePath, current_options, shared_options

if TYPE_CHECKING:
    from pathlib import Path

    from svc_tui.connect.checks import CheckResult


@click.command(cls=SectionedCommand)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of lines.")
@click.option(
    "--bundle",
    metavar="FILE",
    type=FilePath(),
    help="Also save a report for the developers of svc-tui: versions, checks, settings and the end of the log, in "
    "Markdown, without keys and secrets. FILE must not exist.",
)
@click.option(
    "--accept-journal",
    is_flag=True,
    help="Accept the journal as it is now. Use this if doctor reports that its newest entries are missing, and you "
    "know why.",
)
@shared_options
def doctor(as_json: bool, bundle: "Path | None", accept_journal: bool) -> int:
    """Check the connection and the local data.

    It checks the configuration, the key, the network, the certificate, the clock, the signature, the rate limit and
    what the key can read. Then it checks the journal and the index on this computer and, if the profile has a team, the
    team server. It prints one line for each check, and what to do if it fails. It loads only one
    record of each collection from the service.

    \b
    Exit status:
      0  no check failed; there may be warnings
      1  a check failed

    \b
    Examples:
      svc-tui doctor
      svc-tui doctor --json
      svc-tui doctor --bundle report.md
    """
    from svc_tui.bootstrap.doctor.diagnose import accept_journal_end, diagnose
    from svc_tui.cli.output.check_report import check_lines, json_document, summary_line
    from svc_tui.cli.output.stdout import print_line
    from svc_tui.connect.checks import CheckVerdict
    from svc_tui.connect.diagnosis import overall_verdict

    checks: list[CheckResult] = []

    def on_check_result(check: "CheckResult") -> None:
        checks.append(check)
        if not as_json:
            print_line(check_lines(check))

    if accept_journal:
        accept_journal_end(current_options(), os.environ)
    diagnose(current_options(), os.environ, on_check_result)
    print_line(json_document(checks) if as_json else f"\n{summary_line(checks)}")
    if bundle is not None:
        from svc_tui.bootstrap.doctor.report_bundle import write_report_bundle

        write_report_bundle(bundle, current_options(), os.environ, checks)
        if not as_json:
            print_line(f"Saved the report to {bundle}. Read it before you share it.")
    return 1 if overall_verdict(checks) is CheckVerdict.FAILED else 0
