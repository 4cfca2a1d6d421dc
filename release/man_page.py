"""Makes the manual page from the command line itself: `python -m release.man_page > release/svc-tui.1`."""

import re
import sys
from collections.abc import Iterator

import click

from release.commands import SHARED, commands, options_of

_FILES = (
    ("config.toml", "default profile, theme, keys; in the configuration directory, and only you write it"),
    ("profiles/NAME.toml", "beside it: how a service is reached, and where its key and secret are kept"),
    ("requests/NAME.toml", "beside it: saved requests"),
    ("themes/NAME.toml", "beside it: themes of your own"),
    ("state.toml", "what you chose last; in the state directory"),
    ("svc-tui.db", "beside it: the journal of writes, drafts, the history of requests"),
    ("svc-tui.log", "beside it: the log, with no key in it"),
)
_VARIABLES = (
    (
        "SVC_API_KEY",
        "the API key, if no profile is named; its prefix, svc_live_ or svc_test_, says which environment it is for",
    ),
    ("SVC_SIGNING_SECRET", "the secret that requests are signed with"),
    ("SVC_BASE_URL", "the base URL for live keys"),
    ("SVC_SANDBOX_BASE_URL", "the base URL for test keys"),
    ("SVC_SANDBOX_URL, SVC_SANDBOX_TOKEN", "the base URL and the control token, for sandbox ctl"),
    ("SVC_TUI_PROFILE", "the profile to use"),
    ("SVC_TUI_CONFIG", "the file to read instead of config.toml"),
    ("SVC_TUI_READER", "1: print lines for a screen reader, as --reader does"),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME", "where the configuration and the state directory are"),
    ("HTTPS_PROXY, ALL_PROXY, NO_PROXY", "the proxy, and the hosts that are reached without it"),
    ("SSL_CERT_FILE, SSL_CERT_DIR", "certificates to trust besides those of the system"),
    ("VISUAL, EDITOR, PAGER", "the editor and the pager to use"),
    ("NO_COLOR", "draw without colours"),
)
_STATUSES = (
    ("0", "done"),
    ("1", "the service answered with an error, or what the command says under its name"),
    ("2", "svc-tui refused before anything was sent, or the command or a setting is wrong"),
    ("3", "the service was not reached, the outcome of a write is unknown, or the output could not be written"),
    ("4", "from plan: there are changes to apply"),
    ("129", "the terminal went away"),
    ("130", "interrupted"),
    ("143", "ended by SIGTERM"),
)


def man_page() -> str:
    """The page in the language of man (7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    everything = dict(commands())
    program = everything.pop("svc-tui")
    about, *rest = _paragraphs(program)
    yield '.\\" Made by python -m release.man_page; what stands here is written over.'
    yield '.TH SVC-TUI 1 "" svc-tui "User Commands"'
    yield from (".SH NAME", f"svc-tui \\- {_text(_lower(about).rstrip('.'))}")
    yield from (".SH SYNOPSIS", ".B svc-tui", "[\\fIOPTIONS\\fR] [\\fIPLACE\\fR]")
    yield from (".br", ".B svc-tui", "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]")
    yield from (".SH DESCRIPTION", *_description(rest))
    yield from (".SH OPTIONS", "Every command takes these too, before its name or after it.")
    yield from _options([option for option in SHARED.values() if isinstance(option, click.Option)])
    yield from _tagged([("\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "Show what a command does and takes, and exit.")])
    yield ".SH COMMANDS"
    for words, command in everything.items():
        if command.hidden:
            continue
        yield f".SS {_text(_synopsis(words, command))}"
        yield from _description(_paragraphs(command))
        yield from _options(options_of(command))
    for heading, table in (("EXIT STATUS", _STATUSES), ("ENVIRONMENT", _VARIABLES), ("FILES", _FILES)):
        yield f".SH {heading}"
        yield from _tagged([(f"\\fB{_text(name)}\\fR", f"{means[0].upper()}{means[1:]}.") for name, means in table])
    yield from (".SH SEE ALSO", "The user guide is in the program: ? and then F1, or the palette.")


def _synopsis(words: str, command: click.Command) -> str:
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    shown = [_argument(one) for one in arguments]
    if isinstance(command, click.Group):
        shown.append("COMMAND")
    return " ".join((words, *shown))


def _argument(argument: click.Argument) -> str:
    if isinstance(argument.type, click.Choice):
        name = "|".join(argument.type.choices)
    else:
        name = (argument.metavar or str(argument.name).upper()).strip("[]").removesuffix("...").removesuffix("…")
    several = " ..." if argument.nargs == -1 else ""
    return f"{name}{several}" if argument.required else f"[{name}{several}]"


def _options(options: list[click.Option]) -> Iterator[str]:
    yield from _tagged([(_option(one), _help(one)) for one in options if not one.hidden])


def _option(option: click.Option) -> str:
    names = sorted((*option.opts, *option.secondary_opts), key=len)
    shown = ", ".join(f"\\fB{_text(name)}\\fR" for name in names)
    if option.is_flag:
        return shown
    if isinstance(option.type, click.Choice):
        return f"{shown} {_text('|'.join(option.type.choices))}"
    return f"{shown} \\fI{_text(option.metavar or option.type.name.upper())}\\fR"


def _help(option: click.Option) -> str:
    """What the option does, with its default and its variable where help shows them."""
    extras = [
        *([f"env var: {option.envvar}"] if option.show_envvar else []),
        *([f"default: {option.default}"] if option.show_default else []),
    ]
    return " ".join(filter(None, (option.help, f"[{'; '.join(extras)}]" if extras else "")))


def _tagged(entries: list[tuple[str, str]]) -> Iterator[str]:
    for tag, text in entries:
        yield from (".TP", tag, _text(text))


def _paragraphs(command: click.Command) -> list[str]:
    """The command's help, paragraph by paragraph; one that keeps its lines begins with a backspace, as click has it."""
    lines = [line.strip() if line.strip() == "\b" else line for line in (command.help or "").splitlines()]
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip() and line != "\b"]
    cut = min(indents, default=0)
    text = "\n".join([*lines[:1], *(line if line == "\b" else line[cut:] for line in lines[1:])])
    return [paragraph.strip("\n") for paragraph in re.split(r"\n\s*\n", text.strip(" \n"))]


def _description(paragraphs: list[str]) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ".PP"
        if paragraph.startswith("\b\n"):
            yield from (".nf", *(_text(line) for line in paragraph.splitlines()[1:]), ".fi")
        else:
            yield _text(" ".join(paragraph.split()))


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def _text(text: str) -> str:
    """The text as man takes it: no backslash, hyphen or line that begins as a request does is read as one."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    sys.stdout.buffer.write(man_page().encode())
