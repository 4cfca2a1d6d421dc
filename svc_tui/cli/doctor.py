"""`svc-tui doctor`: what is wrong between here and the service, a line for each check."""

import os
from typing import TYPE_CHECKING

import click

from svc_tui.cli.options import FilePath, current_options, shared_options

if TYPE_CHECKING:
    from pathlib import Path

    from svc_tui.domain.doctor.check_result import CheckResult


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document in place of lines.")
@click.option(
    "--bundle",
    metavar="FILE",
    type=FilePath(),
    help="Write a report for whoever mends svc-tui: versions, checks, settings, the end of the log; no keys.",
)
@click.option(
    "--accept-journal",
    is_flag=True,
    help="Take the journal as it is now, once you know why lines at its end are gone, and check on.",
)
@shared_options
def doctor(as_json: bool, bundle: "Path | None", accept_journal: bool) -> int:
    """Find what is wrong: configuration, network, certificate, clock, key, address, signature, rate limit, scope.

    Only reads: one record of each collection is asked for, the journal of writes on this machine is checked line by
    line, the index of records is looked at, and the team's server is asked where the profile has a team. Every line
    says what was found, and what to do where something is to be done. Exit status: 0 when all passed, warnings or not,
    1 when a check failed.

    \b
    Examples:
      svc-tui doctor
      svc-tui doctor --json
      svc-tui doctor --bundle report.md
    """
    from svc_tui.bootstrap.doctor.diagnose import accept_journal_end, diagnose
    from svc_tui.cli.output.check_report import check_lines, json_document, summary_line
    from svc_tui.cli.output.stdout import print_line
    from svc_tui.domain.doctor.check_result import CheckVerdict
    from svc_tui.domain.doctor.diagnosis import overall_verdict

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
            print_line(f"A report is in {bundle}; read it before you pass it on.")
    return 1 if overall_verdict(checks) is CheckVerdict.FAILED else 0
