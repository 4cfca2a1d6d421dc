"""A new key pair in the running program: a refused one leads there, and what was being edited is as it was."""

import asyncio
import logging
import time
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Button, Input, Static

from svc_tui.bootstrap.log_file import log_to
from svc_tui.bootstrap.sessions import BrowserSessions
from svc_tui.sandbox.options import SandboxOptions
from svc_tui.sandbox.server.inprocess import RunningService, running_service
from svc_tui.ui.connect.connection_inputs import SecretInput
from svc_tui.ui.connect.rotate import NewPairScreen
from tests.browser import User, browser
from tests.flows.steps import at_name, commanded, goes_to, heard, renamed, sent
from tests.flows.test_switching import made

WRONG_SECRET = "svcsec_not_the_one"
EXPIRY = 1_700_000_000.0
"""When the service's key called expired expires."""


def kept(directory: Path, setting: str = "api_key") -> Path:
    """The file that holds the key, or the secret, of the profile called work."""
    return directory / "profiles" / f"work.{setting}"


async def opened(user: User) -> None:
    """Go to the profile called work."""
    await user.sees(r"lot-000001")
    await goes_to(user, "@work")
    await user.sees(r"(SANDBOX|LIVE) +work · 127")


async def asked(user: User) -> None:
    """Open the dialog, and wait until the key can be typed."""
    await user.press("K")
    await user.sees(r"╭─ Replace the key of work")
    await focused(user, "key")


async def focused(user: User, name: str) -> None:
    """Wait until what is called so has the focus."""
    await user.until(lambda: user.app.screen.focused is not None and user.app.screen.focused.id == name, f"no {name}")


async def pastes(user: User, name: str, text: str) -> None:
    """Paste into the field of that name, which has the focus."""
    await focused(user, name)
    field = user.app.screen.query_one(f"#{name}", Input)
    field.post_message(events.Paste(text))
    await user.until(lambda: field.value == text, "nothing was pasted")


async def fills_in(user: User, key: str, secret: str | None) -> None:
    """Paste the pair into the dialog, and have it checked."""
    await pastes(user, "key", key)
    await user.press("enter")
    if secret is not None:
        await pastes(user, "secret", secret)
        await user.press("enter")


async def replaced(user: User) -> None:
    """Wait until the dialog is gone, the pair being in its place."""
    await heard(user, r"Replaced the key of work")
    await user.loses(r"Replace the key of work")


async def edited_before(user: User) -> None:
    """Make an edit with the profile's good key, and leave the profile with the edit unsent."""
    await opened(user)
    await at_name(user)
    await renamed(user, "Still here")
    await user.sees(r"Still here")
    await goes_to(user, "@test")
    await user.sees(r"SANDBOX +test · 127")
    await user.loses(r"Still here")


@pytest.mark.parametrize(
    ("refused", "code", "chip"),
    [
        ("expired", "api_key_expired", "key refused"),
        ("revoked", "api_key_revoked", "key refused"),
        ("wrong secret", "signature_mismatch", "signature refused"),
    ],
)
async def test_a_refused_pair_is_replaced_and_the_edit_is_still_there_to_be_sent(
    service: RunningService, tmp_path: Path, refused: str, code: str, chip: str
) -> None:
    signed = refused == "wrong secret"
    good = service.key("test-signed" if signed else "sandbox")
    made(tmp_path, "work", service, "test-signed" if signed else "sandbox")
    made(tmp_path, "test", service, "sandbox")
    async with browser(service, tmp_path) as user:
        await edited_before(user)
        if signed:
            kept(tmp_path, "signing_secret").write_text(WRONG_SECRET)
        else:
            kept(tmp_path).write_text(service.key(refused).api_key)
        await goes_to(user, "@work")
        await user.sees(rf"(?s)✕ .*{code}")
        notice = user.app.main.workspace.browse.query_one("#notice", Static)
        await user.until(
            lambda: "Press K to replace the key and the secret" in str(notice.content), "no word of the way"
        )
        await user.sees(rf"{chip} · K replace key")
        await asked(user)
        await fills_in(user, good.api_key, good.signing_secret)
        await replaced(user)
        await user.sees(r"Still here")
        await user.loses(rf"{chip}")
        assert kept(tmp_path).read_text().strip() == good.api_key
        await user.puts_away_notices()
        await sent(user)
    assert "Still here" in (service.record("operations/lots", "lot-000002") or "")


