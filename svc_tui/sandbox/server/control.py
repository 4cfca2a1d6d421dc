"""Routes outside `/v1` for the program that started the service: arm faults, list requests. Off without a token."""

import hmac
import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from svc_tui.domain.model.jsontext import dumps
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.server.request_log import RequestLog

PREFIX = "/control/"
TOKEN_HEADER = "x-svc-control"  # noqa: S105


class ControlRoutes:
    """`POST` and `DELETE /control/faults`, `POST /control/release`, `GET /control/attempts`, `GET /control/record`.

    Each request carries the token in the header `x-svc-control`; everything else goes on to the service.
    """

    def __init__(
        self, inner: ASGIApp, token: str, faults: FaultInjector, attempts: RequestLog, store: SandboxStore
    ) -> None:
        self._inner, self._token = inner, token
        self._faults, self._attempts, self._store = faults, attempts, store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if not scope["path"].startswith(PREFIX):
            await self._inner(scope, receive, send)
            return
        request = Request(scope, receive)
        given_token = request.headers.get(TOKEN_HEADER, "").encode("latin-1")
        if hmac.compare_digest(given_token, self._token.encode()):
            response = await self._respond(request)
        else:
            response = _refused(403, f"the header {TOKEN_HEADER} does not hold the control token")
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        match request.method, request.url.path.removeprefix(PREFIX):
            case "POST", "faults":
                return self._arm(await request.body())
            case "DELETE", "faults":
                self._faults.clear(request.query_params.get("name"))
            case "POST", "release":
                self._faults.release()
            case "GET", "attempts":
                items = [attempt.as_json() for attempt in self._attempts.all()]
                return Response(dumps({"attempts": items}), media_type="application/json")
            case "GET", "record":
                query = request.query_params
                text = self._store.record(query.get("key", ""), query.get("id", ""))
                return (
                    _refused(404, "no such record") if text is None else Response(text, media_type="application/json")
                )
            case _:
                return _refused(404, "no such control route")
        return Response(status_code=204)

    def _arm(self, body: bytes) -> Response:
        """`{"name", "count", "every", "method", "retry_after", "delay"}`: with `every` in place of `count`, no end."""
        try:
            options = dict(json.loads(body))
            if "every" in options:
                self._faults.always(**options)
            else:
                self._faults.next(**options)
        except (ValueError, TypeError) as error:
            return _refused(400, str(error))
        return Response(status_code=204)


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"error": {"code": "control", "message": message}}, status)
