"""Things handed to colleagues: what may leave, what is read of lines that hold anything, and for whom it is."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, Number, dumps, loads
from svc_tui.core.records import Record
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn, Sort, View
from svc_tui.storage.journal_entries import Author
from svc_tui.storage.team.lines import LineKind, ServiceScope, TeamLine
from svc_tui.team.shares import (
    MAX_MESSAGE_CHARACTERS,
    MAX_SHARED_CHARACTERS,
    SharedDraft,
    SharedRequest,
    SharedThing,
    SharedView,
    ShareRefused,
    draft_to_share,
    open_shares,
    read_answer,
    read_share,
    share_content,
    share_problem,
    thing_words,
    view_to_share,
)

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SERVICE = ServiceScope("live", "https://api.example.com")
ADA, BOB = Author("ada", "desk-1", "chain-a"), Author("bob", "desk-2", "chain-b")
PATH, LOT = "/v1/operations/lots/lot-1", "operations/lots/lot-1"
SECRET = "whsec_open-sesame"

REQUEST = SharedRequest("Open lots", 'name = "Open lots"\nmethod = "GET"\npath = "/v1/operations/lots"\n')
HEAVY = View("massKg>10", Sort("massKg", True), (ChosenColumn("id"), ChosenColumn("massKg", 12)), (("status", "open"),))
VIEW = SharedView("/v1/operations/lots", "heavy", HEAVY)
DRAFT = SharedDraft(PATH, {"massKg": Number("1.50")}, {"massKg": Number("1.5000"), "note": "\ud800"}, ("email",))


def line(content: Mapping[str, Json], author: Author = BOB, kind: LineKind = LineKind.SHARE) -> TeamLine:
    return TeamLine(kind, author, SERVICE, LOT, NOON, content)


def shared(share_id: str, to: str = "", author: Author = BOB, thing: SharedThing = REQUEST) -> TeamLine:
    return line(share_content(share_id, to, thing, "look"), author)


def answered(share_id: str, result: Json, author: Author) -> TeamLine:
    return line({"id": share_id, "result": result}, author, LineKind.TAKEN)


@pytest.mark.parametrize("thing", [REQUEST, VIEW, DRAFT, replace(VIEW, view=View()), replace(DRAFT, base={})])
def test_a_thing_comes_out_as_it_went_in(thing: SharedThing) -> None:
    text = dumps(share_content("id-1", "ada", thing, "look"), ascii_only=True)
    content = loads(text)
    assert isinstance(content, dict)
    share = read_share(line(content))
    assert share is not None
    assert (share.id, share.to, share.thing, share.word, share.place, share.author) == (
        "id-1", "ada", thing, "look", LOT, BOB,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["id", "to", "what", "data", "word"])
@pytest.mark.parametrize("wrong", [None, True, Number("1"), [], {}, [["a"]], {"a": "b"}])
@pytest.mark.parametrize("thing", [REQUEST, VIEW, DRAFT])
def test_a_share_with_wrong_types_is_none(thing: SharedThing, name: str, wrong: Json) -> None:
    content = share_content("id-1", "ada", thing, "look")
    assert read_share(line({**content, name: wrong})) is None
    assert read_share(line({key: value for key, value in content.items() if key != name})) is None


@pytest.mark.parametrize("thing", [REQUEST, VIEW, DRAFT])
@pytest.mark.parametrize("wrong", [None, True, Number("1"), [Number("1")], {"a": {"a": Number("1")}}])
def test_a_thing_with_wrong_types_is_none(thing: SharedThing, wrong: Json) -> None:
    content = share_content("id-1", "ada", thing, "look")
    data = content["data"]
    assert isinstance(data, dict)
    for name in data:
        if not (isinstance(wrong, dict) and name in ("base", "edits")):
            assert read_share(line({**content, "data": {**data, name: wrong}})) is None, name


@pytest.mark.parametrize(
    "table",
    [
        {"filter": Number("1")},
        {"sort": "massKg"},
        {"sort": {"field": "massKg"}},
        {"columns": [{"field": "id", "width": Number("-3")}]},
        {"columns": [{"field": "id", "width": Number("99999999999")}]},
        {"columns": [{"field": ""}]},
        {"columns": {"field": "id"}},
        {"query": [{"name": "status"}]},
        {"filter": "half \ud800"},
        {"something": "newer"},
    ],
)
def test_a_view_that_does_not_read_as_it_is_written_is_none(table: Mapping[str, Json]) -> None:
    content = share_content("id-1", "", VIEW, "")
    data: dict[str, Json] = {"path": VIEW.path, "name": "heavy", "view": table}
    assert read_share(line({**content, "data": data})) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5) | st.integers().map(lambda n: Number(str(n))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    ["id", "to", "what", "data", "word", "result", "path", "base", "edits", "masked", "view", "toml"]
)
_ANY = st.dictionaries(_NAMES, _JSON | st.sampled_from(["request", "view", "draft", "taken"]), max_size=6)


@given(_ANY, _ANY)
def test_whatever_a_line_holds_it_is_read_or_left_out(content: dict[str, Json], data: dict[str, Json]) -> None:
    for whole in (content, {**content, "id": "x", "to": "", "word": "", "data": data}):
        share = read_share(line(whole))
        assert share is None or thing_words(share.thing, share.place)
        read_answer(line(whole, kind=LineKind.TAKEN))
        open_shares([line(whole), line(whole, kind=LineKind.TAKEN)], ADA)


def test_what_is_endless_is_cut_or_none() -> None:
    long = read_share(line(share_content("id", "", replace(REQUEST, name="n" * 5_000), "w" * 5_000)))
    assert long is not None
    assert isinstance(long.thing, SharedRequest)
    assert (len(long.thing.name), len(long.word)) == (100, MAX_MESSAGE_CHARACTERS)
    assert read_share(line(share_content("id", "", replace(REQUEST, toml="#" * 300_000), ""))) is None


# For whom


def test_what_is_for_me_or_for_everybody_is_open_until_i_answer() -> None:
    lines = [shared("1", "ada"), shared("2"), shared("3", "eve"), shared("4", author=ADA), shared("5", "ada")]
    assert [share.id for share in open_shares(lines, ADA)] == ["1", "2", "5"]
    lines += [answered("1", "taken", ADA), answered("2", "taken", BOB), answered("5", "perhaps", ADA)]
    assert [share.id for share in open_shares(lines, ADA)] == ["2", "5"]
    lines += [answered("2", "declined", replace(ADA, machine="laptop", chain="chain-l"))]
    assert [share.id for share in open_shares(lines, ADA)] == ["5"]


def test_a_share_to_my_name_from_my_other_machine_is_for_me() -> None:
    assert open_shares([shared("1", "ada", replace(ADA, chain="chain-l"))], ADA)


def test_an_id_that_is_used_again_takes_no_shares_place() -> None:
    first, second = shared("1", thing=VIEW), shared("1", thing=REQUEST)
    assert [share.thing for share in open_shares([first, second], ADA)] == [VIEW]


# What may leave


def test_of_a_draft_leaves_what_it_changes_and_nothing_else_of_the_record() -> None:
    base = Record({"id": "lot-1", "grade": "A", "massKg": Number("1"), "worker": "Ada L."}, '"etag"')
    draft = Draft(base, {"grade": "B", "new": None})
    assert draft_to_share(PATH, draft, ()) == SharedDraft(PATH, {"grade": "A"}, {"grade": "B", "new": None})


def test_a_masked_field_stays_and_so_does_one_with_a_masked_part_on_either_side() -> None:
    base = Record({"Email": "a@x", "contact": {"phone": "1", "city": "Łódź"}, "parts": [{"phone": "2"}], "grade": "A"})
    edits: dict[str, Json] = {"Email": "b@x", "contact": {"city": "Gdańsk"}, "parts": [], "grade": "B"}
    shared = draft_to_share(PATH, Draft(base, edits), ("email", "PHONE"))
    assert shared == SharedDraft(PATH, {"grade": "A"}, {"grade": "B"}, ("Email", "contact", "parts"))
    with pytest.raises(ShareRefused, match=r"masked \(mask_fields\): Email\."):
        draft_to_share(PATH, Draft(base, {"Email": "b@x"}), ("email",))


def test_a_view_that_seeks_in_a_masked_field_stays() -> None:
    for view in (
        View("email:ada@example.com"),
        View('grade=A !contact.Email="x y"'),
        View(query=(("email", "a@x"),)),
        View("contact.email.0>=x"),
    ):
        with pytest.raises(ShareRefused, match="mask_fields"):
            view_to_share("/v1/workforce/workers", "mine", view, ("Email",))
    free = View("grade=A email", Sort("email"), (ChosenColumn("email"),))
    assert view_to_share("/v1/workforce/workers", "mine", free, ("Email",)).view == free


@pytest.mark.parametrize(
    ("thing", "word", "why"),
    [
        (REQUEST, "w" * (MAX_MESSAGE_CHARACTERS + 1), "Remove 1."),
        (REQUEST, "use svc_test_abc", "an API key or signing secret"),
        (replace(REQUEST, toml=f"# {SECRET}"), "", "an API key or signing secret"),
        (replace(VIEW, view=View(f"note:{SECRET}")), "", "an API key or signing secret"),
        (replace(DRAFT, edits={"note": ["svc_live_abc"]}), "", "an API key or signing secret"),
        (replace(DRAFT, edits={"note": "x" * MAX_SHARED_CHARACTERS}), "", "Too large"),
    ],
)
def test_a_secret_is_not_handed_over_nor_is_what_is_endless(thing: SharedThing, word: str, why: str) -> None:
    assert why in share_problem(thing, word, [SECRET])


@pytest.mark.parametrize("thing", [REQUEST, VIEW, DRAFT])
def test_anything_else_may_go(thing: SharedThing) -> None:
    assert share_problem(thing, "for the night shift, ada@example.com", [SECRET]) == ""
