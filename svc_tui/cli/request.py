"""`svc-tui request`: one signed request, its answer on stdout."""

import os
import sys
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import CommandFailure, ExitStatus
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.key_values import parse_query, split_pair
from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import ReaderGone, is_terminal, write_bytes

if TYPE_CHECKING:
    from svc_tui.core.requests import Answer, RequestSpec


@click.command(cls=SectionedCommand, context_settings={"allow_extra_args": True})
@click.argument("method", required=False, shell_complete=completers.method)
@click.argument("path", required=False, shell_complete=completers.place)
@click.option(
    "--saved",
    metavar="NAME",
    shell_complete=completers.saved,
    help="Send this saved request instead of METHOD and PATH.",
)
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value for a placeholder {NAME} in the saved request. May be repeated.",
)
@click.option("-q", "--query", multiple=True, metavar="KEY=VALUE", help="Query parameter. May be repeated.")
@click.option("-d", "--data", metavar="TEXT|@FILE|-", help="Body: TEXT, the contents of a file, or stdin.")
@click.option("-H", "--header", multiple=True, metavar="'NAME: VALUE'", help="Header. May be repeated.")
@click.option("-i", "--include", is_flag=True, help="Print the status line and the headers before the body.")
@click.option("--live", is_flag=True, help="Allow writes on LIVE; needed with a live key.")
@click.option("--ticket", default="", metavar="TEXT", help="Ticket for the journal.")
@click.option("--no-before", is_flag=True, help="Do not load the record before a write. The write can't be undone.")
@click.option(
    "--explain",
    is_flag=True,
    help="Also print to stderr: the request, its headers and the string to sign, with secrets masked.",
)
@shared_options
def request(
    method: str | None,
    path: str | None,
    saved: str | None,
    values: tuple[str, ...],
    query: tuple[str, ...],
    data: str | None,
    header: tuple[str, ...],
    include: bool,
    live: bool,
    ticket: str,
    no_before: bool,
    explain: bool,
) -> int:
    """Send one request and print the response body.

    The request is signed if the key has a signing secret. PATH begins with a collection (lots/lot-000001) or with /v1.
    The response body goes to stdout unchanged, messages go to stderr.

    Writes (all methods but GET, HEAD and OPTIONS) are saved in the journal. Before a record is changed or deleted,
    svc-tui loads it, so that you can undo the write with u in full-screen mode. If the write has to wait, for example
    for the rate limit, svc-tui reloads the record first and does not send the write if others have changed the same
    fields.

    \b
    Exit status:
      0    the response is 2xx, or a change was saved although its response is
           incomplete
      1    the service returned an error, or others changed the record before
           the write was sent
      2    svc-tui refused the request, and nothing was sent
      3    no response, a response from a gateway, or the outcome of a write is
           unknown
      130  interrupted

    \b
    Examples:
      svc-tui request GET lots -q page=1 -q limit=50
      svc-tui request PATCH lots/lot-000001 -d '{"priority": "high"}' --live
      svc-tui request POST lots/lot-000001/split -d @split.json --explain
      svc-tui request --saved "Split a lot" --set id=lot-000002 --set parts=2
    """
    from svc_tui.bootstrap.request import WriteOptions
    from svc_tui.bootstrap.request import request as send_request
    from svc_tui.cli.output.request_report import exit_status, explanation, failure_line
    from svc_tui.core.values import replace

    _check_arguments(click.get_current_context().args)
    spec = (
        _filled_saved_request(saved, values, data, method)
        if saved is not None
        else _typed_request(method, path, values, data)
    )
    headers = (split_pair(text, ":", "-H", "'Name: value'") for text in header)
    spec = replace(
        spec,
        query=(*spec.query, *parse_query(query)),
        headers=(*spec.headers, *((name.strip(), value.strip()) for name, value in headers)),
    )
    printer = _AnswerPrinter(include=include)
    try:
        writing = WriteOptions(live, ticket.strip(), read_before=not no_before)
        result = send_request(
            spec, current_options(), os.environ, writing=writing, notify=print_message, hand_on=printer.hand_on
        )
    except ReaderGone:
        return 0
    except KeyboardInterrupt:
        if not spec.writes:
            raise
        raise CommandFailure(
            "interrupted; it is not known whether the change was saved; check the record before you send it again",
            ExitStatus.INTERRUPTED,
        ) from None
    if explain and result.request is not None:
        from svc_tui.service.redact import mask_text

        # A caller may have written the key into the path or a header of their own.
        click.echo(mask_text(explanation(result.request), result.secrets), err=True)
    if result.exchange is not None:
        printer.print(result.exchange.answer)
    printer.close()
    if line := failure_line(result, write=spec.writes):
        print_message(line, result.secrets)
    if result.exchange is not None and result.exchange.answer.capped:
        print_message(f"the response was cut off after {len(result.exchange.answer.body):,} bytes")
    if result.unread and result.error is None:
        print_message("the record could not be loaded before the write, so this write can't be undone")
    if result.warning:
        print_message(f"the outcome could not be saved in the journal: {result.warning}", result.secrets)
    return exit_status(result, write=spec.writes)


