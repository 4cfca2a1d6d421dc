"""Asks whoever started the program: a secret unseen, a yes; where nobody is there to ask, stdin's lines answer."""

import sys
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.cli.output.stderr import print_message

if TYPE_CHECKING:
    from svc_tui.core.credentials import KeyPair


def is_interactive() -> bool:
    """Whether questions are seen and can be answered."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def prompt_key_pair(whose: str, *, with_secret: bool | None = None) -> "KeyPair":
    """The key and the signing secret, typed unseen, or stdin's first two lines; an empty secret is none.

    `with_secret` True wants one, False asks for none. Raises CommandFailure for a pair that can't be one.
    """
    from svc_tui.core.credentials import CredentialError, KeyPair

    key = _prompt_secret(f"API key {whose} (hidden input)")
    secret = (
        "" if with_secret is False else _prompt_secret(f"Signing secret{'' if with_secret else ' (Enter for none)'}")
    )
    if with_secret and not secret:
        raise CommandFailure(
            "the signing secret is empty; this profile signs its requests, so enter a signing secret too"
        )
    try:
        return KeyPair(key, secret or None)
    except CredentialError as error:
        raise CommandFailure(str(error)) from None


def prompt(question: str) -> str:
    """A line that is typed, "" where nobody is there."""
    return str(click.prompt(question, default="", show_default=False, err=True)).strip() if is_interactive() else ""


def confirm(question: str) -> bool:
    """Return the user's answer, no by default; without a terminal, it is no."""
    while is_interactive():
        answer = prompt(f"{question} [y/N]").casefold()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return False
        print_message("type y or n")
    return False


def _prompt_secret(question: str) -> str:
    if is_interactive():
        return str(click.prompt(question, default="", show_default=False, hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()
