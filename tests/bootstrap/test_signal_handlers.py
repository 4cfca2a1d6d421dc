"""What is done about a signal while the browser is not yet there to end."""

import os
import signal
import sys
import weakref
from collections.abc import Callable

import pytest

from svc_tui.bootstrap.signal_handlers import unwind_on_signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there")


def hang_up() -> None:
    """Signal that the terminal has gone, as the kernel does."""
    os.kill(os.getpid(), signal.SIGHUP)
    # Python calls the handler between two of its instructions.
    for _ in range(100):
        pass


class _HangsUp:
    def __set_name__(self, owner: type, name: str) -> None:
        hang_up()


def _in_the_body_of_a_class() -> None:
    type("Owner", (), {"value": _HangsUp()})


def _in_a_callback() -> None:
    class Watched:
        pass

    watched = Watched()
    _reference = weakref.ref(watched, lambda _: hang_up())
    del watched


@pytest.mark.parametrize("place", [hang_up, _in_the_body_of_a_class, _in_a_callback])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_hang_up_ends_the_program_with_its_status_wherever_it_comes(place: Callable[[], None]) -> None:
    before = signal.getsignal(signal.SIGHUP)
    with pytest.raises(SystemExit) as ended, unwind_on_signals():
        place()
    assert ended.value.code == 128 + signal.SIGHUP
    assert signal.getsignal(signal.SIGHUP) is before
