"""The words for what went wrong, and for how a write ended: title, body, severity, and the next thing to try.

What is true of an error everywhere stands in `service.advice`, of a write in `session.write_words`; what is true
on this screen stands here.
"""

from collections.abc import Mapping

from svc_tui.service import errors
from svc_tui.session import write_words
from svc_tui.session.write_words import SECRET_TYPED as SECRET_TYPED
from svc_tui.session.write_words import NextSteps, error_sentences
from svc_tui.session.write_words import Report as Report
from svc_tui.session.write_words import Severity as Severity
from svc_tui.writes.outcomes import WriteReport

_STYLES: Mapping[Severity, str] = {
    "information": "$role-muted",
    "success": "$role-ok",
    "warning": "$role-warning",
    "error": "$role-danger",
    "unknown": "$role-warning",
}
MARKS: Mapping[Severity, tuple[str, str]] = {
    severity: (mark, _STYLES[severity]) for severity, mark in write_words.MARKS.items()
}
"""The mark of each, and its style: a refusal is told from a success without colours too."""

UNDO_OFFER = "Press u to undo."
PROOF_OFFER = "Y copies a summary."
_STEPS = NextSteps(
    UNDO_OFFER,
    PROOF_OFFER,
    "Your value is kept as a draft. Press backspace to discard it.",
    "Press K to replace the key and the secret.",
)


def error_report(error: errors.ServiceError, title: str = "") -> Report:
    """The report of a request that failed."""
    return Report(error_sentences(error, _STEPS), title, "error", _cause(error))


def reading_report(error: errors.ServiceError, title: str) -> Report:
    """The report of something that could not be read, where `r` reads it again."""
    return Report(reading_error_line(error), title, "error", _cause(error))


def _cause(error: errors.ServiceError) -> str:
    """What an error is due to, where other requests fail by the same; "" where it is about one request alone."""
    if isinstance(error, errors.Unreachable | errors.ConnectionBroken):
        return "connection"
    return "" if errors.is_about_one_record(error) else type(error).__name__


def cause_of(report: WriteReport) -> str:
    """Why a write ended as it did, as far as there is anything to say; "" where there is not."""
    return write_words.cause_of(report, _STEPS)


def action_report(report: WriteReport, what: str, done: str, *, undoes: bool = False) -> Report:
    """The report of a write that is no edit: `done` says what became of `what`: created, deleted, carried out.

    `undoes`: it undid another write.
    """
    return write_words.action_report(report, what, done, _STEPS, undoes=undoes)


def write_report(report: WriteReport, what: str, *, drafted: bool = False, undoes: bool = False) -> Report:
    """The report of a write of `what` (a record's name, or a request's line).

    `drafted`: what the service did not take stays as an edit. `undoes`: it undid another write.
    """
    return write_words.write_report(report, what, _STEPS, drafted=drafted, undoes=undoes)


def reading_error_line(error: errors.ServiceError) -> str:
    """The line for something that could not be read, where `r` reads it again."""
    return f"{error_sentences(error, _STEPS)} Press r to retry."
