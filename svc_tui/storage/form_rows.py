"""Unsent forms as texts in rows."""

from svc_tui.core.catalog import Route
from svc_tui.core.field_forms import BlankMeaning, FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.core.jsontext import Json, Number, dumps, number
from svc_tui.storage.dataclass_codec import DataclassCodec, enum_by_name
from svc_tui.storage.errors import StoreError
from svc_tui.storage.row_values import describe_unreadable, place_key, place_of, read_json, read_time

_UNREADABLE = describe_unreadable("a form")
_LINE = DataclassCodec(FormLine, _UNREADABLE, conversions={"blank": enum_by_name(BlankMeaning)})


def read_form(purpose: bytes, form: bytes, changed: bytes, intent: int) -> SavedForm | None:
    """Return the form of one row; None if it is not as the store wrote it."""
    try:
        return SavedForm(_read_target(purpose), _read_lines(form), read_time(changed.decode()), intent)
    except (StoreError, ValueError):
        return None


def target_text(purpose: FormTarget) -> str:
    """Return the purpose of a form as text, which is the key of its row."""
    route = purpose.route
    parts: list[Json] = [purpose.deed.value, place_key(purpose.collection, purpose.record_id)]
    if route is not None:
        parts.append([route.name, route.method, route.path, [list(pair) for pair in route.query], route.body])
    if purpose.number:
        parts.append(number(purpose.number))
    return dumps(parts, ascii_only=True)


def _read_target(text: bytes) -> FormTarget:
    parts, count = read_json(text), 0
    if isinstance(parts, list) and parts and isinstance(parts[-1], Number):
        count = int(parts.pop().text)
    match parts:
        case [str(deed), str(place)]:
            route = None
        case [str(deed), str(place), [str(name), str(method), str(path), list(query), str(body)]]:
            route = Route(name, method, path, tuple(map(_read_pair, query)), body)
        case _:
            raise StoreError(_UNREADABLE)
    return FormTarget(FormAction(deed), *place_of(place), route, count)


def _read_pair(pair: Json) -> tuple[str, str]:
    match pair:
        case [str(name), str(value)]:
            return name, value
    raise StoreError(_UNREADABLE)


def form_text(form: FieldForm) -> str:
    """Return the fields of a form as text."""
    return dumps([_LINE.write(line) for line in form.lines], ascii_only=True)


def _read_lines(text: bytes) -> FieldForm:
    lines = read_json(text)
    if not isinstance(lines, list):
        raise StoreError(_UNREADABLE)
    return FieldForm(tuple(map(_LINE.read, lines)))
