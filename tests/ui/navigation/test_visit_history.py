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


def test_another_collection_is_elsewhere_and_another_record_of_the_same_is_not() -> None:
    trail = VisitHistory().visited(A)
    assert not trail.is_elsewhere
    trail = trail.visited(Place(A.collection, "lot-000001"))
    assert not trail.is_elsewhere
    assert trail.visited(B).is_elsewhere
    assert not trail.visited(B).moved(-1).is_elsewhere
