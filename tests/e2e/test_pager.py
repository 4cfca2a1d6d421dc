"""F3 lends the terminal to the pager, and takes it back."""

from pathlib import Path

import pytest

from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal

PAGER = '#!/bin/sh\ncp "$1" "$HOME/paged"\nprintf \'PAGING \'\nread answer\n'


def test_f3_shows_the_record_in_the_pager_and_comes_back(service: RunningService, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(PAGER)
    pager.chmod(0o700)
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"), PAGER=str(pager))
    with terminal([f"lots/{HOSTILE_LOT}"], environment) as user:
        user.sees(rf"─ {HOSTILE_LOT} ─")
        user.sees(r" / Search ")
        user.press("}", "\x1bOR")
        user.sees(r"PAGING")
        user.wipe()
        user.press("enter")
        user.sees(rf"─ {HOSTILE_LOT} ─")
        steps.quits(user)
    paged = (tmp_path / "paged").read_text()
    assert f'"id": "{HOSTILE_LOT}"' in paged
    assert "\x1b" not in paged


def test_a_missing_pager_is_one_notice(service: RunningService, tmp_path: Path) -> None:
    environment = quiet_environment(tmp_path, **steps.connection(service, "sandbox"), PAGER="no-such-pager -x")
    with terminal(["lots/lot-000002"], environment) as user:
        user.sees(r"─ lot-000002 ─")
        user.sees(r" / Search ")
        user.press("\x1bOR")
        user.sees(r"no-such-pager was not found\. Set PAGER")
        steps.quits(user)
