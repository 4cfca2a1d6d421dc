"""Back and forward."""

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.ui.navigation.visit_history import MAX_PLACES, VisitHistory

A, B, C = (Place(collection) for collection in COLLECTIONS[:3])


def test_back_and_forward() -> None:
    trail = VisitHistory().visited(A).visited(B).visited(C)
    assert trail.here == C
    assert trail.moved(-1).here == B
    assert trail.moved(-2).moved(1).here == B


def test_it_stops_at_its_ends() -> None:
    trail = VisitHistory().visited(A).visited(B)
    assert trail.moved(-9).here == A
    assert trail.moved(9).here == B


def test_an_empty_trail_leads_nowhere() -> None:
    assert VisitHistory().moved(-1).here is None
    assert VisitHistory().moved(1).here is None


def test_a_new_visit_forgets_what_lay_ahead() -> None:
    trail = VisitHistory().visited(A).visited(B).moved(-1).visited(C)
    assert trail.places == (A, C)


def test_staying_is_no_visit() -> None:
    assert VisitHistory().visited(A).visited(A).places == (A,)


def test_it_remembers_only_so_much() -> None:
    trail = VisitHistory()
    for _ in range(MAX_PLACES):
        trail = trail.visited(A).visited(B)
    assert len(trail.places) == MAX_PLACES
    assert trail.here == B


def test_a_record_of_another_collection_may_be_gone_back_to() -> None:
    lot, other_lot, worker = Place(A.collection, "lot-1"), Place(A.collection, "lot-2"), Place(B.collection, "wrk-1")
    trail = VisitHistory().visited(A).visited(lot)
    assert not VisitHistory().came_from_record
    assert not trail.came_from_record
    assert not trail.visited(other_lot).came_from_record
    assert trail.visited(worker).came_from_record
    assert not trail.visited(worker).moved(-1).came_from_record
    assert not VisitHistory().visited(A).visited(worker).came_from_record
