"""The words for what went wrong, and for how a write ended: title, body, severity, and the next thing to try.

No other module writes an error sentence.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from svc_tui.domain import errors
from svc_tui.domain.writes import Result, WriteReport

Severity: TypeAlias = Literal["information", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Report:
    """Something to tell the user, in plain text that may hold words from outside."""

    body: str
    title: str = ""
    severity: Severity = "information"

    @property
    def line(self) -> str:
        """All of it on one line."""
        return f"{self.title}: {self.body}" if self.title else self.body


_NEXT: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.RequestRefused, ""),
    (errors.CertificateRefused, "Check the base URL, and the certificates of this machine."),
    (errors.Unreachable, "Check the network and the base URL; r tries again."),
    (errors.DeadlineExceeded, "r tries again."),
    (errors.ConnectionBroken, "r tries again."),
    (errors.ApiKeyMissing, "Set SVC_API_KEY."),
    (errors.ApiKeyExpired, "Ask for a new key in the portal."),
    (errors.ApiKeyRevoked, "Use the key that replaced it."),
    (errors.ApiKeyInvalid, "Check that the key was copied whole."),
    (errors.SignatureMissing, "This key must sign: set SVC_SIGNING_SECRET."),
    (errors.SignatureMismatch, "Check the signing secret; rotation changes key and secret together."),
    (errors.TimestampStale, "The clock is wrong, not the secret: set this machine's clock (NTP)."),
    (errors.InsufficientScope, "Ask for the scope in the portal, or use another key."),
    (errors.IpNotAllowed, "Ask for this address on the key's allowlist in the portal."),
    (errors.RateLimitExceeded, "Wait, then r tries again."),
    (errors.NotFound, ""),
    (errors.Conflict, "r reads the record again."),
    (errors.Redirected, "Set the base URL to where the service really is."),
    (errors.ServerFault, "r tries again."),
)


def next_step(error: errors.ServiceError) -> str:
    """What to try after `error`, as a sentence; "" where there is nothing to say."""
    return next((advice for kind, advice in _NEXT if isinstance(error, kind)), "")


def told(error: errors.ServiceError) -> str:
    """What happened and what now, for an error."""
    message = str(error).rstrip(".") + "."
    return f"{message} {next_step(error)}".strip()


def of_error(error: errors.ServiceError, title: str = "") -> Report:
    """The report of a request that failed."""
    return Report(told(error), title, "error")


def of_write(report: WriteReport, what: str) -> Report:
    """The report of a write of `what` (a record's name, or a request's line)."""
    cause = " ".join(filter(None, (report.reason, told(report.error) if report.error else "")))
    if report.journal_problem:
        cause += f" Its outcome could not be journalled: {report.journal_problem}"
    match report.result:
        case Result.DONE if report.untaken:
            kept = f"The service kept another value for {', '.join(report.untaken)}."
            return Report(f"{kept} {cause}".strip(), f"{what} was changed in part", "warning")
        case Result.DONE:
            moved = f"Meanwhile others changed {', '.join(report.moved)}." if report.moved else ""
            said = " ".join(filter(None, (cause, moved)))
            return Report(said or "The service took it.", f"{what} is written")
        case Result.REFUSED:
            return Report(cause, f"{what} was not changed", "error")
        case Result.NOT_SENT:
            return Report(cause, f"{what} was not sent", "warning")
        case Result.UNKNOWN:
            if report.record is not None:
                found = "The change is not there." if report.untaken else "The change is there."
                cause = f"{cause} Looked again: {found}"
            return Report(cause, f"{what}: whether it was written is not known", "error")
