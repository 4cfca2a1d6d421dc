"""`svc-tui profiles`: the ways to the service that the user keeps, without editing a file by hand."""

import os
from typing import TYPE_CHECKING, Literal

import click

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.cli import completers
from svc_tui.cli.options import FilePath, current_options, shared_options
from svc_tui.cli.output.stderr import one_line, print_message
from svc_tui.cli.output.stdout import print_line
from svc_tui.cli.prompts import confirm, is_interactive, prompt, prompt_key_pair

if TYPE_CHECKING:
    from pathlib import Path

    from svc_tui.bootstrap.profiles import ProfileCommands

_SOURCE_FORMS = "keyring:SERVICE/NAME, env:NAME, file:PATH or command:WORDS"


@click.group(invoke_without_command=True)
@shared_options
@click.pass_context
def profiles(ctx: click.Context) -> int:
    """Keep ways to the service, each with its key, secret and base URLs; with no command, list them.

    A profile is a file, profiles/NAME.toml beside config.toml, with no secret in it, only where to find it.

    \b
    Examples:
      svc-tui profiles add sandbox --sandbox-base-url https://sandbox.example.com
      svc-tui --profile sandbox lots
      svc-tui profiles rotate sandbox
    """
    return 0 if ctx.invoked_subcommand else ctx.invoke(list_profiles)


