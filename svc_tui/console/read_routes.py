"""Reads routes from an OpenAPI 3 document or a Postman collection, as JSON."""

import re
from collections.abc import Mapping, Sequence

from svc_tui.console import openapi, postman
from svc_tui.console.imported_routes import ImportRefused, ImportResult
from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.jsontext import Json, JsonError, loads

MAX_DOCUMENT_BYTES = 20_000_000
"""Limit of a document in bytes; the largest published ones have about half as many."""

_YAML = re.compile(r"\s*(?:%YAML|---|#[^\n]*\n|[A-Za-z\"'][\w .\"'-]*:(?:\s|$))")


def read_routes(
    data: bytes, base_urls: Sequence[str] = (), collections: Sequence[Collection] = COLLECTIONS
) -> ImportResult:
    """Return the routes of the document and what was left out. Raises ImportRefused.

    `base_urls` are those of the profile; routes that the program has for `collections` are left out.
    """
    document = _load_document(data)
    if isinstance(inner := document.get("collection"), Mapping) and postman.is_collection(inner):
        # The format of Postman's API.
        document = inner
    if openapi.is_openapi(document):
        return openapi.routes_of(document, base_urls, collections)
    if postman.is_collection(document):
        return postman.routes_of(document, base_urls, collections)
    raise ImportRefused(_refusal_reason(document))


def _load_document(data: bytes) -> Mapping[str, Json]:
    if len(data) > MAX_DOCUMENT_BYTES:
        raise ImportRefused(
            f"the document has more than {MAX_DOCUMENT_BYTES // 1_000_000} MB; remove what you do not need"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportRefused(f"the document is not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from None
    try:
        document = loads(text)
    except JsonError as error:
        if not text.strip():
            raise ImportRefused("the document is empty") from None
        if text.lstrip()[:1] not in ("{", "[") and _YAML.match(text):
            raise ImportRefused("the document is YAML; convert it to JSON first, for example with yq -o=json") from None
        raise ImportRefused(f"the document is not valid JSON: {error}") from None
    if not isinstance(document, Mapping):
        raise ImportRefused(_refusal_reason({}))
    return document


def _refusal_reason(document: Mapping[str, Json]) -> str:
    if "swagger" in document:
        return "this is Swagger 2; convert it to OpenAPI 3, for example with swagger2openapi"
    if "openapi" in document:
        return "this OpenAPI version is not supported; use OpenAPI 3"
    if "requests" in document and "order" in document:
        return "this is a Postman collection in format 1; export it as 2.1"
    if "values" in document or "_postman_variable_scope" in document:
        return "this is a Postman environment; export the collection instead"
    return "this is not an OpenAPI 3 document or a Postman collection"
