"""How a request ended, for a script: its exit status, its one line, and what was signed."""

import shlex

from svc_tui.bootstrap.request import RequestResult
from svc_tui.bootstrap.start import ExitStatus
from svc_tui.core.requests import SignedRequest
from svc_tui.service import errors
from svc_tui.service.advice import error_text


def exit_status(result: RequestResult, *, write: bool) -> ExitStatus:
    """Return the status of a request."""
    if result.error is None and result.reason:
        return ExitStatus.REFUSED
    return error_status(result.error, write=write)


def error_status(error: errors.ServiceError | None, *, write: bool = False) -> ExitStatus:
    """Return the status for an error; None is done."""
    if error is None or (write and error.sent is errors.SendResult.DONE):
        return ExitStatus.DONE
    if isinstance(error, errors.RequestRefused):
        return ExitStatus.REFUSED
    if isinstance(error, errors.StatusError) and not (write and error.sent is errors.SendResult.UNKNOWN):
        return ExitStatus.FAILED
    return ExitStatus.UNKNOWN


def failure_line(result: RequestResult, *, write: bool) -> str:
    """What went wrong and what to do, on one line; "" where nothing did."""
    error = result.error
    if error is None:
        return result.reason
    line = error_text(error)
    if result.settled:
        return f"{line} Checked the record: the change was saved."
    if write and error.sent is errors.SendResult.DONE:
        return f"the change was saved, but the response is incomplete: {line}"
    if not write or error.sent is not errors.SendResult.UNKNOWN:
        return line
    if result.reason:
        line = f"{line} {result.reason}"
    if not (result.idempotency_header and error.idempotency_key):
        return f"{line} It is not known whether the change was saved. Check the record before you send it again."
    header = shlex.quote(f"{result.idempotency_header}: {error.idempotency_key}")
    return (
        f"{line} It is not known whether the change was saved. Check the record, or send the request again with -H "
        f"{header}."
    )


def explanation(request: SignedRequest) -> str:
    """The request line, the headers as they left and the string that was signed; nothing in it is secret."""
    signed = request.string_to_sign
    return "\n".join(
        (
            f"{request.method} {request.url}",
            *(f"{name}: {value}" for name, value in request.headers),
            "",
            "string to sign:" if signed is not None else "not signed: no signing secret is set",
            *([signed] if signed is not None else []),
        )
    )
