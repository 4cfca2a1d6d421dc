"""Speaks to a running embedded service by its control routes, for the command line."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from svc_tui.bootstrap.start import CommandFailure, ExitStatus, translate_errors

if TYPE_CHECKING:
    from svc_tui.sandbox.server.control_client import ControlClient

_BETWEEN_TRIES = 0.1
_ANSWER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ControlTarget:
    """Where the service is, and the token of its control routes; "" where that was not said."""

    url: str
    token: str

    def call(
        self, method: str, path: str, query: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
    ) -> str:
        """The text of the answer; raises CommandFailure."""
        with _told_in_one_line():
            return self._client().call(method, path, query, body)

    def document(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What a GET answers; raises CommandFailure."""
        return dict(json.loads(self.call("GET", path, query)))

    def health(self, wait_seconds: float, sleep: Callable[[float], None] = time.sleep) -> dict[str, Any]:
        """How the service is, once it answers within that time; raises CommandFailure."""
        from svc_tui.sandbox.server.control_client import ControlUnreachable

        deadline = time.monotonic() + wait_seconds
        with _told_in_one_line():
            while True:
                # A port may be taken by what never answers; with no time to wait it gets that of any other question.
                left = max(_BETWEEN_TRIES, deadline - time.monotonic()) if wait_seconds else _ANSWER_SECONDS
                try:
                    return dict(json.loads(self._client(min(left, _ANSWER_SECONDS)).call("GET", "health")))
                except ControlUnreachable:
                    if time.monotonic() >= deadline:
                        raise
                sleep(_BETWEEN_TRIES)

    def _client(self, timeout: float = _ANSWER_SECONDS) -> "ControlClient":
        from svc_tui.sandbox.server.control_client import ControlClient

        if not self.url:
            raise CommandFailure("the URL of the local sandbox is missing; set SVC_SANDBOX_URL or add --url URL")
        if not self.token:
            raise CommandFailure("the control token is missing; set SVC_SANDBOX_TOKEN or add --token TOKEN")
        return ControlClient(self.url, self.token, timeout)


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    from svc_tui.sandbox.server.control_client import ControlRefused, ControlUnreachable

    with translate_errors():
        try:
            yield
        except ControlRefused as refusal:
            raise CommandFailure(str(refusal), ExitStatus.FAILED) from None
        except ControlUnreachable as error:
            raise CommandFailure(str(error), ExitStatus.UNKNOWN) from None
