"""`svc-tui completion`: the script that has a shell complete the command line."""

import os
import re

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from svc_tui.cli.options import COMPLETION_VARIABLE, shared_options
from svc_tui.cli.output.stdout import print_line

_SHELL_SIGN = re.compile(r"[^\w@%+=:,./-]")


class QuotingBashComplete(BashComplete):
    """Click's completion for bash, with names in it that have spaces or other signs of the shell's in them."""

    # As click writes it, bash takes the backslashes out of an answer when it reads it.
    source_template = BashComplete.source_template.replace("read type", "read -r type")

    def format_completion(self, item: CompletionItem) -> str:
        """The answer for one word; inside a quote that the user has opened it stays as it is."""
        typed = os.environ.get("COMP_WORDS", "")
        in_quotes = any(typed.count(mark) % 2 for mark in ("'", '"'))
        if item.type != "plain" or in_quotes:
            return super().format_completion(item)
        return f"{item.type},{_SHELL_SIGN.sub(_escape, item.value)}"


def _escape(sign: re.Match[str]) -> str:
    return f"\\{sign[0]}"


def quote_for_bash() -> None:
    """Have words that bash completes be quoted; to be called before click answers a shell, or prints its script."""
    add_completion_class(QuotingBashComplete, "bash")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@shared_options
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print the script that has a shell complete commands, collections, profiles and saved requests.

    \b
    Examples:
      eval "$(svc-tui completion bash)"                 # in ~/.bashrc
      eval "$(svc-tui completion zsh)"                  # in ~/.zshrc
      svc-tui completion fish > ~/.config/fish/completions/svc-tui.fish
    """
    quote_for_bash()
    kind = get_completion_class(shell)
    assert kind is not None
    print_line(kind(ctx.find_root().command, {}, "svc-tui", COMPLETION_VARIABLE).source().rstrip("\n"))
    return 0
