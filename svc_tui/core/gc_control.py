"""Control of Python's garbage collector, which costs time where there is no garbage yet."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector, for all threads, until the block is left."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def freeze_and_enable_gc() -> None:
    """Enable the garbage collector, which ignores from then on all objects that exist now."""
    gc.freeze()
    gc.enable()
