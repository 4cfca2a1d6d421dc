"""What a profile's file may hold, and what is said of what it may not."""

import os
import tomllib

import pytest

from svc_tui.config.errors import ConfigError
from svc_tui.config.paths import Locations
from svc_tui.config.profiles.profiles import Profiles, profile_text
from svc_tui.config.profiles.secrets import CommandSource, FileSource, InlineSource, KeyringSource, VariableSource
from svc_tui.core.catalog import COLLECTIONS, Route
from svc_tui.core.settings import CollectionSettings, Profile
from tests.config.conftest import Put

EXAMPLE = """\
api_key = { keyring = "svc-tui/sandbox" }
signing_secret = { keyring = "svc-tui/sandbox-secret" }
base_url = "https://api.example.com"
sandbox_base_url = "https://sandbox.example.com"
page_size = 50
idempotency_header = "Idempotency-Key"             # "" switches it off
idempotency = "honoured"
read_only = true
index = true
index_hours = 6
index_days = 7
null_word = "∅"
empty_word = "''"
team = "postgresql://me@db.example.com/journal?sslrootcert=/etc/team.pem"
team_password = { keyring = "svc-tui/team" }
team_name = "Ada Lovelace"
team_required = true
approve = ["delete", "batch>20", "finance/*"]

[collections."operations/lots"]
segment = "lots"
query = { status = "open" }
columns = ["id", "grade", "massKg"]
references = { tunnelId = "operations/tunnels", "assay.labId" = "workforce/workers" }

[[routes]]
name = "Split a lot"
method = "POST"
path = "/v1/operations/lots/{id}/split"
body = '{"parts": {parts}}'

[[routes]]
name = "Verify"
method = "get"
path = "operations/hash-chain/verify"
query = { tunnelId = "{tunnelId}" }
"""

ROOT = "api_key, approve, base_url, collections, empty_word, idempotency, idempotency_header, index, index_days, "
ROOT += "index_hours, null_word, page_size, read_only, routes, "
ROOT += "sandbox_base_url, signing_secret, team, team_name, team_password, team_required"
WAYS = 'allowed: { keyring = "service/name" }, { env = "NAME" }, { file = "path" }, { command = ["program", "…"] }'
UNWRITTEN = f"can't be in plain text, because others can read the profile; {WAYS}"
KEYS = ", ".join(collection.key for collection in COLLECTIONS)
WORD = "allowed: a word on one line, without spaces around it"
ADDRESS = "allowed: a URL such as https://api.example.com"
PAGES = "allowed: a whole number from 1 to 1000: records per request"
TEAM = "allowed: where the team's journal is, such as postgresql://me@db.example.com/journal"
NAME = "allowed: one line of up to 60 characters, without spaces around it"
RULES = "allowed: create, update, delete, action, request, batch>N, domain/collection, domain/*, *"
JOURNAL = 'team = "postgresql:///journal"\n'
SAFETY = 'allowed: "unproven", or "honoured": then a POST of unknown outcome is sent again'
LOTS = '[collections."operations/lots"]\n'
IN_LOTS = 'collections."operations/lots"'
ROUTE = '[[routes]]\nname = "One"\nmethod = "GET"\npath = "/v1/x"\n'
METHODS = "allowed: an HTTP method such as GET, POST or PATCH"


def test_every_setting_of_the_promised_file_is_read(where: Locations, put: Put) -> None:
    path = put(EXAMPLE)
    stored = Profiles(where).read("mine")
    assert stored.profile == Profile(
        "mine",
        "https://api.example.com",
        "https://sandbox.example.com",
        50,
        "Idempotency-Key",
        "honoured",
        read_only=True,
        index=True,
        index_hours=6,
        index_days=7,
        null_word="∅",
        empty_word="''",
        team="postgresql://me@db.example.com/journal?sslrootcert=/etc/team.pem",
        team_name="Ada Lovelace",
        team_required=True,
        approve=("delete", "batch>20", "finance/*"),
        collections={
            "operations/lots": CollectionSettings(
                "lots",
                {"status": "open"},
                ("id", "grade", "massKg"),
                {"tunnelId": "operations/tunnels", "assay.labId": "workforce/workers"},
            )
        },
        routes=(
            Route("Split a lot", "POST", "/v1/operations/lots/{id}/split", (), '{"parts": {parts}}'),
            Route("Verify", "GET", "operations/hash-chain/verify", (("tunnelId", "{tunnelId}"),)),
        ),
    )
    assert stored.profile.bulk_page_size == 50
    assert (stored.api_key, stored.signing_secret, stored.team_password) == (
        KeyringSource("svc-tui", "sandbox"),
        KeyringSource("svc-tui", "sandbox-secret"),
        KeyringSource("svc-tui", "team"),
    )
    assert stored.file.path == path


