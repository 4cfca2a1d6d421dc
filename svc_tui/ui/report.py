"""The words for what went wrong, and for how a write ended: title, body, severity, and the next thing to try.

What is true of an error everywhere stands in `domain.advice`; what is true on this screen stands here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.http import errors
from svc_tui.domain.http.advice import error_text

Severity: TypeAlias = Literal["information", "success", "warning", "error", "unknown"]
"""How grave a report is; `unknown` is a write of which nobody knows whether it was carried out."""

MARKS: Mapping[Severity, tuple[str, str]] = {
    "information": ("·", "$role-muted"),
    "success": ("✓", "$role-ok"),
    "warning": ("!", "$role-warning"),
    "error": ("✕", "$role-danger"),
    "unknown": ("?", "$role-warning"),
}
"""The mark of each, and its style: a refusal is told from a success without colours too."""

PROOF_OFFER = "Y copies the proof."
UNDO_OFFER = f"u takes it back. {PROOF_OFFER}"
"""What can be done once a write is done."""

SECRET_TYPED = "It holds your API key or your signing secret, and can't be sent: take that out."  # noqa: S105  it is none


@dataclass(frozen=True, slots=True)
class Report:
    """Something to tell the user, in plain text that may hold words from outside."""

    body: str
    title: str = ""
    severity: Severity = "information"

    @property
    def line(self) -> str:
        """The report on one line."""
        return f"{self.title}: {self.body}" if self.title else self.body

    @property
    def marked(self) -> "Report":
        """The report with its mark before it, but for what merely informs."""
        if self.severity == "information":
            return self
        mark, _ = MARKS[self.severity]
        if self.title:
            return replace(self, title=f"{mark} {self.title}")
        return replace(self, body=f"{mark} {self.body}")


_REPLACED = (errors.ApiKeyInvalid, errors.ApiKeyRevoked, errors.ApiKeyExpired, errors.SignatureMismatch)
"""What a new pair mends."""


def _error_sentences(error: errors.ServiceError) -> str:
    """What happened and what to do about it, here."""
    return f"{error_text(error)} K puts a new pair in its place." if isinstance(error, _REPLACED) else error_text(error)


def error_report(error: errors.ServiceError, title: str = "") -> Report:
    """The report of a request that failed."""
    return Report(_error_sentences(error), title, "error")


def cause_of(report: WriteReport) -> str:
    """Why a write ended as it did, as far as there is anything to say; "" where there is not."""
    sentences = [s for s in (report.reason, _error_sentences(report.error) if report.error else "") if s]
    if report.result is WriteResult.UNKNOWN:
        # What a look afterwards told comes after what it was for.
        sentences.reverse()
    # The words of an error begin small: alone they follow a colon.
    cause = " ".join(s if at == 0 else f"{s[0].upper()}{s[1:]}" for at, s in enumerate(sentences))
    if report.journal_problem:
        cause += f" Its outcome could not be journalled: {report.journal_problem}"
    return cause


def action_report(report: WriteReport, what: str, done: str) -> Report:
    """The report of a write that is no edit: `done` says what was to become of `what`: made, deleted, carried out."""
    cause = cause_of(report)
    match report.result:
        case WriteResult.DONE:
            return Report(f"{cause or 'The service did it.'} {PROOF_OFFER}", f"{what} is {done}", "success")
        case WriteResult.REFUSED:
            return Report(cause, f"{what} was not {done}", "error")
        case WriteResult.NOT_SENT:
            return Report(cause, f"{what} was not {done}", "warning")
        case WriteResult.UNKNOWN if report.settled:
            return Report(cause, f"{what} is {done}", "warning")
        case WriteResult.UNKNOWN:
            return Report(cause, f"{what}: whether it was {done} is not known", "unknown")


def write_report(report: WriteReport, what: str, *, drafted: bool = False) -> Report:
    """The report of a write of `what` (a record's name, or a request's line).

    `drafted`: what the service did not take stays as an edit.
    """
    cause = cause_of(report)
    match report.result:
        case WriteResult.DONE if report.untaken:
            kept = f"The service kept another value for {', '.join(report.untaken)}."
            if drafted:
                kept += " Yours stays as an edit, marked; Backspace takes it back."
            title = f"{what} was changed in part" if report.taken else f"{what} was not changed"
            return Report(f"{kept} {cause}".strip(), title, "warning")
        case WriteResult.DONE:
            moved = f"Meanwhile others changed {', '.join(report.moved)}." if report.moved else ""
            sentences = " ".join(filter(None, (cause, moved)))
            return Report(f"{sentences or 'The service took it.'} {UNDO_OFFER}", f"{what} is written", "success")
        case WriteResult.REFUSED:
            return Report(cause, f"{what} was not changed", "error")
        case WriteResult.NOT_SENT:
            return Report(cause, f"{what} was not sent", "warning")
        case WriteResult.UNKNOWN if report.settled:
            return Report(f"{cause} Looked again: The change is there.", f"{what} is written", "warning")
        case WriteResult.UNKNOWN:
            if report.record is not None:
                there = f"Only {report.taken} of the changes are there" if report.taken else "The change is not there"
                cause = f"{cause} Looked again: {there}."
            return Report(cause, f"{what}: whether it was written is not known", "unknown")


def reading_error_line(error: errors.ServiceError) -> str:
    """The line for something that could not be read, where `r` reads it again."""
    return f"{_error_sentences(error)} r tries again."
