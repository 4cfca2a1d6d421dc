"""`svc-tui completion`: the script that has a shell complete the command line."""

import os
import re

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.options import COMPLETION_VARIABLE, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import print_line

_TO_DO = {
    "bash": "; it needs the package bash-completion",
    "zsh": "; add this line before compinit in ~/.zshrc: fpath=(${ZDOTDIR:-~}/.zfunc $fpath)",
}
"""What else a shell needs to find the script in its place."""

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


@click.command(cls=SectionedCommand)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--install", is_flag=True, help="Save the script where the shell looks for it, and print the path.")
@shared_options
@click.pass_context
def completion(ctx: click.Context, shell: str, install: bool) -> int:
    """Print the completion script for your shell.

    It completes commands, options, collections, profiles and saved requests.

    With --install, svc-tui saves the script where the shell looks for it. bash also needs the package bash-completion;
    zsh needs a line in ~/.zshrc, which svc-tui prints. A file that svc-tui did not write is not replaced.

    \b
    Examples:
      svc-tui completion bash --install
      eval "$(svc-tui completion bash)"                 # or this, in ~/.bashrc
      eval "$(svc-tui completion zsh)"                  # in ~/.zshrc
    """
    quote_for_bash()
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(ctx.find_root().command, {}, "svc-tui", COMPLETION_VARIABLE).source().rstrip("\n")
    if not install:
        print_line(script)
        return 0
    from svc_tui.bootstrap.completion_file import install_completion

    file = install_completion(shell, script, os.environ)
    print_message(f"saved {file}; start a new {shell} to use it{_TO_DO.get(shell, '')}")
    return 0
