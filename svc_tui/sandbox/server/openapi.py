"""The OpenAPI 3.1 document of the service, made from the table that serves it."""

from collections.abc import Mapping
from typing import Any

from svc_tui.sandbox.variants import Variants


def openapi_document(variants: Variants) -> Mapping[str, Any]:
    """The document of a service with these variants."""
    return {"openapi": "3.1.0", "info": {"variants": dict(variants)}}
