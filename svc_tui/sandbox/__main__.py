"""The service as a child process: options come on standard input, whose end is the end of the parent."""

import json
import os
import sys
import threading

from svc_tui.sandbox.errors import SandboxError
from svc_tui.sandbox.options import options_from_line
from svc_tui.sandbox.server.serve import serve_until

_LAST_SECONDS = 3.0


def main() -> int:
    """Serves until standard input ends; a failure to start is announced as `{"error": …}`."""
    stop = threading.Event()
    try:
        options = options_from_line(sys.stdin.readline())
        threading.Thread(target=_watch_parent, args=(stop,), daemon=True).start()
        serve_until(stop, options, _announce)
    except SandboxError as error:
        _announce(json.dumps({"error": str(error)}))
        return 1
    return 0


def _announce(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _watch_parent(stop: threading.Event) -> None:
    while sys.stdin.buffer.read(4096):
        continue
    stop.set()
    # Should an answer refuse to end, the process must not outlive its parent for it.
    threading.Timer(_LAST_SECONDS, os._exit, (1,)).start()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Threads may still be busy with an answer that nobody waits for.
    os._exit(code)
