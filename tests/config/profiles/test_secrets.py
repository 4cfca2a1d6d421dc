"""Where keys and secrets are kept: each place, and what is said when it does not give one."""

import asyncio
import os
import sys
import time
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail, null

from svc_tui.config import slow_calls
from svc_tui.config.profiles import secrets
from svc_tui.config.profiles.secrets import (
    CommandSource,
    FileSource,
    InlineSource,
    KeyringSource,
    SecretSource,
    SecretStore,
    VariableSource,
    keyring_problem,
)
from svc_tui.core.credentials import CredentialError
from svc_tui.platform import processes
from svc_tui.platform.event_loops import run_on_loop
from tests.keyrings import BrokenKeyring, FileKeyring, HangingKeyring, LockedKeyring, OddKeyring

ENTRY = KeyringSource("svc-tui", "mine")
OTHERWISE = 'use { env = "NAME" }, { file = "path" } or { command = ["…"] }'


@pytest.fixture
def places(tmp_path: Path) -> SecretStore:
    return SecretStore({**os.environ, "MY_KEY": " svc_test_x\n", "EMPTY": " "}, tmp_path)


def complaint(places: SecretStore, source: SecretSource) -> str:
    """What is said when there is no secret."""
    with pytest.raises(CredentialError) as caught:
        places.read(source)
    assert "hidden" not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_a_variable_and_a_text_in_the_profile(places: SecretStore) -> None:
    assert places.read(VariableSource("MY_KEY")) == "svc_test_x"
    assert places.read(InlineSource("svc_test_y")) == "svc_test_y"
    assert complaint(places, VariableSource("EMPTY")) == "the variable EMPTY is not set"
    assert complaint(places, VariableSource("NONE")) == "the variable NONE is not set"


