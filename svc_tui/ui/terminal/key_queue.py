"""Keys and pastes take their turn: each is handed on once the one before is dealt with, dialogs it opened included.

Textual lets a widget take a letter at once, and looks for the bindings of other keys only after they have bubbled up to
the app. Keys that come in a burst, as they do over a slow line, would overtake each other: `1 4 ⌫ 3` would leave 14.
And a letter meant for a dialog that is about to open would act on the screen below. A paste that overtook a key would
land in the line before the one that it is meant for.
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

ROUND_TRIPS = 2
"""How often the way from the focus to the app is gone before a key counts as dealt with.

The first lap ends behind the key itself, the second behind the messages that it made (a line submitted, say).
"""

MAX_CHECKS = 50
"""Looks after which the next key is handed on in any case: a widget that is gone loses its messages.

Looks are counted, not seconds: a program that was given no processor, or was stopped, has not been waiting.
"""

CHECK_SECONDS = 0.01
"""Seconds between looks at whether a key was dealt with, or a dialog that was asked for is there."""


@dataclass
class RoundTrip(Message):
    """Bubbles from the focus up to the app, behind everything that was on that way before it."""

    key: int


InputEvent: TypeAlias = events.Key | events.Paste
"""What the user types: a key pressed, or a text pasted."""


class KeyQueue:
    """The keys of one app that were pressed, and the texts that were pasted, and not yet handed on.

    `dispatch` gives one to whoever it is for; `dialog_pending` says whether a dialog is being opened or closed now.
    """

    def __init__(
        self, app: App[Any], dispatch: Callable[[InputEvent], Awaitable[None]], dialog_pending: Callable[[], bool]
    ) -> None:
        self._app, self._dispatch, self._dialog_pending = app, dispatch, dialog_pending
        self._typed: deque[InputEvent] = deque()
        self._number = 0
        self._round_trips = 0
        self._busy = False
        self._check_scheduled = False
        self._checks = 0
        self._held = False

    def hold(self) -> None:
        """Keep all that is typed until it is let go: what they are for is not there yet."""
        self._held = True

    async def release(self) -> None:
        """Hand on what was held, in its turn, and what comes from now on."""
        self._held = False
        await self._next()

    async def put(self, typed: InputEvent) -> None:
        """A key was pressed, or a text pasted."""
        self._typed.append(typed)
        await self._next()

    async def round_trip_ended(self, lap: RoundTrip) -> None:
        """The app was reached by `lap`."""
        if lap.key != self._number or not self._busy:
            return
        self._round_trips += 1
        if self._round_trips >= ROUND_TRIPS or not self._start_round_trip():
            self._busy = False
            await self._next()

    async def _next(self) -> None:
        while self._typed and not self._busy and not self._held:
            if not self._app.screen_stack:
                # The program is ending: there is nobody left to press a key for.
                self._typed.clear()
                return
            if self._dialog_pending() and self._checks < MAX_CHECKS:
                self._schedule_check()
                return
            self._checks = 0
            self._busy, self._round_trips = True, 0
            self._number += 1
            await self._dispatch(self._typed.popleft())
            if self._start_round_trip():
                self._await_round_trip(self._number, MAX_CHECKS)
            else:
                self._busy = False

    def _start_round_trip(self) -> bool:
        if not self._app.screen_stack:
            return False
        return (self._app.focused or self._app.screen).post_message(RoundTrip(self._number))

    def _schedule_check(self) -> None:
        if not self._check_scheduled:
            self._check_scheduled = True
            asyncio.get_running_loop().call_later(CHECK_SECONDS, self._app.call_next, self._check)

    async def _check(self) -> None:
        self._check_scheduled = False
        self._checks += 1
        await self._next()

    def _await_round_trip(self, number: int, looks: int) -> None:
        """Look `looks` times at whether this key was dealt with, then go on without."""
        if not self._busy or self._number != number:
            return
        if looks:
            asyncio.get_running_loop().call_later(CHECK_SECONDS, self._await_round_trip, number, looks - 1)
        else:
            self._busy = False
            self._app.call_next(self._next)


class ActsOnKeysAtOnce(MessagePump):
    """For a widget that takes no text, and has around it none that looks at keys: its keys act where they arrive.

    Textual looks for the binding of a key when it has bubbled through everything around the widget, a message each; for
    a cursor that is a third of the time until it is seen to move. What binding a key has is the same here as there.
    """

    async def on_key(self, event: events.Key) -> None:
        """Do what the key is bound to, here or anywhere around."""
        if await self.app._check_bindings(event.key):
            event.stop()
