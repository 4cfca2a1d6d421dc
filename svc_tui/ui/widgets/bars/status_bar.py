"""The status bar: environment, profile, lock, clock, team, and the traffic with the service."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from svc_tui.core.credentials import Environment
from svc_tui.core.durations import duration_text, offset_words, span_words
from svc_tui.core.values import replace
from svc_tui.ui.text import measure, pad, visible

if TYPE_CHECKING:
    # Loaded with the first traffic, not with the first frame.
    from svc_tui.service.traffic import TrafficEvent
    from svc_tui.service.traffic_state import TrafficState

_TICK_SECONDS = 0.2
_MIN_SHOWN_SECONDS = 0.15
"""Seconds after which a request in flight is shown; anything shorter would flicker."""
_GAP = 2
_ANSWER_CELLS = len("200 · 1234 ms")


class Chip(Struct, frozen=True):
    """A piece of text in the bar; `right` puts it at the right end.

    If there is too little room, chips with the highest `rank` go first; those with 0 stay. A chip with a `shorter` text
    shrinks to it first, when its `shrinks` is the highest rank left.
    """

    text: str
    style: str
    rank: int = 0
    right: bool = False
    shorter: str = ""
    shrinks: int = 0

    @property
    def next_rank(self) -> int:
        """The rank of its next reduction."""
        return self.shrinks if self.shorter else self.rank


class LockState(Struct, frozen=True):
    """The lock on writes: `writable_until` is on the monotonic clock, None without a limit."""

    locked: bool = False
    writable_until: float | None = None
    read_only: bool = False


class TeamMark(Struct, frozen=True):
    """The state of the team server: it may be away with lines waiting for it, or a journal may be broken."""

    away: bool = False
    waiting: int = 0
    broken: bool = False


def status_chips(
    environment: Environment,
    profile_name: str,
    host: str,
    signs: bool,
    lock: LockState,
    state: "TrafficState | None",
    now: float,
    lock_cells: int = 0,
    *,
    masked: bool = False,
    team: TeamMark | None = None,
    asks: tuple[int, int] = (0, 0),
    key_from: str = "",
    loading: str = "",
) -> list[Chip]:
    """Return the chips to show, in their fixed order; `lock_cells` keeps a countdown from changing its width.

    `state` is None before the first request. `key_from` is as in the profile. `loading` is the collection that is
    loaded for the search.
    """
    live = environment is Environment.LIVE
    chips = [Chip(f" {environment.label} ", "bold reverse $role-live" if live else "bold $role-sandbox")]
    where = visible(profile_name)
    chips.append(Chip(f"{where} · {visible(host)}" if host else where, "$role-foreground", 3, shorter=where, shrinks=6))
    if state is not None and state.refusal is not None:
        refused = state.refusal.value
        way = f"from {visible(key_from)}" if key_from else "K replace key"
        chips.append(Chip(f"{refused} · {way}", "bold $role-danger", 1, shorter=refused, shrinks=5))
    else:
        # In the sandbox, a key needs no signing secret.
        chips.append(
            Chip("signed" if signs else "unsigned", "$role-muted" if signs or not live else "$role-warning", 8)
        )
    if state is not None and state.offset is not None:
        chips.extend(_clock_chips(state.offset))
    if live or lock.read_only:
        chips.append(lock_chip(lock, now, lock_cells))
    if masked:
        chips.append(Chip("MASKED", "bold reverse $role-muted"))
    if team is not None:
        chips.extend(_team_chips(team))
    chips.extend(_ask_chips(*asks))
    if loading:
        chips.append(Chip(f"loading {visible(loading)}", "$role-muted", 7, shorter="loading", shrinks=8))
    if state is not None:
        chips.extend(_wire_chips(state, now))
    return chips


def _team_chips(team: TeamMark) -> Iterator[Chip]:
    if team.broken:
        broken = "shared journal damaged"
        yield Chip(f"{broken} · svc-tui team check", "$role-warning", 2, shorter=broken, shrinks=7)
    if team.away:
        waits = f" · {team.waiting:,} not shared" if team.waiting else ""
        yield Chip(f"team offline{waits}", "$role-warning", 2, shorter="team offline" if waits else "", shrinks=7)


def _ask_chips(waiting: int, approved: int) -> Iterator[Chip]:
    if waiting:
        yield Chip(f"{waiting} to approve", "bold $role-warning", 4)
    if approved:
        yield Chip(f"{approved} approved", "bold $role-ok", 4)


def _clock_chips(offset: float) -> Iterator[Chip]:
    from svc_tui.service.traffic_state import CLOCK_ERROR, CLOCK_WARNING

    if abs(offset) > CLOCK_WARNING:
        style = "bold $role-danger" if abs(offset) > CLOCK_ERROR else "$role-warning"
        clock = f"clock {offset_words(offset)}"
        yield Chip(f"{clock} · set this computer's clock", style, 2, shorter=clock, shrinks=5)


def _wire_chips(state: "TrafficState", now: float) -> Iterator[Chip]:
    if flying := state.in_flight(now, _MIN_SHOWN_SECONDS):
        yield Chip(f"{flying} running", "$role-muted", 7, right=True)
    if (held := _throttle_text(state, now)) is not None:
        yield Chip(held, "bold $role-warning", right=True)
    elif state.paced is not None:
        yield Chip(f"limit {_rate_text(state.paced)}", "$role-muted", 7, right=True)
    if state.last is not None:
        yield _answer_chip(state.last.status, state.last.seconds)


def fit_chips(chips: Sequence[Chip], width: int) -> list[Chip]:
    """Return the chips that fit into `width` cells: the least important shrink, then go; environment and lock stay."""
    fitting = list(chips)
    while _chips_width(fitting) > width:
        worst = max(range(len(fitting)), key=lambda index: fitting[index].next_rank)
        chip = fitting[worst]
        if chip.next_rank == 0:
            break
        if chip.shorter:
            fitting[worst] = replace(chip, text=chip.shorter, shorter="")
        else:
            del fitting[worst]
    return fitting


def draw_chips(chips: Sequence[Chip], width: int) -> Content:
    """Return the chips as one line of `width` cells, the last response at the right end."""
    fitting = fit_chips(chips, width)
    left = _join_chips([chip for chip in fitting if not chip.right])
    right = _join_chips([chip for chip in fitting if chip.right])
    room = max(_GAP if right else 0, width - left.cell_length - right.cell_length)
    return Content.assemble(left, " " * room, right)


def _join_chips(chips: Sequence[Chip]) -> Content:
    return Content(" " * _GAP).join(Content(chip.text).stylize(chip.style) for chip in chips)


def _chips_width(chips: Sequence[Chip]) -> int:
    return sum(measure(chip.text) for chip in chips) + _GAP * (len(chips) - 1)


def lock_chip(lock: LockState, now: float, cells: int = 0) -> Chip:
    """Return the chip of the lock, at least `cells` wide."""
    if lock.read_only:
        return Chip("READ ONLY", "bold $role-muted")
    left = None if lock.writable_until is None else math.ceil(lock.writable_until - now)
    if lock.locked or (left is not None and left <= 0):
        return Chip(pad("LOCKED", max(cells, 6)), "bold $role-foreground")
    if left is None:
        return Chip("WRITABLE", "$role-muted")
    text = f"WRITABLE {left // 60}:{left % 60:02}"
    return Chip(pad(text, max(cells, len(text))), "bold $role-live")


def _throttle_text(state: "TrafficState", now: float) -> str | None:
    seconds = state.held_seconds(now)
    if seconds is None or (seconds == 0 and not state.waiting):
        return None
    left = span_words(seconds)
    text = f"{state.held_status} · retry in {left}" + (f" · {state.waiting} waiting" if state.waiting else "")
    lost = len(span_words(math.ceil(state.held_for))) - len(left)
    return text + " " * max(0, lost)


def _rate_text(per_second: float) -> str:
    """Return `2.5/s`, or `18/min` below one a second; one decimal if there is one digit before it."""
    number, unit = (per_second, "s") if per_second >= 0.995 else (60 * per_second, "min")
    return f"{number:.0f}/{unit}" if number >= 9.95 else f"{number:.1f}/{unit}"


def _answer_chip(status: int | None, seconds: float) -> Chip:
    if status is None:
        text, style = "no response", "bold $role-danger"
    else:
        text = f"{status} · {duration_text(seconds)}"
        style = "$role-ok" if status < 300 else "bold $role-warning" if status == 429 else "bold $role-danger"
    return Chip(pad(text, max(_ANSWER_CELLS, len(text)), right=True), style, 4, right=True, shorter=text, shrinks=9)


class StatusBar(Widget):
    """The bar at the foot of the screen; it gets every traffic event, and the rest by its attributes."""

    DEFAULT_CSS = """
    StatusBar {
        height: 1;
        width: 1fr;
        padding: 0 1 0 0;
        background: $role-panel;
        color: $role-foreground;
        text-wrap: nowrap;
        text-overflow: clip;
    }
    """

    locked: reactive[bool] = reactive(False)
    """True if writes must be unlocked first."""
    writable_until: reactive[float | None] = reactive(None)
    """The time at which writes are locked again, on the monotonic clock; None: never."""
    read_only: reactive[bool] = reactive(False)
    """True if writes can't be unlocked."""
    masked: reactive[bool] = reactive(False)
    """True if personal data is hidden."""
    team: reactive[TeamMark | None] = reactive(None)
    """The state of the team server; None without a team."""
    asks: reactive[tuple[int, int]] = reactive((0, 0))
    """The number of changes that wait for the user's approval, and of the user's changes that are approved."""
    loaded_for_search: reactive[str] = reactive("")
    """The collection that is being loaded for the search; "" for none."""

    def __init__(
        self,
        environment: Environment,
        profile_name: str,
        host: str,
        signs: bool,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        key_from: str = "",
    ) -> None:
        super().__init__()
        self._key_from = key_from
        self._environment = environment
        self._profile_name = profile_name
        self._host = host
        self._signs = signs
        self._monotonic = monotonic
        self._state: TrafficState | None = None
        self._lock_cells = 0
        self._drawn = Content()

    @property
    def state(self) -> "TrafficState":
        """The state of the traffic so far."""
        if self._state is None:
            from svc_tui.service.traffic_state import TrafficState

            self._state = TrafficState()
        return self._state

    def handle_traffic(self, event: "TrafficEvent") -> None:
        """Update the state by a traffic event."""
        from svc_tui.service.traffic_state import apply_event

        self._state = apply_event(self.state, event, self._monotonic())
        self.refresh()

    def on_mount(self) -> None:
        self.set_interval(_TICK_SECONDS, self._tick)

    def watch_writable_until(self, until: float | None) -> None:
        left = 0 if until is None else math.ceil(until - self._monotonic())
        self._lock_cells = len(f"WRITABLE {left // 60}:00") if left > 0 else 0

    def render(self) -> Content:
        lock = LockState(self.locked, self.writable_until, self.read_only)
        chips = status_chips(
            self._environment,
            self._profile_name,
            self._host,
            self._signs,
            lock,
            self._state,
            self._monotonic(),
            self._lock_cells,
            masked=self.masked,
            team=self.team,
            asks=self.asks,
            key_from=self._key_from,
            loading=self.loaded_for_search,
        )
        self._drawn = draw_chips(chips, self.size.width)
        return self._drawn

    def _tick(self) -> None:
        """Draw again if the time has changed the text."""
        before = self._drawn
        if not self.render().is_same(before):
            self.refresh()
