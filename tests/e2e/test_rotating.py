"""A new key and secret, pasted in a real terminal where the service refuses the old ones; neither is ever drawn."""

from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.e2e import steps
from tests.terminal import quiet_environment, terminal

pytestmark = pytest.mark.terminal

PROFILE = """\
api_key = {{ file = "work.key" }}
signing_secret = {{ file = "work.secret" }}
base_url = "{url}"
"""


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}")
def test_a_refused_pair_is_replaced_by_one_that_is_pasted(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    directory = tmp_path / "config" / "svc-tui" / "profiles"
    directory.mkdir(parents=True)
    key = service.key("live")
    assert key.signing_secret is not None
    texts = {
        "work.toml": PROFILE.format(url=service.base_url),
        "work.key": key.api_key,
        "work.secret": "svcsec_of_before",
    }
    for name, text in texts.items():
        (directory / name).write_text(text)
        (directory / name).chmod(0o600)
    with terminal(["--profile", "work"], quiet_environment(tmp_path), *size) as user:
        user.sees(r"signature_mismatch")
        user.sees(r"signature refused · K replace key")
        user.press("K")
        user.sees(r"─ Replace the key of work · LIVE ─")
        user.paste(f"{key.api_key}\n")
        user.sees(r"svc_live_•+")
        user.sees(r"a LIVE key")
        user.press("enter")
        steps.is_in_field(user, "New secret")
        user.paste(key.signing_secret)
        user.sees(r"New secret +•+")
        user.press("enter")
        user.sees(r"Replaced the key of work")
        user.loses(r"Replace the key of work")
        user.sees(r"lot-000001 ")
        user.loses(r"refused")
        steps.quits(user)
        raw = user.raw
    assert (directory / "work.secret").read_text().strip() == key.signing_secret
    written = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.parent != directory]
    for secret in (key.api_key, key.signing_secret):
        assert not [text for text in (raw, *written) if secret.encode() in text]
