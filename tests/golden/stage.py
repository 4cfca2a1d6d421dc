"""A computer with a service: where a scripted use of the program takes place, and what it leaves is written down.

The program runs as a user starts it (`python -m svc_tui`), from any checkout: nothing here imports it.
"""

import base64
import json
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from tests.golden.normalize import Normalizer, without_numbers
from tests.golden.wire import Wire, describe_signature
from tests.terminal import PATIENCE, Terminal, quiet_environment, terminal

CLOCK = Path(__file__).parent / "clock"
START = 1_768_464_000
"""The wall clock of the first program: 2026-01-15 08:00 UTC. Each further program starts `Stage.interval` later."""

TOKEN = "golden-token"
KEYS: list[dict[str, Any]] = [
    {"name": "live", "api_key": "svc_live_golden", "signing_secret": "golden-secret"},
    {"name": "sandbox", "api_key": "svc_test_golden"},
    {"name": "reader", "api_key": "svc_test_golden-reader", "scopes": ["read"]},
]
SECRETS = {key["api_key"]: key.get("signing_secret", "") for key in KEYS}

_SAFE = ("GET", "HEAD", "OPTIONS")
_QUIET_SECONDS = 0.4
"""Seconds without a change of a screen after which a program is taken to be at rest."""


_THOUGHT_SECONDS = 1.2
"""Longer than the second for which the program sends on a reading without another one."""

_PAGE = re.compile(r"GET \S+[?&]page=")


