"""`svc-tui completion`: the script that has a shell complete the command line."""

import click
from click.shell_completion import get_completion_class

from svc_tui.cli.options import shared_options
from svc_tui.cli.stdout import print_line

COMPLETION_VARIABLE = "_SVC_TUI_COMPLETE"
"""The variable by which a shell asks for completions; see click's documentation of shell completion."""


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
    kind = get_completion_class(shell)
    assert kind is not None
    print_line(kind(ctx.find_root().command, {}, "svc-tui", COMPLETION_VARIABLE).source().rstrip("\n"))
    return 0
