"""The clock for waiting and for locks, which nobody sets.

It counts sleep too: a laptop that was closed with LIVE unlocked is locked when it opens.
"""

import sys
import time

if sys.platform == "win32":
    import ctypes

    def seconds_since_boot() -> float:
        """Seconds since the system started, asleep or awake."""
        ticks = ctypes.WinDLL("kernel32").GetTickCount64
        ticks.restype = ctypes.c_ulonglong
        return float(ticks() / 1000)

elif sys.platform == "darwin":

    def seconds_since_boot() -> float:
        """Seconds since the system started, asleep or awake."""
        # `time.monotonic` stands still in sleep there; this is the one that mach calls continuous.
        return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)

else:

    def seconds_since_boot() -> float:
        """Seconds since the system started, asleep or awake; where the system can't tell of sleep, only awake."""
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.monotonic()
