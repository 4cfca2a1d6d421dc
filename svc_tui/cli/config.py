"""`svc-tui config`: what is in force, and the schemas of the files that the user writes."""

import os

import click

from svc_tui.cli.help_layout import SectionedGroup
from svc_tui.cli.options import current_options, shared_options


@click.group(cls=SectionedGroup, invoke_without_command=True)
@shared_options
@click.pass_context
def config(ctx: click.Context) -> int:
    """Show the current settings, or print a JSON Schema.

    Without a command, it is the same as config show.

    \b
    Examples:
      svc-tui config show
      svc-tui config schema profile > profile.schema.json
    """
    return 0 if ctx.invoked_subcommand else ctx.invoke(show)


@config.command()
@shared_options
def show() -> int:
    """Show every setting and where its value comes from.

    Keys and secrets are not shown.

    \b
    Examples:
      svc-tui config show
      svc-tui config show --profile work
    """
    from svc_tui.bootstrap.profiles import ProfileCommands
    from svc_tui.cli.output.settings_report import print_settings

    print_settings(ProfileCommands(current_options(), os.environ).all_settings())
    return 0


@config.command()
@click.argument("file", type=click.Choice(["config", "profile"]))
@shared_options
def schema(file: str) -> int:
    """Print the JSON Schema of config.toml or of a profile.

    Editors that support JSON Schema can check and complete the TOML file with it.

    \b
    Examples:
      svc-tui config schema profile > profile.schema.json
    """
    from svc_tui.bootstrap.profiles import schema_text
    from svc_tui.cli.output.stdout import print_line

    print_line(schema_text(file))
    return 0
