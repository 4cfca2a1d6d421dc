"""The writes whose outcome is not known, by what makes two requests the same: their keys still stand for them."""

from svc_tui.domain.editing.ports import Intent
from svc_tui.domain.editing.write_answers import is_about_request
from svc_tui.domain.editing.write_report import WriteReport, WriteResult
from svc_tui.domain.editing.write_requests import intent_identity, request_identity
from svc_tui.domain.model.requests import RequestSpec


class UnsettledWrites:
    """Sent, and not judged by the service since: in this session, or in one before that the journal tells of."""

    def __init__(self) -> None:
        self._intents: dict[str, Intent] = {}

    def __contains__(self, spec: RequestSpec) -> bool:
        return request_identity(spec) in self._intents

    def key(self, spec: RequestSpec) -> str:
        """The idempotency key that the very same request was sent with, "" where it was not."""
        intent = self._intents.get(request_identity(spec))
        return intent.idempotency_key if intent else ""

    def like(self, spec: RequestSpec) -> tuple[Intent, ...]:
        """Those of the same method and target: the very same request first, then the last sent."""
        same = request_identity(spec)
        alike = [(identity, intent) for identity, intent in self._intents.items() if _aim(identity) == _aim(same)]
        alike.sort(key=lambda item: (item[0] != same, -item[1].at.timestamp()))
        return tuple(intent for _, intent in alike)

    def recall(self, intent: Intent) -> None:
        """Take up an earlier session's write."""
        if identity := intent_identity(intent):
            self._intents.setdefault(identity, intent)

    def remember(self, intent: Intent, report: WriteReport) -> None:
        """Keep a write until the service has judged it: carried out, or refused for what it says."""
        if report.result is WriteResult.UNKNOWN:
            self._intents[intent_identity(intent)] = intent
        elif report.result is WriteResult.DONE or (
            report.result is WriteResult.REFUSED and is_about_request(report.error)
        ):
            self._intents.pop(intent_identity(intent), None)

    def settle(self, spec: RequestSpec) -> None:
        """Forget a request: what became of it was found out."""
        self._intents.pop(request_identity(spec), None)


def _aim(identity: str) -> str:
    """Method and target of an identity, without its body."""
    return identity.rpartition(" ")[0]