def test_a_command_gets_no_variable_that_holds_another_secret(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("api_key = { env = \"MY_KEY\" }\n[broken\nsigning_secret = {env='OTHER'}")
    variables = {**os.environ, "MY_KEY": "k", "OTHER": "o", "SVC_API_KEY": "s", "VAULT_TOKEN": "v"}
    seen = SecretStore(variables, tmp_path).read(
        CommandSource(("sh", "-c", "env | grep -E '^(MY_KEY|OTHER|SVC_|VAULT)'"))
    )
    assert seen == "VAULT_TOKEN=v"


def test_the_keyring_gives_what_was_kept_in_it(places: SecretStore, own_keyring: FileKeyring) -> None:
    assert complaint(places, ENTRY) == (
        "the keyring has no entry svc-tui mine; create it with: keyring set svc-tui mine"
    )
    places.keep(ENTRY, "svc_test_x")
    assert own_keyring.entries() == {"svc-tui/mine": "svc_test_x"}
    assert places.read(ENTRY) == "svc_test_x"
    assert keyring_problem() == ""
    places.forget(ENTRY)
    places.forget(ENTRY)
    assert own_keyring.entries() == {}


@pytest.mark.parametrize("none", [fail.Keyring, null.Keyring])
def test_without_a_keyring_the_other_places_are_offered(
    places: SecretStore, own_keyring: FileKeyring, none: type[fail.Keyring]
) -> None:
    keyring.set_keyring(none())
    told = f"this system has no usable keyring; {OTHERWISE}"
    assert complaint(places, ENTRY) == keyring_problem() == told


def test_without_the_library_the_other_places_are_offered(places: SecretStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    told = f"the keyring needs a library that is not installed: pip install keyring; or {OTHERWISE}"
    assert complaint(places, ENTRY) == keyring_problem() == told


def test_a_locked_keyring_says_so(places: SecretStore, own_keyring: FileKeyring) -> None:
    keyring.set_keyring(LockedKeyring())
    assert complaint(places, ENTRY) == f"the keyring is locked; unlock it and try again, or {OTHERWISE}"
    with pytest.raises(CredentialError, match=r"^the keyring is locked; unlock it and try again, or "):
        places.keep(ENTRY, "svc_test_x")


def test_what_a_broken_keyring_says_is_not_repeated(places: SecretStore, own_keyring: FileKeyring) -> None:
    keyring.set_keyring(BrokenKeyring())
    assert complaint(places, ENTRY) == (
        f"the keyring can't be read; check it with: keyring --list-backends; or {OTHERWISE}"
    )


@pytest.mark.parametrize("value", [b"svc_test_hidden", object(), 7, ["svc_test_hidden"]])
def test_a_keyring_that_returns_no_text_is_one_line(
    places: SecretStore, own_keyring: FileKeyring, value: object
) -> None:
    keyring.set_keyring(OddKeyring(value))
    assert complaint(places, ENTRY) == (
        "the keyring entry svc-tui mine is not text; save the secret with: keyring set svc-tui mine"
    )


def test_a_keyring_that_never_answers_is_waited_for_and_given_up(
    places: SecretStore, own_keyring: FileKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.set_keyring(HangingKeyring())
    monkeypatch.setattr(slow_calls, "NOTICE_SECONDS", 0.01)
    monkeypatch.setattr(secrets, "KEYRING_SECONDS", 0.1)
    notices: list[str] = []
    with slow_calls.notices_shown_by(notices.append):
        assert complaint(places, ENTRY) == (
            f"the keyring did not respond within 0 s; unlock or restart it, or {OTHERWISE}"
        )
    assert notices == ["waiting for the keyring"]


def test_a_file_beside_the_profile_or_anywhere(
    places: SecretStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    places.keep(FileSource("mine.key"), "svc_test_x")
    assert (tmp_path / "mine.key").stat().st_mode & 0o777 == 0o600
    for name in ("mine.key", "~/mine.key", str(tmp_path / "mine.key")):
        assert places.read(FileSource(name)) == "svc_test_x"
    places.forget(FileSource("mine.key"))
    assert (
        complaint(places, FileSource("mine.key"))
        == f"{tmp_path / 'mine.key'} does not exist; create it, or correct its path in the profile"
    )


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        (0o620, "can be written by others; run: chmod go-w "),
        (0o602, "can be written by others; run: chmod go-w "),
        (0o640, "contains a secret and can be read by others; run: chmod go-r "),
        (0o604, "contains a secret and can be read by others; run: chmod go-r "),
    ],
)
def test_a_file_that_others_can_reach_is_refused(places: SecretStore, tmp_path: Path, mode: int, told: str) -> None:
    path = tmp_path / "mine.key"
    path.write_text("svc_test_hidden")
    path.chmod(mode)
    assert complaint(places, FileSource("mine.key")) == f"{path} {told}{path}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(places: SecretStore, tmp_path: Path) -> None:
    path = tmp_path / "mine.key"
    path.write_text("svc_test_hidden")
    path.chmod(0o600)
    os.chown(path, 4711, -1)
    assert complaint(places, FileSource("mine.key")).startswith(f"{path} belongs to another user; run: ")


@pytest.mark.parametrize(
    ("data", "told"),
    [(b" \n", "is empty; write the secret into it"), (b"\xff", "is not UTF-8 text (byte 1); save it as UTF-8")],
)
def test_a_file_without_a_secret_is_told(places: SecretStore, tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "mine.key"
    path.write_bytes(data)
    path.chmod(0o600)
    assert complaint(places, FileSource("mine.key")) == f"{path} {told}"
    assert complaint(places, FileSource(".")) == f"{tmp_path} is not a regular file"


def python(program: str) -> CommandSource:
    """A command that runs a program in Python."""
    return CommandSource((sys.executable, "-c", program))


def test_a_command_prints_the_secret(places: SecretStore) -> None:
    assert places.read(CommandSource(("printf", " %s\\n", "svc_test_x"))) == "svc_test_x"


def test_a_byte_order_mark_before_a_secret_is_skipped(places: SecretStore, tmp_path: Path) -> None:
    path = tmp_path / "mine.key"
    path.write_bytes(b"\xef\xbb\xbfsvc_test_x\r\n")
    path.chmod(0o600)
    assert places.read(FileSource("mine.key")) == "svc_test_x"
    assert places.read(CommandSource(("printf", "\\357\\273\\277svc_test_x\\r\\n"))) == "svc_test_x"


def test_a_command_has_no_shell(places: SecretStore) -> None:
    assert places.read(CommandSource(("echo", "$HOME;", "`id`"))) == "$HOME; `id`"


def test_a_command_has_the_variables_and_neither_terminal_nor_input(places: SecretStore) -> None:
    program = "import os, sys; print(os.environ['MY_KEY'].strip(), repr(sys.stdin.read()), os.getsid(0) == os.getpid())"
    assert places.read(python(program)) == "svc_test_x '' True"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (CommandSource(("no-such-program", "hidden")), "can't be started: No such file or directory"),
        (
            CommandSource(("echo", "a\0hidden")),
            "can't be started: it contains a null character",
        ),
        (CommandSource(("false", "hidden")), "failed (exit status 1); run it in a terminal to see why"),
        (CommandSource(("sh", "-c", "echo hidden; exit 3")), "failed (exit status 3); run it in a terminal to see why"),
        (CommandSource(("true",)), "printed nothing"),
        (CommandSource(("cat",)), "printed nothing"),
        (CommandSource(("yes", "hidden")), "printed more than 16,384 bytes; it must print only the secret"),
        (CommandSource(("printf", "hidden\\377")), "printed something that is not UTF-8 text"),
    ],
)
def test_a_command_that_gives_none_is_told_and_its_output_is_not(
    places: SecretStore, capfd: pytest.CaptureFixture[str], command: CommandSource, told: str
) -> None:
    assert complaint(places, command) == f"the command {command.words[0]} {told}"
    assert capfd.readouterr() == ("", "")


def test_what_a_command_complains_of_is_not_shown(places: SecretStore, capfd: pytest.CaptureFixture[str]) -> None:
    assert places.read(CommandSource(("sh", "-c", "echo hidden >&2; echo svc_test_x"))) == "svc_test_x"
    assert capfd.readouterr() == ("", "")


def test_a_command_is_not_waited_for_for_ever_nor_what_it_started(
    places: SecretStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "COMMAND_SECONDS", 0.2)
    # What it started holds its output open.
    assert (
        complaint(places, CommandSource(("sh", "-c", "sleep 600 & sleep 600")))
        == "the command sh did not finish within 0 s"
    )


def test_the_end_of_the_loop_does_not_wait_for_a_command_that_hangs(places: SecretStore) -> None:
    said: list[str] = []

    def ask() -> None:
        said.append(complaint(places, CommandSource(("sh", "-c", "sleep 600 & sleep 600"))))

    def started() -> None:
        while not processes._awaited.programs:
            time.sleep(0.01)

    async def leave() -> None:
        asking = asyncio.ensure_future(asyncio.to_thread(ask))
        await asyncio.to_thread(started)
        asking.cancel()

    async def leave_sooner() -> None:
        asking = asyncio.ensure_future(asyncio.to_thread(ask))
        await asyncio.sleep(0)
        asking.cancel()

    for leaving in (leave, leave_sooner):
        run_on_loop(leaving())
        assert not processes._awaited.programs
    ended = "the command sh failed (exit status -9); run it in a terminal to see why"
    assert said == [ended, ended], "nothing was waited for until it was late"
    assert places.read(CommandSource(("echo", "svc_test_x"))) == "svc_test_x"


def test_no_secret_in_a_repr() -> None:
    for source in (InlineSource("hidden"), CommandSource(("op", "hidden"))):
        assert "hidden" not in f"{source!r} {source}"
    assert "hidden" not in repr(SecretStore({"SVC_API_KEY": "hidden"}, Path()))