class Stage:
    """The home directory of a user, a service of its own, and the trace of what happens."""

    def __init__(self, checkout: Path, expected: str = "") -> None:
        """`expected` is an earlier trace: a screen that it has is waited for."""
        self._checkout, self._expected = checkout, _screens(expected)
        self._stack = ExitStack()
        self._sections: list[tuple[str, str]] = []
        self._windows: list[Window] = []
        self._clock = START
        self.interval = 60
        """Seconds from the start of one program to that of the next."""

    def __enter__(self) -> "Stage":
        directory = tempfile.mkdtemp(prefix="svc-golden-", dir="/tmp")
        self.home = Path(directory)
        self._stack.callback(shutil.rmtree, directory)
        service_port = self._start_service()
        self.wire = Wire(service_port)
        self._stack.callback(self.wire.server_close)
        self._stack.callback(self.wire.shutdown)
        package = (self._checkout / "svc_tui" / "__init__.py").read_text(encoding="utf-8")
        version = re.search(r'__version__ = "(.+)"', package)
        assert version is not None
        fixed = {
            directory: "HOME",
            directory.removeprefix("/tmp/"): "HOME",
            f":{self.wire.port}": ":PORT1",
            str(self._checkout): "CHECKOUT",
            version[1]: "VERSION",
        }
        self.normalizer = Normalizer(fixed)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def address(self) -> str:
        """The base URL of the service, through the proxy."""
        return f"http://127.0.0.1:{self.wire.port}"

    def environment(self, key: str = "sandbox", **more: str) -> dict[str, str]:
        """Return the variables of a program that has one of the service's keys, "" for none."""
        variables = quiet_environment(
            self.home,
            PYTHONPATH=f"{CLOCK}:{self._checkout}",
            GOLDEN_TIME=str(self._clock),
            GOLDEN_MACHINE="desk",
            TZ="UTC",
            LOGNAME="agent",
            USER="agent",
        )
        if key:
            pair = next(pair for pair in KEYS if pair["name"] == key)
            variables["SVC_API_KEY"] = pair["api_key"]
            variables["SVC_BASE_URL" if key == "live" else "SVC_SANDBOX_BASE_URL"] = self.address
            if "signing_secret" in pair:
                variables["SVC_SIGNING_SECRET"] = pair["signing_secret"]
        return variables | more

    def run(self, line: str, *, key: str = "sandbox", stdin: str = "", **variables: str) -> None:
        """Run `svc-tui LINE`, and note how it ended and what it wrote."""
        self._pass_time()
        done = subprocess.run(
            [sys.executable, "-m", "svc_tui", *shlex.split(line)],
            env=self.environment(key, **variables),
            cwd=self.home,
            input=stdin.encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        text = f"exit {done.returncode}\n"
        for name, written in (("stdin", stdin.encode()), ("stdout", done.stdout), ("stderr", done.stderr)):
            if written:
                text += f"--- {name}\n{_lines(written)}"
        self.note(f"svc-tui {line}", text)

    def read(self, *lines: str, options: str = "", key: str = "sandbox", **variables: str) -> None:
        """Run `svc-tui --reader` with these lines on stdin."""
        self.run(f"--reader {options}".strip(), key=key, stdin="".join(f"{line}\n" for line in lines), **variables)

    @contextmanager
    def browse(
        self, line: str = "", size: tuple[int, int] = (120, 30), /, *, key: str = "sandbox", **variables: str
    ) -> Iterator["Window"]:
        """Run `svc-tui LINE` in a terminal of so many columns and rows."""
        self._pass_time()
        environment = self.environment(key, **variables)
        # Of keys that come faster, some do without the requests that a trace has.
        with terminal(shlex.split(line), environment, *size, directory=self.home, key_delay=0.05) as screen:
            window = Window(self, screen)
            self._windows.append(window)
            yield window

    def fail(self, fault: str, count: int = 1, **conditions: object) -> None:
        """Have the service fail the next requests: see `svc-tui sandbox ctl arm`."""
        self.control("POST", "faults", name=fault, count=count, **conditions)

    def stop_failing(self) -> None:
        """Clear all faults."""
        self.control("DELETE", "faults")

    def wait_until_held(self) -> None:
        """Wait until the service holds back a response, as it does after `fail("hold")`."""
        deadline = time.monotonic() + PATIENCE
        while not self.control("GET", "faults")["held"]:
            assert time.monotonic() < deadline, "the service never held back a response"
            time.sleep(0.05)

    def control(self, method: str, path: str, /, **body: object) -> Any:
        """Call a control route of the service."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.wire.service_port}/control/{path}",
            json.dumps(body).encode() if body else None,
            {"x-svc-control": TOKEN},
            method=method,
        )
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or b"null")

    def write(self, name: str, text: str) -> None:
        """Write a file in the home directory, readable only by the user."""
        path = self.home / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)

    def add_profile(self, name: str, settings: str = "", key: str = "sandbox", directory: str = "config") -> None:
        """Write a profile whose key is in the variable KEY and, for the live one, its secret in SECRET."""
        secret = 'signing_secret = { env = "SECRET" }\n' if key == "live" else ""
        text = (
            f'api_key = {{ env = "KEY" }}\n{secret}base_url = "{self.address}"\nsandbox_base_url = "{self.address}"\n'
        )
        self.write(f"{directory}/svc-tui/profiles/{name}.toml", text + settings)

    def execute(self, statements: str) -> None:
        """Change the program's store, as nobody should."""
        with closing(sqlite3.connect(self.home / "state" / "svc-tui" / "svc-tui.db")) as store:
            store.executescript(statements)

    def note(self, title: str, text: str) -> None:
        """Add a section to the trace."""
        self._sections.append((title, text))

    def note_end(self, window: "Window", title: str) -> None:
        """Note the exit status of a program in a terminal once it has ended."""
        self._windows.remove(window)
        self.note(title, f"exit {window.terminal.ends()}\n")

    def note_file(self, name: str) -> None:
        """Note the content of a file in the home directory."""
        self.note(f"file {name}", _lines((self.home / name).read_bytes()))

    def note_record(self, record_id: str, collection: str = "operations/lots") -> None:
        """Note a record as the service holds it."""
        record = self.control("GET", f"record?key={collection}&id={record_id}")
        self.note(f"record {record_id}", json.dumps(record, ensure_ascii=False) + "\n")

    def trace(self) -> str:
        """Return all that happened, with the requests and the rows of the store."""
        sections = [*self._sections, *self._requests(), ("store", self._stored())]
        text = "".join(f"## {title}\n{body}\n" for title, body in sections if body)
        return self.normalizer.normalize(text)

    def settle(self, held: int = 0) -> None:
        """Wait until no terminal shows anything new, and only `held` requests wait for a response."""
        screens, changed = [""], time.monotonic()
        deadline = changed + PATIENCE
        while True:
            for window in self._windows:
                window.terminal.reads()
            before, screens = screens, [window.terminal.text for window in self._windows]
            now = time.monotonic()
            if screens != before or self.wire.under_way > held:
                changed = now
            # Where the machine had no time for this loop meanwhile, it has been looked at again since.
            if now >= min(changed + _QUIET_SECONDS, deadline):
                return

    def expected_screen(self, title: str) -> str | None:
        """Return the masked screen that the earlier trace has under this title."""
        return self._expected.get(title)

    def _start_service(self) -> int:
        keys = self.home / "keys.json"
        keys.write_text(json.dumps({"keys": KEYS}), encoding="utf-8")
        words = ["sandbox", "--json", "--records", "120", "--seed", "7", "--keys", str(keys)]
        service = subprocess.Popen(
            [sys.executable, "-m", "svc_tui", *words],
            env=self.environment("", SVC_SANDBOX_TOKEN=TOKEN),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert service.stdout is not None

        def stop() -> None:
            service.terminate()
            service.communicate()

        self._stack.callback(stop)
        return int(json.loads(service.stdout.readline())["base_url"].rsplit(":", 1)[1])

    def _pass_time(self) -> None:
        self._clock += self.interval
        self.control("POST", "clock", advance_seconds=self.interval)

    def _requests(self) -> Iterator[tuple[str, str]]:
        sent = [
            (
                exchange.method,
                describe_signature(exchange.request, SECRETS).decode("utf-8", "backslashreplace"),
                exchange.end,
            )
            for exchange in self.wire.exchanges
        ]
        writes = [f"{_shown(request)} -> {end}\n" for method, request, end in sent if method not in _SAFE]
        yield "writes, in order", "".join(writes)
        reads = Counter(f"{_shown(request)} -> {end}\n" for method, request, end in sent if method in _SAFE)
        yield (
            "reads",
            "".join(
                f"{_times(request, count)} x {request}"
                for request, count in sorted(reads.items(), key=lambda item: self.normalizer.mask(item[0]))
            ),
        )

    def _stored(self) -> str:
        path = self.home / "state" / "svc-tui" / "svc-tui.db"
        if not path.exists():
            return ""
        text = ""
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
            tables = store.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            for (table,) in sorted(tables):
                rows = store.execute(f"SELECT * FROM {table} ORDER BY rowid")
                columns = [column[0] for column in rows.description]
                for row in rows:
                    cells = (f"{column}={_cell(value)}" for column, value in zip(columns, row, strict=True))
                    text += f"{table}: {' | '.join(cells)}\n"
        return text


class Window:
    """A terminal in which the program runs on a stage."""

    def __init__(self, stage: Stage, screen: Terminal) -> None:
        self._stage, self.terminal = stage, screen

    def press(self, *keys: str) -> None:
        """Press keys, or type text."""
        self.terminal.press(*keys)

    def think(self) -> None:
        """Wait, as a person does before a choice, until the program would read a record again before it sends.

        Without it, the speed of the machine decides whether that reading is in the trace.
        """
        time.sleep(_THOUGHT_SECONDS)

    def say(self, *lines: str) -> None:
        """Type lines into the reader, each once it is done with the one before."""
        for line in lines:
            self._stage.settle()
            self.press(f"{line}\n")

    def say_until(self, line: str, pattern: str) -> None:
        """Type a line into the reader until what it prints matches; clears the screen before each time."""
        deadline = time.monotonic() + PATIENCE
        while not self.terminal.awaits(lambda: re.search(pattern, self.terminal.text) is not None, patience=1):
            assert time.monotonic() < deadline, f"{line} never printed {pattern!r}:\n{self.terminal.text}"
            self.terminal.wipe()
            self.press(f"{line}\n")

    def sees(self, pattern: str) -> None:
        """Wait until the screen shows what matches."""
        self.terminal.sees(pattern)

    def dismiss(self, pattern: str) -> None:
        """Click a notice away once it is there: none goes by itself."""
        self.sees(pattern)
        self.terminal.click(pattern)
        self.loses(pattern)

    def loses(self, pattern: str) -> None:
        """Wait until the screen shows nothing that matches."""
        self.terminal.loses(pattern)

    def shot(self, title: str, pattern: str, held: int = 0) -> None:
        """Note the screen, once it matches and is at rest with only `held` requests under way.

        Where an earlier trace has this screen, it is waited for a while, so that a busy machine changes nothing.
        """
        self.sees(pattern)
        self._stage.settle(held)
        expected = self._stage.expected_screen(title)
        if expected is not None:
            self.terminal.awaits(lambda: self._masked() == expected, patience=5)
        self._stage.note(f"screen: {title}", self.terminal.text.rstrip("\n") + "\n")

    def note_copied(self) -> None:
        """Note the text that the program copied last, by OSC 52."""
        self._stage.settle()
        copied = re.findall(rb"\x1b\]52;c;([^\x07\x1b]*)", self.terminal.raw)
        self._stage.note("copied", _lines(base64.b64decode(copied[-1])))

    def end(self, *keys: str) -> None:
        """Quit with these keys once the program is at rest, and note the exit status."""
        self._stage.settle()
        self.press(*keys)
        self._stage.note_end(self, "quit")

    def kill(self) -> None:
        """Kill the program."""
        self._stage.settle()
        self.terminal.kill(signal.SIGKILL)
        self._stage.note_end(self, "killed")

    def _masked(self) -> str:
        return self._stage.normalizer.mask(self.terminal.text.rstrip("\n") + "\n")


def _lines(data: bytes) -> str:
    """Return bytes as text that ends with a line end, with control characters and wrong UTF-8 visible."""
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\\r\n")
    visible = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
    return visible if visible.endswith("\n") else f"{visible}\\\n"


def _cell(value: object) -> str:
    data = value if isinstance(value, bytes) else str(value).encode()
    return _lines(data).replace("\n", "⏎").removesuffix("\\⏎")


def _times(request: str, count: int) -> str:
    """Return how often a read was sent; of a page only if more than once.

    A page is read again where two pages under way show that records moved: how often, their order of arrival decides.
    """
    return "2 or more" if count > 1 and _PAGE.match(request) else str(count)


def _shown(request: str) -> str:
    """Return a request in one line, its line ends visible."""
    head, body = request.split("\r\n\r\n", 1)
    return " | ".join(head.split("\r\n")) + (f" || {body}" if body else "")


def _screens(trace: str) -> dict[str, str]:
    """Return the masked screens of a trace by their titles."""
    sections = (section.split("\n", 1) for section in f"\n{trace}".split("\n## ")[1:])
    prefix = "screen: "
    return {
        title.removeprefix(prefix): f"{without_numbers(body).rstrip()}\n"
        for title, body in sections
        if title.startswith(prefix)
    }
