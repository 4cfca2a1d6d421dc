"""`svc-tui doctor --bundle`: what a report of a fault needs is in it, and nothing that should not be."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

from svc_tui import __version__
from svc_tui.sandbox.server.inprocess import RunningService
from tests.cli.conftest import Run


def test_the_report_holds_versions_checks_settings_and_the_end_of_the_log_and_no_key(
    run: Run, use: Callable[[str], None], service: RunningService, home: Path, tmp_path: Path
) -> None:
    key = service.key("live")
    use("live")
    assert key.signing_secret is not None
    state = home / "state" / "svc-tui"
    state.mkdir(parents=True, exist_ok=True)
    lines = [f"2026-11-20T05:12:07Z 7 INFO x: line {number}" for number in range(500)]
    (state / "svc-tui.log").write_text("\n".join([*lines, f"it said {key.api_key} and {key.signing_secret}"]) + "\n")
    file = tmp_path / "report.md"
    ran = run("doctor", "--bundle", str(file))
    assert ran.status == 0
    assert ran.out.decode().splitlines()[-1] == f"Saved the report to {file}. Read it before you share it."
    text = file.read_text()
    assert f"svc-tui {__version__}, Python 3." in text
    assert "textual 8." in text
    assert "- signature: passed." in text
    assert "- theme = " in text
    assert "x: line 499\n    it said … and …" in text
    assert "x: line 300\n" not in text
    assert key.api_key not in text
    assert key.signing_secret not in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_is_there_stays(run: Run, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    file.write_text("mine")
    ran = run("doctor", "--bundle", str(file))
    assert ran.status == 2
    assert ran.err == f"svc-tui: {file} already exists; choose another file\n"
    assert file.read_text() == "mine"


def test_settings_with_a_mistake_are_told_in_the_report_too(run: Run, home: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('thme = "x"')
    config.chmod(0o644)
    file = tmp_path / "report.md"
    ran = run("doctor", "--json", "--config", str(config), "--bundle", str(file))
    assert ran.status == 1
    assert json.loads(ran.out)["overall"] == "failed"
    text = file.read_text()
    assert "- configuration: failed. " in text
    assert f"- the settings can't be read: {config}" in text
    assert "svc-tui.log does not exist." in text
