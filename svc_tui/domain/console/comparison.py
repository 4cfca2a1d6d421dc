"""Two answers compared field by field: what is the same, what changed, what came and what went, each by its path."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from svc_tui.domain.console.transcript import TranscriptEntry
from svc_tui.domain.data.bodies import decode_text, make_readable, size_text
from svc_tui.domain.data.differences import (
    DifferenceKind,
    ItemStep,
    json_path,
    list_differences,
    value_differences,
)
from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json, JsonError, dumps, loads
from svc_tui.domain.model.requests import Answer


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of the value at `path`; ABSENT on the side that has none. What is the same is told once, as `old`."""

    path: str
    kind: DifferenceKind
    old: Json | Absent
    new: Json | Absent


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """The differences in one part of the answers: status, headers or body, in order, with what is the same.

    `json` says whether the values are JSON, and not plain words; `note` what else there is to know.
    """

    name: str
    differences: tuple[Difference, ...]
    note: str = ""
    json: bool = False

    def count(self, kind: DifferenceKind) -> int:
        """How many are of that kind."""
        return sum(difference.kind is kind for difference in self.differences)


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One of the two: its `title` for people, the answer, and whether its headers are known."""

    title: str
    answer: Answer
    headers: bool = True


def comparable_entries(entries: Sequence[TranscriptEntry], shown: TranscriptEntry) -> tuple[TranscriptEntry, ...]:
    """The answered requests that the answer of `shown` can be compared with: to the same request first, newest first.

    What came before it comes before what came after it.
    """
    at = next(number for number, entry in enumerate(entries) if entry is shown)
    others = [entry for entry in (*reversed(entries[:at]), *reversed(entries[at + 1 :])) if entry.exchange is not None]
    return tuple(sorted(others, key=lambda entry: _request_identity(entry) != _request_identity(shown)))


def _request_identity(entry: TranscriptEntry) -> tuple[str, str, bytes]:
    """What was asked for, whatever the headers."""
    signed = entry.signed or (entry.exchange.request if entry.exchange else None)
    return (signed.method, signed.target, signed.body) if signed else (entry.spec.method, entry.spec.path, b"")


def compare_answers(old: ComparedAnswer, new: ComparedAnswer) -> tuple[ComparedPart, ...]:
    """Status, headers where both are known, and body. It takes seconds for tens of megabytes."""
    parts = [ComparedPart("Status", tuple(_diff_scalars("status", _status_text(old.answer), _status_text(new.answer))))]
    if old.headers and new.headers:
        parts.append(ComparedPart("Headers", tuple(_diff_headers(old.answer, new.answer))))
    return (*parts, _diff_bodies(old.answer, new.answer))


def summarize_differences(parts: Sequence[ComparedPart]) -> str:
    """How many of which kind there are: `3 changed · 1 added`; `no differences`."""
    counts = {
        kind: sum(part.count(kind) for part in parts)
        for kind in (DifferenceKind.CHANGED, DifferenceKind.ADDED, DifferenceKind.GONE)
    }
    return " · ".join(f"{count:,} {kind.value}" for kind, count in counts.items() if count) or "no differences"


def comparison_text(
    old: ComparedAnswer, new: ComparedAnswer, parts: Sequence[ComparedPart], *, everything: bool = False
) -> str:
    """The comparison as text: `-` lines for what the old answer has, `+` for the new one; what is the same on demand.

    Each difference begins with a line of its own: the word for it, two spaces, the path.
    """
    lines = [f"- {old.title}", f"+ {new.title}"]
    for part in parts:
        differences = [
            difference for difference in part.differences if everything or difference.kind is not DifferenceKind.SAME
        ]
        if differences or part.note:
            lines += ["", part.name + (f" ({part.note})" if part.note else "")]
        for difference in differences:
            lines.append(f"{difference.kind.value}  {difference.path}")
            if difference.kind is DifferenceKind.SAME:
                lines += _value_lines("  ", difference.old, json=part.json)
            else:
                lines += _value_lines("- ", difference.old, json=part.json)
                lines += _value_lines("+ ", difference.new, json=part.json)
    return "\n".join(lines)


def _value_lines(sign: str, value: Json | Absent, *, json: bool) -> Iterator[str]:
    if isinstance(value, Absent):
        return
    text = dumps(value, indent=2) if json or not isinstance(value, str) else value
    yield from (f"{sign}{line}" for line in text.split("\n"))


def differences(old: Json, new: Json) -> Iterator[Difference]:
    """The differences between two values as `value_differences` tells them, by JSONPath."""
    for told in value_differences(old, new):
        yield Difference(json_path(told.steps), told.kind, told.old, told.new)


def _status_text(answer: Answer) -> str:
    return f"{answer.status} {answer.reason}".rstrip()


def _diff_scalars(name: str, old: str | Absent, new: str | Absent) -> Iterator[Difference]:
    kind = DifferenceKind.SAME if old == new else DifferenceKind.CHANGED
    if isinstance(old, Absent) or isinstance(new, Absent):
        kind = DifferenceKind.ADDED if isinstance(old, Absent) else DifferenceKind.GONE
    yield Difference(name, kind, old, new)


def _diff_headers(old: Answer, new: Answer) -> Iterator[Difference]:
    """Each header by its name, whatever the case, with all its values."""
    names = {name.lower(): name for name, _ in (*new.headers, *old.headers)}
    for lowered in dict.fromkeys(name.lower() for name, _ in (*old.headers, *new.headers)):
        before, after = old.values(lowered), new.values(lowered)
        yield from _diff_scalars(
            names[lowered], ", ".join(before) if before else ABSENT, ", ".join(after) if after else ABSENT
        )


def _diff_bodies(old: Answer, new: Answer) -> ComparedPart:
    note = "the body was cut off; only its beginning is compared" if old.capped or new.capped else ""
    if old.body == new.body:
        return ComparedPart(
            "Body", (Difference("$", DifferenceKind.SAME, size_text(len(old.body)), size_text(len(new.body))),), note
        )
    values = _json_value(old), _json_value(new)
    if not isinstance(values[0], Absent) and not isinstance(values[1], Absent):
        body_differences = tuple(differences(values[0], values[1]))
        if all(difference.kind is DifferenceKind.SAME for difference in body_differences):
            note = "; ".join(filter(None, ("same values, different formatting", note)))
        return ComparedPart("Body", body_differences, note, json=True)
    before, after = decode_text(old), decode_text(new)
    if before is None or after is None:
        first = next((n for n, (a, b) in enumerate(zip(old.body, new.body, strict=False)) if a != b), None)
        at = min(len(old.body), len(new.body)) if first is None else first
        note = "; ".join(filter(None, (f"first different byte: {at:,} (counted from 0)", note)))
        return ComparedPart(
            "Body", (Difference("bytes", DifferenceKind.CHANGED, _describe_body(old), _describe_body(new)),), note
        )
    return ComparedPart("Body", tuple(_diff_lines(before.splitlines(), after.splitlines())), note)


def _json_value(answer: Answer) -> Json | Absent:
    """The body's value; ABSENT where it is not JSON."""
    try:
        return loads(answer.body)
    except JsonError:
        return ABSENT


def _describe_body(answer: Answer) -> str:
    """A body that is not text, or one beside it, in a few words."""
    return make_readable(answer).note or size_text(len(answer.body))


def _diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Difference]:
    for told in list_differences(old, new):
        (step,) = told.steps
        assert isinstance(step, ItemStep)
        yield Difference(f"line {step.number + 1}", told.kind, told.old, told.new)
