"""The queue of keys and pastes: each is dispatched after the previous one is handled, and its dialog has opened.

Textual gives letters to a widget at once, but looks for the bindings of other keys only after they have bubbled up to
the app. Keys that arrive in a burst, as over a slow connection, would overtake each other: `1 4 ⌫ 3` would leave 14.
And a letter for a dialog that is about to open would act on the screen below; a paste could go into the wrong line.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

ROUND_TRIPS = 2
"""The number of round trips from the focus to the app after which a key counts as handled.

The first ends after the key itself, the second after the messages that it caused (a submitted line, say).
"""

IDLE_CHECKS = 8
"""Checks of an idle event loop after which the next key is dispatched in any case.

It waits for a disk or the service then. Checks without anything to run are counted, not seconds: a program without
processor time has not been waiting.
"""

CHECK_SECONDS = 0.01
"""Seconds between two checks of an idle event loop."""


@dataclass
class RoundTrip(Message):
    """The end of a round trip: all earlier messages between the focus and the app are handled."""

    key: int


@dataclass
class InputRead(Message):
    """The end of the input that the terminal had delivered when the program was told to end."""


class TerminalLost(Message):
    """The loss of the terminal."""


InputEvent: TypeAlias = events.Key | events.Paste
"""Input from the user: a key, or a paste."""

_TEXT_KEYS = frozenset({"backspace", "delete", "left", "right", "home", "end"})
"""Keys besides letters that belong to the text of a field."""


class KeyQueue:
    """The keys and pastes of an app that are not dispatched yet.

    `dispatch` handles one; `dialog_pending` returns True while a dialog is being opened or closed.
    """

    def __init__(
        self, app: App[Any], dispatch: Callable[[InputEvent], Awaitable[None]], dialog_pending: Callable[[], bool]
    ) -> None:
        self._app, self._dispatch, self._dialog_pending = app, dispatch, dialog_pending
        self._typed: deque[InputEvent] = deque()
        self._number = 0
        self._round_trips_left = 0
        """Round trips to wait for before the next key."""
        self._ready_screen: Screen[Any] | None = None
        """The screen in front at the last round trip: it is composed and has set its focus."""
        self._check_scheduled = False
        self._idle_checks = 0
        """Checks that found the event loop idle since a key was last dispatched without giving up on something."""
        self._held = False
        self._finished: Callable[[], object] | None = None
        """The function to call once everything typed is dispatched; None until the program is ending."""
        self._settled = False
        """True if everything typed is dispatched, and the round trips after it have begun."""

    def hold(self) -> None:
        """Keep all input until `release`."""
        self._held = True

    async def release(self) -> None:
        """Dispatch the input that was kept, and from now on all other input."""
        self._held = False
        await self._next()

    async def put(self, typed: InputEvent) -> None:
        """Add a key or a paste."""
        self._typed.append(typed)
        await self._next()

    async def finish(self, finished: Callable[[], object]) -> None:
        """Dispatch what was typed into a text field, drop the rest, and call `finished`.

        A key that is not text could begin something that the end of the program would interrupt.
        """
        if self._held:
            finished()
            return
        self._finished = finished
        await self._next()

    async def round_trip_ended(self, trip: RoundTrip) -> None:
        """Dispatch the next key if `trip` was the last round trip of the one before."""
        if trip.key == self._number and self._round_trips_left:
            self._round_trips_left -= 1
            if self._round_trips_left:
                self._start_round_trip()
            else:
                await self._next()

    async def _next(self, *, waits: bool = True) -> None:
        """Dispatch the next key, unless something has to be waited for first."""
        if not self._app.screen_stack:
            # The program is ending.
            self._typed.clear()
            return
        if self._held or not (self._typed or self._finished):
            return
        if waits:
            if not self._is_waiting and self._app.screen is not self._ready_screen:
                self._start_round_trips(1)
            if self._is_waiting:
                self._schedule_check()
                return
            self._idle_checks = 0
        if self._finished and not (self._typed and self._is_text(self._typed[0])):
            self._typed.clear()
            if self._settled:
                self._finished()
                return
            # The form or dialog still has to handle the messages of its field.
            self._settled = True
            self._start_round_trips(ROUND_TRIPS)
            self._schedule_check()
            return
        await self._dispatch(self._typed.popleft())
        self._start_round_trips(ROUND_TRIPS)
        if self._typed or self._finished:
            self._schedule_check()

    def _is_text(self, typed: InputEvent) -> bool:
        """Return True if `typed` changes the text of a field, and does nothing else."""
        # The first frame does not wait for the import of the text area.
        from textual.widgets import Input, TextArea

        if not isinstance(self._app.focused, Input | TextArea):
            return False
        return isinstance(typed, events.Paste) or typed.is_printable or typed.key in _TEXT_KEYS

    @property
    def _is_waiting(self) -> bool:
        return bool(self._round_trips_left) or self._dialog_pending()

    def _start_round_trips(self, count: int) -> None:
        self._number += 1
        self._round_trips_left = count
        self._start_round_trip()

    def _start_round_trip(self) -> None:
        if self._app.screen_stack:
            self._ready_screen = self._app.screen
            self._climb(self._app.focused or self._app.screen, self._number)

    def _climb(self, node: MessagePump | None, number: int) -> None:
        """Go from `node` up to the app, after all messages of each node on the way; skip removed nodes."""
        while node is not None and node is not self._app:
            if node.call_later(self._climb, node._parent, number):
                return
            node = node._parent
        self._app.post_message(RoundTrip(number))

    def _schedule_check(self, seconds: float = 0.0) -> None:
        if not self._check_scheduled:
            self._check_scheduled = True
            loop = asyncio.get_running_loop()
            if seconds:
                loop.call_later(seconds, self._check)
            else:
                loop.call_soon(self._check)

    def _check(self) -> None:
        """Dispatch the next key if nothing needs to be waited for any more, or the wait leads nowhere."""
        self._check_scheduled = False
        if self._held or not (self._typed or self._finished):
            return
        has_time = self._idle_checks < IDLE_CHECKS
        if not self._app.screen_stack or not self._is_waiting:
            self._app.call_next(self._next)
        elif _has_work(asyncio.get_running_loop()) and (has_time or self._round_trips_left):
            self._schedule_check()
        elif has_time:
            self._idle_checks += 1
            self._schedule_check(CHECK_SECONDS)
        else:
            self._app.call_next(self._next, waits=False)


def _has_work(loop: asyncio.AbstractEventLoop) -> bool:
    """Return True if `loop` has callbacks to run besides the present one."""
    return bool(vars(loop)["_ready"])


class ActsOnKeysAtOnce(MessagePump):
    """A mixin for widgets without text input, inside no widget that handles keys: their keys act at once.

    Textual looks for the binding of a key after it has bubbled up through all ancestors, with a message for each: a
    third of the time until a cursor is seen to move. The binding is the same.
    """

    async def on_key(self, event: events.Key) -> None:
        """Run the binding of the key, of this widget or of an ancestor."""
        if await self.app._check_bindings(event.key):
            event.stop()
