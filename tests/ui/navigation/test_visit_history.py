"""Back and forward."""

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.ui.navigation.navigation_controller import MAX_PLACES, VisitHistory

A, B, C = (Place(collection) for collection in COLLECTIONS[:3])


def test_back_and_forward() -> None:
    trail = VisitHistory().with_visit(A).with_visit(B).with_visit(C)
    assert trail.here == C
    assert trail.with_steps(-1).here == B
    assert trail.with_steps(-2).with_steps(1).here == B


def test_it_stops_at_its_ends() -> None:
    trail = VisitHistory().with_visit(A).with_visit(B)
    assert trail.with_steps(-9).here == A
    assert trail.with_steps(9).here == B


def test_an_empty_trail_leads_nowhere() -> None:
    assert VisitHistory().with_steps(-1).here is None
    assert VisitHistory().with_steps(1).here is None


def test_a_new_visit_forgets_what_lay_ahead() -> None:
    trail = VisitHistory().with_visit(A).with_visit(B).with_steps(-1).with_visit(C)
    assert trail.places == (A, C)


def test_staying_is_no_visit() -> None:
    assert VisitHistory().with_visit(A).with_visit(A).places == (A,)


def test_it_remembers_only_so_much() -> None:
    trail = VisitHistory()
    for _ in range(MAX_PLACES):
        trail = trail.with_visit(A).with_visit(B)
    assert len(trail.places) == MAX_PLACES
    assert trail.here == B


def test_a_record_of_another_collection_may_be_gone_back_to() -> None:
    lot, other_lot, worker = Place(A.collection, "lot-1"), Place(A.collection, "lot-2"), Place(B.collection, "wrk-1")
    trail = VisitHistory().with_visit(A).with_visit(lot)
    assert VisitHistory().record_before is None
    assert trail.record_before is None
    assert trail.with_visit(other_lot).record_before is None
    assert trail.with_visit(worker).record_before == lot
    assert trail.with_visit(worker).with_steps(-1).record_before is None
    assert VisitHistory().with_visit(A).with_visit(worker).record_before is None
