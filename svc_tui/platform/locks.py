"""Locks of open files: the system lets go of one however its program ends.

The system is asked itself, since no library has all three: portalocker has shared locks on Windows only with all of
pywin32, filelock has locks of paths alone, and the standard library's `msvcrt` exclusive ones alone.
"""

import sys

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _FAIL_IMMEDIATELY, _EXCLUSIVE = 1, 2
    _LOCK_VIOLATION = 33

    class _Overlapped(ctypes.Structure):
        """Where the locked bytes begin: Windows locks bytes, and takes some that the file does not have."""

        _fields_ = [
            ("Internal", ctypes.c_void_p),
            ("InternalHigh", ctypes.c_void_p),
            ("Offset", wintypes.DWORD),
            ("OffsetHigh", wintypes.DWORD),
            ("hEvent", wintypes.HANDLE),
        ]

    def try_lock(descriptor: int, *, shared: bool = False) -> bool:
        """Take the lock of an open file, alone or beside others who only look, unless it is taken; raises OSError."""
        # With exclusive locks alone, two that look at once would take each other for an owner.
        lock = ctypes.WinDLL("kernel32", use_last_error=True).LockFileEx
        lock.argtypes = (
            *(wintypes.HANDLE, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD),
            ctypes.POINTER(_Overlapped),
        )
        lock.restype = wintypes.BOOL
        how = _FAIL_IMMEDIATELY | (0 if shared else _EXCLUSIVE)
        if lock(msvcrt.get_osfhandle(descriptor), how, 0, 1, 0, ctypes.byref(_Overlapped())):
            return True
        if (why := ctypes.get_last_error()) == _LOCK_VIOLATION:
            return False
        raise ctypes.WinError(why)

else:
    import fcntl

    def try_lock(descriptor: int, *, shared: bool = False) -> bool:
        """Take the lock of an open file, alone or beside others who only look, unless it is taken; raises OSError."""
        try:
            # Not `lockf`: such locks go as soon as their program closes the file anywhere, and it never meets its own.
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