def _check_arguments(extra: list[str]) -> None:
    """Refuse words after PATH: fields as in the console, or JSON that the shell has split or stripped of quotes."""
    if not extra:
        return
    if any(mark in word for word in extra for mark in ("=", "{", "}", "[", "]")):
        # The words are not repeated: a secret may be among them.
        raise click.UsageError(
            """only METHOD and PATH are expected; a JSON body needs -d and single quotes: -d '{"name": "value"}'"""
        )
    raise click.UsageError("only METHOD and PATH are expected; quote a PATH that contains spaces")


def _typed_request(method: str | None, path: str | None, values: tuple[str, ...], data: str | None) -> "RequestSpec":
    """The request that the words write."""
    from svc_tui.core.requests import RequestSpec

    if method is None:
        raise click.UsageError("METHOD is missing; add METHOD and PATH, or --saved NAME")
    if path is None:
        raise click.UsageError("PATH is missing")
    if values:
        raise click.UsageError("--set needs a saved request; add --saved NAME")
    from svc_tui.core.catalog import BLANK

    if blank := BLANK.search(path):
        raise click.UsageError(f"PATH contains the placeholder {blank[0]}; replace it with a value")
    return RequestSpec(method.strip().upper(), path, body=b"" if data is None else _body(data))


def _filled_saved_request(name: str, values: tuple[str, ...], data: str | None, method: str | None) -> "RequestSpec":
    """The saved request of that name."""
    if method is not None or data is not None:
        raise click.UsageError("--saved can't be used with METHOD, PATH or -d; the saved request has its own")
    given: dict[str, str] = {}
    for text in values:
        blank, value = split_pair(text, "=", "--set", "NAME=VALUE")
        if blank in given:
            raise click.UsageError(f"--set {blank} is set twice; remove one")
        given[blank] = value
    from svc_tui.bootstrap.request import saved_request

    return saved_request(name, given, current_options(), os.environ)


def _body(data: str) -> bytes:
    if data == "-":
        return sys.stdin.buffer.read()
    if not data.startswith("@"):
        return os.fsencode(data)
    from pathlib import Path

    try:
        return Path(data[1:]).read_bytes()
    except OSError as error:
        raise click.UsageError(f"-d: {data[1:]} can't be read: {error.strerror}") from None


class _AnswerPrinter:
    """Puts an answer on stdout, as it comes or whole."""

    def __init__(self, *, include: bool) -> None:
        self._include = include
        self._ends_line = True

    def hand_on(self, head: "Answer", piece: bytes) -> None:
        """Take the head with b"", then each piece of the body; raises ReaderGone where nobody takes any more."""
        data = piece or self._head(head)
        if data and not write_bytes(data):
            raise ReaderGone
        if piece:
            self._ends_line = piece.endswith(b"\n")

    def print(self, answer: "Answer") -> None:
        """Print an answer that is here whole; a reader that has gone away is no error."""
        write_bytes(self._head(answer) + answer.body)
        self._ends_line = answer.body.endswith(b"\n")

    def close(self) -> None:
        """Have the prompt, or an error, begin on a line of its own; stdout holds what came and nothing else."""
        if is_terminal() and not self._ends_line:
            click.echo(err=True)

    def _head(self, answer: "Answer") -> bytes:
        if not self._include:
            return b""
        lines = [f"HTTP/1.1 {answer.status} {answer.reason}".rstrip(), *(f"{n}: {v}" for n, v in answer.headers)]
        return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1", "replace")
