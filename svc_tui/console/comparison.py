"""Comparison of two responses: status, headers and body, field by field, each difference with its path."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from svc_tui.console.transcript import TranscriptEntry
from svc_tui.core.bodies import decode_text, make_readable, size_text
from svc_tui.core.differences import (
    DifferenceKind,
    ItemStep,
    json_path,
    list_differences,
    value_differences,
)
from svc_tui.core.jsontext import ABSENT, Absent, Json, JsonError, dumps, loads
from svc_tui.core.requests import Answer


class Difference(Struct, frozen=True):
    """A difference at `path`, or an equal value; a response without it has ABSENT."""

    path: str
    kind: DifferenceKind
    old: Json | Absent
    new: Json | Absent


class ComparedPart(Struct, frozen=True):
    """The differences and equal values in one part of the responses: status, headers or body.

    `json` says whether the values are JSON or plain text.
    """

    name: str
    differences: tuple[Difference, ...]
    note: str = ""
    json: bool = False

    def count(self, kind: DifferenceKind) -> int:
        """Return the number of differences of that kind."""
        return sum(difference.kind is kind for difference in self.differences)


class ComparedAnswer(Struct, frozen=True):
    """One of the two responses, with its title, and whether its headers are known."""

    title: str
    answer: Answer
    headers: bool = True


def comparable_entries(entries: Sequence[TranscriptEntry], shown: TranscriptEntry) -> tuple[TranscriptEntry, ...]:
    """Return the requests with a response to compare with that of `shown`, those with the same request first.

    Earlier ones come before later ones, each with the newest first.
    """
    at = next(number for number, entry in enumerate(entries) if entry is shown)
    others = [entry for entry in (*reversed(entries[:at]), *reversed(entries[at + 1 :])) if entry.exchange is not None]
    return tuple(sorted(others, key=lambda entry: _request_identity(entry) != _request_identity(shown)))


def _request_identity(entry: TranscriptEntry) -> tuple[str, str, bytes]:
    signed = entry.signed or (entry.exchange.request if entry.exchange else None)
    return (signed.method, signed.target, signed.body) if signed else (entry.spec.method, entry.spec.path, b"")


def compare_answers(old: ComparedAnswer, new: ComparedAnswer) -> tuple[ComparedPart, ...]:
    """Compare status, headers if both are known, and body. It takes seconds for tens of megabytes."""
    parts = [ComparedPart("Status", tuple(_diff_scalars("status", _status_text(old.answer), _status_text(new.answer))))]
    if old.headers and new.headers:
        parts.append(ComparedPart("Headers", tuple(_diff_headers(old.answer, new.answer))))
    return (*parts, _diff_bodies(old.answer, new.answer))


def summarize_differences(parts: Sequence[ComparedPart]) -> str:
    """Return the number of differences of each kind: `3 changed · 1 added`, or `no differences`."""
    counts = {
        kind: sum(part.count(kind) for part in parts)
        for kind in (DifferenceKind.CHANGED, DifferenceKind.ADDED, DifferenceKind.GONE)
    }
    return " · ".join(f"{count:,} {kind.value}" for kind, count in counts.items() if count) or "no differences"


def comparison_text(
    old: ComparedAnswer, new: ComparedAnswer, parts: Sequence[ComparedPart], *, everything: bool = False
) -> str:
    """Return the comparison as text, with `-` before values of the old response and `+` before those of the new one.

    Each difference begins with a line with its kind, two spaces and its path. `everything` adds equal values.
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
    """Yield the differences between two values, with JSONPaths."""
    for difference in value_differences(old, new):
        yield Difference(json_path(difference.steps), difference.kind, difference.old, difference.new)


def _status_text(answer: Answer) -> str:
    return f"{answer.status} {answer.reason}".rstrip()


def _diff_scalars(name: str, old: str | Absent, new: str | Absent) -> Iterator[Difference]:
    kind = DifferenceKind.SAME if old == new else DifferenceKind.CHANGED
    if isinstance(old, Absent) or isinstance(new, Absent):
        kind = DifferenceKind.ADDED if isinstance(old, Absent) else DifferenceKind.GONE
    yield Difference(name, kind, old, new)


def _diff_headers(old: Answer, new: Answer) -> Iterator[Difference]:
    """Compare all values of each header; names are not case-sensitive."""
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
    """Return the value of the body, ABSENT if it is not JSON."""
    try:
        return loads(answer.body)
    except JsonError:
        return ABSENT


def _describe_body(answer: Answer) -> str:
    return make_readable(answer).note or size_text(len(answer.body))


def _diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Difference]:
    for difference in list_differences(old, new):
        (step,) = difference.steps
        assert isinstance(step, ItemStep)
        yield Difference(f"line {step.number + 1}", difference.kind, difference.old, difference.new)
