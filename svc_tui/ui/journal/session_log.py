"""The log of one session, kept for its case file: what was opened, what was asked, and what was answered."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Exchange
from svc_tui.service.redact import mask_exchange, secrets_in
from svc_tui.ui.context import Context

if TYPE_CHECKING:
    from svc_tui.history.case_file import SessionLog


class SessionRecorder:
    """Keeps the log; what it is made of is imported with its first entry, so that the first records do not wait."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._began = datetime.now(UTC)
        self._log: SessionLog | None = None

    @property
    def log(self) -> "SessionLog":
        """What has happened since the session began."""
        from svc_tui.history.case_file import SessionLog

        return self._log or SessionLog(self._began)

    def opened(self, place: Place, record: Record) -> None:
        """Log a record that was opened."""
        self._log = self.log.with_viewed(datetime.now(UTC), place, record)

    def read(self, place: Place, record: Record) -> None:
        """Log a record as the service gave it just now, where it was opened before."""
        self._log = self.log.with_reading(place, record)

    def answered(self, exchange: Exchange) -> None:
        """Log a request and its answer, without key and secret."""
        hidden = secrets_in(exchange, self._context.gateway.secrets)
        self._log = self.log.with_exchange(mask_exchange(exchange, hidden))
