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
from svc_tui.config.profiles.profile_file import read_plain_profile
from svc_tui.config.profiles.profile_table import ProfileTable
from svc_tui.config.profiles.stored_profile import StoredProfile
from svc_tui.config.validation import validate
from tests.config.conftest import Put
from tests.config.profiles.test_profile_file import EXAMPLE
from tests.config.strategies import one_of, table

FILE = TrustedFile(Path("mine.toml"), "", 0o600)

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
        "index": one_of(True, False),
        "index_hours": one_of(1, 24, 8760),
        "index_days": one_of(0, 30),
        "null_word": one_of("(null)", "∅", ""),
        "empty_word": one_of("(empty)", "∅"),
        "team": one_of("postgresql://me@db.example.com/journal", "postgresql:///journal", ""),
        "team_password": one_of({"keyring": "svc-tui/team"}, {"env": "TEAM"}),
        "team_name": one_of("Ada", ""),
        "team_required": one_of(True, False),
        "approve": one_of([], ["delete", "batch>20", "finance/*"]),
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
