"""The control routes in the OpenAPI document, made from the table that serves them."""

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from svc_tui.sandbox.server.control import CONTROL_ROUTES, MAX_BODY, PREFIX, ControlRoute
from svc_tui.sandbox.server.control_bodies import ControlBody
from svc_tui.sandbox.server.control_client import MARK, TOKEN_HEADER
from svc_tui.sandbox.server.openapi_schemas import Part, exact, reference

CONTROL_TAG = "control"

CONTROL_SECURITY: Mapping[str, Part] = {
    "controlToken": {
        "type": "apiKey",
        "in": "header",
        "name": TOKEN_HEADER,
        "description": "The token that the service was started with. Without a token there are no control routes.",
    }
}

_HEADERS: Part = {
    MARK[0]: {"description": "Marks the response of a control route.", "required": True, "schema": {"const": MARK[1]}}
}

_REFUSALS = {
    400: "A parameter or the body is not valid.",
    403: "The token is missing or wrong.",
    404: "The name is unknown.",
    409: "The state of the service does not allow it.",
    413: f"The body is larger than {MAX_BODY:,} bytes.",
    421: "The service only listens on this computer, and `Host` is another computer.",
}


def control_paths() -> dict[str, Part]:
    """The control routes by path and method."""
    paths: dict[str, Part] = {}
    for route in CONTROL_ROUTES:
        paths.setdefault(f"{PREFIX}{route.path}", {})[route.method.lower()] = _operation(route)
    return paths


def control_components() -> tuple[dict[str, Part], dict[str, Part]]:
    """The schemas and the answers that the control routes refer to."""
    bodies = {route.body.__name__: route.body.model_json_schema() for route in CONTROL_ROUTES if route.body is not None}
    refusal = exact({"error": exact({"code": {"const": "control"}, "message": {"type": "string", "minLength": 1}})})
    answers: dict[str, Part] = {
        f"control-{status}": {
            "description": words,
            "headers": _HEADERS,
            "content": {"application/json": {"schema": reference("schemas", "ControlRefusal")}},
        }
        for status, words in _REFUSALS.items()
    }
    return {**bodies, "ControlRefusal": refusal}, answers


def _operation(route: ControlRoute) -> Part:
    operation: Part = {
        "operationId": f"control_{route.action.__name__}",
        "tags": [CONTROL_TAG],
        "summary": route.title,
        "security": [{name: [] for name in CONTROL_SECURITY}],
        "responses": dict(_answers(route)),
    }
    if route.query:
        operation["parameters"] = [
            {
                "name": name,
                "in": "query",
                "required": name in route.required,
                "description": meaning,
                "schema": dict(route.schemas.get(name, {"type": "string"})),
            }
            for name, meaning in route.query.items()
        ]
    if route.body is not None:
        operation["requestBody"] = {
            "required": _is_needed(route.body),
            "content": {"application/json": {"schema": reference("schemas", route.body.__name__)}},
        }
    return operation


def _is_needed(body: type[ControlBody]) -> bool:
    """Whether an empty object will not do, which is what no body stands for."""
    try:
        body.model_validate({})
    except ValidationError:
        return True
    return False


def _answers(route: ControlRoute) -> Iterator[tuple[str, Part]]:
    if route.answers:
        fields = {name: {"description": meaning} if meaning else {} for name, meaning in route.answers.items()}
        schema = {"type": "object", "properties": fields, "required": list(fields)}
        content = {"application/json": {"schema": schema}}
        yield "200", {"description": "Done.", "headers": _HEADERS, "content": content}
    else:
        yield "204", {"description": "Done.", "headers": _HEADERS}
    refusals = (400, 403, 421, *route.refusals, *(() if route.body is None else (413,)))
    for status in sorted(refusals):
        yield str(status), reference("responses", f"control-{status}")
