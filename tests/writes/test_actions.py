"""Which routes fit a record, and the requests that filling them in makes."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS, ROUTES, SPLIT, VERIFY, Collection, Route
from svc_tui.core.field_entry import ValueProblem
from svc_tui.core.field_forms import FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.core.jsontext import Json, number
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Place, Record
from svc_tui.service.errors import RequestRefused
from svc_tui.service.routes import nested_in
from svc_tui.storage.journal_entries import Intent, JournalEntry
from svc_tui.writes.actions import (
    Action,
    actions_on,
    body_words,
    fill_body,
    form_request,
    is_verification,
    last_values,
    with_last_values,
)
from svc_tui.writes.write_requests import build_create_request

LOTS, TUNNELS = COLLECTIONS[0], COLLECTIONS[1]
LOT = Place(LOTS, "lot/1")
RECORD = Record({"id": "lot/1", "tunnelId": "tun-12"})


def names(place: Place, record: Record, *routes: Route) -> list[str]:
    return [action.route.name for action in actions_on(place, record, (*ROUTES, *routes))]


def form(**values: str) -> FieldForm:
    return FieldForm(tuple(FormLine(name, Kind.TEXT, text) for name, text in values.items()))


def test_a_lot_can_be_split_and_the_chain_of_its_tunnel_verified() -> None:
    split, verify = actions_on(LOT, RECORD, ROUTES)
    assert (split.route.name, dict(split.known)) == ("Split a lot", {"id": "lot/1"})
    assert (is_verification(verify), dict(verify.known)) == (True, {"tunnelId": "tun-12"})


def test_a_kept_form_makes_the_request_that_its_dialog_makes() -> None:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    (split, *_) = actions_on(LOT, RECORD, ROUTES)
    filled = FieldForm(tuple(line.typed("3") for line in split.form.lines))
    on_lot = FormTarget(FormAction.ACTION, LOTS, "lot/1", split.route)
    assert form_request(SavedForm(on_lot, filled, at), RECORD, COLLECTIONS) == split.request(filled)
    new = SavedForm(FormTarget(FormAction.NEW, LOTS), form(name="A lot"), at)
    assert form_request(new, Record({}), COLLECTIONS) == build_create_request(LOTS, {"name": "A lot"})
    unreadable = FieldForm((FormLine("massKg", Kind.NUMBER, "12,5"),))
    assert form_request(SavedForm(new.purpose, unreadable, at), Record({}), COLLECTIONS) is None


def test_an_action_that_only_reads_is_told_from_one_that_writes() -> None:
    split, verify = actions_on(LOT, RECORD, ROUTES)
    assert (split.writes, verify.writes) == (True, False)


def test_a_tunnel_can_be_verified_and_not_be_split() -> None:
    (verify,) = actions_on(Place(TUNNELS, "tun-1"), Record({"id": "tun-1"}), ROUTES)
    assert verify.request(verify.form).query == (("tunnelId", "tun-1"),)
    assert not verify.form.lines


def test_a_record_that_a_route_says_nothing_about_is_not_offered_it() -> None:
    assert names(Place(COLLECTIONS[-1], "inc-1"), Record({"id": "inc-1"})) == []
    assert names(Place(LOTS), RECORD) == []


def test_the_users_own_routes_fit_by_their_path_or_by_what_they_name() -> None:
    own = Route("Seal", "POST", "/v1/operations/lots/{id}/seal")
    named = Route("Weigh", "POST", "/v1/scales/{lotId}/weigh")
    other = Route("Close", "POST", "/v1/operations/tunnels/{id}/close")
    assert names(LOT, RECORD, own, named, other)[2:] == ["Seal", "Weigh"]


def test_a_route_follows_the_profiles_spelling() -> None:
    spelled = LOTS.spelled("ore-lots")
    (split, _) = actions_on(Place(spelled, "1"), RECORD, ROUTES, (spelled, *COLLECTIONS[1:]))
    assert split.request(form(parts="2")).path == "/v1/operations/ore-lots/1/split"


def test_an_action_asks_for_what_the_record_does_not_give() -> None:
    split, _ = actions_on(LOT, RECORD, ROUTES)
    assert split.form == FieldForm((FormLine("parts", Kind.TEXT, needed=True, takes="JSON"),))
    spec = split.request(form(parts="[1.50]"))
    assert (spec.method, spec.path) == ("POST", "/v1/operations/lots/lot%2F1/split")
    assert spec.body == b'{"parts": [1.50]}'
    assert spec.headers == (("Content-Type", "application/json"),)


def test_a_value_in_quotes_is_escaped_text_and_one_outside_is_checked_json() -> None:
    template = '{"by {who}": {n}, "note": "\\"{who}\\" {{n}"}'
    assert fill_body(template, {"who": 'a"b\\\n{n}', "n": '{"who": "{who}"}'}) == (
        '{"by a\\"b\\\\\\n{n}": {"who":"{who}"}, "note": "\\"a\\"b\\\\\\n{n}\\" {{\\"who\\": \\"{who}\\"}"}'
    )


@pytest.mark.parametrize("text", ["", "2, 3", "two", '{"a": 1', "1} , {"])
def test_what_is_no_json_can_not_stand_outside_quotes(text: str) -> None:
    with pytest.raises(ValueProblem, match="parts is not in quotes"):
        fill_body('{"parts": {parts}}', {"parts": text})


def test_a_path_takes_no_value_that_leads_elsewhere() -> None:
    seal = Route("Seal", "POST", "/v1/operations/lots/{id}/seal/{what}")
    (action,) = actions_on(LOT, Record({"id": "lot/1"}), [seal])
    assert action.request(form(what="a/b {id}")).path.endswith("/seal/a%2Fb%20%7Bid%7D")
    with pytest.raises(RequestRefused):
        action.request(form(what=".."))


def test_attachments_hang_under_a_lot_and_under_nothing_else() -> None:
    (attachments,) = nested_in(LOT, ROUTES)
    assert attachments == Collection("operations", "attachments", "attachments", under="/v1/operations/lots/lot%2F1")
    assert not list(nested_in(Place(TUNNELS, "tun-1"), ROUTES))
    assert not list(nested_in(Place(LOTS), ROUTES))


def test_the_body_that_an_action_was_sent_with_last_is_offered_again() -> None:
    def entry(method: str, target: str, after: dict[str, Json]) -> JournalEntry:
        return JournalEntry(1, Intent(datetime.now(UTC), method, target, "operations/lots/lot-1", "key", {}, after))

    entries = [
        entry("PATCH", "/v1/operations/lots/lot-1", {"name": "x"}),
        entry("POST", "/v1/operations/lots/lot-1/more/split", {"parts": number(9)}),
        entry("POST", "/v1/operations/lots/lot%2F2/split?notify=false", {"parts": [number("1.50"), number(2)]}),
        entry("POST", "/v1/operations/lots/lot-1/split", {"parts": number(3)}),
    ]
    last = last_values(SPLIT, entries)
    assert last == {"parts": [number("1.50"), number(2)]}
    assert last_values(SPLIT, entries[:2]) == {}
    form = Action(SPLIT, {"id": "lot-3"}).form
    assert [line.text for line in with_last_values(form, last).lines] == ["[1.50,2]"]
    assert "does not describe this body" in body_words(SPLIT)
    assert body_words(VERIFY) == ""
