"""The files of saved requests: read one by one, each mistake with file, line and key."""

import os
import stat
from pathlib import Path

import pytest

from svc_tui.config.requests.saved_requests import FileSavedRequests
from svc_tui.console.request_form import RequestForm
from svc_tui.console.saved_requests import DamagedRequest, SavedRequest, SavedRequestError

HEAD = 'name = "x"\nmethod = "GET"\npath = "/v1/x"\n'
KEYS = "body, description, headers, method, name, path, query"
QUERY = 'a table such as { status = "open" }, or text such as "status=open&page=1"'


@pytest.fixture
def requests(tmp_path: Path) -> FileSavedRequests:
    return FileSavedRequests(tmp_path / "requests")


def write(requests: FileSavedRequests, text: str | bytes, name: str = "one") -> Path:
    """Put a file where they are."""
    path = Path(requests.directory) / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(0o644)
    return path


def mistake(requests: FileSavedRequests) -> str:
    """What is said of the only file."""
    (damaged,) = requests.read()
    assert isinstance(damaged, DamagedRequest)
    return damaged.mistake


def test_without_a_directory_there_are_none_and_none_is_made(requests: FileSavedRequests) -> None:
    assert requests.read() == ()
    assert not Path(requests.directory).exists()


def test_a_byte_order_mark_before_a_request_is_skipped(requests: FileSavedRequests) -> None:
    write(requests, f"\ufeff{HEAD}")
    (read,) = requests.read()
    assert isinstance(read, SavedRequest)
    assert read.name == "x"


def test_files_are_read_by_name_and_a_damaged_one_is_listed_among_them(requests: FileSavedRequests) -> None:
    write(requests, HEAD.replace('"x"', '"Zinc"'), "a")
    write(
        requests,
        'name = "Split a lot"\ndescription = "For tickets"\nmethod = "POST"\npath = "/v1/operations/lots/{id}/split"\n'
        'body = \'{"parts": {parts}}\'\n[query]\ndry = "1"\ntag = ["a&b", "{tag}"]\n[headers]\nX-Trace = "7"\n',
        "split",
    )
    broken = write(requests, "name =", "m")
    write(requests, "nonsense", ".hidden")
    (Path(requests.directory) / "README.md").write_text("not a request")
    damaged, split, zinc = requests.read()
    assert damaged == DamagedRequest(
        "m", f"{broken}:1: not valid TOML: a value is missing or not valid; text needs quotes"
    )
    assert split == SavedRequest(
        "Split a lot",
        RequestForm(
            "POST",
            "/v1/operations/lots/{id}/split",
            "dry=1&tag=a%26b&tag={tag}",
            "X-Trace: 7",
            '{"parts": {parts}}',
        ),
        "For tickets",
        "split",
    )
    assert zinc.file == "a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name =", ":1: not valid TOML: a value is missing or not valid; text needs quotes"),
        (b"name = '\xff'", " is not UTF-8 text (byte 9); save it as UTF-8"),
        ('method = "GET"\npath = "/v1/x"', ": name is missing; expected: the name of the request, in quotes"),
        ('name = "x"\npath = "/v1/x"', ': method is missing; expected: a method in quotes, such as "POST"'),
        (
            'name = "x"\nmethod = "GET"',
            ': path is missing; expected: a path in quotes, such as "/v1/operations/lots/{id}"',
        ),
        (HEAD + 'pth = "/v1/y"', f':4: unknown setting pth; allowed: {KEYS}; did you mean "path"?'),
        (HEAD + "description = 7", ":4: description is 7; allowed: what it is for, in quotes"),
        (HEAD.replace('"x"', '" "'), ":1: name is empty; enter a name"),
        (HEAD.replace("GET", "G T"), ":2: method can't be sent: G T is not an HTTP method"),
        (HEAD.replace("/v1/x", "/v1/auth/keys"), ":3: path can't be used: "),
        (HEAD.replace("/v1/x", "lots/{id}"), ":3: path must begin with /, such as /v1/"),
        (HEAD.replace("/v1/x", "/v1/../x"), ":3: path can't be used: "),
        (HEAD + "query = 7", f":4: query is 7; allowed: {QUERY}"),
        (HEAD + "\n[query]\npage = 2", ":5: query has 2 for page; allowed: text in quotes, or a list of such texts"),
        (
            HEAD + "\n[query]\ntag = ['a', true]",
            ":5: query has true for tag; allowed: text in quotes, or a list of such texts",
        ),
        (HEAD + "[query]\n'' = 'a'", ":4: query can't be sent: line 1: a name is missing before =a"),
        (HEAD + "headers = ['a']", ':4: headers is a list; allowed: a table such as { X-Trace = "1" }'),
        (
            HEAD + '[headers]\n"X-A" = "1\\nX-B: 2"',
            ':4: headers has "X-A", which is not a valid header: no line break and no : in the name',
        ),
        (
            HEAD + '[headers]\nAuthorization = "Bearer x"',
            ":4: headers contain Authorization with credentials; ",
        ),
        (
            HEAD + '[headers]\nX-Api-Key = "x"',
            ":4: headers contain X-Api-Key with credentials; remove it. The profile provides them",
        ),
        (HEAD + '[headers]\n"X A" = "x"', ":4: headers can't be sent: 'X A' is not a valid header name"),
        (HEAD.replace("GET", "POST") + "body = '{\"a\": {b}, }'", ":4: body can't be sent: line 1, column "),
        (
            HEAD.replace("GET", "POST") + "body = 'svc_live_0123456789'",
            ":4: body contains an API key or signing secret; remove it",
        ),
        (HEAD + 'description = "of svc_test_0123"', ":4: description contains an API key or signing secret; remove it"),
        (b"#" + b" " * 1_000_000, " is larger than 1,000,000 bytes, which is too large for a saved request"),
    ],
)
def test_a_mistake_is_told_with_its_place(requests: FileSavedRequests, text: str | bytes, message: str) -> None:
    path = write(requests, text)
    assert mistake(requests).startswith(f"{path}{message}")
    assert "0123" not in mistake(requests)


