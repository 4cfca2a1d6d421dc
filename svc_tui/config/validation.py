"""Checks the tables of a file against what it may hold, and tells the first mistake in plain words.

What is allowed is said once, as the description of each field: messages and the schemas for editors repeat it.
"""

import types
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from svc_tui.config.errors import ConfigError, ValueRejected, did_you_mean, display_value, joined_words
from svc_tui.config.toml_positions import KeyPath, find_positions, line_of
from svc_tui.config.toml_text import key_text
from svc_tui.service.redact import mask_keys

M = TypeVar("M", bound=BaseModel)


def validate(model: type[M], file: Path, text: str, tables: Mapping[str, Any]) -> M:
    """The tables that `text` in `file` wrote, as `model` has them; raises ConfigError for the first mistake."""
    try:
        return model.model_validate(dict(tables))
    except ValidationError as error:
        raise ConfigError(_error_line(model, file, text, error.errors(include_url=False)[0])) from None


def _error_line(model: type[BaseModel], file: Path, text: str, error: ErrorDetails) -> str:
    key_path = tuple(step for step in error["loc"] if step != "[key]")
    line = line_of(find_positions(text), key_path)
    place = str(file) if line is None else f"{file}:{line}"
    if error["type"] == "extra_forbidden":
        known, _ = _allowed(model, key_path[:-1])
        names = known.model_fields
        hint = did_you_mean(str(key_path[-1]), names)
        return f"{place}: unknown setting {_key_text(key_path)}; allowed: {joined_words(names)}{hint}"
    _, allowed = _allowed(model, key_path)
    if error["type"] == "missing":
        return f"{place}: {_key_text(key_path)} is missing; expected: {allowed}"
    if isinstance(rejection := error.get("ctx", {}).get("error"), ValueRejected):
        return f"{place}: {_key_text(key_path)} {rejection}"
    return f"{place}: {_key_text(key_path)} is {display_value(error['input'])}; allowed: {allowed}"


def _key_text(key_path: KeyPath) -> str:
    """The key as the file writes it, without the numbers of items: the line tells which one it is."""
    parts = [mask_keys(step) for step in key_path if isinstance(step, str)]
    return ".".join(map(key_text, parts))


def _allowed(model: type[BaseModel], key_path: KeyPath) -> tuple[type[BaseModel], str]:
    """The innermost model on the way, and the description nearest to its end."""
    kind: Any = model
    inner, description = model, ""
    for step in key_path:
        kind, own_description = _child_type(kind, step)
        description = own_description or description
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            inner = kind
    return inner, description


def _child_type(kind: Any, step: str | int) -> tuple[Any, str]:
    """The type of what stands at `step` inside a value of type `kind`, and its description."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        info = kind.model_fields.get(str(step))
        return (_bare_type(info.annotation), info.description or "") if info else (None, "")
    if get_origin(kind) not in (dict, list):
        return None, ""
    item = get_args(kind)[-1]
    notes = get_args(item)[1:] if get_origin(item) is Annotated else ()
    description = next((note.description for note in notes if isinstance(note, FieldInfo) and note.description), "")
    return _bare_type(item), description


def _bare_type(kind: Any) -> Any:
    """The type without what is annotated to it, and without None beside it."""
    if get_origin(kind) is Annotated:
        return _bare_type(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return _bare_type(next(part for part in get_args(kind) if part is not types.NoneType))
    return kind
