"""What can be done with one record besides editing it: routes that fit it, and the requests made by filling them in.

A `{name}` in a route's path becomes one encoded segment and one in its query is encoded; in a JSON body it is escaped
text inside quotes and a checked JSON value outside. What was put in is never read for braces again.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from svc_tui.core.catalog import BLANK, COLLECTIONS, SPLIT, VERIFY, Collection, Route
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import FieldForm, FormLine, SavedForm
from svc_tui.core.jsontext import Json, JsonError, Number, check_document, dumps
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Place, Record
from svc_tui.core.references import target_of
from svc_tui.core.requests import READS, RequestSpec
from svc_tui.service.errors import RequestRefused
from svc_tui.service.routes import NESTED, fill_path, in_spelling_of
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.writes.write_requests import build_create_request

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
"""A text in a JSON template, quotes included."""


class Action(Struct, frozen=True):
    """A route that fits a record, its path as the profile spells it; `known` are the values that the record gives."""

    route: Route
    known: Mapping[str, str]

    @property
    def writes(self) -> bool:
        """Whether it changes something at the service."""
        return self.route.method.upper() not in READS

    @property
    def form(self) -> FieldForm:
        """The form of what is still to be given, one line for each `{name}`."""
        return action_form((name for name in blank_names(self.route) if name not in self.known), self.route.body)

    def request(self, form: FieldForm) -> RequestSpec:
        """The request with the form's values in it; raises ValueProblem, and RequestRefused for what no path can hold.

        A value that stands outside quotes in the body must be JSON.
        """
        values = {**self.known, **{line.name: line.text for line in form.lines}}
        route = self.route
        query = tuple((name, BLANK.sub(lambda match: values[match[1]], value)) for name, value in route.query)
        body = fill_body(route.body, values)
        headers = (("Content-Type", "application/json"),) if body else ()
        return RequestSpec(route.method.upper(), fill_path(route.path, values), query, headers, body.encode())


def form_request(saved: SavedForm, record: Record, collections: Sequence[Collection]) -> RequestSpec | None:
    """The request that a kept form makes, for an action with what `record` gives; None where it can't be sent."""
    purpose = saved.purpose
    try:
        if purpose.route is None:
            return build_create_request(purpose.collection, saved.form.values)
        place = Place(purpose.collection, purpose.record_id or None)
        action = _known_values(purpose.route, place, record, collections)
        return None if action is None else action.request(saved.form)
    except (ValueProblem, RequestRefused):
        return None


def last_values(route: Route, entries: Iterable[JournalEntry]) -> Mapping[str, Json]:
    """The fields of the body that the route was sent with last, by the newest of `entries`; empty where none tells."""
    parts = enumerate(BLANK.split(route.path))
    target = re.compile("".join("[^/]+" if at % 2 else re.escape(part) for at, part in parts))
    for entry in entries:
        intent = entry.intent
        if entry.other_key:
            continue
        if intent.after and intent.method == route.method.upper() and target.fullmatch(intent.target.partition("?")[0]):
            return intent.after
    return {}


def with_last_values(form: FieldForm, last: Mapping[str, Json]) -> FieldForm:
    """The form with the values that were sent last, in the lines that have their names."""
    for line in form.lines:
        if line.name in last and not line.text:
            value = last[line.name]
            form = form.with_line(line.typed(value if isinstance(value, str) and not line.takes else dumps(value)))
    return form


def body_words(route: Route) -> str:
    """What is known of the body that a route takes; "" where it takes none."""
    if route.method.upper() in READS:
        return ""
    if route == SPLIT:
        return (
            "The API document does not describe this body. The sandbox accepts a number of parts, or a list of masses "
            "in kg."
        )
    if route.body:
        return "The API document does not describe this body. It comes from your profile."
    return "The API document shows no body. None is sent."


def action_form(names: Iterable[str], body: str) -> FieldForm:
    """The form with a line for each of `names`; one that stands outside quotes in the JSON `body` takes JSON."""
    as_json = _outside_quotes(body)
    return FieldForm(
        tuple(
            FormLine(name, Kind.TEXT, needed=True, takes="JSON" if name in as_json else "")
            for name in dict.fromkeys(names)
        )
    )


def blank_names(route: Route) -> Iterator[str]:
    """The names that a route asks for, in the order in which they stand."""
    for text in (route.path, *(value for _, value in route.query), route.body):
        yield from BLANK.findall(text)


def fill_body(template: str, values: Mapping[str, str]) -> str:
    """The body with a value for every `{name}`; raises ValueProblem for one that is no JSON where JSON is needed."""
    return "".join(_fill(template, values))


def json_literal(text: str) -> str:
    """A JSON text, or a piece of one, in which no `{name}` asks for a value: such braces are escaped."""
    return BLANK.sub(lambda match: rf"\u007b{match[0][1:]}", text)


def _fill(template: str, values: Mapping[str, str]) -> Iterator[str]:
    at = 0
    for text in _TEXT.finditer(template):
        yield BLANK.sub(lambda match: _json(match[1], values), template[at : text.start()])
        yield BLANK.sub(lambda match: _escape(values[match[1]]), text[0])
        at = text.end()
    yield BLANK.sub(lambda match: _json(match[1], values), template[at:])


def _escape(text: str) -> str:
    return dumps(text, ascii_only=not _encodable(text))[1:-1]


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json(name: str, values: Mapping[str, str]) -> str:
    try:
        return dumps(check_document(values[name]))
    except JsonError as error:
        raise ValueProblem(f"{name} is not in quotes, so it must be JSON: {error}.") from None


def _outside_quotes(template: str) -> frozenset[str]:
    return frozenset(BLANK.findall(_TEXT.sub("", template)))


def actions_on(
    place: Place, record: Record, routes: Iterable[Route], collections: Sequence[Collection] = COLLECTIONS
) -> tuple[Action, ...]:
    """The routes that fit the record at `place`, in their order; those of nested collections are not among them.

    A route fits where `{id}` follows the record's own collection in its path, or where a `{name}` in its path or
    query, such as `{tunnelId}`, means this record or is a field of it that names another.
    """
    fit = (in_spelling_of(route, collections) for route in routes if route.path not in NESTED)
    return tuple(action for route in fit if (action := _known_values(route, place, record, collections)) is not None)


def is_verification(action: Action) -> bool:
    """Whether the answer is a verdict on a hash chain."""
    return action.route.path == VERIFY.path


def _known_values(route: Route, place: Place, record: Record, collections: Sequence[Collection]) -> Action | None:
    if place.record_id is None:
        return None
    known: dict[str, str] = {}
    for name in dict.fromkeys(BLANK.findall(" ".join((route.path, *(value for _, value in route.query))))):
        if name == "id":
            if route.path.startswith(f"{place.collection.path}/{{id}}"):
                known[name] = place.record_id
            continue
        target = target_of(name, tuple(collections))
        if target is None:
            continue
        if target.key == place.collection.key:
            known[name] = place.record_id
        elif (value := _plain_text(record.fields.get(name))) is not None:
            known[name] = value
    return Action(route, known) if known else None


def _plain_text(value: Json) -> str | None:
    if isinstance(value, Number):
        return value.text
    return value if isinstance(value, str) and value else None