@profiles.command("list")
@shared_options
def list_profiles() -> int:
    """List the profiles; * marks the one that is used when none is named.

    Exit status 2 where one of them can't be used; stderr says why.

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
        print_message("there are no profiles; make one with: svc-tui profiles add NAME")
    return 2 if mistakes else 0


@profiles.command()
@click.argument("name")
@click.option("--base-url", metavar="URL", help="Where svc_live_ keys work.")
@click.option("--sandbox-base-url", metavar="URL", help="Where svc_test_ keys work.")
@click.option(
    "--keep", type=click.Choice(["keyring", "file"]), help="Where the pair that is asked for is kept; else the keyring."
)
@click.option("--key-from", metavar="WHERE", help=f"Ask for no key: it is in {_SOURCE_FORMS}.")
@click.option("--secret-from", metavar="WHERE", help="The same for the signing secret.")
@shared_options
def add(
    name: str,
    base_url: str | None,
    sandbox_base_url: str | None,
    keep: Literal["keyring", "file"] | None,
    key_from: str | None,
    secret_from: str | None,
) -> int:
    """Make a profile. Asks for key and signing secret, unseen; in a script they are stdin's first two lines.

    They are kept in the system's keyring, or with --keep file in files that you alone can read. With --read-only the
    profile refuses every write. The first profile is used from then on.

    \b
    Examples:
      svc-tui profiles add sandbox --sandbox-base-url https://sandbox.example.com
      svc-tui profiles add work --base-url https://api.example.com --key-from env:WORK_KEY
      svc-tui profiles add ci --base-url https://api.example.com --key-from 'command:op read op://x/key'
    """
    from svc_tui.domain.model.credentials import Environment

    _profile_commands().check_new_name(name)
    if secret_from and not key_from:
        raise click.UsageError("--secret-from needs --key-from: key and secret never come from two hands")
    if keep and key_from:
        raise click.UsageError("--keep is for a pair that is asked for; --key-from says where it is")
    pair = None
    if key_from is None:
        keep = keep or _choose_storage()
        pair = prompt_key_pair(f"of {name}")
        live = pair.environment is Environment.LIVE
        if live:
            base_url = base_url or prompt("Base URL, such as https://api.example.com") or None
        else:
            sandbox_base_url = sandbox_base_url or prompt("Base URL of the sandbox") or None
        if not (base_url if live else sandbox_base_url):
            option = "--base-url" if live else "--sandbox-base-url"
            raise click.UsageError(f"the key is for {pair.environment.label}; say where that is with {option} URL")
    elif not (base_url or sandbox_base_url):
        raise click.UsageError("say where the service is, with --base-url URL, --sandbox-base-url URL or both")
    created = _profile_commands().add(
        name,
        pair=pair,
        keep=keep or "keyring",
        key_from=key_from or "",
        secret_from=secret_from or "",
        base_url=base_url,
        sandbox_base_url=sandbox_base_url,
    )
    print_line(one_line(f"{name} is written to {created.file}{', and is used from now on' if created.in_use else ''}"))
    if pair is not None and pair.environment is Environment.LIVE and pair.signing_secret is None:
        print_message("it has no signing secret, so requests go unsigned; live keys must sign by default")
    print_message(f"see whether it works with: svc-tui doctor{'' if created.in_use else f' --profile {name}'}")
    return 0


@profiles.command()
@click.argument("name", required=False, shell_complete=completers.profile)
@shared_options
def show(name: str | None) -> int:
    """Show a profile setting by setting, and where each is written; without NAME, the one in use. Never a secret.

    \b
    Examples:
      svc-tui profiles show
      svc-tui profiles show sandbox
    """
    from svc_tui.cli.output.settings_report import print_settings

    print_settings(_profile_commands().settings(name))
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@shared_options
def edit(name: str) -> int:
    """Edit a profile in $EDITOR. It is checked before it takes the old one's place.

    \b
    Examples:
      svc-tui profiles edit sandbox
    """

    def again(mistake: str) -> bool:
        print_message(mistake)
        return confirm("Edit it again?")

    changed = _profile_commands().edit(name, again)
    print_line(f"{name} is changed" if changed else f"{name} is as it was")
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@shared_options
def use(name: str) -> int:
    """Use a profile from now on, where no other is named.

    \b
    Examples:
      svc-tui profiles use sandbox
    """
    beaten = _profile_commands().use(name)
    print_line(f"{name} is used from now on")
    if beaten:
        print_message(f"as long as {beaten} is set, that counts instead")
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options
def remove(name: str, yes: bool) -> int:
    """Remove a profile, and the key and secret that svc-tui keeps for it alone; what is elsewhere stays there.

    \b
    Examples:
      svc-tui profiles remove sandbox
    """
    secrets = _profile_commands().managed_secrets(name)
    secrets_text = f" and what is kept for it ({', '.join(secrets)})" if secrets else ""
    if not yes and not confirm(f"Remove {name}{secrets_text}? It can't be brought back."):
        raise CommandFailure(f"{name} stays{'' if is_interactive() else '; in a script, add --yes'}")
    _profile_commands().remove(name)
    print_line(one_line(f"{name}{secrets_text} is removed"))
    return 0


@profiles.command()
@click.argument("name", shell_complete=completers.profile)
@shared_options
def rotate(name: str) -> int:
    """Replace a profile's key and secret: asks for the new pair, tries it, and puts it where the old one is.

    The old pair stays until the service takes the new one. In a script, key and secret are stdin's first two lines.
    Exit status: 1 where the service does not take the new pair.

    \b
    Examples:
      svc-tui profiles rotate sandbox
    """
    secret = _profile_commands().has_signing_secret(name)
    pair = prompt_key_pair(f"that {name} is to have", with_secret=secret)
    wrong = _profile_commands().rotate(name, pair)
    for check in wrong:
        print_message(f"{check.name}: {check.result}. {check.advice}".rstrip(), pair.secrets)
    if wrong:
        print_message(f"{name} keeps its old pair")
        return 1
    print_line(f"{name} has the new pair{'' if secret else ', without a signing secret: its requests go unsigned'}")
    return 0


@profiles.command("import")
@click.argument("name", shell_complete=completers.profile)
@click.argument("file", type=FilePath(exists=True))
@shared_options
def import_routes(name: str, file: "Path") -> int:
    """Add the routes of an OpenAPI 3 document or a Postman collection (JSON) to a profile.

    They are put behind what the profile's file holds; what can't be a route is told on stderr, and why.

    \b
    Examples:
      svc-tui profiles import sandbox openapi.json
    """
    imported = _profile_commands().import_routes(name, file)
    for left in imported.omissions:
        print_message(f"left out: {left}")
    title = f" of {imported.title}" if imported.title else ""
    count = len(imported.routes)
    from svc_tui.domain.data.counted import counted

    routes = counted(count, "route")
    print_line(
        one_line(
            f"{routes}{title} ({imported.kind}) added to {name}"
            if count
            else f"{name} is as it was: no new route{title}"
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
    if confirm("Keep key and secret in two files that you alone can read?"):
        return "file"
    raise CommandFailure(f"nothing was written; say where the key is: --keep file, or --key-from with {_SOURCE_FORMS}")


def _profile_commands() -> "ProfileCommands":
    from svc_tui.bootstrap.profiles import ProfileCommands

    return ProfileCommands(current_options(), os.environ)
