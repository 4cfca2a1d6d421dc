"""`svc-tui profiles` and `config`, with a keyring and against a real service."""

import asyncio
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
import tomli_w
from keyring.core import load_keyring

from svc_tui.core.credentials import Environment
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.journal_entries import JournalEntry
from svc_tui.storage.scope import StorageScope
from svc_tui.storage.store import Store
from tests.cli.conftest import CompletedCommand, Run
from tests.terminal import terminal

Do = Callable[..., CompletedCommand]
LOT = "operations/lots/lot-000001"

EDITOR = """
import sys
from pathlib import Path
plan, file = Path(sys.argv[1]), Path(sys.argv[2])
first, _, rest = plan.read_text().partition("\\n---\\n")
plan.write_text(rest)
old, _, new = first.partition(" => ")
file.write_text(file.read_text().replace(old, new))
"""

LOCKED = (
    'the keyring is locked; unlock it and try again, or use { env = "NAME" }, { file = "path" } or { command = ["…"] }'
)
"""What is said of a keyring that nobody unlocked."""


@pytest.fixture
def keyring_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the keyring to a file of the test."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.keyrings.FileKeyring")
    monkeypatch.setenv("TEST_KEYRING", str(home / "keyring.json"))


@pytest.fixture
def do(keyring_variables: None, run: Run) -> Iterator[Do]:
    """Runs the program without a terminal, to its end, with the keyring that the environment names by then."""
    before = keyring.get_keyring()

    def do(*words: str, stdin: str = "") -> CompletedCommand:
        keyring.set_keyring(load_keyring(os.environ["PYTHON_KEYRING_BACKEND"]))
        return run(*words, stdin=stdin.encode())

    yield do
    keyring.set_keyring(before)


@pytest.fixture
def do_alone(keyring_variables: None) -> Do:
    """Runs the program like `do`, in a process of its own."""

    def do(*words: str, stdin: str = "") -> CompletedCommand:
        ran = subprocess.run([sys.executable, "-m", "svc_tui", *words], input=stdin.encode(), capture_output=True)
        return CompletedCommand(ran.returncode, ran.stdout, ran.stderr.decode())

    return do


@pytest.fixture
def file(home: Path) -> Path:
    """The profile called mine."""
    return home / "config" / "svc-tui" / "profiles" / "mine.toml"


def pair(service: RunningService, name: str) -> str:
    """A key and its secret as two lines."""
    key = service.key(name)
    return f"{key.api_key}\n{key.signing_secret or ''}\n"


def entries(home: Path) -> dict[str, str]:
    """What the keyring holds."""
    path = home / "keyring.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def add(do: Do, service: RunningService, name: str = "mine", key: str = "sandbox", *words: str) -> CompletedCommand:
    """Make a profile of one of the service's keys."""
    option = "--base-url" if service.key(key).api_key.startswith("svc_live_") else "--sandbox-base-url"
    ran = do("profiles", "add", name, option, service.base_url, *words, stdin=pair(service, key))
    assert ran.status == 0, ran.err
    return ran


