"""A request the service refuses, and the shape of the error body."""

from collections.abc import Mapping

from svc_tui.domain.model import jsontext


class ApiError(Exception):
    """An answer other than success: HTTP status, the service's code, one line for people.

    Codes of the document: service-interface, "Errors". The others are the service's own: `invalid_parameter`,
    `invalid_json` (400), `route_reserved` (403), `not_found` (404), `method_not_allowed` (405), `conflict`,
    `idempotency_conflict` (409), `precondition_failed` (412), `payload_too_large` (413), `validation_failed` (422),
    `internal_error` (500), `service_unavailable` (503).
    """

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message
        self.headers = dict(headers or {})


def error_body(code: str, message: str, request_id: str) -> str:
    """`{"error":{"code","message","requestId"}}`."""
    return jsontext.dumps({"error": {"code": code, "message": message, "requestId": request_id}})
