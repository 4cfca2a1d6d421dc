"""What the menu offers: with marks, what can be done with those marked comes before the record under the cursor."""

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place, Record
from svc_tui.service.scopes import MissingScopes
from svc_tui.writes.offered_actions import (
    ActionOffers,
    ChangeMarked,
    CompareMarked,
    ExportRecords,
    NoteForTeam,
    UnmarkAll,
)

LOTS = COLLECTIONS[0]
OFFERS = ActionOffers((), COLLECTIONS)


def names(marked: int) -> list[str]:
    menu = OFFERS.menu(Place(LOTS, "lot-1"), Record({"id": "lot-1"}), MissingScopes(), marked)
    return [offer.name for section in menu for offer in section]


def test_what_can_be_done_with_the_marked_comes_first() -> None:
    assert names(12)[:3] == ["Change a field of 12 marked records…", "Export 12 marked records…", "Unmark 12 records"]
    assert names(12)[-1] == "Delete the record…"
    of_marked, of_record = OFFERS.menu(Place(LOTS, "lot-1"), Record({"id": "lot-1"}), MissingScopes(), 12)
    assert len(of_marked) == 3
    assert not any("marked" in offer.name for offer in of_record)
    assert sum("Export" in name for name in names(12)) == 1


def test_two_can_be_compared_and_none_offer_nothing() -> None:
    choices = [offer.choice for offer in OFFERS.of_marked(2)]
    assert choices == [ChangeMarked(), ExportRecords(), CompareMarked(), UnmarkAll()]
    assert OFFERS.of_marked(0) == []
    assert not any("marked" in name for name in names(0))


def test_a_note_for_the_team_is_offered_where_there_is_a_team() -> None:
    place, record = Place(LOTS, "lot-1"), Record({"id": "lot-1"})
    with_team = ActionOffers((), COLLECTIONS, in_team=True).menu(place, record, MissingScopes(), 0)
    assert [offer for offer in with_team[1] if offer.choice == NoteForTeam()]
    without = OFFERS.menu(place, record, MissingScopes(), 0)
    assert ([], [offer for offer in with_team[1] if offer.choice != NoteForTeam()]) == without
