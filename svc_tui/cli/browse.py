"""`svc-tui [PLACE]`: the browser on the service that the environment names."""

import os

import click

from svc_tui.bootstrap.start import ExitStatus
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import corrections_option, current_options, shared_options

_NO_KEY_HELP = """\
svc-tui: no API key is set.

  Try the demo, without a key:

    svc-tui demo

  Connect a key (svc_test_ keys are for the sandbox, svc_live_ keys for LIVE):

    export SVC_API_KEY=…                    # the API key
    export SVC_SIGNING_SECRET=…             # only if the key signs (live keys do by default)
    export SVC_BASE_URL=https://…           # for a svc_live_ key
    export SVC_SANDBOX_BASE_URL=https://…   # for a svc_test_ key
    svc-tui

  Or create a profile, with the key in the system's keyring:

    svc-tui profiles add NAME

  svc-tui --help lists the commands."""


@click.command(cls=SectionedCommand)
@click.argument("place", required=False, shell_complete=completers.place)
@corrections_option
@shared_options
def browse(place: str | None = None, corrections: str = "") -> int:
    """Open full-screen mode (same as svc-tui without a command).

    PLACE is a collection (lots or operations/lots), a record (lots/lot-000001), a path that begins with /, or a link
    that begins with svctui://. Without it, svc-tui opens where you left it. If no key is set up yet, a welcome
    page offers the demo and a form to connect a key.

    \b
    Examples:
      svc-tui lots
      svc-tui operations/lots/lot-000001 --read-only
      svc-tui lots --corrections lots.csv
    """
    from svc_tui.bootstrap import browser

    if not browser.is_set_up(current_options(), os.environ):
        from svc_tui.cli.prompts import is_interactive

        if is_interactive() and not browser.asks_for_reader(current_options(), os.environ):
            from svc_tui.bootstrap.welcome import welcome

            return welcome(place, current_options(), os.environ)
        click.echo(_NO_KEY_HELP, err=True)
        return ExitStatus.REFUSED
    return browser.browse(place, current_options(), os.environ, corrections=corrections)
