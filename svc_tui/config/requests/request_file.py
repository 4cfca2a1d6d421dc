"""What `requests/NAME.toml` may hold: a saved request; each mistake is told with file, line and key."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from svc_tui.config.errors import ConfigError, display_value, reject
from svc_tui.config.toml_positions import find_positions, line_of
from svc_tui.config.validation import validate
from svc_tui.console.saved_requests import SavedRequest, find_mistakes, form_from_file

_QUERY = 'a table such as { status = "open" }, or text such as "status=open&page=1"'
_HEADERS = 'a table such as { X-Trace = "1" }'


def _text_lists(value: object, allowed: str) -> Mapping[str, Sequence[str]]:
    if not isinstance(value, dict):
        reject(f"is {display_value(value)}; allowed: {allowed}")
    table = {}
    for name, item in value.items():
        texts = item if isinstance(item, list) else [item]
        if not texts or not all(isinstance(text, str) for text in texts):
            wrong = item if not isinstance(item, list) else next((t for t in item if not isinstance(t, str)), item)
            reject(f"has {display_value(wrong)} for {name}; allowed: text in quotes, or a list of such texts")
        table[name] = texts
    return table


def _query(value: object) -> str | Mapping[str, Sequence[str]]:
    return value if isinstance(value, str) else _text_lists(value, _QUERY)


def _headers(value: object) -> Mapping[str, Sequence[str]]:
    table = _text_lists(value, _HEADERS)
    for name, texts in table.items():
        if not name.strip() or any(mark in text for text in (name, *texts) for mark in "\r\n") or ":" in name:
            reject(f"has {display_value(name)}, which is not a valid header: no line break and no : in the name")
    return table


class RequestTable(BaseModel):
    """The keys of the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="request")

    name: Annotated[str, Field(description="the name of the request, in quotes")]
    description: Annotated[str, Field(description="what it is for, in quotes")] = ""
    method: Annotated[str, Field(description='a method in quotes, such as "POST"')]
    path: Annotated[str, Field(description='a path in quotes, such as "/v1/operations/lots/{id}"')]
    query: Annotated[str | Mapping[str, Sequence[str]], PlainValidator(_query), Field(description=_QUERY)] = ""
    headers: Annotated[Mapping[str, Sequence[str]], PlainValidator(_headers), Field(description=_HEADERS)] = {}
    body: Annotated[str, Field(description="a body in quotes, such as '{\"parts\": {parts}}'")] = ""


def checked_request(path: Path, text: str, tables: Mapping[str, Any]) -> SavedRequest:
    """The saved request of the tables that `text` in `path` writes; raises ConfigError for the first mistake."""
    table = validate(RequestTable, path, text, tables)
    form = form_from_file(table.method, table.path, table.query, table.headers, table.body)
    saved = SavedRequest(table.name, form, table.description, path.stem)
    for key, why in find_mistakes(saved):
        line = line_of(find_positions(text), (key,))
        raise ConfigError(f"{path if line is None else f'{path}:{line}'}: {key} {why}")
    return saved
