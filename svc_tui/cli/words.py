"""What is said on stderr: one line, from this program, with nothing in it that a terminal would obey."""

import sys

import click

from svc_tui.cli.stdout import abandon

LONGEST = 2_000


def say(text: str, secrets: tuple[str, ...] = ()) -> None:
    """One line on stderr; `secrets` that a service may have repeated are masked."""
    try:
        click.echo(f"svc-tui: {one_line(text, secrets)}", err=True)
    except OSError:
        # Nobody hears it any more; the exit status says it too.
        abandon(sys.stderr)


def one_line(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text on one line, its control, bidi and zero-width characters made visible."""
    # Not before there is something to say: it knows all that is secret, which takes a while to load.
    from svc_tui.domain.http.redact import masked

    text = " ".join(masked(text, secrets).splitlines())
    shown = "".join(character if character.isprintable() else f"\\u{{{ord(character):x}}}" for character in text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
