"""The key pair in use, and its source: read again when the service refuses the pair, by one reader at a time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

from svc_tui.core.credentials import KeyPair
from svc_tui.service.gateway import Credentials


class Keys:
    """The pair that the next attempt is made with; key and secret change together or not at all."""

    def __init__(self, pair: KeyPair, source: Credentials | None) -> None:
        self.pair = pair
        self.secrets = pair.secrets
        """Of the pair in use and of every one before: an answer or the journal may still repeat an old one."""
        self.readings = 0
        """How often the source was read again."""
        self.on_new_pair: Callable[[], None] = lambda: None
        """Called when the source gave another pair."""
        self._source = source
        self._reading: asyncio.Future[None] | None = None

    async def renewed(self, used: KeyPair, *, readings: int | None, seconds: float) -> bool:
        """Whether there is now another pair than `used`; waits for its source, `seconds` at most.

        `readings` is the count of them when the refused attempt left, None to read in any case. A reading under way,
        or one that began since then, tells all there is to know: however many are refused at once, one reads.
        """
        if self.pair == used and self._source is not None:
            if self._reading is None and readings in (None, self.readings):
                self._reading = self._read(self._source)
            if self._reading is not None:
                await asyncio.wait({self._reading}, timeout=seconds)
        return self.pair != used

    def close(self) -> None:
        """Let nobody wait for the source any longer."""
        self._finish(None)

    def _read(self, source: Credentials) -> asyncio.Future[None]:
        """Begin to read, in a thread that nobody has to wait for: a source may block for as long as it likes."""
        self.readings += 1
        loop = asyncio.get_running_loop()
        used = self.pair

        def read() -> None:
            fresh: KeyPair | None = None
            try:
                pair = source.read()
                fresh = pair if pair.environment is used.environment else None
            except BaseException:  # noqa: S110  the service's refusal is what happened; the caller has it to tell
                pass
            # A loop that was closed meanwhile has nobody left who asks.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._finish, fresh)

        Thread(target=read, name="svc-tui keys", daemon=True).start()
        return loop.create_future()

    def _finish(self, fresh: KeyPair | None) -> None:
        if fresh is not None:
            self.pair = fresh
            self.secrets = tuple(dict.fromkeys((*fresh.secrets, *self.secrets)))
            self.on_new_pair()
        reading, self._reading = self._reading, None
        if reading is not None and not reading.done():
            reading.set_result(None)
