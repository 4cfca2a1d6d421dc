"""Makes a Python program the same on each day and at any speed, before it imports anything else.

Python runs this module at its start, since the directory is on PYTHONPATH; child processes inherit it. The wall clock
stands still at the Unix time in `GOLDEN_TIME`, while the monotonic clock goes on, so that waits and timeouts work.
Notices stay on the screen until they are clicked. The computer has the name in `GOLDEN_MACHINE`.
"""

import os
import platform
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class LastingNotices:
    """Finds the module of Textual's notices, and makes them last an hour once it is loaded."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of `textual.notifications`."""
        if name != "textual.notifications":
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        loader = spec.loader
        assert loader is not None
        load = loader.exec_module

        def load_and_change(module: ModuleType) -> None:
            load(module)
            module.Notification.time_left = property(lambda notification: 3600.0)

        loader.exec_module = load_and_change  # type: ignore[method-assign]
        return spec


if "GOLDEN_TIME" in os.environ:
    # time-machine imports pytest where it is installed, which takes 0.1 s in each program.
    sys.modules["pytest"] = None  # type: ignore[assignment]
    import time_machine

    del sys.modules["pytest"]
    time_machine.travel(int(os.environ["GOLDEN_TIME"]), tick=False).start()
    platform.node = lambda: os.environ["GOLDEN_MACHINE"]
    sys.meta_path.insert(0, LastingNotices())
