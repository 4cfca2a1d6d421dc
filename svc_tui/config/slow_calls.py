"""Calls of other programs that may never answer: each on a thread of its own, with a notice and an end."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TypeVar

NOTICE_SECONDS = 2.0
"""Seconds after which the user is told what the program waits for."""

_Result = TypeVar("_Result")


def _print_notice(text: str) -> None:
    # A terminal that has gone away changes nothing.
    with suppress(OSError):
        print(f"svc-tui: {text}", file=sys.stderr, flush=True)  # noqa: T201  there is no screen yet, or none any more


_show_notice: Callable[[str], None] = _print_notice


def show_notice(text: str) -> None:
    """Tell the user what the program waits for."""
    _show_notice(text)


@contextmanager
def notices_shown_by(show: Callable[[str], None]) -> Iterator[None]:
    """Have `show` called with the notices, from any thread, in place of printing them to stderr."""
    global _show_notice
    before, _show_notice = _show_notice, show
    try:
        yield
    finally:
        _show_notice = before


def call_with_timeout(call: Callable[[], _Result], notice: str, seconds: float) -> _Result:
    """Return what `call` returns, or raise what it raises; raises TimeoutError after `seconds`.

    A call that does not end keeps its thread, which does not keep the program from ending.
    """
    results: list[_Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, name="svc-tui slow call", daemon=True)
    thread.start()
    thread.join(min(NOTICE_SECONDS, seconds))
    if thread.is_alive() and seconds > NOTICE_SECONDS:
        show_notice(notice)
        thread.join(seconds - NOTICE_SECONDS)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(notice)
    return results[0]
