"""What `config.toml` is read as at a look is what the model reads, and whatever the model refuses is left to it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given

from svc_tui.config.errors import ConfigError
from svc_tui.config.plain_table import NotPlain
from svc_tui.config.preferences.config_file import ConfigFile
from svc_tui.config.preferences.plain_config import read_plain_config
from svc_tui.config.validation import validate
from tests.config.strategies import one_of, table

CONFIG = table(
    {},
    {
        "default_profile": one_of("work"),
        "theme": one_of("svc-dark"),
        "live_unlock_minutes": one_of(1, 60),
        "keys": one_of({"record.edit": "e,f2"}, {}),
        "mask_fields": one_of(["operator"], []),
        "history_limit": one_of(0, 100_000),
        "history_bodies": one_of(True, False),
        "mouse": one_of(True, False),
        "done_notice": one_of("off", "bell", "desktop"),
        "hints": one_of(True, False),
        "reader": one_of(True, False),
    },
)


def at_a_look(tables: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return read_plain_config(tables)
    except NotPlain:
        return None


def by_the_model(tables: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return validate(ConfigFile, Path("config.toml"), "", tables).model_dump(exclude_none=True)
    except ConfigError:
        return None


@given(CONFIG)
def test_a_look_tells_what_the_model_tells_and_nothing_of_what_it_refuses(tables: dict[str, Any]) -> None:
    assert at_a_look(tables) == by_the_model(tables)


def test_settings_that_can_be_used_do_not_wait_for_pydantic(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('theme = "svc-ink"\nmask_fields = ["operator"]\n[keys]\n"record.edit" = "f2"\n')
    config.chmod(0o600)
    program = (
        "import sys; from pathlib import Path; from svc_tui.config.paths import Locations; "
        "from svc_tui.config.preferences.preferences import read_config; "
        f"where = Path({str(tmp_path)!r}); values = read_config(Locations(where / 'config.toml', where)).values; "
        "print(values['theme'], *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    theme, *loaded = ran.stdout.split()
    assert theme == "svc-ink"
    assert "pydantic" not in loaded
