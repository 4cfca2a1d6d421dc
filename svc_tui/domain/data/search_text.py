"""The text of values and records as it is searched: folded, nested values as JSON."""

from collections.abc import Mapping

from svc_tui.domain.data.folded_text import fold
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, Number, dumps


def value_text(value: Json | Absent) -> str:
    """A value's text as it is written, nested values as JSON, null and missing as nothing."""
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


def fold_value(value: Json | Absent) -> str:
    """A value's text as it is searched."""
    return fold(value_text(value))


def search_text(fields: Mapping[str, Json]) -> str:
    """All values of a record as they are searched, each on a line of its own."""
    # No character is folded by what stands on another line, so all can be folded at once.
    return fold("\n".join(map(value_text, fields.values())))
