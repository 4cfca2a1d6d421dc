"""What a record was, as far as the journal of the writes to it can tell."""

from datetime import UTC, datetime

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import ABSENT, Json
from svc_tui.core.records import Place, Record
from svc_tui.history.record_versions import RecordVersion, WriteSide, record_versions
from svc_tui.storage.journal_entries import Intent, JournalEntry, Outcome, WriteInProgress

AT = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
LOT = Place(COLLECTIONS[0], "lot-1")
PATH = "/v1/operations/lots/lot-1"


class Journal:
    """Writes to one record, in their order."""

    def __init__(self) -> None:
        self.entries: list[JournalEntry] = []

    def wrote(
        self,
        method: str,
        before: dict[str, Json] | None = None,
        after: dict[str, Json] | None = None,
        *,
        result: str = "done",
        target: str = PATH,
        made: str = "",
        masked: tuple[str, ...] = (),
    ) -> None:
        intent = Intent(AT, method, target, LOT.key, "key", before, after)
        outcome = Outcome(AT, result, 200, made=made)
        self.entries.append(JournalEntry(len(self.entries) + 1, intent, outcome, masked=masked))

    @property
    def versions(self) -> list[RecordVersion]:
        return list(record_versions(LOT, reversed(self.entries)))

    @property
    def told(self) -> list[tuple[int, str, dict[str, object]]]:
        return [(version.entry.number, version.side.value, dict(version.fields)) for version in self.versions]


def test_a_record_that_was_never_written_has_no_version() -> None:
    assert Journal().versions == []


def test_a_change_tells_what_was_before_and_after_it() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "x"}, {"a": "y", "new": "z"})
    assert journal.told == [(1, "after", {"a": "y", "new": "z"}), (1, "before", {"a": "x", "new": ABSENT})]


def test_the_newest_version_comes_first_and_each_has_what_other_writes_tell() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1"}, {"a": "2"})
    journal.wrote("PATCH", {"b": "1"}, {"b": "2"})
    assert journal.told == [
        (2, "after", {"a": "2", "b": "2"}),
        (2, "before", {"a": "2", "b": "1"}),
        (1, "after", {"a": "2", "b": "1"}),
        (1, "before", {"a": "1", "b": "1"}),
    ]


def test_what_a_write_read_itself_counts_more_than_what_an_earlier_one_left() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1"}, {"a": "2"})
    journal.wrote("PATCH", {"a": "others"}, {"a": "3"})
    assert [fields["a"] for _, _, fields in journal.told] == ["3", "others", "2", "1"]


def test_a_write_that_was_not_carried_out_is_no_version() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1"}, {"a": "2"}, result="refused")
    journal.wrote("PATCH", {"a": "1"}, {"a": "2"}, result="not sent")
    journal.entries.append(
        JournalEntry(3, Intent(AT, "PATCH", PATH, LOT.key, "key", {}, {"a": "2"}), None, "", WriteInProgress.HERE)
    )
    assert journal.versions == []


def test_of_an_unknown_outcome_only_what_was_before_is_told() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1"}, {"a": "2"}, result="unknown")
    journal.wrote("PATCH", {"b": "1"}, {"b": "2"})
    assert journal.told == [(2, "after", {"b": "2"}), (2, "before", {"b": "1"}), (1, "before", {"a": "1", "b": "1"})]


def test_a_record_that_was_made_from_here_has_what_it_was_made_with() -> None:
    journal = Journal()
    journal.wrote("POST", {}, {"a": "1"}, target="/v1/operations/lots", made="lot-1")
    journal.wrote("PATCH", {"b": "1"}, {"b": "2"})
    assert journal.told[-1] == (1, "after", {"a": "1", "b": "1"})


def test_past_an_action_nothing_is_taken_for_known() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1"}, {"a": "2"})
    journal.wrote("POST", None, {"parts": "2"}, target=f"{PATH}/split")
    journal.wrote("PATCH", {"b": "1"}, {"b": "2"})
    assert journal.told == [
        (3, "after", {"b": "2"}),
        (3, "before", {"b": "1"}),
        (1, "after", {"a": "2"}),
        (1, "before", {"a": "1"}),
    ]


def test_a_put_tells_the_whole_record_before_it_and_may_take_fields_away() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"c": "1"}, {"c": "2"})
    journal.wrote("PUT", {"id": "lot-1", "a": "1", "c": "2"}, {"a": "2"})
    after, before, *_ = journal.versions
    assert (after.side, dict(after.fields)) == (WriteSide.AFTER, {"a": "2"})
    assert dict(before.fields) == {"id": "lot-1", "a": "1", "c": "2"}


def test_a_version_is_filled_with_what_is_now_and_tells_which_fields_that_is() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1"}, {"a": "2", "b": "3"})
    now = Record({"id": "lot-1", "a": "9", "b": "3", "c": "4"})
    before = journal.versions[-1]
    assert before.record(now).fields == {"id": "lot-1", "a": "1", "c": "4"}
    assert before.unknown(now) == {"c"}


def test_what_a_colleague_keeps_back_is_neither_missing_nor_as_it_was() -> None:
    journal = Journal()
    journal.wrote("PATCH", {"a": "1", "email": "x"}, {"a": "2", "email": "y"})
    journal.wrote("PUT", {"a": "2", "who": {"age": "1"}}, {"a": "3", "who": {"age": "2"}}, masked=("email", "who.name"))
    after, before, *_ = journal.versions
    assert (after.fields["a"], before.fields["a"]) == ("3", "2")
    # What was written before it is the last that is known.
    assert before.fields["email"] == "y"
    assert "email" not in after.fields
    assert "who" not in {**after.fields, **before.fields}
