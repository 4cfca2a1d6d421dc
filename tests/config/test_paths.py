"""Where the user's files are."""

from pathlib import Path

import pytest

from svc_tui.config.paths import find_locations

XDG = {"XDG_CONFIG_HOME": "/x/config", "XDG_STATE_HOME": "/x/state"}


def test_the_xdg_variables_rule() -> None:
    where = find_locations(XDG)
    assert where.config_file == Path("/x/config/svc-tui/config.toml")
    assert where.state_file == Path("/x/state/svc-tui/state.toml")
    assert where.database == Path("/x/state/svc-tui/svc-tui.db")
    assert not where.config_named


def test_a_named_file_beats_the_directory_and_an_option_the_variable() -> None:
    variables = {**XDG, "SVC_TUI_CONFIG": "/named.toml"}
    assert find_locations(variables).config_file == Path("/named.toml")
    assert find_locations(variables).config_named
    assert find_locations(variables, Path("/option.toml")).config_file == Path("/option.toml")


@pytest.mark.parametrize("value", ["", "relative"])
def test_without_them_the_system_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str) -> None:
    for variable in XDG:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    where = find_locations(dict.fromkeys(XDG, value))
    assert tmp_path in where.config_file.parents
    assert tmp_path in where.database.parents
    assert where.config_file.parent.name == where.state_directory.name == "svc-tui"
