"""Keeps Python's garbage collector from looking where there is nothing for it to find."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Have no rings of objects looked for meanwhile, by any thread; afterwards as it was before."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def freeze_and_enable_gc() -> None:
    """Look for rings again, but never at what there is by now: it is there to stay."""
    gc.freeze()
    gc.enable()
