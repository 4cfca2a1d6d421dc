"""Writes read from the lines of a team; these come from outside and may hold anything."""

from collections.abc import Mapping

from svc_tui.domain.editing.ports import JournalEntry, Outcome, StoreError, WrittenRecord
from svc_tui.domain.model.jsontext import Json
from svc_tui.domain.model.records import Record
from svc_tui.domain.team.lines import TeamLine
from svc_tui.store.journal import INTENT_CODEC, OUTCOME_CODEC


def read_write(number: int, intent: TeamLine, outcome: TeamLine | None) -> JournalEntry | None:
    """The colleague's write of two lines, under a number of this machine's; None where it is not as one is written."""
    content = intent.content
    try:
        read = INTENT_CODEC.read(
            {**_fields(content), "at": intent.at.isoformat(), "place": intent.place},
            before=_optional(content.get("before")),
            after=_optional(content.get("after")),
        )
        ended = None if outcome is None else _outcome(outcome)
    except StoreError:
        return None
    author, masked = intent.author, _masked(content.get("masked"))
    return JournalEntry(number, read, ended, author=author, masked=masked, received=intent.received)


def read_record_after(outcome: TeamLine) -> WrittenRecord | None:
    """Return the record as the write of this outcome left it; None where the line does not tell it."""
    after, etag = outcome.content.get("after"), outcome.content.get("etag")
    if not isinstance(after, dict):
        return None
    return WrittenRecord(Record(after, etag if isinstance(etag, str) else ""), _masked(outcome.content.get("masked")))


def _outcome(line: TeamLine) -> Outcome:
    return OUTCOME_CODEC.read({**line.content, "at": line.at.isoformat()})


def _fields(content: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in content.items() if name not in ("before", "after", "masked")}


def _optional(fields: Json) -> dict[str, Json] | None:
    if fields is None:
        return None
    if not isinstance(fields, dict):
        raise StoreError("the fields of a colleague's write are not an object")
    return fields


def _masked(digests: Json) -> tuple[str, ...]:
    """The paths of the fields that the colleague's program keeps to itself."""
    if not isinstance(digests, dict):
        return ()
    return tuple(dict.fromkeys(path for part in digests.values() if isinstance(part, dict) for path in part))
