"""The OpenAPI 3.1 document of the service, made from the tables that serve it."""

from collections.abc import Mapping
from typing import Any

from svc_tui import __version__
from svc_tui.core.catalog import DOMAINS
from svc_tui.sandbox.access.admission import SIGNATURE, TIMESTAMP
from svc_tui.sandbox.access.signature import WINDOW_SECONDS
from svc_tui.sandbox.server.openapi_control import CONTROL_SECURITY, CONTROL_TAG, control_components, control_paths
from svc_tui.sandbox.server.openapi_operations import OpenApiOperations
from svc_tui.sandbox.server.openapi_schemas import Part
from svc_tui.sandbox.variants import OPEN_POINTS, Variants

_ABOUT = """API of a mining-operations platform, as served by the sandbox of svc-tui.

Requests need `Authorization: Bearer <API key>`; each key has its own scopes. `HEAD` works like `GET`, without the
body. A method that a path does not support returns 405 with `Allow`; every path below `/v1/auth` returns 403. Active
faults can change any response.

Variants (`--variant NAME=VALUE`) set what the service's document does not show. The values here:

"""

_SECURITY: Mapping[str, Part] = {
    "apiKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "The API key, which begins with `svc_live_` or `svc_test_` and identifies the tenant.",
    },
    "timestamp": {
        "type": "apiKey",
        "in": "header",
        "name": TIMESTAMP,
        "description": "Unix time in seconds, as a decimal string; at most "
        f"{WINDOW_SECONDS} seconds from the service's time. Requests with a live key must be signed. A request "
        "with one of the two signing headers must have both.",
    },
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": SIGNATURE,
        "description": f"`t=<timestamp>,v1=<hex>`, where `t` is the value of `{TIMESTAMP}` and `v1` the HMAC-SHA256, "
        "keyed with the signing secret, of `{timestamp}.{METHOD}.{path-with-query}.{sha256hex(body)}`.",
    },
}


def openapi_document(variants: Variants) -> Mapping[str, Any]:
    """The document of a service with these variants: an OpenAPI 3.1 object, ready to be written as JSON."""
    operations = OpenApiOperations(variants)
    control_schemas, control_answers = control_components()
    settled = (f"- {p.not_shown} (`{p.name}`): {p.ways[variants[p.name]]}\n" for p in OPEN_POINTS.values())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "svc-tui sandbox",
            "version": __version__,
            "description": _ABOUT + "".join(settled),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in (*(domain.name for domain in DOMAINS), CONTROL_TAG)],
        "security": [{"apiKey": []}, {name: [] for name in _SECURITY}],
        "paths": operations.paths() | control_paths(),
        "components": {
            "securitySchemes": {**_SECURITY, **CONTROL_SECURITY},
            "schemas": operations.schemas() | control_schemas,
            "responses": operations.refusals() | control_answers,
        },
    }
