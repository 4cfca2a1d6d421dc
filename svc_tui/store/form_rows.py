"""How the forms that were begun are written in rows, and read back."""

from svc_tui.domain.data.kinds import Kind
from svc_tui.domain.editing.forms import BlankMeaning, FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.catalog import Route
from svc_tui.domain.model.jsontext import Json, dumps
from svc_tui.store.row_values import place_key, place_of, read_json, read_time


def read_form(purpose: bytes, form: bytes, changed: bytes) -> SavedForm | None:
    """The form of one row; None where it is not as the store wrote it."""
    try:
        return SavedForm(_read_target(purpose), _read_fields(form), read_time(changed.decode()))
    except (StoreError, UnicodeDecodeError):
        return None


def target_text(purpose: FormTarget) -> str:
    """What a form is for, as text that it is filed under."""
    route = purpose.route
    parts: list[Json] = [purpose.deed.value, place_key(purpose.collection, purpose.record_id)]
    if route is not None:
        parts.append([route.name, route.method, route.path, [list(pair) for pair in route.query], route.body])
    return dumps(parts, ascii_only=True)


def _read_target(text: bytes) -> FormTarget:
    match read_json(text):
        case [str(deed), str(place)]:
            route = None
        case [str(deed), str(place), [str(name), str(method), str(path), list(query), str(body)]]:
            route = Route(name, method, path, tuple(map(_read_pair, query)), body)
        case _:
            raise _unreadable()
    if deed not in {known.value for known in FormAction}:
        raise _unreadable()
    return FormTarget(FormAction(deed), *place_of(place), route)


def _read_pair(pair: Json) -> tuple[str, str]:
    match pair:
        case [str(name), str(value)]:
            return name, value
    raise _unreadable()


def form_text(form: FieldForm) -> str:
    """What is filled in, as text."""
    return dumps([_line_fields(line) for line in form.lines], ascii_only=True)


def _line_fields(line: FormLine) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "name": line.name,
        "kind": line.kind.value,
        "text": line.text,
        "blank": line.blank.name,
        "needed": line.needed,
        "takes": line.takes,
    }
    return fields if isinstance(line.source, Absent) else {**fields, "source": line.source}


def _read_fields(text: bytes) -> FieldForm:
    lines = read_json(text)
    if not isinstance(lines, list):
        raise _unreadable()
    return FieldForm(tuple(map(_read_line, lines)))


def _read_line(fields: Json) -> FormLine:
    match fields:
        case {
            "name": str(name),
            "kind": str(kind),
            "text": str(text),
            "blank": str(blank),
            "needed": bool(needed),
            "takes": str(takes),
        } if kind in {known.value for known in Kind} and blank in BlankMeaning.__members__:
            source = fields.get("source", ABSENT) if isinstance(fields, dict) else ABSENT
            return FormLine(name, Kind(kind), text, BlankMeaning[blank], needed, source, takes)
    raise _unreadable()


def _unreadable() -> StoreError:
    return StoreError("the store holds a form that can't be read; move its database away")
