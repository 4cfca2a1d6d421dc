"""The console's requests: one is on its way, the others are walked through, and what was typed is never lost."""

from datetime import UTC, datetime

from svc_tui.console.request_form import KnownPath, RequestForm
from svc_tui.console.transcript import MAX_ANSWER_BYTES, MAX_ENTRIES, Transcript, TranscriptEntry
from svc_tui.core.requests import Answer, Exchange, RequestSpec, SignedRequest
from svc_tui.core.values import replace
from svc_tui.service.attempt_log import AttemptLog
from svc_tui.service.errors import ConnectionBroken, RequestRefused, SendResult
from svc_tui.service.traffic import Answered, Retrying, Sent


def entry(name: str, method: str = "GET") -> TranscriptEntry:
    signed = SignedRequest(method, f"https://x/v1/{name}", f"/v1/{name}", (), b"")
    return TranscriptEntry(
        RequestForm(method, f"/v1/{name}"),
        RequestSpec(method, f"/v1/{name}"),
        signed,
        attempts=AttemptLog(method, f"/v1/{name}"),
    )


def exchange(of: TranscriptEntry, key: str = "") -> Exchange:
    assert of.signed is not None
    return Exchange(of.signed, Answer(200, "OK", (), b""), 1, 0.1, datetime(2026, 1, 1, tzinfo=UTC), key)


def answered(*names: str) -> Transcript:
    transcript = Transcript()
    for name in names:
        sent = entry(name)
        transcript = transcript.sending(sent).ended(exchange(sent), None)
    return transcript


def test_the_newest_is_on_its_way_until_it_ends_and_is_shown_unless_somebody_looks_elsewhere() -> None:
    transcript = answered("a").sending(entry("b"))
    assert transcript.in_flight == transcript.shown == entry("b")
    stepped = transcript.stepped(entry("b").form, -1)
    assert stepped is not None
    transcript, form = stepped
    assert form.path == "/v1/a"
    ended = transcript.ended(exchange(entry("b")), None)
    assert ended.in_flight is None
    assert ended.shown == transcript.shown == answered("a").shown


def test_what_is_heard_is_told_of_the_request_on_its_way_alone() -> None:
    transcript = answered("a").sending(entry("b"))
    for event in (Sent(7, 1, "GET", "/v1/b"), Answered(7, 429, 0.1, "slow"), Retrying(7, 2, 2.0, "429")):
        transcript = transcript.with_event(event)
    assert transcript.entries[-1].attempt_texts == ("429 slow", "waiting 2.0 s")
    assert transcript.with_event(Sent(8, 1, "GET", "/v1/c")) is transcript
    for event in (Sent(7, 2, "GET", "/v1/b"), Answered(7, 200, 0.1)):
        transcript = transcript.with_event(event)
    ended = transcript.ended(exchange(entry("b")), None)
    assert ended.entries[-1].attempt_texts == ("429 slow", "waited 2.0 s", "sent again")
    assert ended.with_event(Answered(7, 500, 0.1)) is ended


def test_walking_up_and_down_ends_at_what_was_typed() -> None:
    transcript, typed = answered("a", "b"), RequestForm("PUT", "/v1/typed")
    paths, form = [], typed
    for steps in (-1, -1, 1, 1):
        stepped = transcript.stepped(form, steps)
        assert stepped is not None
        transcript, form = stepped
        paths.append(form.path)
    assert paths == ["/v1/b", "/v1/a", "/v1/b", "/v1/typed"]
    assert form == typed
    assert transcript.selected is None


def test_walking_from_the_last_request_itself_does_not_show_it_twice() -> None:
    transcript = answered("a", "b")
    stepped = transcript.stepped(entry("b").form, -1)
    assert stepped is not None
    assert stepped[1].path == "/v1/a"