async def test_a_key_that_expires_under_somebodys_hands_is_replaced_and_nothing_moves(tmp_path: Path) -> None:
    expired = asyncio.Event()

    def clock() -> float:
        return time.time() if expired.is_set() else EXPIRY - 3600

    with running_service(SandboxOptions(records=40), clock=clock) as service:
        made(tmp_path, "work", service, "expired")
        async with browser(service, tmp_path) as user:
            await opened(user)
            await user.sees(r"lot-000002")
            await at_name(user)
            await renamed(user, "Still here")
            await user.press("slash")
            await user.types("lot-0000")
            await user.press("enter")
            await user.puts_away_notices()
            await user.sees(r"filter lot-0000")
            expired.set()
            await user.press("ctrl+s")
            await user.sees(r"Change lot-000002")
            await user.press("y")
            await heard(
                user,
                r"lot-000002 was not (changed|sent)\. .*api_key_expired.* Press K to replace the key and the secret",
            )
            await user.loses(r"Change lot-000002")
            await user.puts_away_notices()
            before = user.app.main.workspace.browse.cursor.position
            await asked(user)
            await fills_in(user, service.key("sandbox").api_key, None)
            await replaced(user)
            await user.loses(r"key refused")
            await user.puts_away_notices()
            await user.sees(r"filter lot-0000")
            await user.until(lambda: user.app.main.workspace.browse.cursor.position == before, "the cursor moved")
            await user.sees(r"Still here")
            await user.puts_away_notices()
            await sent(user)


async def test_a_pair_that_the_service_refuses_changes_nothing_and_can_be_mended(
    service: RunningService, tmp_path: Path
) -> None:
    made(tmp_path, "work", service, "revoked")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await asked(user)
        await fills_in(user, service.key("expired").api_key, None)
        await user.sees(r"✗ key +.*api_key_expired")
        await user.sees(r"Key of work not replaced\. Failed: key\.")
        assert kept(tmp_path).read_text() == service.key("revoked").api_key
        await user.press("escape")
        await focused(user, "key")
        field = user.app.screen.query_one("#key", Input)
        assert field.value == service.key("expired").api_key
        field.clear()
        await fills_in(user, service.key("sandbox").api_key, None)
        await replaced(user)
        await user.sees(r"lot-000001")


async def test_a_pair_that_can_not_be_kept_leaves_the_old_one_and_says_why(
    service: RunningService, tmp_path: Path
) -> None:
    made(tmp_path, "work", service, "revoked")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await user.sees(r"✕ .*api_key_revoked")
        kept(tmp_path).unlink()
        kept(tmp_path).mkdir()
        await asked(user)
        await fills_in(user, service.key("sandbox").api_key, None)
        await user.sees(r"Key not replaced: ")
        await user.press("escape")
        await focused(user, "key")
        await user.press("escape")
        await user.loses(r"Replace the key of work")
        await user.sees(r"key refused · K replace key")


async def test_a_key_of_another_environment_is_refused_in_a_line_and_not_sent(
    service: RunningService, tmp_path: Path
) -> None:
    made(tmp_path, "work", service, "revoked")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await user.sees(r"✕ .*api_key_revoked")
        await user.settled()
        await asked(user)
        await pastes(user, "key", service.key("live").api_key)
        before = len(service.attempts)
        await user.press("enter")
        await user.sees(r"this is a LIVE key, but the profile is for SANDBOX")
        assert len(service.attempts) == before
        assert isinstance(user.app.screen, NewPairScreen)


