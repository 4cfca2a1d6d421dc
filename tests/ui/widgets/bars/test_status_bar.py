"""The status bar: its words, what goes first when room is short, and countdowns that keep their width."""

import re
from dataclasses import dataclass

import pytest

from svc_tui.core.credentials import Environment
from svc_tui.service.traffic import (
    Answered,
    ClockCorrected,
    Failed,
    Paced,
    Retrying,
    Sent,
    Throttled,
    TrafficEvent,
)
from svc_tui.service.traffic_state import TrafficState, apply_event
from svc_tui.ui.widgets.bars.status_bar import LockState, StatusBar, TeamMark, draw_chips, status_chips
from tests.ui.stage import Stage, picture, until

LIVE, SANDBOX = Environment.LIVE, Environment.SANDBOX


@dataclass
class Clock:
    """A monotonic clock that moves when told to."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def state_after(*events: TrafficEvent, now: float = 100.0) -> TrafficState:
    state = TrafficState()
    for event in events:
        state = apply_event(state, event, now)
    return state


def line(
    state: TrafficState,
    *,
    environment: Environment = SANDBOX,
    lock: LockState = LockState(),  # noqa: B008 - a frozen value
    width: int = 120,
    now: float = 100.0,
    signs: bool = True,
) -> str:
    found = status_chips(environment, "plant-7", "api.example.com", signs, lock, state, now)
    return draw_chips(found, width).plain


def test_a_quiet_sandbox_names_environment_profile_host_and_signing() -> None:
    assert line(TrafficState()).split() == ["SANDBOX", "plant-7", "·", "api.example.com", "signed"]


@pytest.mark.parametrize(
    ("environment", "lock", "words"),
    [
        (LIVE, LockState(locked=True), "LOCKED"),
        (LIVE, LockState(writable_until=100 + 598), "WRITABLE 9:58"),
        (LIVE, LockState(writable_until=100 + 600), "WRITABLE 10:00"),
        (LIVE, LockState(writable_until=99.0), "LOCKED"),
        (SANDBOX, LockState(), ""),
        (SANDBOX, LockState(read_only=True), "READ ONLY"),
    ],
)
def test_the_lock_is_a_word(environment: Environment, lock: LockState, words: str) -> None:
    shown = line(TrafficState(), environment=environment, lock=lock)
    assert re.search(rf"signed  {words}\s*$", shown)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("signature_mismatch", "signature refused"),
        ("signature_missing", "signature refused"),
        ("api_key_revoked", "key refused"),
    ],
)
def test_a_refusal_takes_the_place_of_signed_until_a_request_succeeds(code: str, words: str) -> None:
    refused = state_after(Answered(1, 401, 0.01, code))
    assert words in line(refused)
    assert "  signed" not in line(refused)
    assert words in line(apply_event(refused, Answered(2, 500, 0.01), 100.0))
    assert "  signed" in line(apply_event(refused, Answered(2, 200, 0.01), 100.0))


def test_a_stale_timestamp_is_not_a_refused_signature() -> None:
    assert "  signed" in line(state_after(Answered(1, 401, 0.01, "timestamp_stale")))


def test_unsigned_is_said() -> None:
    assert "  unsigned" in line(TrafficState(), signs=False)


@pytest.mark.parametrize(
    ("offset", "words", "style"),
    [
        (None, "", ""),
        (59.0, "", ""),
        (142.0, "clock +142 s · set this computer's clock", "$role-warning"),
        (-75.0, "clock -75 s · set this computer's clock", "$role-warning"),
        (301.0, "clock +301 s · set this computer's clock", "bold $role-danger"),
    ],
)
def test_a_clock_that_is_off_is_told_with_the_next_step(offset: float | None, words: str, style: str) -> None:
    found = status_chips(LIVE, "p", "h", True, LockState(), state_after(ClockCorrected(offset)), 100.0)
    assert [(chip.text, chip.style) for chip in found if "clock" in chip.text] == ([(words, style)] if words else [])


def test_a_503_that_holds_requests_back_is_told_as_one() -> None:
    assert "503 · retry in 12 s · 4 waiting" in line(state_after(Throttled(112.0, 4, 503)))


def test_a_429_counts_down_without_changing_its_width() -> None:
    state = state_after(Throttled(112.0, 4))
    texts = [
        next(chip.text for chip in status_chips(LIVE, "p", "h", True, LockState(), state, now) if "429" in chip.text)
        for now in (100.0, 102.5, 103.0, 111.5, 112.5)
    ]
    assert [text.rstrip() for text in texts] == [f"429 · retry in {n} s · 4 waiting" for n in (12, 10, 9, 1, 0)]
    assert len({len(text) for text in texts}) == 1
    assert "429" not in line(apply_event(state, Throttled(None, 0), 112.0))


def test_a_hold_told_again_keeps_the_width_it_began_with() -> None:
    state = apply_event(state_after(Throttled(112.0, 1)), Throttled(112.0, 2), 105.0)
    assert state.held_for == 12.0
    assert state.waiting == 2


def test_an_answered_429_with_nobody_waiting_is_gone_when_its_time_is_over() -> None:
    state = state_after(Throttled(112.0, 0))
    assert "429 · retry in 12 s" in line(state)
    assert "429" not in line(state, now=112.5)


@pytest.mark.parametrize(
    ("per_second", "words"),
    [(12.34, "12/s"), (9.96, "10/s"), (2.54, "2.5/s"), (0.999, "1.0/s"), (0.3, "18/min"), (1 / 30, "2.0/min")],
)
def test_the_pace_that_429s_have_taught_is_told_while_it_holds(per_second: float, words: str) -> None:
    paced = state_after(Paced(per_second))
    assert re.search(rf" limit {words}$", line(paced))
    assert "limit" not in line(apply_event(paced, Paced(None), 100.0))


def test_a_429_takes_the_place_of_the_pace() -> None:
    held = state_after(Paced(2.5), Throttled(112.0, 4))
    assert "limit" not in line(held)
    assert "429 · retry in 12 s · 4 waiting" in line(held)
    assert "limit 2.5/s" in line(apply_event(held, Throttled(None, 0), 112.0))


def test_what_flies_is_counted_once_it_takes_long() -> None:
    state = state_after(Sent(1, 1, "GET", "/v1/a"), Sent(2, 1, "GET", "/v1/b"))
    assert "running" not in line(state, now=100.1)
    assert "2 running" in line(state, now=100.2)
    state = apply_event(state, Retrying(2, 1, 0.5, "503"), 100.2)
    assert "1 running" in line(state, now=100.3)
    state = apply_event(state, Failed(1, "timed out"), 100.3)
    assert "running" not in line(state, now=101.0)
    assert line(state).endswith("no response")


def test_the_last_answer_stands_at_the_right_end() -> None:
    assert line(state_after(Answered(1, 200, 0.038)), width=90).endswith(" 200 · 38 ms")
    assert len(line(state_after(Answered(1, 200, 0.038)), width=90)) == 90
    assert line(state_after(Answered(1, 504, 12.34))).endswith(" 504 · 12.3 s")


@pytest.mark.parametrize("width", range(20, 140))
def test_environment_lock_and_429_stay_when_room_is_short(width: int) -> None:
    state = state_after(
        ClockCorrected(400.0), Sent(9, 1, "GET", "/"), Throttled(112.0, 4), Answered(1, 401, 0.1, "api_key_expired")
    )
    shown = line(state, environment=LIVE, lock=LockState(writable_until=700.0), width=width, now=101.0)
    assert all(words in shown for words in (" LIVE ", "WRITABLE 9:59", "429 · retry in 11 s · 4 waiting"))
    if width >= 56:
        assert len(shown) == width


def test_a_refused_key_names_the_way_to_a_new_one_while_there_is_room() -> None:
    state = state_after(Answered(1, 401, 0.1, "api_key_expired"))
    assert "key refused · K replace key" in line(state, width=80)
    assert "key refused" in line(state, width=50)
    assert "replace" not in line(state, width=50)


def test_a_refused_key_that_is_not_replaced_here_names_where_it_comes_from() -> None:
    state = state_after(Answered(1, 401, 0.1, "api_key_expired"))
    chips = status_chips(SANDBOX, "env", "h", True, LockState(), state, 100.0, key_from="SVC_API_KEY")
    assert "key refused · from SVC_API_KEY" in [chip.text for chip in chips]


def test_the_host_goes_before_the_profile_and_the_next_step_before_the_clock() -> None:
    state = state_after(ClockCorrected(142.0), Answered(1, 200, 0.038))
    wide = line(state, environment=LIVE, lock=LockState(locked=True), width=100)
    narrow = line(state, environment=LIVE, lock=LockState(locked=True), width=80)
    assert "plant-7 · api.example.com" in wide
    assert "set this computer's clock" in wide
    assert "plant-7" in narrow
    assert "example.com" not in narrow
    assert "clock +142 s · set this computer's clock" in narrow


def test_a_profile_name_with_markup_and_an_escape_is_only_text() -> None:
    found = status_chips(LIVE, "[/red]\x1b[31m", "host", True, LockState(), TrafficState(), 0.0)
    assert "[/red]␛[31m · host" in draw_chips(found, 100).plain


async def test_the_bar_counts_down_by_itself() -> None:
    clock = Clock()
    app = Stage(lambda: [StatusBar(LIVE, "plant-7", "api.example.com", True, clock)])
    async with app.run_test(size=(110, 3)) as pilot:
        bar = app.query_one(StatusBar)
        bar.writable_until = clock.now + 600
        bar.handle_traffic(Throttled(clock.now + 12, 2))
        await pilot.pause()
        first = picture(app)[0]
        assert "WRITABLE 10:00" in first
        assert "429 · retry in 12 s · 2 waiting" in first
        clock.now += 4
        await until(pilot, lambda: "WRITABLE 9:56" in picture(app)[0])
        assert "429 · retry in 8 s · 2 waiting" in picture(app)[0]
        assert picture(app)[0].index("429") == first.index("429")
        bar.locked = True
        await pilot.pause()
        assert "LOCKED" in picture(app)[0]


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        (None, ""),
        (TeamMark(), ""),
        (TeamMark(waiting=3), ""),
        (TeamMark(away=True), "team offline"),
        (TeamMark(away=True, waiting=1), "team offline · 1 not shared"),
        (TeamMark(away=True, waiting=1203), "team offline · 1,203 not shared"),
        (TeamMark(broken=True), "shared journal damaged · svc-tui team check"),
    ],
)
def test_the_team_has_a_mark_where_its_server_is_away_or_its_lines_are_not_as_they_were(
    mark: TeamMark | None, words: str
) -> None:
    found = status_chips(SANDBOX, "p", "h", True, LockState(), None, 0.0, team=mark)
    assert [chip.text for chip in found if "team" in chip.text] == ([words] if words else [])


def test_the_teams_marks_give_way_and_stay_told_at_eighty_columns() -> None:
    state = state_after(ClockCorrected(142.0))
    mark = TeamMark(away=True, waiting=12, broken=True)
    found = status_chips(LIVE, "plant-7", "api.example.com", True, LockState(read_only=True), state, 100.0, team=mark)
    shown = draw_chips(found, 79).plain
    assert len(shown) <= 79
    for words in ("LIVE", "READ ONLY", "clock +142 s", "shared journal damaged", "team offline"):
        assert words in shown


def test_what_waits_for_a_second_person_is_counted_and_nothing_is_said_of_none() -> None:
    def words(asks: tuple[int, int]) -> list[str]:
        chips = status_chips(LIVE, "p", "h", True, LockState(), None, 100.0, asks=asks)
        return [chip.text for chip in chips if "approve" in chip.text]

    assert words((0, 0)) == []
    assert words((2, 1)) == ["2 to approve", "1 approved"]