def test_there_is_nothing_before_the_first_nor_behind_what_is_typed() -> None:
    transcript = answered("a")
    assert Transcript().stepped(RequestForm(), -1) is None
    assert transcript.stepped(entry("a").form, -1) is None
    assert transcript.stepped(RequestForm("GET", "/v1/new"), 1) is None


def test_what_is_changed_on_the_way_is_what_one_comes_back_to() -> None:
    stepped = answered("a", "b").stepped(RequestForm("GET", "/v1/typed"), -1)
    assert stepped is not None
    changed = RequestForm("DELETE", "/v1/b")
    back = stepped[0].stepped(changed, 1)
    assert back is not None
    assert back[1] == changed


def test_the_latest_are_kept() -> None:
    transcript = answered(*(f"{n}" for n in range(MAX_ENTRIES + 3)))
    assert [kept.spec.path for kept in transcript.entries] == [f"/v1/{n}" for n in range(3, MAX_ENTRIES + 3)]


def test_no_more_are_kept_than_their_answers_have_room_for() -> None:
    large = Answer(200, "OK", (), bytes(MAX_ANSWER_BYTES // 3))
    transcript = Transcript()
    for name in "abcdef":
        sent = entry(name)
        transcript = transcript.sending(sent).ended(replace(exchange(sent), answer=large), None)
    assert [kept.spec.path for kept in transcript.entries] == ["/v1/c", "/v1/d", "/v1/e", "/v1/f"]
    sent = entry("g")
    huge = replace(exchange(sent), answer=Answer(200, "OK", (), bytes(MAX_ANSWER_BYTES + 1)))
    transcript = transcript.sending(sent).ended(huge, None).sending(entry("h"))
    assert [kept.spec.path for kept in transcript.entries] == ["/v1/h"]


def test_the_key_of_the_newest_write_and_the_paths_asked_for_are_known() -> None:
    write = entry("b", "POST")
    transcript = answered("a").sending(write).ended(exchange(write, "key-1"), None)
    transcript = transcript.sending(entry("a")).ended(exchange(entry("a")), None)
    assert transcript.last_idempotency_key == "key-1"
    assert transcript.paths == (KnownPath("/v1/a", "GET"), KnownPath("/v1/b", "POST"))


def test_a_failure_says_what_became_of_the_request() -> None:
    transcript = Transcript().sending(entry("a", "POST"))
    broken = ConnectionBroken("The connection broke.", sent=SendResult.UNKNOWN, idempotency_key="key-1")
    words = transcript.ended(None, broken).entries[-1].words
    assert (
        "It is not known whether the change was saved. Press ctrl+j to send it again with the same idempotency key."
        in words
    )
    assert transcript.ended(None, RequestRefused("Cancelled.")).entries[-1].words.startswith("Cancelled.")


def test_the_hint_says_where_one_is() -> None:
    assert Transcript().hint == ""
    transcript = answered("a", "b")
    assert transcript.hint == "↑ earlier requests"
    stepped = transcript.stepped(entry("b").form, -1)
    assert stepped is not None
    assert stepped[0].hint == "1 of 2"


def test_what_was_typed_and_not_sent_is_told_from_what_was() -> None:
    typed, transcript = RequestForm("PATCH", "/v1/a", body="{}"), answered("a", "b")
    assert Transcript().unsent(RequestForm("POST", " ")) is None
    assert transcript.unsent(typed) == typed
    assert transcript.unsent(replace(entry("b").form, note="A note.")) is None
    stepped = transcript.stepped(typed, -1)
    assert stepped is not None
    walking, form = stepped
    assert walking.unsent(form) == typed
    refused = Transcript().sending(entry("c", "PATCH"))
    assert refused.ended(None, RequestRefused("Cancelled.")).unsent(entry("c", "PATCH").form) is not None
    lost = refused.with_left().ended(None, ConnectionBroken("lost", sent=SendResult.UNKNOWN))
    assert lost.unsent(entry("c", "PATCH").form) is None
