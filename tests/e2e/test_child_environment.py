"""No program that is started from here sees a variable that holds a key or a secret."""

from functools import partial
from pathlib import Path

import pytest

from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal


def is_written(file: Path) -> bool:
    """Whether a program has left its environment there."""
    return file.exists() and "PATH=" in file.read_text()


def test_editor_pager_and_clipboard_get_no_variable_that_any_profile_names(
    service: RunningService, tmp_path: Path
) -> None:
    key = service.key("sandbox").api_key
    environment = quiet_environment(
        tmp_path, MY_KEY=key, OTHER_SECRET="hush", SVC_LOG_LEVEL="", KEPT="yes", DISPLAY=":0"
    )
    profiles = Path(environment["XDG_CONFIG_HOME"]) / "svc-tui" / "profiles"
    profiles.mkdir(parents=True)
    for name, text in {
        "mine": f'sandbox_base_url = "{service.base_url}"\napi_key = {{ env = "MY_KEY" }}\n',
        "other": "a mistake\nsigning_secret = { env = 'OTHER_SECRET' }\n",
    }.items():
        (profiles / f"{name}.toml").write_text(text)
        (profiles / f"{name}.toml").chmod(0o600)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("editor", "pager", "xclip"):
        program = programs / name
        program.write_text(f'#!/bin/sh\nenv > "{tmp_path}/{name}.env"\n')
        program.chmod(0o700)
    environment |= {
        "EDITOR": str(programs / "editor"),
        "PAGER": str(programs / "pager"),
        "PATH": f"{programs}:{environment['PATH']}",
    }
    with terminal([f"lots/{HOSTILE_LOT}", "--profile", "mine"], environment) as user:
        user.sees(rf"─ {HOSTILE_LOT} ─")
        user.sees(r" / Search ")
        for keys, opened, name in (
            (("}", "\x1bOR"), "", "pager"),
            (("E",), "", "editor"),
            (("y",), "─ Copy ─", "xclip"),
        ):
            user.press(*keys)
            if opened:
                user.sees(opened)
                user.press("enter")
            file = tmp_path / f"{name}.env"
            user.until(partial(is_written, file), f"no {name} ran")
            user.sees(rf"─ {HOSTILE_LOT} ─")
            seen = dict(line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)
            assert seen["KEPT"] == "yes"
            assert not {"MY_KEY", "OTHER_SECRET"} & seen.keys()
            assert not any(variable.startswith("SVC_") for variable in seen)
        steps.quits(user)