def test_names_come_in_the_order_of_the_requests_without_a_look_at_the_rest(requests: FileSavedRequests) -> None:
    assert requests.names() == ()
    for file, name in (("a", "Zinc"), ("b", "lots"), ("c", "Assays"), ("d", "lots")):
        write(requests, HEAD.replace('"x"', f'"{name}"'), file)
    assert requests.names() == tuple(one.name for one in requests.read() if isinstance(one, SavedRequest))
    write(requests, HEAD.replace('"x"', '"Silver"').replace("/v1/x", "/v1/../x"), "e")
    assert requests.names() == ("Assays", "lots", "lots", "Silver", "Zinc")


@pytest.mark.parametrize(
    "text",
    ["name =", b"name = '\xff'", 'name = "x"\nmethod = "GET"', HEAD.replace('"x"', "7"), HEAD.replace('"x"', '" "')],
)
def test_what_is_no_request_has_no_name(requests: FileSavedRequests, text: str | bytes) -> None:
    write(requests, text)
    assert requests.names() == ()


def test_a_file_that_is_not_read_has_no_name(requests: FileSavedRequests) -> None:
    write(requests, HEAD, "theirs").chmod(0o666)
    write(requests, f"{HEAD}#{' ' * 1_000_000}", "large")
    write(requests, HEAD, ".hidden")
    os.mkfifo(Path(requests.directory) / "pipe.toml", 0o600)
    assert requests.names() == ()


def test_a_file_that_others_can_write_is_not_used(requests: FileSavedRequests) -> None:
    path = write(requests, HEAD)
    path.chmod(0o666)
    assert mistake(requests) == f"{path} can be written by others; run: chmod go-w {path}"


@pytest.mark.parametrize("kind", ["a directory", "a loop", "a pipe"])
def test_what_is_no_file_is_told(requests: FileSavedRequests, kind: str) -> None:
    path = write(requests, HEAD)
    path.unlink()
    if kind == "a directory":
        path.mkdir()
    elif kind == "a loop":
        path.symlink_to(path.name)
    else:
        os.mkfifo(path, 0o600)
    assert mistake(requests).startswith(str(path))


def test_a_directory_that_is_none_is_told(requests: FileSavedRequests) -> None:
    Path(requests.directory).write_text("a file")
    assert mistake(requests) == f"{requests.directory} can't be read: Not a directory"
    assert requests.names() == ()


def test_what_is_kept_comes_back_and_is_the_users_alone(requests: FileSavedRequests) -> None:
    saved = SavedRequest(
        "Split a lot", RequestForm("POST", "/v1/operations/lots/{id}/split", body='{"parts": {parts}}'), "why"
    )
    assert requests.existing_name(saved) == ""
    path = Path(requests.keep(saved))
    assert path.name == "split-a-lot.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (back,) = requests.read()
    assert back == SavedRequest(saved.name, saved.form, saved.description, "split-a-lot")
    assert requests.existing_name(SavedRequest("split a LOT", saved.form)) == "Split a lot"
    requests.remove("split-a-lot")
    requests.remove("split-a-lot")
    assert requests.read() == ()
    assert list(path.parent.iterdir()) == []


def test_a_damaged_file_is_named_before_it_is_replaced(requests: FileSavedRequests) -> None:
    write(requests, "name =", "x")
    assert requests.existing_name(SavedRequest("x", RequestForm())) == "x.toml"


def test_what_can_not_be_written_is_told(requests: FileSavedRequests) -> None:
    Path(requests.directory).write_text("a file")
    with pytest.raises(SavedRequestError, match=r"x\.toml can't be written: "):
        requests.keep(SavedRequest("x", RequestForm("GET", "/v1/x")))


def test_a_text_is_read_as_a_file_is_and_keeps_no_file(requests: FileSavedRequests) -> None:
    saved = requests.read_text(HEAD)
    assert (saved.name, saved.file, saved.form) == ("x", "", RequestForm("GET", "/v1/x"))
    assert requests.read() == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name = ", ":1: not valid TOML: a value is missing"),
        ("[" * 5_000, "not valid TOML"),
        ("name = 1", "name"),
        (HEAD + "extra = 1", "extra"),
        *(
            (f'{HEAD}headers = {{ "{name}" = "x" }}', " with credentials")
            for name in (
                "Authorization",
                "COOKIE",
                "x-svc-signature",
                "X_Svc_Anything",
                "Proxy-Authorization",
                "X-Token",
            )
        ),
        (f'{HEAD}headers = {{ "X-Ok" = "a\\r\\nCookie: b" }}', "which is not a valid header"),
        (f'{HEAD}body = "svc_live_abc"', "an API key or signing secret"),
    ],
)
def test_a_text_that_is_no_request_of_ones_own_is_refused(requests: FileSavedRequests, text: str, why: str) -> None:
    with pytest.raises(SavedRequestError, match=why):
        requests.read_text(text)


def test_a_link_to_a_saved_request_stays_one(requests: FileSavedRequests, tmp_path: Path) -> None:
    path = write(requests, HEAD)
    kept = path.rename(tmp_path / "shared.toml")
    path.symlink_to(kept)
    requests.keep(SavedRequest("x", RequestForm("GET", "/v1/y"), file="one"))
    assert path.is_symlink()
    assert "/v1/y" in kept.read_text()
