"""What fits comes best first, each record once, and all that a plain look at every record would find."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import Json, number
from svc_tui.core.records import Page, Record
from svc_tui.records.sparse_rows import SparseRows
from svc_tui.search.record_search import (
    MAX_MATCHES,
    Excerpt,
    Match,
    RecordSearch,
    common_problem,
    count_held,
    excerpt_of,
)
from svc_tui.search.sources import ListedRecords, LoadedRows, Origin, SearchedRows
from svc_tui.storage.record_store import RecordStore

LOTS = COLLECTIONS[0]
WORKERS = next(collection for collection in COLLECTIONS if collection.name == "workers")


def loaded(*records: dict[str, Json], page_size: int = 2, origin: Origin = Origin.LOADED) -> LoadedRows:
    """Lots, held in pages of two."""
    rows = SparseRows(RecordStore(), "lots", page_size)
    for start in range(0, len(records), page_size):
        page = tuple(map(Record, records[start : start + page_size]))
        rows.add(Page(page, start // page_size + 1, page_size, len(records)))
    return LoadedRows(LOTS, origin, rows=rows)


def found(text: str, *sources: SearchedRows) -> list[Match]:
    """What a search finds when it is over."""
    search = RecordSearch(sources, text)
    while search.step():
        pass
    assert search.done
    return search.best()


def ids(matches: Iterable[Match]) -> list[str | None]:
    """The ids of what was found."""
    return [match.place.record_id for match in matches]


def test_a_moment_counts_from_now_and_a_comparison_that_can_match_nothing_says_why() -> None:
    now = datetime(2026, 3, 2, 6, tzinfo=UTC)
    first = loaded({"id": "a", "seenAt": "2026-03-02T05:30:00Z"}, {"id": "b", "seenAt": "2026-03-02T04:30:00Z"})
    search = RecordSearch([first], "seenAt>1h", now=now)
    while search.step():
        pass
    assert ids(search.best()) == ["a"]
    assert common_problem(search.problems) == ""

    numbers, words = loaded({"id": "c", "seenAt": number("7")}), loaded({"id": "d", "note": "x"})
    search = RecordSearch([numbers, words], "seenAt>1h", now=now)
    while search.step():
        pass
    assert common_problem(search.problems) == "seenAt contains only numbers (example: seenAt>10)."
    search = RecordSearch([numbers, first], "seenAt>1s", now=now)
    while search.step():
        pass
    assert (search.count, common_problem(search.problems)) == (0, "")


def test_an_id_comes_before_a_reference_and_that_before_a_beginning_and_that_before_any_place() -> None:
    source = loaded(
        {"id": "a", "note": "see wrk-1 there"},
        {"id": "b", "note": "all of xwrk-1"},
        {"id": "c", "name": "wrk-1 and others"},
        {"id": "d", "workerId": "wrk-1"},
        {"id": "wrk-10"},
        {"id": "wrk-1"},
    )
    assert ids(found("wrk-1", source)) == ["wrk-1", "d", "wrk-10", "c", "a", "b"]


def test_a_name_that_begins_so_comes_before_a_field_further_down() -> None:
    source = loaded(
        {"id": "a", "name": "Ore 1", "status": "open", "site": "Gold Hill"},
        {"id": "b", "name": "Gold ore"},
        {"id": "c", "name": "Ore", "note": "some gold"},
    )
    assert ids(found("gold", source)) == ["b", "a", "c"]


def test_an_id_with_an_accent_comes_first_however_it_is_typed() -> None:
    source = loaded({"id": "a", "note": "LOT/1 é"}, {"id": "LOT/1 éx"}, {"id": "LOT/1 é"})
    for typed in ('"lot/1 e"', '"LOT/1 É"', '"lot/1 e\u0301"'):
        assert ids(found(typed, source)) == ["LOT/1 é", "a", "LOT/1 éx"]


def test_a_state_that_many_share_is_no_reference() -> None:
    source = loaded({"id": "a", "name": "Ore 1", "status": "open"}, {"id": "b", "name": "Open pit"})
    assert ids(found("open", source)) == ["b", "a"]


def test_all_words_must_be_there_and_terms_hold_across_collections() -> None:
    lots = loaded(
        {"id": "a", "status": "rejected", "massKg": number("10")},
        {"id": "b", "status": "rejected", "massKg": number("5000")},
    )
    workers = ListedRecords(WORKERS, Origin.READ, records=[Record({"id": "w", "note": "rejected"})])
    # A worker has no mass: there it is a word, which nothing holds.
    assert ids(found("rejected massKg>3000", lots, workers)) == ["b"]
    assert set(ids(found("rejected", lots, workers))) == {"a", "b", "w"}


def test_nothing_typed_finds_nothing() -> None:
    search = RecordSearch([loaded({"id": "a"})], " ")
    assert not search.step()
    assert (search.count, search.best()) == (0, [])


def test_a_record_that_is_held_twice_is_found_once_as_the_first_holds_it() -> None:
    unsent = loaded({"id": "a", "name": "North face, corrected"}, origin=Origin.UNSENT)
    rows = loaded({"id": "a", "name": "north"}, {"id": "b", "name": "north b"})
    matches = found("north", unsent, rows)
    assert ids(matches) == ["a", "b"]
    assert matches[0].source is unsent
    assert matches[0].record.fields["name"] == "North face, corrected"


def test_a_record_that_is_held_twice_counts_once() -> None:
    sources = (
        loaded({"id": "a", "note": "ore"}, {"id": "b", "note": "ore"}, {"note": "ore of no id"}),
        loaded({"id": "a", "note": "ore"}, {"id": "c", "note": "ore"}, origin=Origin.READ),
        ListedRecords(WORKERS, Origin.READ, records=[Record({"id": "a", "note": "ore"})]),
    )
    search = RecordSearch(sources, "ore")
    while search.step():
        pass
    assert search.count == count_held(sources) == 5


def test_the_same_id_in_two_collections_is_two_records() -> None:
    other = ListedRecords(WORKERS, Origin.VISITED, records=[Record({"id": "1"})])
    assert [match.place.collection for match in found("1", loaded({"id": "1"}), other)] == [LOTS, WORKERS]


def test_the_best_are_among_those_shown_however_many_fit() -> None:
    records: list[dict[str, Json]] = [{"id": f"r{n}", "note": "some ore"} for n in range(5_000)]
    records[4_321] = {"id": "ore"}
    source = loaded(*records, page_size=50)
    search = RecordSearch([source], "ore")
    while search.step():
        pass
    best = search.best()
    assert search.count == 5_000
    assert len(best) == MAX_MATCHES
    assert best[0].place.record_id == "ore"


def test_a_page_that_comes_between_two_searches_is_found_in_the_second() -> None:
    source = loaded({"id": "a1"}, {"id": "a2"})
    assert ids(found("a", source)) == ["a1", "a2"]
    source.rows.add(Page((Record({"id": "a3"}),), 2, 2, 3))
    assert ids(found("a", source)) == ["a1", "a2", "a3"]


WORDS = {
    **{word: word for word in ("gold", "ore", "go", "o", "north face", "12", "x", "май", "маи", "हिन्दी", "हनद")},
    "Ö": "o",
    "ß": "ss",
    "Doré": "dore",
    "DORE\u0301": "dore",
    "dore": "dore",
    "Łódź": "lodz",
    "lo\u0301dz": "lodz",
    "ё": "е",
    "Œuvre": "oeuvre",
    "ма\u0438\u0306": "май",
}
"""Words as records hold them and people type them, and what of each makes a difference."""


@given(
    st.lists(st.lists(st.sampled_from(list(WORDS)), max_size=3), max_size=30),
    st.lists(st.sampled_from([word for word in WORDS if " " not in word]), min_size=1, max_size=2),
)
def test_it_finds_what_a_plain_look_at_every_record_finds(notes: Sequence[Sequence[str]], words: Sequence[str]) -> None:
    records: list[dict[str, Json]] = [{"id": f"r{n}", "note": " ".join(note)} for n, note in enumerate(notes)]
    plain_notes = [" ".join(WORDS[word] for word in note) for note in notes]
    wanted = [f"r{n}" for n, note in enumerate(plain_notes) if all(WORDS[word] in f"r{n}\n{note}" for word in words)]
    assert sorted(map(str, ids(found(" ".join(words), loaded(*records))))) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        ("damp", Excerpt("note", "…the north face, damp, to be weighed …", 17, 21)),
        ("1.5", Excerpt("assay.goldPpm", "1.5", 0, 3)),
        ("north damp", Excerpt("note", "of the north face, damp, to …", 7, 12)),
        ("massKg>3", Excerpt("massKg", "12", 0, 0)),
        ("lodz", Excerpt("site", "Łódź", 0, 4)),
        ("ŁÓDŹ", Excerpt("site", "Łódź", 0, 4)),
        ("site=Łódź", Excerpt("site", "Łódź", 0, 4)),
        ("grosse", Excerpt("by", "Dore\u0301, Große Halle", 7, 12)),
        ("dore", Excerpt("by", "Dore\u0301, Große Halle", 0, 5)),
        ("muller", Excerpt("seen", '["Gold","Müller"]', 9, 15)),
        ("mass", None),
        ("!damp", None),
        ("", None),
    ],
)
def test_an_excerpt_shows_the_field_that_holds_what_was_sought(text: str, excerpt: Excerpt | None) -> None:
    record = Record(
        {
            "id": "lot-1",
            "massKg": number("12"),
            "assay": {"goldPpm": number("1.5")},
            "note": "of the north face, damp, to be weighed again",
            "site": "Łódź",
            "by": "Dore\u0301, Große Halle",
            "seen": ["Gold", "Müller"],
        }
    )
    assert excerpt_of(record, text) == excerpt
