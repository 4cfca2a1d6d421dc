"""What a profile is read as at a look is what the model reads, and whatever the model refuses is left to it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.config.errors import ConfigError, ValueRejected
from svc_tui.config.files import TrustedFile, parse_toml
from svc_tui.config.paths import Locations
from svc_tui.config.plain_table import NotPlain
from svc_tui.config.profiles.profile_file import StoredProfile, read_plain_profile
from svc_tui.config.profiles.profile_table import ProfileTable
from svc_tui.config.validation import validate
from tests.config.conftest import Put
from tests.config.profiles.test_profile_file import EXAMPLE

FILE = TrustedFile(Path("mine.toml"), "", 0o600)

ODD: list[Any] = [
    *(
        "",
        " ",
        "x",
        "a/b",
        "..",
        "No Header",
        "Authorization",
        "GE T",
        "TRACE",
        "/x?a=1",
        "/v1/../x",
        "honored",
        "tunnels",
    ),
    *("svc_live_x", "svc_test_x", "/v1/svc_test_x", "http://api.example.com", "https://me:it@a.example", "tunnels"),
    *(0, 1, 1001, True, 2.5, [], ["id"], [""], [1], ["id", "id"], {}),
    *({"x": "y"}, {"x": 1}, {"": "y"}, {"page": "1"}, {"k": "svc_test_x"}, {"": "operations/tunnels"}),
    *({"env": "A=B"}, {"env": "A", "file": "b"}, {"keyring": "mine"}, {"command": []}, {"cellars": {}}),
]
"""Values that some settings may have and most may not."""

Values = st.SearchStrategy[Any]
Table = st.SearchStrategy[dict[str, Any]]


def table(needed: dict[str, Values], others: dict[str, Values]) -> Table:
    """Tables of such settings; in some of them one is odd, unknown, or not there."""
    right = st.fixed_dictionaries(needed, optional=others)
    names, odd = st.sampled_from([*needed, *others, "unknown"]), st.sampled_from(ODD)
    spoilt = st.builds(lambda good, name, value: {**good, name: value}, right, names, odd)
    short = st.builds(lambda good, name: {key: good[key] for key in good if key != name}, right, names)
    return st.one_of(right, right, spoilt, short)


def one_of(*values: Any) -> Values:
    return st.sampled_from(values)


COLLECTION = table(
    {},
    {
        "segment": one_of("lots", "tunnels"),
        "query": one_of({"status": "open"}, {}),
        "columns": one_of(["id", "grade"], []),
        "references": one_of({"tunnelId": "operations/tunnels"}),
    },
)
ROUTE = table(
    {
        "name": one_of("Split a lot"),
        "method": one_of("post", "GET"),
        "path": one_of("/v1/operations/lots/{id}/split", "operations/lots"),
    },
    {"query": one_of({"tunnelId": "{tunnelId}"}), "body": one_of('{"parts": {parts}}')},
)
PROFILE = table(
    {"api_key": one_of({"env": "KEY"}, {"file": "key"}, "svc_test_x")},
    {
        "signing_secret": one_of({"keyring": "svc-tui/mine"}, {"command": ["pass", "mine"]}, "secret"),
        "base_url": one_of("https://api.example.com/v1"),
        "sandbox_base_url": one_of("http://127.0.0.1:8080"),
        "page_size": one_of(1, 1000),
        "idempotency_header": one_of("Idempotency-Key", ""),
        "idempotency": one_of("unproven", "honoured"),
        "read_only": one_of(True, False),
        "collections": st.dictionaries(one_of("operations/lots", "operations/analytics"), COLLECTION),
        "routes": st.lists(ROUTE, max_size=2),
    },
)


def at_a_look(tables: dict[str, Any]) -> StoredProfile | None:
    try:
        return read_plain_profile("mine", FILE, tables)
    except (NotPlain, ValueRejected):
        return None


def by_the_model(tables: dict[str, Any]) -> StoredProfile | None:
    try:
        return validate(ProfileTable, FILE.path, FILE.text, tables).stored("mine", FILE)
    except ConfigError:
        return None


@given(PROFILE)
def test_a_look_tells_what_the_model_tells_and_nothing_of_what_it_refuses(tables: dict[str, Any]) -> None:
    assert at_a_look(tables) == by_the_model(tables)


def test_every_setting_of_the_model_can_be_read_at_a_look() -> None:
    tables = parse_toml(FILE.path, EXAMPLE)
    assert set(tables) == set(ProfileTable.model_fields)
    assert at_a_look(tables) == by_the_model(tables) is not None


@pytest.mark.parametrize("text", ['api_key = { env = "KEY" }\nbase_url = "https://api.example.com"\n', EXAMPLE])
def test_a_profile_that_can_be_used_does_not_wait_for_pydantic(where: Locations, put: Put, text: str) -> None:
    path = put(text)
    program = (
        "import sys; from pathlib import Path; from svc_tui.config.files import read_trusted; "
        "from svc_tui.config.profiles.profile_file import read_profile; "
        f"read_profile('mine', read_trusted(Path({str(path)!r}))); print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pydantic" not in ran.stdout.split()
