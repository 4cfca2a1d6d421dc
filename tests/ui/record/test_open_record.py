"""Which record is open, and what is known of it, by itself."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.jsontext import number
from svc_tui.core.records import Place, Record
from svc_tui.core.requests import Answer, Exchange, SignedRequest
from svc_tui.service.gateway import RecordReading
from svc_tui.ui.workspace.open_record import OpenRecord
from tests.ui.memory_gateway import LOTS

ONE, TWO = Place(LOTS, "lot-1"), Place(LOTS, "lot-2")
ROW, RECORD = Record({"id": "lot-1"}), Record({"id": "lot-1", "grade": number("8.40")})
OTHER = Record({"id": "lot-2"})


def reading_of(record: Record) -> RecordReading:
    request = SignedRequest("GET", "http://x/v1/lots", "/v1/lots", (), b"")
    return RecordReading(record, Exchange(request, Answer(200, "OK", (), b""), 1, 0.1, datetime.now(UTC)))


@pytest.fixture
def opened() -> OpenRecord:
    """A row of the table, opened."""
    made = OpenRecord()
    made.show(ONE, ROW)
    return made


def test_nothing_is_open_at_first_and_after_closing(opened: OpenRecord) -> None:
    opened.start_reading(TWO)
    opened.close()
    for made in (OpenRecord(), opened):
        assert (made.place, made.record, made.reading, made.awaited) == (None, None, None, None)
        assert made.failed() is None


def test_a_record_that_is_being_read_counts_as_here_already(opened: OpenRecord) -> None:
    opened.start_reading(TWO)
    assert (opened.place, opened.awaited, opened.record) == (TWO, TWO, None)
    assert not opened.shows(TWO)
    assert not opened.shows(ONE)
    opened.show(TWO, OTHER)
    assert opened.shows(TWO)
    assert opened.record is OTHER


def test_where_one_can_not_be_read_the_one_before_comes_back(opened: OpenRecord) -> None:
    opened.start_reading(TWO)
    opened.start_reading(Place(LOTS, "lot-3"))
    assert opened.failed() == (ONE, ROW)
    opened.show(ONE, ROW)
    assert opened.failed() is None, "what is on show stays, though it could not be read once more"
    assert opened.shows(ONE)


def test_once_another_is_shown_nothing_comes_back(opened: OpenRecord) -> None:
    opened.start_reading(TWO)
    opened.show(TWO, OTHER)
    assert opened.failed() is None
    assert opened.shows(TWO)


@pytest.mark.parametrize(
    ("place", "record", "own"),
    [
        (ONE, RECORD, True),
        (ONE, ROW, False),
        (ONE, Record(RECORD.fields), False),
        (TWO, RECORD, False),
    ],
    ids=["the answer's own", "a row of the table", "one that came by another way", "another's"],
)
def test_an_answer_belongs_to_the_very_record_that_came_with_it(
    opened: OpenRecord, place: Place, record: Record, own: bool
) -> None:
    answer = reading_of(RECORD)
    opened.answered(ONE, answer)
    opened.show(place, record)
    assert opened.reading is (answer if own else None)
