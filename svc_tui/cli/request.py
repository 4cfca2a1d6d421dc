"""`svc-tui request`: one signed request, its answer on stdout."""

import os
import sys
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap.start import CommandFailure
from svc_tui.cli import completers
from svc_tui.cli.help_layout import SectionedCommand
from svc_tui.cli.key_values import parse_query, split_pair
from svc_tui.cli.options import current_options, shared_options
from svc_tui.cli.output.stderr import print_message
from svc_tui.cli.output.stdout import ReaderGone, is_terminal, write_bytes

if TYPE_CHECKING:
    from svc_tui.domain.model.requests import Answer, RequestSpec


@click.command(cls=SectionedCommand)
@click.argument("method", required=False, shell_complete=completers.method)
@click.argument("path", required=False, shell_complete=completers.place)
@click.option(
    "--saved",
    metavar="NAME",
    shell_complete=completers.saved,
    help="Send this saved request, without METHOD and PATH.",
)
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value for a {NAME} in the saved request. May be repeated.",
)
@click.option("-q", "--query", multiple=True, metavar="KEY=VALUE", help="Query parameter. May be repeated.")
@click.option("-d", "--data", metavar="TEXT|@FILE|-", help="Body: TEXT, the bytes of a file, or those of stdin.")
@click.option("-H", "--header", multiple=True, metavar="'NAME: VALUE'", help="Header. May be repeated.")
@click.option("-i", "--include", is_flag=True, help="Print the status line and the headers before the body.")
@click.option("--live", is_flag=True, help="Allow a write on LIVE; needed with a live key.")
@click.option("--ticket", default="", metavar="TEXT", help="The ticket to write into the journal with a write.")
@click.option(
    "--no-before", is_flag=True, help="Do not read the record before a write; u can't take the write back then."
)
@click.option(
    "--explain",
    is_flag=True,
    help="Print the request, its headers and the signed string to stderr, with secrets masked.",
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
    """Send one request, and print the body of the answer.

    The request is signed if the key has a signing secret. PATH may begin with a collection (lots/lot-000001) or with
    /v1; svc-tui completes it. The body goes to stdout byte for byte, messages go to stderr.

    Writes (all but GET, HEAD and OPTIONS) are noted in the journal. Before a record is changed or deleted it is read,
    so that u in the browser can take the write back. If the write has to wait, it is read again, and the write does
    not leave if others changed what it sets.

    \b
    Exit status:
      0    the service answered 2xx, or a write was done though its answer
           did not come whole
      1    the service answered with an error, or others changed the record
           before the write could leave
      2    svc-tui refused the request, and nothing was sent
      3    no answer came, it was not the service's, or the outcome of a write
           is unknown
      130  interrupted

    \b
    Examples:
      svc-tui request GET lots -q page=1 -q limit=50
      svc-tui request PATCH lots/lot-000001 -d '{"priority": "high"}' --live
      svc-tui request POST lots/lot-000001/split -d @split.json --explain
      svc-tui request --saved "Split a lot" --set id=lot-000002 --set parts=2
    """
    from dataclasses import replace

    from svc_tui.bootstrap.request import WriteOptions
    from svc_tui.bootstrap.request import request as send_request
    from svc_tui.cli.output.request_report import exit_status, explanation, failure_line

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
            f"interrupted; whether the service carried out {spec.method} is not known: look before you send it again",
            130,
        ) from None
    if explain and result.request is not None:
        from svc_tui.domain.http.redact import mask_text

        # A caller may have written the key into the path or a header of their own.
        click.echo(mask_text(explanation(result.request), result.secrets), err=True)
    if result.exchange is not None:
        printer.print(result.exchange.answer)
    printer.close()
    if line := failure_line(result, write=spec.writes):
        print_message(line, result.secrets)
    if result.exchange is not None and result.exchange.answer.capped:
        print_message(f"the answer was cut off after {len(result.exchange.answer.body):,} bytes")
    if result.unread and result.error is None:
        print_message(
            "the record could not be read before the write: the old values are not known, and u can't restore them"
        )
    if result.warning:
        print_message(f"the outcome could not be journalled: {result.warning}", result.secrets)
    return exit_status(result, write=spec.writes)


def _typed_request(method: str | None, path: str | None, values: tuple[str, ...], data: str | None) -> "RequestSpec":
    """The request that the words write."""
    from svc_tui.domain.model.requests import RequestSpec

    if method is None:
        raise click.UsageError("Missing argument 'METHOD'; give METHOD and PATH, or --saved NAME")
    if path is None:
        raise click.UsageError("Missing argument 'PATH'")
    if values:
        raise click.UsageError("--set gives values to a saved request; name it with --saved NAME")
    from svc_tui.domain.model.catalog import BLANK

    if blank := BLANK.search(path):
        raise click.UsageError(f"PATH has a placeholder, {blank[0]}; put its value there")
    return RequestSpec(method.strip().upper(), path, body=b"" if data is None else _body(data))


def _filled_saved_request(name: str, values: tuple[str, ...], data: str | None, method: str | None) -> "RequestSpec":
    """The saved request of that name."""
    if method is not None or data is not None:
        raise click.UsageError(
            "a saved request has its own METHOD, PATH and body; leave them and -d out, or leave out --saved"
        )
    given: dict[str, str] = {}
    for text in values:
        blank, value = split_pair(text, "=", "--set", "NAME=VALUE")
        if blank in given:
            raise click.UsageError(f"--set gives {blank} twice; give each value once")
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
