"""The body of a refusal, in the shapes that a service can give it."""

from http import HTTPStatus

from svc_tui.core import jsontext
from svc_tui.core.jsontext import Json, Number
from svc_tui.sandbox.errors import ApiError


def error_body(shape: str, error: ApiError, request_id: str) -> tuple[str, str]:
    """The body that tells an error, and its media type; `shape` is a value of the variant `errors`."""
    told: dict[str, Json] = {"code": error.code, "message": error.message}
    request: dict[str, Json] = {"requestId": request_id}
    value: dict[str, Json]
    match shape:
        case "flat":
            value = told | request
        case "list":
            value = {"errors": [told], **request}
        case "problem":
            value = {
                "type": "about:blank",
                "title": HTTPStatus(error.status).phrase,
                "status": Number(str(error.status)),
                "detail": error.message,
                "code": error.code,
                **request,
            }
            return jsontext.dumps(value), "application/problem+json"
        case "empty":
            return "", ""
        case _:
            value = {"error": told | request}
    return jsontext.dumps(value), "application/json"