def test_a_byte_order_mark_before_a_profile_is_skipped(where: Locations, put: Put) -> None:
    put('\ufeffapi_key = "svc_test_x"\nsandbox_base_url = "https://sandbox.example.com"\n')
    stored = Profiles(where).read("mine")
    assert stored.api_key == InlineSource("svc_test_x")
    assert stored.file.text.startswith("api_key")


def test_what_is_not_written_is_as_usual(where: Locations, put: Put) -> None:
    put('api_key = { env = "KEY" }')
    stored = Profiles(where).read("mine")
    assert (stored.profile, stored.signing_secret, stored.team_password) == (Profile("mine"), None, None)
    assert (stored.profile.page_size, stored.profile.bulk_page_size) == (50, 200)


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ('{ keyring = "svc-tui/a/b" }', KeyringSource("svc-tui", "a/b")),
        ('{ env = "MY_KEY" }', VariableSource("MY_KEY")),
        ('{ file = "~/key" }', FileSource("~/key")),
        ('{ command = ["op", "read", "x y"] }', CommandSource(("op", "read", "x y"))),
        ('"svc_test_abc"', InlineSource("svc_test_abc")),
    ],
)
def test_a_key_can_be_kept_in_five_places(where: Locations, put: Put, written: str, source: object) -> None:
    put(f"api_key = {written}")
    stored = Profiles(where).read("mine")
    assert stored.api_key == source
    assert "svc_test_abc" not in repr(stored)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ': api_key is missing; expected: where the key is kept, such as { keyring = "svc-tui/sandbox" }'),
        ("page_size = ", ":1: not valid TOML: a value is missing or not valid; text needs quotes"),
        ("a = 1\na = 2", ":2: not valid TOML: the setting is set twice"),
        (
            'api_key = { env = "KEY" }\nnull_word = "(empty)"',
            ': empty_word is "(empty)", the same as null_word; use another word',
        ),
        (b"page_size = '\xff'", " is not UTF-8 text (byte 14); save it as UTF-8"),
    ],
)
def test_what_has_no_line_is_told_with_the_file(where: Locations, put: Put, text: str | bytes, message: str) -> None:
    path = put(text)
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (3, 'api_kye = "x"', f'unknown setting api_kye; allowed: {ROOT}; did you mean "api_key"?'),
        (3, 'secret = "hidden"', f'unknown setting secret; allowed: {ROOT}; did you mean "signing_secret"?'),
        (3, "svc_live_hidden = 1", f'unknown setting "svc_live_…"; allowed: {ROOT}'),
        (3, '"Page Size" = 5', f'unknown setting "Page Size"; allowed: {ROOT}; did you mean "page_size"?'),
        (3, "[collection]", f'unknown setting collection; allowed: {ROOT}; did you mean "collections"?'),
        (3, "page_size = 0", f"page_size is 0; {PAGES}"),
        (3, "page_size = 1001", f"page_size is 1001; {PAGES}"),
        (3, 'page_size = "50"', f'page_size is "50"; {PAGES}'),
        (3, "page_size = 2.5", f"page_size is 2.5; {PAGES}"),
        (3, "page_size = true", f"page_size is true; {PAGES}"),
        (3, "page_size = [50]", f"page_size is a list; {PAGES}"),
        (3, 'base_url = ""', 'base_url is ""; the base URL is empty'),
        (3, "base_url = 7", f"base_url is 7; {ADDRESS}"),
        (
            3,
            'base_url = "api.example.com"',
            'base_url is "api.example.com"; the base URL must begin with https:// and a host name',
        ),
        (
            3,
            'base_url = "http://api.example.com"',
            'base_url is "http://api.example.com"; plain http to '
            "api.example.com would send the key unencrypted; use https",
        ),
        (
            3,
            'base_url = "https://me:hidden@a.example"',
            "base_url is not valid: the base URL contains a user name or a password; "
            "remove it. Only the API key is used",
        ),
        (
            3,
            'base_url = "svc_live_hidden"',
            'base_url is "svc_live_…"; the base URL must begin with https:// and a host name',
        ),
        (
            3,
            'sandbox_base_url = "https://a.example/?x=1"',
            'sandbox_base_url is "https://a.example/?x=1"; the base URL '
            "contains a query or a fragment; remove everything from ? or # on",
        ),
        (
            3,
            'sandbox_base_url = "https://a b"',
            'sandbox_base_url is "https://a b"; the base URL contains a space, a '
            "backslash or a character that is not ASCII; remove it",
        ),
        (3, "sandbox_base_url = {}", f"sandbox_base_url is a table; {ADDRESS}"),
        (
            3,
            'idempotency_header = "No Header"',
            'idempotency_header is "No Header"; allowed: the name of a header, or "" for none',
        ),
        (
            3,
            'idempotency_header = "Authorization"',
            'idempotency_header is "Authorization", which svc-tui sets itself; use another header',
        ),
        (
            3,
            'idempotency_header = "x_svc_timestamp"',
            'idempotency_header is "x_svc_timestamp", which svc-tui sets itself; use another header',
        ),
        (
            3,
            "idempotency_header = false",
            'idempotency_header is false; allowed: the name of a header in quotes, or "" for none',
        ),
        (3, 'idempotency = "honored"', f'idempotency is "honored"; {SAFETY}'),
        (3, "idempotency = true", f"idempotency is true; {SAFETY}"),
        (3, 'null_word = ""', f'null_word is ""; {WORD}'),
        (3, 'null_word = " x"', f'null_word is " x"; {WORD}'),
        (3, 'empty_word = "a\\nb"', f'empty_word is "a\nb"; {WORD}'),
        (
            3,
            "null_word = 0",
            "null_word is 0; allowed: a word in quotes: null in a cell of a file of corrections",
        ),
        (3, 'empty_word = "(null)"', 'empty_word is "(null)", the same as null_word; use another word'),
        (4, 'null_word = "-"\nempty_word = "-"', 'empty_word is "-", the same as null_word; use another word'),
        (3, "team = 7", f"team is 7; {TEAM}"),
        (
            3,
            'team = "https://db.example.com/journal"',
            "team is not valid: it must begin with postgresql://, for example postgresql://me@db.example.com/journal",
        ),
        (
            3,
            'team = "postgresql://me:hidden@db.example.com/journal"',
            "team is not valid: it contains a password, which others can read in the profile; "
            "remove it and set team_password",
        ),
        (3, f'team_name = "{"x" * 61}"', f'team_name is "{"x" * 59}…"; {NAME}'),
        (3, 'team_name = " Ada"', f'team_name is " Ada"; {NAME}'),
        (3, 'team_name = "Ada\u202e"', f'team_name is "Ada\u202e"; {NAME}'),
        (
            3,
            "team_name = 1",
            "team_name is 1; allowed: a name in quotes: your name in the team's journal; "
            '"": the user name of the system',
        ),
        (
            3,
            "team_required = 1",
            "team_required is 1; allowed: true or false; true keeps LIVE read-only while the team server can't be "
            "reached",
        ),
        (
            3,
            'approve = "delete"',
            'approve is "delete"; allowed: changes on LIVE that need approval, such as ["delete", "batch>20"]',
        ),
        (4, f'{JOURNAL}approve = ["delte"]', f'approve is "delte"; {RULES}; did you mean "delete"?'),
        (6, f'{JOURNAL}approve = [\n"delete",\n"batch>-1"]', f'approve is "batch>-1"; {RULES}'),
        (
            4,
            f"{JOURNAL}approve = [1]",
            "approve is 1; allowed: in quotes, one of: create, update, delete, action, request, batch>N, "
            "domain/collection, domain/*, *",
        ),
        (
            3,
            'approve = ["delete"]',
            "approve needs a team; set team to the URL of the team's database",
        ),
        (
            4,
            'approve = ["delete"]\nteam = "postgresql://db.example.com"',
            "team is not valid: the database is missing; add it after the host, for example "
            "postgresql://me@db.example.com/journal",
        ),
        (3, 'read_only = "yes"', 'read_only is "yes"; allowed: true or false; true refuses every write'),
        (3, "read_only = 1", "read_only is 1; allowed: true or false; true refuses every write"),
        (3, "collections = 1", 'collections is 1; allowed: tables such as [collections."operations/lots"]'),
        (
            3,
            '[collections."operations/lot"]',
            f'collections."operations/lot" is not a collection; allowed: {KEYS}; did you mean "operations/lots"?',
        ),
        (
            3,
            "[collections.lots]",
            f'collections.lots is not a collection; allowed: {KEYS}; did you mean "operations/lots"?',
        ),
        (3, "[collections.cellars]", f"collections.cellars is not a collection; allowed: {KEYS}"),
        (
            3,
            'collections."operations/lots" = 5',
            f"{IN_LOTS} is 5; allowed: a table with segment, query, columns and references",
        ),
        (
            4,
            f'{LOTS}colums = ["id"]',
            f'unknown setting {IN_LOTS}.colums; allowed: columns, query, references, segment; did you mean "columns"?',
        ),
        (
            4,
            f'{LOTS}segment = "a/b"',
            f'{IN_LOTS}.segment is "a/b"; allowed: one path segment, percent-encoded as in the URL',
        ),
        (
            4,
            f'{LOTS}segment = ".."',
            f'{IN_LOTS}.segment is ".."; allowed: one path segment, percent-encoded as in the URL',
        ),
        (
            4,
            f"{LOTS}segment = 3",
            f"{IN_LOTS}.segment is 3; allowed: how the collection is spelled in the URL, in quotes",
        ),
        (
            4,
            f'{LOTS}query = "status=open"',
            f'{IN_LOTS}.query is "status=open"; allowed: parameters always sent with '
            'its lists, such as { status = "open" }',
        ),
        (4, f"{LOTS}query = {{ open = true }}", f"{IN_LOTS}.query.open is true; allowed: text in quotes"),
        (4, f'{LOTS}query = {{ page = "2" }}', f"{IN_LOTS}.query.page is set by svc-tui itself; remove it"),
        (4, f'{LOTS}query = {{ limit = "9" }}', f"{IN_LOTS}.query.limit is set by svc-tui itself; remove it"),
        (4, f'{LOTS}query = {{ "" = "9" }}', f'{IN_LOTS}.query."" has no name'),
        (
            4,
            f'{LOTS}query = {{ k = "svc_test_hidden" }}',
            f"{IN_LOTS}.query.k contains an API key; remove it: requests use the key of the profile",
        ),
        (4, f'{LOTS}columns = "id"', f'{IN_LOTS}.columns is "id"; allowed: the fields shown, such as ["id", "grade"]'),
        (
            6,
            f'{LOTS}columns = [\n  "id",\n  3,\n]',
            f"{IN_LOTS}.columns is 3; allowed: a field, or a path such as assay.labId, in quotes",
        ),
        (
            4,
            f'{LOTS}columns = [""]',
            f'{IN_LOTS}.columns is ""; allowed: a field, or a path such as assay.labId, in quotes',
        ),
        (4, f'{LOTS}columns = ["id", "id"]', f'{IN_LOTS}.columns has "id" twice; remove one'),
        (
            4,
            f'{LOTS}references = ["tunnelId"]',
            f"{IN_LOTS}.references is a list; allowed: fields and the collections that they reference, such as "
            '{ tunnelId = "operations/tunnels" }',
        ),
        (
            4,
            f'{LOTS}references = {{ tunnelId = "tunnels" }}',
            f'{IN_LOTS}.references.tunnelId is "tunnels"; allowed: {KEYS}; did you mean "operations/tunnels"?',
        ),
        (
            4,
            f"{LOTS}references = {{ tunnelId = 1 }}",
            f"{IN_LOTS}.references.tunnelId is 1; allowed: a collection, in quotes",
        ),
        (
            3,
            '[collections."operations/analytics"]\nsegment = "tunnels"',
            "collections has operations/tunnels and operations/analytics at the same path, "
            "/v1/operations/tunnels; change the path segment of one",
        ),
        (3, "routes = 1", "routes is 1; allowed: a [[routes]] table for each route"),
        (3, 'routes = ["GET /x"]', 'routes is "GET /x"; allowed: a table with name, method, path, query and body'),
        (
            7,
            f"{ROUTE}pth = 1",
            'unknown setting routes.pth; allowed: body, method, name, path, query; did you mean "path"?',
        ),
        (
            3,
            '[[routes]]\nmethod = "GET"\npath = "/x"',
            "routes.name is missing; expected: the name of the route, in quotes",
        ),
        (
            7,
            f'{ROUTE}[[routes]]\nname = "Two"\npath = "/x"',
            'routes.method is missing; expected: a method in quotes, such as "POST"',
        ),
        (
            3,
            '[[routes]]\nname = "One"\nmethod = "GET"',
            'routes.path is missing; expected: a path in quotes, such as "/v1/operations/lots/{id}/split"',
        ),
        (
            4,
            '[[routes]]\nname = ""\nmethod = "GET"\npath = "/x"',
            'routes.name is ""; allowed: the name of the route, in quotes',
        ),
        (5, '[[routes]]\nname = "One"\nmethod = "GE T"\npath = "/x"', f'routes.method is "GE T"; {METHODS}'),
        (5, '[[routes]]\nname = "One"\nmethod = "TRACE"\npath = "/x"', f'routes.method is "TRACE"; {METHODS}'),
        (
            6,
            '[[routes]]\nname = "One"\nmethod = "GET"\npath = "/v1/auth/keys"',
            'routes.path is "/v1/auth/keys"; API keys can\'t call routes under /v1/auth',
        ),
        (
            6,
            '[[routes]]\nname = "One"\nmethod = "GET"\npath = "https://a.example/v1/x"',
            "routes.path is "
            '"https://a.example/v1/x"; enter only the path; requests always go to the base URL of the profile',
        ),
        (
            6,
            '[[routes]]\nname = "One"\nmethod = "GET"\npath = "/v1/x?a=1"',
            'routes.path is "/v1/x?a=1"; put its parameters into query',
        ),
        (
            6,
            '[[routes]]\nname = "One"\nmethod = "GET"\npath = "/v1/../x"',
            "routes.path is \"/v1/../x\"; the path contains the segment '..'; write the full path without it",
        ),
        (7, f"{ROUTE}query = {{ n = 5 }}", "routes.query.n is 5; allowed: text in quotes"),
        (
            7,
            f"{ROUTE}body = {{ a = 1 }}",
            "routes.body is a table; allowed: a body in quotes, such as '{\"parts\": {parts}}'",
        ),
        (
            7,
            f"{ROUTE}body = 'svc_live_hidden'",
            "routes.body contains an API key; remove it: requests use the key of the profile",
        ),
    ],
)
def test_a_mistake_is_one_line_of_file_line_key_what_was_found_and_what_is_allowed(
    where: Locations, put: Put, line: int, text: str, message: str
) -> None:
    path = put(f'# A profile.\napi_key = {{ env = "KEY" }}\n{text}\n')
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path}:{line}: {message}"
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("7", f"is 7; {WAYS}, or the API key in quotes if it begins with svc_test_"),
        ("true", f"is true; {WAYS}, or the API key in quotes if it begins with svc_test_"),
        ('["svc_live_hidden"]', f"is a list; {WAYS}, or the API key in quotes if it begins with svc_test_"),
        ("{}", f"is an empty table; {WAYS}"),
        ('{ keyrng = "a/b" }', f'has the unknown setting keyrng; {WAYS}; did you mean "keyring"?'),
        ('{ value = "hidden" }', f"has the unknown setting value; {WAYS}"),
        ('{ env = "A", file = "hidden" }', "has env and file; use only one"),
        ('{ keyring = "hidden" }', f"has a value for keyring that is not valid; {WAYS}"),
        ('{ keyring = "/hidden" }', f"has a value for keyring that is not valid; {WAYS}"),
        ('{ keyring = "hidden/" }', f"has a value for keyring that is not valid; {WAYS}"),
        ('{ env = "" }', f"has a value for env that is not valid; {WAYS}"),
        ('{ env = "hid=den" }', f"has a value for env that is not valid; {WAYS}"),
        ("{ env = 5 }", f"has a value for env that is not valid; {WAYS}"),
        ('{ file = " " }', f"has a value for file that is not valid; {WAYS}"),
        ("{ command = [] }", f"has a value for command that is not valid; {WAYS}"),
        ('{ command = "cat hidden" }', f"has a value for command that is not valid; {WAYS}"),
        ('{ command = ["cat", 1] }', f"has a value for command that is not valid; {WAYS}"),
    ],
)
@pytest.mark.parametrize("setting", ["api_key", "signing_secret", "team_password"])
def test_a_source_that_is_none_is_told_without_what_it_holds(
    where: Locations, put: Put, setting: str, written: str, message: str
) -> None:
    before = "" if setting == "api_key" else 'api_key = "svc_test_x"\n'
    path = put(f"{before}{setting} = {written}\n")
    if setting == "team_password" and not written.startswith("{"):
        message = UNWRITTEN
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path}:{before.count(chr(10)) + 1}: {setting} {message}"
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("written", ['"hidden"', '""', "4711"])
def test_a_teams_password_is_never_written_out(where: Locations, put: Put, written: str) -> None:
    path = put(f'api_key = "svc_test_x"\nteam_password = {written}\n')
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path}:2: team_password {UNWRITTEN}"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "svc_live_hidden",
            "is a live key in plain text, which is only allowed for svc_test_ keys; store it in a "
            "keyring, file, variable (env) or command",
        ),
        (
            "hidden",
            "is in plain text and not valid: the API key must begin with svc_live_ or svc_test_; copy the whole key",
        ),
        ("", "is in plain text and not valid: the API key is empty"),
        (
            "svc_test_hid den",
            "is in plain text and not valid: the API key contains a space, a line break or a character "
            "that is not ASCII; paste it again",
        ),
    ],
)
def test_a_key_written_out_is_a_test_key_or_refused(where: Locations, put: Put, key: str, message: str) -> None:
    path = put(f'api_key = "{key}"')
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path}:1: api_key {message}"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_profile_that_others_can_write_is_refused_with_what_mends_it(where: Locations, put: Put, mode: int) -> None:
    path = put('api_key = { env = "KEY" }', mode=mode)
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path} can be written by others; run: chmod go-w {path}"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_others_may_read_a_profile_but_not_one_with_a_secret_in_it(where: Locations, put: Put, mode: int) -> None:
    path = put('api_key = { env = "KEY" }', mode=mode)
    assert Profiles(where).read("mine").api_key == VariableSource("KEY")
    for text in ('api_key = "svc_test_x"', 'api_key = { env = "KEY" }\nsigning_secret = "x"'):
        put(text, mode=mode)
        with pytest.raises(ConfigError) as caught:
            Profiles(where).read("mine")
        assert str(caught.value) == (f"{path} contains a secret and can be read by others; run: chmod go-r {path}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_profile_of_somebody_else_is_refused_with_what_mends_it(where: Locations, put: Put) -> None:
    path = put('api_key = { env = "KEY" }')
    os.chown(path, 4711, -1)
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{path} belongs to another user; run: sudo chown 0 {path}"


def test_a_pipe_in_the_place_of_a_profile_is_not_waited_for(where: Locations) -> None:
    where.profiles_directory.mkdir(parents=True)
    os.mkfifo(where.profiles_directory / "mine.toml", 0o600)
    with pytest.raises(ConfigError, match="is not a regular file"):
        Profiles(where).read("mine")


def test_what_the_program_writes_it_reads_as_it_was(where: Locations) -> None:
    settings = {
        "api_key": {"keyring": "svc-tui/mine"},
        "signing_secret": None,
        "base_url": "https://a.example",
        "page_size": 20,
    }
    text = profile_text(settings)
    assert tomllib.loads(text) == {key: value for key, value in settings.items() if value is not None}
    stored = Profiles(where).write("mine", text)
    assert Profiles(where).read("mine") == stored
    assert stored.set_names == {"api_key", "base_url", "page_size"}


def test_a_directory_that_others_can_write_in_is_refused_with_what_mends_it(where: Locations, put: Put) -> None:
    put('api_key = { env = "KEY" }')
    directory = where.profiles_directory
    directory.chmod(0o775)
    with pytest.raises(ConfigError) as caught:
        Profiles(where).read("mine")
    assert str(caught.value) == f"{directory} can be written by others; run: chmod go-w {directory}"