async def test_cancel_leaves_everything_and_empties_the_fields(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "work", service, "live")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await asked(user)
        await pastes(user, "key", "svc_live_some_key")
        await user.press("enter")
        await pastes(user, "secret", "svcsec_some_secret")
        fields = list(user.app.screen.query(SecretInput))
        await user.sees(r"svc_live_•+")
        assert "some_" not in user.text
        await user.press("escape")
        await user.loses(r"Replace the key of work")
        assert [field.value for field in fields] == ["", ""]
        assert kept(tmp_path).read_text() == service.key("live").api_key
        assert kept(tmp_path, "signing_secret").read_text() == service.key("live").signing_secret


async def test_no_pair_that_was_typed_is_in_a_message_or_let_into_the_log(
    service: RunningService, tmp_path: Path
) -> None:
    made(tmp_path, "work", service, "revoked")
    async with browser(service, tmp_path) as user:
        sessions = user.app.main.session.sessions
        assert isinstance(sessions, BrowserSessions)
        await opened(user)
        tried = service.key("expired").api_key
        await asked(user)
        await fills_in(user, tried, None)
        await user.sees(r"Key of work not replaced")
        assert tried in sessions.secrets
        with log_to(tmp_path, "info", lambda: sessions.secrets, lambda line: None) as log:
            logging.getLogger("svc_tui").warning("it said %s", tried)
        assert log is not None
        assert "it said" in log.read_text()
        assert tried not in log.read_text()
        assert tried not in "".join(report.line for report in user.app.main.reports)


async def test_nobody_leaves_while_the_pair_is_being_put_in_its_place(
    service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from svc_tui.bootstrap.profiles import ProfileKeyRotation

    replace, reached, may_go_on = ProfileKeyRotation.replace, asyncio.Event(), asyncio.Event()

    async def slow(self: ProfileKeyRotation, pair: object) -> None:
        reached.set()
        await may_go_on.wait()
        await replace(self, pair)  # type: ignore[arg-type]

    monkeypatch.setattr(ProfileKeyRotation, "replace", slow)
    made(tmp_path, "work", service, "revoked")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await asked(user)
        await fills_in(user, service.key("sandbox").api_key, None)
        await user.until(reached.is_set, "nothing is put in its place")
        await user.press("escape", "r")
        await user.sees(r"Replacing the old one")
        may_go_on.set()
        await replaced(user)
        await user.sees(r"lot-000001")


async def test_a_pair_kept_elsewhere_is_said_to_be_changed_there(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "work", service, "sandbox", command=f"echo {service.key('revoked').api_key}")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await user.sees(r"✕ .*api_key_revoked")
        await user.sees(r"key refused · from command sh")
        await user.sees(r"(?s)The key comes from +.*command sh")
        assert "Press K" not in user.text
        await user.press("K")
        await heard(user, r"Key not replaced: api_key of work comes from the command sh.* press F5")
        made(tmp_path, "work", service, "sandbox", command=f"echo {service.key('sandbox').api_key}")
        await user.puts_away_notices()
        await user.press("f5")
        await user.sees(r"lot-000001")
        await user.loses(r"key refused")


async def test_a_session_without_a_profile_says_what_to_do_instead(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, key="revoked") as user:
        await user.sees(r"✕ .*api_key_revoked")
        await user.press("K")
        await heard(user, r"Key not replaced: key and secret from SVC_API_KEY .* profiles add NAME")


async def test_the_palette_leads_there_and_the_buttons_work(service: RunningService, tmp_path: Path) -> None:
    made(tmp_path, "work", service, "revoked")
    async with browser(service, tmp_path) as user:
        await opened(user)
        await commanded(user, "replace the key", "Replace the key")
        await user.sees(r"╭─ Replace the key of work")
        await pastes(user, "key", service.key("sandbox").api_key)
        user.app.screen.query_one("#check", Button).press()
        await replaced(user)
