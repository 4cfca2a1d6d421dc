"""How a write ended, in words that are the same on the screen and in the reader: title, body, severity.

What there is to do next differs: on the screen it names a key, in the reader a command.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import Struct

from svc_tui.core.draft import Freshness, json_or_unset
from svc_tui.core.jsontext import ABSENT
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.values import replace
from svc_tui.service import errors
from svc_tui.service.advice import error_text
from svc_tui.service.errors import SendResult
from svc_tui.writes.outcomes import WriteReport
from svc_tui.writes.undo import is_stamp

Severity: TypeAlias = Literal["information", "success", "warning", "error", "unknown"]
"""How grave a report is; `unknown` is a write of which nobody knows whether it was carried out."""

MARKS: Mapping[Severity, str] = {"information": "·", "success": "✓", "warning": "!", "error": "✕", "unknown": "?"}
"""The mark of each: a refusal is told from a success without colours too."""

SECRET_TYPED = "It contains your API key or signing secret and can't be sent. Remove it."  # noqa: S105  it is none


OTHER_KEY = (
    "The other key may belong to another tenant, where the same id can be a different record. Check the record "
    "before you "
    "send anything."
)
"""What a user should know before something goes on that was made with another key of the profile."""


class NextSteps(Struct, frozen=True):
    """What can be done after a write, each a sentence that says how; "" for what can't be done there.

    `undo` takes it back, `proof` gives the proof of it, `take_back` is for an edit that stays since the service did not
    take it, `new_pair` for a key that it refuses.
    """

    undo: str = ""
    proof: str = ""
    take_back: str = ""
    new_pair: str = ""

    def after(self, report: WriteReport) -> str:
        """Return the ticket of a write that was carried out, and what can be done after it.

        Undo is offered only where it can be undone. The proof is an answer: one that was lost is none.
        """
        return _sentences(
            f"Ticket {report.ticket}." if report.ticket else "",
            self.undo if report.is_undoable else "",
            self.proof if report.result is SendResult.DONE else "",
        )


@dataclass(frozen=True, slots=True)
class Report:
    """Something to tell the user, in plain text that may hold words from outside.

    A later report of the same `cause` takes its place on the screen; "" for one that stands by itself.
    """

    body: str
    title: str = ""
    severity: Severity = "information"
    cause: str = field(default="", compare=False)

    @property
    def line(self) -> str:
        """The report on one line: a sentence follows the title as one, a reason follows a colon."""
        separator = ". " if self.body[:1].isupper() else ": "
        return separator.join(filter(None, (self.title, self.body)))

    @property
    def marked(self) -> "Report":
        """The report with its mark before it, but for what merely informs."""
        if self.severity == "information":
            return self
        mark = MARKS[self.severity]
        if self.title:
            return replace(self, title=f"{mark} {self.title}")
        return replace(self, body=f"{mark} {self.body}")


_REPLACED = (errors.ApiKeyInvalid, errors.ApiKeyRevoked, errors.ApiKeyExpired, errors.SignatureMismatch)
"""What a new pair mends."""


def error_sentences(error: errors.ServiceError, steps: NextSteps) -> str:
    """What happened and what to do about it."""
    if not isinstance(error, _REPLACED):
        return error_text(error)
    key_from = "" if error.exchange is None else error.exchange.request.key_from
    # What a command gives is asked for again with the next request.
    restart = "" if key_from.startswith("command ") else ", then restart svc-tui"
    change = f"The key comes from {key_from}: change it and the secret there{restart}."
    return _sentences(error_text(error), change if key_from else steps.new_pair)


def cause_of(report: WriteReport, steps: NextSteps) -> str:
    """Why a write ended as it did, as far as there is anything to say; "" where there is not."""
    error = error_sentences(report.error, steps) if report.error else ""
    if error and report.result is SendResult.DONE:
        error = f"The response is incomplete: {error}"
    sentences = [s for s in (report.reason, error) if s]
    if report.result is SendResult.UNKNOWN:
        # What a look afterwards told comes after what it was for.
        sentences.reverse()
    # The words of an error begin small: alone they follow a colon.
    cause = " ".join(s if at == 0 else capitalize_first(s) for at, s in enumerate(sentences))
    if report.journal_problem:
        cause += f" Could not write the outcome to the journal: {report.journal_problem}"
    return cause


def changed_meanwhile_words(freshness: Freshness) -> str:
    """Return which fields others changed since the record was loaded, a conflict with its value now; "" for none."""
    now = freshness.draft.base.fields
    sentences = [
        f"Others also changed {name}; it is now {json_or_unset(now.get(name, ABSENT))}." for name in freshness.conflicts
    ]
    if moved := _without_stamps(freshness.moved):
        sentences.append(f"Others have changed {', '.join(moved)} since.")
    return _sentences(*sentences)


def _without_stamps(names: Sequence[str]) -> Sequence[str]:
    """Return the names without those of fields that the service sets at every write, which no user changes."""
    return [name for name in names if not is_stamp(name)]


def action_report(report: WriteReport, what: str, done: str, steps: NextSteps, *, undoes: bool = False) -> Report:
    """The report of a write that is no edit: `done` says what became of `what`: created, deleted, carried out.

    `undoes`: it undid another write.
    """
    if undoes:
        without_undo = action_report(report, what, done, replace(steps, undo=""))
        return _of_undo(without_undo, f"{without_undo.title[:1].lower()}{without_undo.title[1:]}")
    cause = cause_of(report, steps)
    match report.result:
        case SendResult.DONE:
            return Report(_sentences(cause, steps.after(report)), _done_title(what, done), "success")
        case SendResult.REFUSED:
            return Report(cause, _not_done_title(what, done), "error")
        case SendResult.NOT_SENT:
            return Report(cause, _not_done_title(what, done), "warning")
        case SendResult.UNKNOWN if report.was_applied:
            return Report(_sentences(cause, steps.after(report)), _done_title(what, done), "warning")
        case SendResult.UNKNOWN:
            return Report(_unknown_body("the change was saved", cause), f"{what}: outcome unknown", "unknown")


def write_report(
    report: WriteReport, what: str, steps: NextSteps, *, drafted: bool = False, undoes: bool = False
) -> Report:
    """The report of a write of `what` (a record's name, or a request's line).

    `drafted`: what the service did not take stays as an edit. `undoes`: it undid another write.
    """
    if undoes:
        return _of_undo(write_report(report, what, replace(steps, undo=""), drafted=drafted), f"change of {what}")
    cause = cause_of(report, steps)
    match report.result:
        case SendResult.DONE if report.unapplied:
            different = "a different value" if len(report.unapplied) == 1 else "different values"
            kept = f"The service saved {different} for {', '.join(report.unapplied)}."
            if drafted:
                kept = _sentences(kept, steps.take_back)
            title = f"{what} was partly changed" if report.applied else f"{what} was not changed"
            return Report(f"{kept} {cause}".strip(), title, "warning")
        case SendResult.DONE if not report.entry_number:
            # The record has every value that was chosen: no request was sent, so that there is nothing to undo.
            return Report(cause, f"{what} was not changed")
        case SendResult.DONE:
            names = _without_stamps(report.changed_by_others)
            moved = f"Others also changed {', '.join(names)}." if names else ""
            return Report(_sentences(cause, moved, steps.after(report)), f"Saved {what}", "success")
        case SendResult.REFUSED:
            return Report(cause, f"{what} was not changed", "error")
        case SendResult.NOT_SENT:
            return Report(cause, f"{what} was not sent", "warning")
        case SendResult.UNKNOWN if report.was_applied:
            body = _sentences(f"{cause} Checked again: the record has the change.", steps.after(report))
            return Report(body, f"Saved {what}", "warning")
        case SendResult.UNKNOWN:
            if report.record is not None:
                there = f"has only {report.applied} of the changes" if report.applied else "does not have the change"
                return Report(
                    f"Checked again: the record {there}. {capitalize_first(cause)}",
                    f"{what}: outcome unknown",
                    "unknown",
                )
            return Report(_unknown_body("the change was saved", cause), f"{what}: outcome unknown", "unknown")


def _of_undo(report: Report, what: str) -> Report:
    """Return the report with a title that says what was undone; the same where it did not succeed."""
    return replace(report, title=f"Undone: {what}") if report.severity == "success" else report


def _done_title(what: str, done: str) -> str:
    """Return a title such as "Deleted lot-1"; `what` names the action itself where it was carried out."""
    if done == "carried out":
        return f"{what}: done"
    return f"{done.capitalize()} {'the record' if what == 'The record' else what}"


def _not_done_title(what: str, done: str) -> str:
    """Return the title of the opposite."""
    return f"{what}: not done" if done == "carried out" else f"{what} was not {done}"


def _unknown_body(fact: str, cause: str) -> str:
    """Return the body for a write with an unknown outcome: it may be that `fact`."""
    return _sentences(f"It is not known whether {fact}.", capitalize_first(cause))


def _sentences(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
