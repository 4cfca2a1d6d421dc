"""`svc-tui profiles`: the ways to the service that the user keeps, without editing a file by hand."""

import os
from typing import TYPE_CHECKING, Literal

import click

from svc_tui.bootstrap.start import CommandFailure, ExitStatus
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedGroup
from svc_tui.cli.options import FilePath, current_options, shared_options
from svc_tui.cli.output.stderr import one_line, print_message
from svc_tui.cli.output.stdout import print_line
from svc_tui.cli.prompts import confirm, is_interactive, prompt, prompt_key_pair

if TYPE_CHECKING:
    from pathlib import Path

    from svc_tui.bootstrap.profiles import ProfileCommands

_SOURCE_FORMS = "keyring:SERVICE/NAME, env:NAME, file:PATH or command:COMMAND"


@click.group(cls=SectionedGroup, invoke_without_command=True)
@shared_options
@click.pass_context
def profiles(ctx: click.Context) -> int:
    """List, create, edit and remove profiles.

    A profile is a named connection: base URLs, settings, and where the key and the signing secret are stored. It is the
    file profiles/NAME.toml beside config.toml. svc-tui never saves a key or a secret in it.

    Without a command, it is the same as profiles list.

    \b
    Examples:
      svc-tui profiles add work
      svc-tui profiles use work
      svc-tui --profile work lots
    """
    return 0 if ctx.invoked_subcommand else ctx.invoke(list_profiles)


@profiles.command("list")
@shared_options
def list_profiles() -> int:
    """List the profiles; * marks the current one.

    \b
    Exit status:
      0  every profile can be used
      2  a profile can't be used; stderr gives the reason

    \b
    Examples:
      svc-tui profiles list
    """
    summaries = _profile_commands().summaries()
    width = max((len(one.name) for one in summaries), default=0)
    for one in summaries:
        lines = (
            f"LIVE {one.base_url}" if one.base_url else "",
            f"SANDBOX {one.sandbox_base_url}" if one.sandbox_base_url else "",
            "read-only" if one.read_only else "",
            "can't be used" if one.mistake else "",
        )
        mark = "*" if one.in_use else " "
        print_line(one_line(f"{mark} {one.name:{width}}  {' · '.join(filter(None, lines))}").rstrip())
    mistakes = [one.mistake for one in summaries if one.mistake]
    for mistake in mistakes:
        print_message(mistake)
    if not summaries:
        print_message("there are no profiles; create one with: svc-tui profiles add NAME")
    return 2 if mistakes else 0


@profiles.command()
@click.argument("name")
@click.option("--base-url", metavar="URL", help="Base URL of LIVE (svc_live_ keys).")
@click.option("--sandbox-base-url", metavar="URL", help="Base URL of the sandbox (svc_test_ keys).")
@click.option(
    "--keep",
    type=click.Choice(["keyring", "file"]),
    help="Save the key and the secret that you type in the keyring or in files. Default: keyring.",
)
@click.option("--key-from", metavar="WHERE", help=f"Read the key from WHERE instead of asking for it: {_SOURCE_FORMS}.")
@click.option("--secret-from", metavar="WHERE", help="Read the signing secret from WHERE; only with --key-from.")
@shared_options
def add(
    name: str,
    base_url: str | None,
    sandbox_base_url: str | None,
    keep: Literal["keyring", "file"] | None,
    key_from: str | None,
    secret_from: str | None,
) -> int:
    """Create a profile; asks for its key and signing secret.

    What you type is hidden. Key and secret are saved in the system's keyring, or with --keep file in files that only
    you can read. With --key-from, svc-tui does not ask for a key; it reads the key from there each time it needs it.

    In a script, the first line of stdin is the key and the second one the secret (empty: no secret), and --base-url or
    --sandbox-base-url is required.

    With --read-only, the profile is saved as read-only. If there is no current profile yet, the new profile becomes the
    current one.

    \b
    Examples:
      svc-tui profiles add work
      svc-tui profiles add test --sandbox-base-url https://sandbox.example.com
      svc-tui profiles add ci --base-url https://example.com --key-from env:CI_KEY
    """
    from svc_tui.core.credentials import Environment

    _profile_commands().check_new_name(name)
    if secret_from and not key_from:
        raise click.UsageError("--secret-from needs --key-from")
    if keep and key_from:
        raise click.UsageError("--keep and --key-from can't be used together")
    pair = None
    if key_from is None:
        pair = prompt_key_pair(f"for {name}")
        live = pair.environment is Environment.LIVE
        if live:
            base_url = base_url or prompt("Base URL, such as https://api.example.com") or None
        else:
            sandbox_base_url = sandbox_base_url or prompt("Base URL of the sandbox") or None
        if not (base_url if live else sandbox_base_url):
            option = "--base-url" if live else "--sandbox-base-url"
            raise click.UsageError(f"the base URL for {pair.environment.label} is missing; add {option} URL")
        # Not before the hidden input: an API key typed as the answer would be shown.
        keep = keep or _choose_storage()
    elif not (base_url or sandbox_base_url):
        raise click.UsageError("the base URL is missing; add --base-url URL, --sandbox-base-url URL or both")
    created = _profile_commands().add(
        name,
        pair=pair,
        keep=keep or "keyring",
        key_from=key_from or "",
        secret_from=secret_from or "",
        base_url=base_url,
        sandbox_base_url=sandbox_base_url,
    )
    print_line(one_line(f"created {name} in {created.file}{'; it is the current profile' if created.in_use else ''}"))
    if pair is not None and pair.environment is Environment.LIVE and pair.signing_secret is None:
        print_message(
            "the profile has no signing secret, so requests are not signed; live keys usually need signed requests"
        )
    print_message(f"check it with: svc-tui doctor{'' if created.in_use else f' --profile {name}'}")
    return 0


