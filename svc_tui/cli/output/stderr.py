"""What is said on stderr: one line, from this program, with nothing in it that a terminal would obey."""

import sys

import click

from svc_tui.cli.output.stdout import redirect_to_null
from svc_tui.cli.output.visible import visible

MAX_LENGTH = 2_000


def print_message(text: str, secrets: tuple[str, ...] = ()) -> None:
    """One line on stderr; `secrets` that a service may have repeated are masked."""
    try:
        click.echo(f"svc-tui: {one_line(text, secrets)}", err=True)
    except OSError:
        # Nobody hears it any more; the exit status says it too.
        redirect_to_null(sys.stderr)


def one_line(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text on one line, its control, bidi and zero-width characters made visible."""
    # Not before there is something to say: it knows all that is secret, which takes a while to load.
    from svc_tui.service.redact import mask_text

    shown = visible(mask_text(text, secrets))
    return shown if len(shown) <= MAX_LENGTH else f"{shown[: MAX_LENGTH - 1]}…"