def test_a_profile_is_added_with_its_pair_in_the_keyring_and_works(
    do_alone: Do, service: RunningService, home: Path, file: Path
) -> None:
    ran = add(do_alone, service, "mine", "live")
    assert ran.out.decode() == f"created mine in {file}; it is the current profile\n"
    assert ran.err == "svc-tui: check it with: svc-tui doctor\n"
    key = service.key("live")
    assert entries(home) == {"svc-tui/mine": key.api_key, "svc-tui/mine-secret": key.signing_secret}
    assert file.read_text() == (
        'api_key = { keyring = "svc-tui/mine" }\n'
        'signing_secret = { keyring = "svc-tui/mine-secret" }\n'
        f'base_url = "{service.base_url}"\n'
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["mine.toml"]
    ran = do_alone("request", "GET", LOT)
    assert (ran.status, ran.out.decode()) == (0, service.record("operations/lots", "lot-000001"))
    assert service.attempts[-1].signed


def test_a_live_key_without_a_secret_is_kept_and_said_to_be_unsigned(
    do: Do, service: RunningService, file: Path
) -> None:
    words = ("profiles", "add", "mine", "--base-url", service.base_url)
    ran = do(*words, stdin=f"{service.key('live').api_key}\n\n")
    assert ran.status == 0
    assert ran.err.splitlines()[0] == (
        "svc-tui: the profile has no signing secret, so requests are not signed; live keys usually need signed requests"
    )
    assert "signing_secret" not in file.read_text()
    ran = do("request", "GET", LOT)
    assert ran.status == 1
    assert "signature_missing" in ran.err
    assert "signing_secret in the profile" in ran.err
    assert not service.attempts[-1].signed


def test_files_keep_the_pair_where_that_is_wished(do: Do, service: RunningService, home: Path, file: Path) -> None:
    add(do, service, "mine", "test-signed", "--keep", "file", "--read-only")
    assert file.read_text().startswith('api_key = { file = "mine.key" }\nsigning_secret = { file = "mine.secret" }\n')
    assert file.read_text().endswith("read_only = true\n")
    assert file.with_name("mine.key").read_text() == f"{service.key('test-signed').api_key}\n"
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    assert entries(home) == {}
    assert do("request", "GET", LOT).status == 0


@pytest.mark.parametrize("where", ["env", "file", "command", "keyring"])
def test_a_key_that_is_kept_elsewhere_is_only_pointed_at(
    do: Do, service: RunningService, home: Path, file: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    key = service.key("live")
    assert key.signing_secret
    sources = {}
    for name, value in (("key", key.api_key), ("secret", key.signing_secret)):
        kept = home / f"my.{name}"
        kept.write_text(value)
        kept.chmod(0o600)
        monkeypatch.setenv(f"MY_{name.upper()}", value)
        sources[name] = {
            "env": f"env:MY_{name.upper()}",
            "file": f"file:{kept}",
            "command": f"command:cat '{kept}'",
            "keyring": f"keyring:other/{name}",
        }[where]
    (home / "keyring.json").write_text(json.dumps({"other/key": key.api_key, "other/secret": key.signing_secret}))
    words = ("--key-from", sources["key"], "--secret-from", sources["secret"], "--base-url", service.base_url)
    assert do("profiles", "add", "mine", *words).status == 0
    assert key.api_key not in file.read_text()
    assert do("--profile", "mine", "request", "GET", LOT).status == 0
    assert service.attempts[-1].signed


@pytest.mark.parametrize(
    ("words", "stdin", "line"),
    [
        (
            ["env", "--base-url", "https://a.example"],
            "",
            "env is reserved by svc-tui; choose another name for the profile",
        ),
        (
            ["a/b"],
            "",
            '"a/b" is not a valid profile name; use up to 64 letters, digits, dots, hyphens and underscores, '
            "beginning with a letter or digit",
        ),
        (
            ["mine"],
            "svc_live_hidden\n",
            "the base URL for LIVE is missing; add --base-url URL; see svc-tui profiles add --help",
        ),
        (
            ["mine", "--base-url", "https://a.example"],
            "svc_test_hidden\n",
            "the base URL for SANDBOX is missing; add --sandbox-base-url URL; see svc-tui profiles add --help",
        ),
        (["mine"], "", "the API key is empty"),
        (["mine"], "hidden\n", "the API key must begin with svc_live_ or svc_test_; copy the whole key"),
        (
            ["mine", "--base-url", "http://a.example"],
            "svc_live_hidden\n",
            '{file}:2: base_url is "http://a.example"; plain '
            "http to a.example would send the key unencrypted; use https",
        ),
        (
            ["mine", "--key-from", "svc_live_hidden"],
            "",
            "don't write a key or secret on the command line; write where it is stored: "
            "keyring:SERVICE/NAME, env:NAME, file:PATH or command:COMMAND",
        ),
        (
            ["mine", "--key-from", "hidden"],
            "",
            "don't write a key or secret on the command line; write where it is stored: "
            "keyring:SERVICE/NAME, env:NAME, file:PATH or command:COMMAND",
        ),
        (
            ["mine", "--key-from", "vault:hidden"],
            "",
            "the location of a key or secret must be keyring:SERVICE/NAME, env:NAME, file:PATH or command:COMMAND",
        ),
        (
            ["mine", "--key-from", "command:cat 'hidden"],
            "",
            "the command after command: has an open quote; close it",
        ),
        (
            ["mine", "--key-from", "keyring:hidden"],
            "",
            "{file}:1: api_key has a value for keyring that is not valid; allowed: "
            '{{ keyring = "service/name" }}, {{ env = "NAME" }}, {{ file = "path" }}, {{ command = ["program", "…"] }}',
        ),
        (
            ["mine", "--secret-from", "env:S"],
            "",
            "--secret-from needs --key-from; see svc-tui profiles add --help",
        ),
        (
            ["mine", "--keep", "file", "--key-from", "env:K"],
            "",
            "--keep and --key-from can't be used together; see svc-tui profiles add --help",
        ),
    ],
)
def test_a_profile_that_cannot_be_made_leaves_nothing(
    do: Do, home: Path, file: Path, words: list[str], stdin: str, line: str
) -> None:
    if any(word.startswith("--key-from") for word in words) and "--base-url" not in words:
        words = [*words, "--base-url", "https://a.example"]
    ran = do("profiles", "add", *words, stdin=stdin)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"svc-tui: {line.format(file=file)}\n")
    assert not file.exists()
    assert entries(home) == {}


def test_a_profile_that_is_there_is_not_written_over(do: Do, service: RunningService, file: Path) -> None:
    add(do, service)
    before = file.read_text()
    ran = do("profiles", "add", "mine", "--base-url", "https://a.example", stdin="svc_live_x\n")
    assert ran.err == (
        "svc-tui: the profile mine already exists; change it with: svc-tui profiles edit mine, or its key with: "
        "svc-tui profiles rotate mine\n"
    )
    assert (ran.status, file.read_text()) == (2, before)


def test_without_a_keyring_the_other_places_are_offered_and_nothing_is_written(
    do: Do, service: RunningService, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    words = ("profiles", "add", "mine", "--sandbox-base-url", service.base_url)
    ran = do(*words, stdin=pair(service, "sandbox"))
    assert (ran.status, ran.out) == (2, b"")
    first, second = ran.err.splitlines()
    assert first == "svc-tui: this system has no usable keyring"
    assert second == (
        "svc-tui: nothing was saved; use --keep file, or --key-from "
        "keyring:SERVICE/NAME, env:NAME, file:PATH or command:COMMAND"
    )
    assert not file.exists()
    assert do(*words, "--keep", "file", stdin=pair(service, "sandbox")).status == 0


def test_a_keyring_that_locks_half_way_leaves_nothing(
    do: Do, service: RunningService, home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.keyrings.StubbornKeyring")
    ran = do("profiles", "add", "mine", "--base-url", service.base_url, stdin=pair(service, "live"))
    assert (ran.status, ran.err) == (2, f"svc-tui: {LOCKED}\n")
    assert not file.exists()
    assert entries(home) == {}


def test_a_teams_password_is_neither_written_over_nor_removed_with_a_profile(
    do: Do, service: RunningService, home: Path, file: Path
) -> None:
    add(do, service)
    (home / "keyring.json").write_text(json.dumps({**entries(home), "svc-tui/work": "shared", "svc-tui/mine": "x"}))
    before = entries(home)
    with file.open("a") as out:
        out.write('team_password = { keyring = "svc-tui/work" }\n')
    ran = do("profiles", "add", "work", "--base-url", service.base_url, stdin=pair(service, "live"))
    assert (ran.status, ran.err) == (
        2,
        "svc-tui: the profile mine already has its key in the keyring svc-tui/work; "
        "choose another name for the new profile\n",
    )
    work = file.rename(file.with_name("work.toml"))
    work.write_text(work.read_text().replace("/mine", "/x"))
    assert do("profiles", "remove", "work", "--yes").status == 0
    assert entries(home) == before


def test_a_key_that_is_there_is_not_written_over(do: Do, service: RunningService, home: Path, file: Path) -> None:
    add(do, service, "other", "live")
    other = file.with_name("other.toml")
    other.write_text(other.read_text().replace("svc-tui/other", "svc-tui/mine"))
    before = entries(home)
    words = ("profiles", "add", "mine", "--base-url", service.base_url)
    ran = do(*words, stdin=pair(service, "live-read-only"))
    assert (ran.status, ran.err) == (
        2,
        "svc-tui: the profile other already has its key in the keyring svc-tui/mine; choose another name for the "
        "new profile\n",
    )
    file.with_name("mine.secret").write_text("kept")
    ran = do(*words, "--keep", "file", stdin=pair(service, "live-read-only"))
    assert (ran.status, ran.err) == (
        2,
        f"svc-tui: {file.with_name('mine.secret')} exists; move it to another directory, or use it with "
        "--key-from file:mine.secret\n",
    )
    assert (entries(home), file.with_name("mine.secret").read_text()) == (before, "kept")
    assert not file.exists()


def test_the_list_tells_names_places_and_mistakes(do: Do, service: RunningService, file: Path) -> None:
    ran = do("profiles", "list")
    assert (ran.status, ran.out) == (0, b"")
    assert ran.err == "svc-tui: there are no profiles; create one with: svc-tui profiles add NAME\n"
    add(do, service)
    add(do, service, "work", "live", "--read-only")
    url = service.base_url
    ran = do("profiles")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.decode() == f"* mine  SANDBOX {url}\n  work  LIVE {url} · read-only\n"
    assert do("profiles", "list", "--profile", "work").out.decode().splitlines()[1].startswith("* work")
    file.write_text("page_size = 0")
    ran = do("profiles", "list")
    assert ran.status == 2
    assert ran.out.decode().splitlines()[0] == "* mine  can't be used"
    assert ran.err.startswith(f"svc-tui: {file}: api_key is missing")


def test_a_profile_is_shown_with_the_line_of_every_setting_and_no_secret(
    do: Do, service: RunningService, file: Path
) -> None:
    add(do, service, "mine", "live")
    with file.open("a") as out:
        out.write('[collections."operations/lots"]\ncolumns = ["id", "grade"]\n')
    ran = do("profiles", "show", "mine")
    assert (ran.status, ran.err) == (0, "")
    assert [re.sub(r" +# ", " # ", line) for line in ran.out.decode().splitlines()] == [
        f"api_key = keyring svc-tui/mine # {file}:1",
        f"signing_secret = keyring svc-tui/mine-secret # {file}:2",
        f'base_url = "{service.base_url}" # {file}:3',
        'sandbox_base_url = "" # default',
        "page_size = 50 # default",
        'idempotency_header = "Idempotency-Key" # default',
        'idempotency = "unproven" # default',
        "read_only = false # default",
        "index = false # default",
        "index_hours = 24 # default",
        "index_days = 30 # default",
        'null_word = "(null)" # default',
        'empty_word = "(empty)" # default',
        'team = "" # default',
        'team_name = "" # default',
        "team_required = false # default",
        "approve = [] # default",
        "team_password = none # default",
        f'collections."operations/lots".columns = ["id", "grade"] # {file}:5',
    ]
    assert do("profiles", "show").out == ran.out


def test_what_is_in_force_is_told_with_where_it_came_from(
    do: Do, service: RunningService, home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(do, service)
    config = home / "config" / "svc-tui" / "config.toml"
    config.write_text('# mine\ntheme = "svc-light"\n[keys]\n"record.edit" = "f2"\n')
    config.chmod(0o644)

    def told(*words: str) -> dict[str, str]:
        ran = do("config", *words)
        assert (ran.status, ran.err) == (0, "")
        return dict(
            re.split(r" = ", re.sub(r" +# ", " # ", line), maxsplit=1) for line in ran.out.decode().splitlines()
        )

    found = told("show")
    state = home / "state" / "svc-tui" / "state.toml"
    assert found["profile"] == f'"mine" # {state}: last chosen'
    assert found["api_key"] == f"keyring svc-tui/mine # {file}:1"
    assert found["theme"] == f'"svc-light" # {config}:2'
    assert found['keys."record.edit"'] == f'"f2" # {config}:4'
    assert found["live_unlock_minutes"] == "10 # default"
    assert found["config.toml"] == f"{config} # exists"
    found = told("show", "--theme", "svc-dark", "--read-only")
    assert (found["theme"], found["read_only"]) == ('"svc-dark" # --theme', "true # --read-only")
    monkeypatch.setenv("SVC_API_KEY", "svc_test_hidden")
    monkeypatch.setenv("SVC_SANDBOX_BASE_URL", "https://me:hidden@a.example")
    found = told()
    assert found["profile"] == '"env" # SVC_API_KEY'
    assert found["api_key"] == "variable SVC_API_KEY # SVC_API_KEY"
    assert found["sandbox_base_url"] == '"…" # SVC_SANDBOX_BASE_URL'
    assert "hidden" not in str(found)


@pytest.mark.parametrize("name", ["profile", "config"])
def test_the_schemas_are_json_and_name_every_setting(do: Do, name: str) -> None:
    ran = do("config", "schema", name)
    schema = json.loads(ran.out)
    assert (ran.status, schema["title"], schema["additionalProperties"]) == (0, name, False)
    wanted = {
        "profile": {"api_key", "collections", "routes", "read_only", "team_password", "approve"},
        "config": {"theme", "keys"},
    }
    assert wanted[name] <= set(schema["properties"])
    assert all("description" in setting for setting in schema["properties"].values())


def test_the_profile_to_use_is_chosen_and_what_beats_it_is_told(
    do: Do, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(do, service)
    add(do, service, "work", "live")
    ran = do("profiles", "use", "work")
    assert (ran.status, ran.out, ran.err) == (0, b"now using work\n", "")
    assert do("request", "GET", LOT).status == 0
    assert service.attempts[-1].key == "live"
    monkeypatch.setenv("SVC_TUI_PROFILE", "mine")
    assert do("request", "GET", LOT).status == 0
    assert service.attempts[-1].key == "sandbox"
    assert do("profiles", "use", "work").err == "svc-tui: but SVC_TUI_PROFILE is set and takes precedence\n"
    ran = do("profiles", "use", "wrok")
    assert (ran.status, ran.err) == (
        2,
        'svc-tui: there is no profile wrok; available: mine, work; did you mean "work"?\n',
    )


@pytest.mark.parametrize("words", [["request", "GET", LOT], ["export", "lots"], ["doctor"], ["lots"], ["config"]])
def test_every_command_takes_the_profile_by_name(do: Do, service: RunningService, words: list[str]) -> None:
    add(do, service)
    ran = do(*words, "--profile", "mien")
    said = ran.out.decode() + ran.err
    assert ran.status == (1 if words == ["doctor"] else 2)
    assert "there is no profile mien" in said
    assert 'did you mean "mine"?' in said


def test_a_profile_that_is_read_only_refuses_every_write(do: Do, service: RunningService) -> None:
    add(do, service, "mine", "sandbox", "--read-only")
    ran = do("request", "PATCH", LOT, "-d", '{"grade": "A"}')
    assert (ran.status, ran.err) == (
        2,
        "svc-tui: PATCH is a write, and the profile mine is read-only; to allow writes: svc-tui profiles edit mine\n",
    )
    assert not [attempt for attempt in service.attempts if attempt.method == "PATCH"]


def test_writes_are_filed_under_the_profile_and_name_where_the_key_came_from(
    do: Do, service: RunningService, home: Path
) -> None:
    add(do, service)
    assert do("request", "PATCH", LOT, "-d", '{"note": "new"}').status == 0

    async def read(name: str) -> list[JournalEntry]:
        async with Store.open(home / "state" / "svc-tui" / "svc-tui.db") as store:
            return await store.journal(StorageScope(name, Environment.SANDBOX, service.base_url)).entries()

    (entry,) = asyncio.run(read("mine"))
    assert entry.key == "keyring svc-tui/mine"
    assert asyncio.run(read("env")) == []


def test_the_own_query_spelling_and_page_size_hold_in_an_export(do: Do, service: RunningService, file: Path) -> None:
    add(do, service)
    with file.open("a") as out:
        out.write('page_size = 7\n[collections."operations/lots"]\nquery = { status = "open" }\n')
    ran = do("export", "lots")
    assert ran.status == 0
    assert {json.loads(line)["status"] for line in ran.out.splitlines()} == {"open"}
    assert {attempt.target for attempt in service.attempts} >= {"/v1/operations/lots?page=1&limit=7&status=open"}


def test_the_doctor_names_the_profile_and_where_key_and_secret_come_from(do: Do, service: RunningService) -> None:
    add(do, service, "mine", "live")
    ran = do("doctor", "--json")
    assert ran.status == 0
    first = json.loads(ran.out)["checks"][0]
    assert first["message"] == (
        f"profile mine: {service.base_url}, from api_key (keyring svc-tui/mine), signing_secret (keyring "
        "svc-tui/mine-secret) and base_url; no config.toml"
    )


def test_the_doctor_finds_a_mistake_in_a_profile(do: Do, service: RunningService, file: Path) -> None:
    add(do, service)
    with file.open("a") as out:
        out.write("page_sise = 5\n")
    ran = do("doctor", "--json")
    first = json.loads(ran.out)["checks"][0]
    assert (ran.status, first["verdict"]) == (1, "failed")
    assert first["message"].startswith(f"{file}:3: unknown setting page_sise; ")


@pytest.fixture
def editor(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what the user's editor puts in place of what, at each call."""
    script, plan = home / "editor.py", home / "plan"
    script.write_text(EDITOR)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script} {plan}")
    monkeypatch.delenv("VISUAL", raising=False)

    def plan_edits(*edits: str) -> None:
        plan.write_text("\n---\n".join(edits))

    return plan_edits


def test_a_profile_is_edited_comments_and_all(
    do: Do, service: RunningService, file: Path, editor: Callable[..., None]
) -> None:
    add(do, service)
    before = file.read_text()
    editor("api_key => # my own\npage_size = 20\napi_key")
    ran = do("profiles", "edit", "mine")
    assert (ran.status, ran.out, ran.err) == (0, b"saved mine\n", "")
    assert file.read_text() == f"# my own\npage_size = 20\n{before}"
    editor("nothing => else")
    assert do("profiles", "edit", "mine").out == b"mine was not changed\n"


def test_a_mistake_in_an_edit_changes_nothing(
    do: Do, service: RunningService, file: Path, editor: Callable[..., None]
) -> None:
    add(do, service)
    before = file.read_text()
    editor("api_key => page_size = 0\napi_key")
    ran = do("profiles", "edit", "mine")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[-1] == (
        f"svc-tui: {file}:1: page_size is 0; allowed: a whole number from 1 to 1000: records per request; "
        "the profile was not changed"
    )
    assert file.read_text() == before


@pytest.mark.terminal
def test_a_mistake_in_an_edit_can_be_mended_at_once(
    do: Do, service: RunningService, file: Path, editor: Callable[..., None]
) -> None:
    add(do, service)
    editor("api_key => page_size = 0\napi_key", "page_size = 0 => page_size = 9")
    with terminal(["profiles", "edit", "mine"], {**os.environ, "TERM": "xterm-256color"}, 400) as user:
        user.sees(r"page_size is 0; allowed")
        user.sees(r"Edit it again\?")
        user.press("y", "enter")
        user.sees(r"saved mine")
        assert user.ends() == 0
    assert file.read_text().startswith("page_size = 9\n")


def test_a_profile_is_removed_with_the_pair_that_is_kept_for_it_alone(
    do: Do, service: RunningService, home: Path, file: Path
) -> None:
    add(do, service, "mine", "live")
    ran = do("profiles", "remove", "mine")
    assert (ran.status, ran.err) == (2, "svc-tui: mine was not removed; in a script, add --yes\n")
    assert file.exists()
    ran = do("profiles", "remove", "mine", "--yes")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.decode() == ("removed mine and its secrets (keyring svc-tui/mine, keyring svc-tui/mine-secret)\n")
    assert not file.exists()
    assert entries(home) == {}
    assert do("request", "GET", LOT).err.startswith("svc-tui: no key is set; set SVC_API_KEY, create a profile")


def test_what_another_profile_uses_and_what_is_kept_elsewhere_stays(
    do: Do, service: RunningService, home: Path, file: Path
) -> None:
    add(do, service, "mine", "live")
    text = file.read_text()
    file.with_name("other.toml").write_text(text.replace("mine-secret", "elsewhere"))
    file.with_name("other.toml").chmod(0o600)
    assert do("profiles", "remove", "mine", "--yes").out.decode() == (
        "removed mine and its secrets (keyring svc-tui/mine-secret)\n"
    )
    assert list(entries(home)) == ["svc-tui/mine"]
    assert do("profiles", "remove", "other", "--yes").out == b"removed other\n"
    assert list(entries(home)) == ["svc-tui/mine"]


def test_a_profile_that_cannot_be_read_can_be_removed(do: Do, service: RunningService, file: Path) -> None:
    add(do, service)
    file.write_text("page_size = ")
    assert do("profiles", "remove", "mine", "--yes").status == 0
    assert not file.exists()


@pytest.mark.parametrize("keep", ["keyring", "file"])
def test_a_rotation_puts_the_new_pair_in_the_old_ones_place(
    do: Do, service: RunningService, home: Path, file: Path, keep: str
) -> None:
    add(do, service, "mine", "live", "--keep", keep)
    before = file.read_text()
    ran = do("profiles", "rotate", "mine", stdin=pair(service, "live-read-only"))
    assert (ran.status, ran.out, ran.err) == (0, b"mine has the new key and secret\n", "")
    key = service.key("live-read-only")
    if keep == "keyring":
        assert entries(home) == {"svc-tui/mine": key.api_key, "svc-tui/mine-secret": key.signing_secret}
    else:
        assert file.with_name("mine.key").read_text() == f"{key.api_key}\n"
        assert file.with_name("mine.secret").read_text() == f"{key.signing_secret}\n"
    assert file.read_text() == before
    assert do("request", "GET", LOT).status == 0
    assert service.attempts[-1].key == "live-read-only"


def test_a_pair_written_in_the_profile_is_rotated_and_nothing_else_in_it(
    do: Do, service: RunningService, file: Path
) -> None:
    old, new = service.key("test-signed"), service.key("sandbox")
    text = '# mine\napi_key = "{}"   # of the trial\nsandbox_base_url = "{}"\n[[routes]]\n{}'
    route = tomli_w.dumps({"name": "api_key = 1", "method": "GET", "path": "/x"})
    file.parent.mkdir(parents=True)
    file.write_text(text.format(old.api_key, service.base_url, route))
    file.chmod(0o600)
    ran = do("profiles", "rotate", "mine", stdin=f"{new.api_key}\n")
    assert (ran.status, ran.out.decode()) == (
        0,
        "mine has the new key; it has no signing secret, so requests are not signed\n",
    )
    assert file.read_text() == text.format(new.api_key, service.base_url, route)


@pytest.mark.parametrize(
    ("name", "secret", "told"),
    [
        ("live", "wrong", r"signature: .*signature_mismatch"),
        ("nobody", "wrong", r"key: .*api_key_invalid"),
    ],
)
def test_the_old_pair_stays_when_the_service_does_not_take_the_new_one(
    do: Do, service: RunningService, home: Path, name: str, secret: str, told: str
) -> None:
    add(do, service, "mine", "live")
    before = entries(home)
    key = "svc_live_nobody" if name == "nobody" else service.key(name).api_key
    ran = do("profiles", "rotate", "mine", stdin=f"{key}\n{secret}\n")
    assert (ran.status, ran.out) == (1, b"")
    first, *_, last = ran.err.splitlines()
    assert re.match(rf"svc-tui: {told}", first)
    assert last == "svc-tui: mine still has its old key and secret"
    assert key not in ran.err
    assert entries(home) == before
    assert do("request", "GET", LOT).status == 0


def test_the_old_pair_is_back_when_the_new_one_can_be_kept_by_half(
    do: Do, service: RunningService, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(do, service, "mine", "live")
    before = entries(home)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.keyrings.HalfKeyring")
    ran = do("profiles", "rotate", "mine", stdin=pair(service, "live-read-only"))
    assert (ran.status, ran.err) == (
        2,
        f"svc-tui: {LOCKED}; mine still has its old key and secret\n",
    )
    assert entries(home) == before


@pytest.mark.parametrize(
    ("stdin", "told"),
    [
        (
            "svc_test_x\nsecret\n",
            "the new key is a SANDBOX key, but mine has a LIVE key; create another profile with: svc-tui "
            "profiles add NAME",
        ),
        (
            "svc_live_x\n\n",
            "the signing secret is empty; this profile signs its requests, so enter a signing secret too",
        ),
        ("hidden\nhidden\n", "the API key must begin with svc_live_ or svc_test_; copy the whole key"),
    ],
)
def test_a_pair_that_cannot_be_this_profiles_is_not_tried(
    do: Do, service: RunningService, stdin: str, told: str
) -> None:
    add(do, service, "mine", "live")
    ran = do("profiles", "rotate", "mine", stdin=stdin)
    assert (ran.status, ran.err) == (2, f"svc-tui: {told}\n")
    assert service.attempts == []


@pytest.mark.parametrize(
    ("source", "told", "then"),
    [
        ("env:MY_KEY", "variable MY_KEY", "restart svc-tui"),
        ("command:op read x", "command op", "press F5 in svc-tui"),
    ],
)
def test_what_svc_tui_cannot_change_is_told_before_it_asks(do: Do, source: str, told: str, then: str) -> None:
    assert do("profiles", "add", "mine", "--base-url", "https://a.example", "--key-from", source).status == 0
    ran = do("profiles", "rotate", "mine")
    assert (ran.status, ran.err) == (
        2,
        f"svc-tui: api_key of mine comes from the {told}; svc-tui can't change it. Change it there, then {then}\n",
    )


@pytest.mark.terminal
def test_a_pair_that_is_typed_is_not_seen(do: Do, service: RunningService, home: Path) -> None:
    with terminal(["profiles", "add", "mine"], {**os.environ, "TERM": "xterm-256color"}, 400) as user:
        user.sees(r"API key for mine \(hidden input\):")
        user.press(service.key("test-signed").api_key, "enter")
        user.sees(r"Signing secret \(Enter for none\):")
        user.press(service.key("test-signed").signing_secret or "", "enter")
        user.sees(r"Base URL of the sandbox:")
        user.press(service.base_url, "enter")
        user.sees(r"created mine in")
        assert user.ends() == 0
        assert service.key("test-signed").api_key.encode() not in user.raw
    assert entries(home)["svc-tui/mine"] == service.key("test-signed").api_key


@pytest.mark.terminal
def test_key_and_secret_are_asked_for_unseen_before_where_to_save_them(
    do: Do, service: RunningService, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    key = service.key("test-signed")
    words = ["profiles", "add", "mine", "--sandbox-base-url", service.base_url]
    with terminal(words, {**os.environ, "TERM": "xterm-256color"}, 400) as user:
        user.sees(r"API key for mine \(hidden input\):")
        user.press(key.api_key, "enter")
        user.sees(r"Signing secret \(Enter for none\):")
        user.press(key.signing_secret or "", "enter")
        user.sees(r"svc-tui: this system has no usable keyring\s")
        user.sees(r"Save the key and the secret in two files that only you can read\? \[y/N\]:")
        user.press("file", "enter")
        user.sees(r"svc-tui: type y or n")
        user.press("Y", "enter")
        user.sees(r"created mine in")
        assert user.ends() == 0
        assert key.api_key.encode() not in user.raw
    assert "file" in file.read_text()


DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Mine", "version": "1"},
    "paths": {
        "/v1/operations/lots/{id}/weigh": {"post": {"summary": "Weigh a lot", "operationId": "weigh"}},
        "/v1/operations/lots": {"get": {"summary": "List"}},
        "/v1/auth/keys": {"get": {"summary": "Keys"}},
    },
}


def test_routes_are_imported_behind_what_the_file_holds_and_once(
    do: Do, service: RunningService, home: Path, file: Path
) -> None:
    add(do, service)
    with file.open("a") as out:
        out.write("# mine\n[[routes]] # by hand\nname = 'Own'\nmethod = 'GET'\npath = '/own'\n\n\n")
    before = file.read_text().rstrip()
    document = home / "openapi.json"
    document.write_text(json.dumps(DOCUMENT))
    ran = do("profiles", "import", "mine", str(document))
    assert (ran.status, ran.out.decode()) == (0, "added 1 route of Mine (OpenAPI 3.0) to mine\n")
    assert "skipped: GET /v1/operations/lots: svc-tui already has it" in ran.err
    assert "API keys can't call routes under /v1/auth" in ran.err
    assert file.read_text() == (
        f'{before}\n\n[[routes]]\nname = "Weigh a lot"\nmethod = "POST"\npath = "/v1/operations/lots/{{id}}/weigh"\n'
    )
    again = file.read_text()
    ran = do("profiles", "import", "mine", str(document))
    assert (ran.status, ran.out.decode()) == (0, "mine was not changed: there are no new routes of Mine\n")
    assert "skipped: POST /v1/operations/lots/{id}/weigh: it is already in the profile" in ran.err
    assert file.read_text() == again


@pytest.mark.parametrize(
    ("text", "told"),
    [("openapi: 3.0.0\n", "the document is YAML; convert it to JSON first"), ("[", "the document is not valid JSON")],
)
def test_a_document_that_is_none_changes_nothing(
    do: Do, service: RunningService, home: Path, file: Path, text: str, told: str
) -> None:
    add(do, service)
    before = file.read_text()
    document = home / "openapi.json"
    document.write_text(text)
    ran = do("profiles", "import", "mine", str(document))
    assert ran.status == 2
    assert ran.err.startswith(f"svc-tui: {document}: {told}")
    assert file.read_text() == before


def test_routes_written_as_a_list_in_brackets_are_not_broken(
    do: Do, service: RunningService, home: Path, file: Path
) -> None:
    add(do, service)
    with file.open("a") as out:
        out.write("routes = [{ name = 'Own', method = 'GET', path = '/own' }]\n")
    before = file.read_text()
    document = home / "openapi.json"
    document.write_text(json.dumps(DOCUMENT))
    ran = do("profiles", "import", "mine", str(document))
    assert (ran.status, file.read_text()) == (2, before)
    assert ran.err.endswith(f"{file}: routes is a list in brackets; change each route to a [[routes]] table\n")