@profiles.command()
@click.argument("name", required=False, shell_complete=completers.profile)
@shared_options
def show(name: str | None) -> int:
    """Show the settings of a profile and where each is set.

    Without NAME, it shows the current profile. Keys and secrets are never shown.

    \b
    Examples:
      svc-tui profiles show
      svc-tui profiles show work
    """
    from svc_tui.cli.output.settings_report import print_settings

    print_settings(_profile_commands().settings(name))
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@shared_options
def edit(name: str) -> int:
    """Edit a profile in $VISUAL or $EDITOR.

    The file is saved only if the new text is valid. Otherwise svc-tui prints the error and offers to edit it again.

    \b
    Examples:
      svc-tui profiles edit work
    """

    def again(mistake: str) -> bool:
        print_message(mistake)
        return confirm("Edit it again?")

    changed = _profile_commands().edit(name, again)
    print_line(f"saved {name}" if changed else f"{name} was not changed")
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@shared_options
def use(name: str) -> int:
    """Set the profile to use by default.

    --profile, SVC_TUI_PROFILE and SVC_API_KEY take precedence.

    \b
    Examples:
      svc-tui profiles use work
    """
    beaten = _profile_commands().use(name)
    print_line(f"now using {name}")
    if beaten:
        print_message(f"but {beaten} is set and takes precedence")
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@click.option("--yes", is_flag=True, help="Remove without asking.")
@shared_options
def remove(name: str, yes: bool) -> int:
    """Remove a profile with its key and secret.

    Keys and secrets that svc-tui did not save itself, or that another profile uses, are kept. It asks first, unless you
    use --yes.

    \b
    Examples:
      svc-tui profiles remove work
    """
    secrets = _profile_commands().managed_secrets(name)
    secrets_text = f" and its secrets ({', '.join(secrets)})" if secrets else ""
    if not yes and not confirm(f"Remove {name}{secrets_text}? This can't be undone."):
        raise CommandFailure(f"{name} was not removed{'' if is_interactive() else '; in a script, add --yes'}")
    _profile_commands().remove(name)
    print_line(one_line(f"removed {name}{secrets_text}"))
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@shared_options
def rotate(name: str) -> int:
    """Replace a profile's key and signing secret.

    It asks for the new key and secret (hidden input) and tests them on the service. It replaces the old ones only if
    the service accepts the new ones. In a script, the first two lines of stdin are the key and the secret.

    \b
    Exit status:
      0  the profile has the new key and secret
      1  the service did not accept them; the old ones are kept
      2  svc-tui can't replace them; stderr gives the reason

    \b
    Examples:
      svc-tui profiles rotate work
    """
    secret = _profile_commands().has_signing_secret(name)
    pair = prompt_key_pair(f"for {name}", with_secret=secret)
    wrong = _profile_commands().rotate(name, pair)
    for check in wrong:
        print_message(f"{check.name}: {check.result}. {check.advice}".rstrip(), pair.secrets)
    if wrong:
        print_message(f"{name} still has its old key and secret")
        return ExitStatus.FAILED
    print_line(
        f"{name} has the new key{' and secret' if secret else '; it has no signing secret, so requests are not signed'}"
    )
    return 0


@profiles.command("import")
@click.argument("name", shell_complete=completers.profile)
@click.argument("file", type=FilePath(exists=True))
@shared_options
def import_routes(name: str, file: "Path") -> int:
    """Add the routes of an OpenAPI or Postman file to a profile.

    FILE is an OpenAPI 3 document or a Postman collection, as JSON. The routes are appended to the profile's file.
    stderr lists what was skipped, and why.

    \b
    Examples:
      svc-tui profiles import work openapi.json
    """
    imported = _profile_commands().import_routes(name, file)
    for left in imported.omissions:
        print_message(f"skipped: {left}")
    title = f" of {imported.title}" if imported.title else ""
    count = len(imported.routes)
    from svc_tui.core.phrases import counted

    routes = counted(count, "route")
    print_line(
        one_line(
            f"added {routes}{title} ({imported.kind}) to {name}"
            if count
            else f"{name} was not changed: there are no new routes{title}"
        )
    )
    return 0


def _choose_storage() -> Literal["keyring", "file"]:
    """The keyring; where there is none, files, if the user wants that."""
    from svc_tui.bootstrap.profiles import keyring_problem

    why = keyring_problem()
    if not why:
        return "keyring"
    print_message(why)
    if confirm("Save the key and the secret in two files that only you can read?"):
        return "file"
    raise CommandFailure(f"nothing was saved; use --keep file, or --key-from {_SOURCE_FORMS}")


def _profile_commands() -> "ProfileCommands":
    from svc_tui.bootstrap.profiles import ProfileCommands

    return ProfileCommands(current_options(), os.environ)
