"""The text of values and records as it is searched: without case, nested values as JSON."""

from collections.abc import Mapping

from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, Number, dumps


def fold_case(value: Json | Absent) -> str:
    """A value's text as it is searched: folded, nested values as JSON, null and missing as nothing."""
    return _plain_text(value).casefold()


def search_text(fields: Mapping[str, Json]) -> str:
    """All values of a record as they are searched, each on a line of its own."""
    # Every character is folded by itself, so all can be folded at once.
    return "\n".join(map(_plain_text, fields.values())).casefold()


def _plain_text(value: Json | Absent) -> str:
    # What most values are comes first: a page holds hundreds.
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    if value is None or isinstance(value, Absent):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return dumps(value)
