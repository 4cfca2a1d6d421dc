"""What the program looks like, scene by scene: driven here, pictured by the snapshot tests and the screenshots."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual.widgets import Button, Input

from svc_tui.connect.checks import CheckResult, CheckVerdict
from svc_tui.connect.diagnosis import check_key_form, mismatched_signature
from svc_tui.console.comparison import ComparedAnswer, compare_answers
from svc_tui.console.request_form import RequestForm
from svc_tui.console.saved_requests import SavedRequest
from svc_tui.core.credentials import Environment, KeyPair
from svc_tui.core.draft import Draft
from svc_tui.core.jsontext import Json, loads, number
from svc_tui.core.requests import Answer, RequestSpec
from svc_tui.core.values import replace
from svc_tui.sandbox.seeds.hostile import HOSTILE_LOT
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import SignatureMismatch
from svc_tui.storage.history import RecordedRequest, RecordedResult, RequestOutcome
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.ui.connect.connection_inputs import SecretInput
from svc_tui.ui.connect.rotate import NewPairScreen
from svc_tui.ui.console.answer_comparison import ComparisonScreen
from svc_tui.ui.widgets.answer.answer_body_view import JsonPathInput
from svc_tui.ui.widgets.text.folding_json_view import FoldingJsonView
from tests.browser import User
from tests.flows.steps import commanded

Fields = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: where it begins, what is done there, which key and place it starts with.

    `tour` takes the tour.
    """

    play: Callable[[User], Awaitable[None]]
    place: str = "lots"
    key: str = "sandbox"
    secret: str | None = None
    before: Callable[[RunningService], None] = lambda service: None
    tour: bool = False


async def _read_ahead(user: User) -> None:
    """Wait for the page that is read ahead too: which fields are filled in most is told from all that are held."""
    await user.sees(r"lot-000001")
    await user.settled()


async def _page_ahead(user: User) -> None:
    """Wait for that page before something is told from all that are held."""
    await user.until(lambda: user.app.main.workspace.browse.rows.cached == 100, "the page ahead was not read")


async def _rows(user: User) -> None:
    """Wait for the rows of the table, which may be out of view: what a field is like is told from them too."""
    await user.until(lambda: user.app.main.workspace.browse.rows.loaded, "the table's rows never came")


async def _table(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("j", "j", "l", "l")


async def _opened(user: User) -> None:
    """Wait for the record and the rows beside it: which of them comes first is another each time."""
    await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
    await user.until(lambda: user.app.main.workspace.selection.record is not None, "the record never came")
    await _rows(user)


async def _record(user: User) -> None:
    await user.sees(r"╭─ (\w+ / )?lot-000002 ")
    await _opened(user)
    await user.press("j", "j", "j", "j")


async def _json(user: User) -> None:
    await _record(user)
    await user.press("right_curly_bracket")
    await user.sees(r'"id": "lot-000002"')


async def _tree(user: User) -> None:
    await _record(user)
    await user.press("slash", *"method", "enter")
    await user.sees(r"assay\.lab\.method")


async def _raw_answer(user: User) -> None:
    await _record(user)
    await user.press("right_curly_bracket", "right_curly_bracket")
    await user.sees(r"200 OK")


async def _history(user: User) -> None:
    await _record(user)
    await user.press(*["right_curly_bracket"] * 3)
    await user.sees(r"No changes from this computer")
    await user.sees(r"\d  attachment ")


async def _references(user: User) -> None:
    await user.sees(r"lot-000001")
    await _page_ahead(user)
    # All tunnels are held before one is opened: the search says of how many records it speaks.
    user.app.main.go(user.app.main.features.navigation.place("tunnels"))
    await user.sees(r"tun-01")
    await user.until(lambda: user.app.main.workspace.browse.rows.cached == 64, "the tunnels were never read")
    user.app.main.go(user.app.main.features.navigation.place("tunnels/tun-18"))
    await user.sees(r"╭─ (\w+ / )?tun-18 ")
    await _opened(user)
    await user.settled()
    await user.press("R")
    await user.sees(r"tunnelId: \d+ in ")
    await user.sees(r"6 references · ctrl\+l search 11 more collections")


async def _attachments(user: User) -> None:
    await _record(user)
    await user.press(*["right_curly_bracket"] * 4)
    await user.sees(r"att-000002-01")
    await user.sees(r"1–\d of \d ─╯")


async def _peek(user: User) -> None:
    await _record(user)
    # What has been read ahead tells where more fields lead.
    await user.settled()
    while user.app.main.workspace.selection.field != "tunnelId":
        await user.press("j")
    await user.press("p")
    await user.sees(r"⏎ Open +esc")


async def _edited(user: User) -> None:
    await _record(user)
    await user.press("e")
    await user.sees(r"(⏎|tab) Apply  esc Cancel")
    await user.press("ctrl+u")
    await user.types("9.50")


def _editor_of(path: str, *keys: str, until: str) -> Callable[[User], Awaitable[None]]:
    """Plays: the editor of a field, and what is typed there."""

    async def play(user: User) -> None:
        await user.sees(r"╭─ (\w+ / )?lot-000002 ")
        await _opened(user)
        while user.app.main.workspace.selection.path != path:
            await user.press("j")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        # Records that come while one types are listed, but none of them is highlighted.
        await user.settled()
        await user.press(*keys)
        await user.sees(until)

    return play


async def _choice(user: User) -> None:
    # A table behind a record reads no page ahead: the words are counted in both pages.
    await user.sees(r"lot-000001")
    await _page_ahead(user)
    user.app.main.go(user.app.main.features.navigation.place("lots/lot-000002"))
    await _editor_of("status", *"cl", until="as typed")(user)


async def _change_card(user: User) -> None:
    await _edited(user)
    await user.press("enter", "ctrl+s")
    await user.sees(r"Change lot-000002")


async def _ticket(user: User) -> None:
    await user.press("w")
    await user.sees(r"Unlock sending")
    await user.types("live")
    await user.press("enter")
    await user.sees(r"WRITABLE")
    await _change_card(user)
    await user.press("t")
    await user.types("OPS-4711")


async def _conflict(user: User) -> None:
    await _change_card(user)
    body = b'{"grade":7.10,"massKg":850}'
    await user.app.main.session.gateway.send(RequestSpec("PATCH", "/v1/operations/lots/lot-000002", body=body))
    await user.press("y")
    await user.sees(r"Conflict in [\s\S]+y Send")


async def _unknown(user: User) -> None:
    await _change_card(user)
    await user.press("y")
    await user.sees(r"Outcome unknown: lot-000002")
    await user.sees(r"y Send again")


async def _locked(user: User) -> None:
    await _edited(user)
    await user.press("enter", "ctrl+s")
    await user.sees(r"LIVE is locked\. +esc .+w Unlock LIVE")


async def _live(user: User) -> None:
    await user.sees(r"LIVE .*LOCKED")
    await user.sees(r"lot-000001")


async def _unlock(user: User) -> None:
    await _live(user)
    await user.press("w")
    await user.sees(r"Unlock sending")


async def _console(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("4")
    await user.sees(r"╭─ Console ")
    await user.press("ctrl+u")
    await user.types("/operations/lots/lot-000002")
    await user.press("ctrl+j")
    await user.sees(r"200 OK")


async def _answer(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("4")
    await user.sees(r"╭─ Console ")
    await user.press("ctrl+u")
    await user.types("GET lots limit==4")
    await user.press("ctrl+j")
    await user.sees(r"200 OK")
    body = user.app.screen.query_one(FoldingJsonView)
    body.focus()
    await user.until(lambda: body.has_focus, "the body has no focus")
    await user.press("vertical_line")
    line = user.app.screen.query_one(JsonPathInput)
    await user.until(lambda: line.line.has_focus, "the line for a path is not open")
    await user.types("$.items[?@.massKg>500].id")
    ids = [f"lot-00000{number}" for number in range(1, 5)]
    await user.until(lambda: body.text.startswith("[") and loads(body.text) == ids, "the path was not followed")
    await user.sees(r"4 matches")


async def _comparison(user: User) -> None:
    old = b'{"id": "lot-000002", "name": "Cobalt 2", "grade": 20.40, "assay": {"auPpm": 10.526}, "tags": ["rush"]}'
    new = b'{"id": "lot-000002", "name": "Copper 2", "grade": 20.4, "assay": {"auPpm": 10.526}, "priority": "urgent"}'
    before = ComparedAnswer("GET /v1/operations/lots/lot-000002  2026-11-20 05:12:07  200", Answer(200, "OK", (), old))
    after = ComparedAnswer(
        "GET /v1/operations/lots/lot-000002  2026-11-20 05:12:41  203", Answer(203, "Other", (), new)
    )
    await user.sees(r"lot-000001")
    user.app.push_screen(ComparisonScreen(before, after, compare_answers(before, after)))
    await user.sees(r"gone  \$\.tags")


async def _catalogue(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("f2")
    await user.sees(r"╭─ API reference ")
    await user.press("down", "down", "down")
    await user.sees(r"Create a record · lots")


async def _catalogue_of_errors(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("f2")
    await user.sees(r"╭─ API reference ")
    await user.types("rate limit")
    await user.sees(r"429 rate_limit_exceeded")


async def _values(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("f2")
    await user.sees(r"╭─ API reference ")
    await user.types("split")
    await user.sees(r"POST /v1/operations/lots/\{id\}/split")
    await user.press("enter")
    await user.sees(r"fill in \{id\}")
    await user.press("ctrl+j")
    await user.sees(r"╭─ Values for POST ")
    await user.types("lot-000002")
    await user.press("enter")
    await user.types("[1,")
    await user.press("ctrl+s")
    await user.sees(r"must be JSON")


async def _profiles(user: User) -> None:
    await _written_profiles(user)
    await user.press("colon")
    await user.sees(r"╭─ Go to ")
    await user.types("@")
    await user.sees(r"@warehouse")


async def _link_of_live(user: User) -> None:
    await _written_profiles(user)
    await user.press("colon")
    await user.sees(r"╭─ Go to ")
    await user.types(f"svctui://live@{user.app.main.session.gateway.host}/operations/lots")
    await user.press("enter")
    await user.sees(r"Open it with @prod-eu")


async def _written_profiles(user: User) -> None:
    """Profiles to go to: two for LIVE, and one that has no base URL for it."""
    await user.sees(r"lot-000001")
    here = user.app.main.session.gateway.base_url
    directory = user.home / "profiles"
    directory.mkdir()
    for name, setting in (("prod", "base_url"), ("prod-eu", "base_url"), ("warehouse", "sandbox_base_url")):
        file = directory / f"{name}.toml"
        await asyncio.to_thread(file.write_text, f'api_key = {{ env = "KEY" }}\n{setting} = "{here}"\n')
        file.chmod(0o600)


class _Refused:
    """A new pair whose signing secret is not the key's; see `connect.key_rotation.KeyRotation`."""

    async def with_secret(self) -> bool:
        """Whether there is a signing secret beside the key."""
        return True

    async def check(self, pair: KeyPair) -> AsyncIterator[CheckResult]:
        """What the doctor finds."""
        yield check_key_form(pair)
        yield CheckResult("reachability", CheckVerdict.PASSED, "api.example.com answered in 38 ms, directly")
        yield CheckResult("certificate", CheckVerdict.PASSED, "trusted by this system")
        yield CheckResult("clock", CheckVerdict.PASSED, "this computer is 1 s behind the service")
        yield CheckResult("key", CheckVerdict.PASSED, "known to the service")
        yield CheckResult("address", CheckVerdict.PASSED, "allowed for this key")
        error = SignatureMismatch("the signature is not the one that the service computes (signature_mismatch)")
        yield mismatched_signature(error, "", sound=True)
        for name in ("rate limit", "scope"):
            yield CheckResult(name, CheckVerdict.SKIPPED, "not checked: signature failed")

    async def replace(self, pair: KeyPair) -> None:
        """Never asked for."""
        raise AssertionError


async def _new_pair(user: User) -> None:
    await user.sees(r"api_key_revoked")
    user.app.push_screen(NewPairScreen(_Refused(), "work", Environment.LIVE, with_secret=True))
    await user.sees(r"begins with svc_live_")
    await user.types("svc_test_0123456789")
    await user.press("enter")
    secret = user.app.screen.query_one("#secret", SecretInput)
    await user.until(lambda: user.app.screen.focused is secret, "the secret can't be typed")
    await user.press("enter")
    await user.sees(r"this is a SANDBOX key")


async def _new_pair_refused(user: User) -> None:
    await _new_pair(user)
    user.app.screen.query_one("#key", SecretInput).value = "svc_live_0123456789abcdef"
    await user.sees(r"a LIVE key")
    user.app.screen.query_one("#secret", SecretInput).value = "svcsec_0123456789abcdef"
    user.app.screen.query_one("#check", Button).press()
    await user.sees(r"Key of work not replaced")


async def _signature(user: User) -> None:
    await user.sees(r"signature_mismatch")
    await user.press("4")
    await user.sees(r"╭─ Console ")
    await user.types("GET lots/lot-000002")
    await user.press("ctrl+j")
    await user.sees(r"Press f9\b")
    await user.press("f9")
    await user.sees(r"The signing secret does not belong to this key\.")
    user.app.clear_notifications()


async def _finder(user: User) -> None:
    await user.sees(r"lot-000001")
    # What a table holds behind the finder is told: the page ahead is held by then too.
    await _page_ahead(user)
    await user.press("ctrl+f")
    await user.sees(r"100 loaded records")
    await user.types("wrk-000")
    await user.sees(r"\d match(es)? in (9,334|33,734) loaded records")


async def _finder_marked(user: User) -> None:
    await _finder(user)
    await user.press("down", "space", "space")
    await user.sees(r"2 marked · ")


async def _results(user: User) -> None:
    await _finder(user)
    await user.press("ctrl+t")
    await user.sees(r"collection +id +label")


async def _filter(user: User) -> None:
    await _table(user)
    await user.press("slash")
    await user.types("status:open !gold")
    await user.sees(r"\d+ match(es)? in 100 of 300 loaded")


async def _chips(user: User) -> None:
    await _filter(user)
    await user.types(" ?mineral=silver")
    await user.press("enter")
    await user.sees(r"\?mineral=silver ✕")
    await user.sees(r"in 46 ")
    await user.settled()
    await user.press("s")
    await user.sees(r"╭─ Sort ")
    await user.press("enter")
    await user.loses(r"╭─ Sort ")


async def _unknown_end(user: User) -> None:
    # With the page ahead: before that the third page down ends at row 100.
    await user.sees(r"1–\d+ of 100\+")
    await user.press("pagedown", "pagedown", "pagedown")
    await user.sees(r"of \d{3}\+")


async def _shifted(user: User) -> None:
    await _table(user)
    gateway = user.app.main.session.gateway
    await gateway.send(RequestSpec("DELETE", "/v1/operations/lots/lot-000001"))
    await user.press("G")
    await user.sees(r"records moved while loading")


async def _throttled(user: User) -> None:
    await user.sees(r"429 · retry in")


async def _failed(user: User) -> None:
    await user.sees(r"✕ ")


async def _empty(user: User) -> None:
    await user.sees(r"No \w+\.  a Add one")


async def _help(user: User) -> None:
    await _table(user)
    await user.press("question_mark")
    await user.sees(r"Keys ·")


async def _columns(user: User) -> None:
    await _read_ahead(user)
    await user.press("o")
    await user.sees(r"Columns · automatic")
    await user.press("slash", *"assay", "enter", "down", "space")
    await user.sees(r"✓ assay\.auPpm")
    await user.press("slash", "escape")
    await user.press("down", "right", "right")


async def _summary_of(user: User, path: str) -> None:
    await user.sees(r"lot-000001")
    await _page_ahead(user)
    while user.app.main.workspace.selection.path != path:
        await user.press("l")
    await user.press("i")
    await user.sees(rf"Summary · {path}")


async def _summary(user: User) -> None:
    await _summary_of(user, "grade")


async def _summary_of_words(user: User) -> None:
    await _summary_of(user, "status")


async def _hostile(user: User) -> None:
    # By way of the table: whether the page of a record that is opened at once is read too depends on the machine.
    await user.sees(r"lot-000001")
    await user.press(*["down"] * (int(HOSTILE_LOT.removeprefix("lot-")) - 1))
    await user.sees(HOSTILE_LOT)
    await user.press("enter")
    await user.sees(rf"╭─ (\w+ / )?{HOSTILE_LOT} ")
    await _opened(user)


async def _marks(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("space", "down", "space", "v", "down", "down")
    await user.sees(r"v ends the range")


async def _export(user: User) -> None:
    await user.sees(r"lot-000001")
    await _page_ahead(user)
    await user.press("space", "space", "ctrl+e")
    await user.sees(r"─ Export lots ─")
    await user.press("tab", "tab", "ctrl+u")
    await user.types("lots.csv")


async def _form(user: User) -> None:
    await _read_ahead(user)
    await user.press("a")
    await user.sees(r" New record in operations/lots [─═]")
    await user.types("Made by hand")
    await user.press("down", "down")
    await user.types("8,5")
    await user.sees(r"is not a number")
    await user.press("down")
    await user.types("12.50")
    await user.press("down", "ctrl+g")


async def _begun(user: User) -> None:
    await _form(user)
    await user.press("escape")
    await user.loses(r" New record in operations/lots [─═]")
    # So long ago that it is as long ago however long this takes.
    user.app.main.features.unsent_forms._now = lambda: datetime.now(UTC) + timedelta(days=3, hours=12)
    await user.press("a")
    await user.sees(r"Started 3 d ago")


async def _new_record(user: User) -> None:
    await _read_ahead(user)
    await user.press("a")
    await user.sees(r" New record in operations/lots [─═]")
    await user.types("Made by hand")
    await user.press("ctrl+s")
    await user.sees(r"y Send")
    await user.press("t")
    await user.types("OPS-4711")
    await user.press("enter")


async def _made_or_not(user: User) -> None:
    await _new_record(user)
    await user.press("y")
    await user.sees(r"Outcome unknown")
    await user.sees(r"y Send again")


async def _actions(user: User) -> None:
    await _opened(user)
    await user.press("x")
    await user.sees(r"Actions on lot-000002")


async def _delete_live(user: User) -> None:
    await _opened(user)
    await user.press("w")
    await user.sees(r"Unlock sending")
    await user.types("live")
    await user.press("enter")
    await user.sees(r"WRITABLE")
    await user.press("delete")
    await user.sees(r"Searched")
    await user.types("lot-00000")
    await user.press("enter")
    await user.sees(r"wrong id · type the id of this record")


async def _verdict(user: User) -> None:
    await _opened(user)
    await user.press("x")
    await user.sees(r"Actions on tun-13")
    await user.press("enter")
    await user.sees(r"✕ The chain is broken")


async def _undo(user: User) -> None:
    await user.sees(r"lot-000001")
    lot, journal = "/v1/operations/lots/lot-000002", user.store.journal(user.scope)
    writes: list[tuple[str, str, Fields | None, Fields | None, str, str]] = [
        ("POST", f"{lot}/split", None, {"parts": number("2")}, "done", ""),
        ("PATCH", lot, {"name": "Cobalt"}, {"name": "Nickel"}, "unknown", ""),
        ("POST", "/v1/operations/lots", {}, {"name": "Made by hand"}, "done", "lot-000301"),
        ("DELETE", lot, {"id": "lot-000002", "name": "Cobalt"}, None, "done", ""),
        ("PATCH", lot, {"grade": number("8.40")}, {"grade": number("9.50"), "note": "new"}, "done", ""),
    ]
    at = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
    for method, target, before, after, result, made in writes:
        place = target.removeprefix("/v1/").removesuffix("/split")
        entry = await journal.intend(Intent(at, method, target, place, "key", before, after, "SUP-4711"))
        await journal.conclude(entry, Outcome(at, result, 200, made=made))
    await user.press("u")
    await user.sees(r"Restores ")


async def _journal_search(user: User) -> None:
    await user.sees(r"lot-000001")
    intent = Intent(datetime(2026, 11, 20, 5, 12, tzinfo=UTC), "PATCH", "", "", "key")
    journal = user.store.journal(user.scope)
    for index, (record, ticket, old, new) in enumerate(
        (
            ("lot-000002", "SUP-4711", "open", "closed"),
            ("lot-000003", "SUP-4711", "in_transit", "closed"),
            ("lot-000009", "SUP-4712", "open", "rejected"),
        )
    ):
        place = f"operations/lots/{record}"
        wrote = replace(intent, place=place, ticket=ticket, before={"status": old}, after={"status": new})
        entry = await journal.intend(wrote)
        await journal.conclude(
            entry, Outcome(intent.at, "refused" if index == 1 else "done", 403 if index == 1 else 200)
        )
    await user.press("at")
    await user.sees(r"Journal · 3")
    await user.press("slash")
    await user.types("sup-4711")
    await user.sees(r"2 found")


async def _running(user: User) -> None:
    await user.sees(r"lot-000001")
    place, at = "operations/lots/lot-000002", datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
    intent = Intent(at, "PATCH", f"/v1/{place}", place, "key", {"status": "open"}, {"status": "closed"}, "SUP-4711")
    journal = user.store.journal(user.scope)
    await journal.conclude(await journal.intend(intent), Outcome(at, "refused", 409))
    await journal.intend(intent)
    await user.press("at")
    await user.sees(r"… running")


async def _untaken(user: User) -> None:
    await _record(user)
    workspace = user.app.main.workspace
    assert workspace.selection.place is not None
    assert workspace.selection.record is not None
    edits: Fields = {"name": "As it was sent", "status": "closed"}
    user.app.main.features.drafting.put(
        workspace.selection.place, Draft(workspace.selection.record, edits, frozenset({"name"}))
    )
    await user.sees(r"the service did not")


async def _batch(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("v", *["down"] * 7, "x")
    await user.sees(r"Change a field of 8 marked")
    await user.types("change a field")
    await user.press("enter")
    await user.sees(r"Field to change in 8 records")
    await user.press("home", "down", "enter")
    await user.sees(r"8 records · status")
    await user.press("ctrl+u")
    await user.types("closed")
    await user.press("enter")
    await user.sees(r"Change status of \d of 8 lots")
    await user.press("down", "space")
    await user.sees(r"Skipped")


async def _corrections(user: User) -> None:
    await user.sees(r"lot-000001")
    file = user.home / "lots.csv"
    rows = (
        "id,name,status,grade,assay.auPpm,tunnelId,note,colour,_action",
        "lot-000001,Silver ore one,clsoed,8.4,,,,red,",
        "lot-000002,,in_transit,,,,,,",
        "lot-000003,,,,,,(null),,",
        "lot-000004,,,15.5,12.25,tun-99999,,,",
        "lot-000006,twice,,,,,,,",
        "lot-000006,twice,,,,,,,",
        "lot-000013,Named again,,,,,(empty),,",
        "lot-999999,nowhere,,,,,,,",
        ",New lot,open,,,,,,",
        "lot-000015,,,,,,,,delete",
    )
    await asyncio.to_thread(file.write_text, "\n".join(rows))
    await commanded(user, "Corrections from a file", "Corrections from a file…")
    await user.sees(r"Corrections for lots from a file")
    user.app.screen.query_one(Input).value = str(file)
    await user.press("enter")
    await user.sees(r"y Send \d")
    await user.press("n", "G", "N", "N", "space")


async def _requests_sent(user: User) -> None:
    await user.sees(r"lot-000001")
    history = user.store.history(user.scope, 10)
    lot = "/v1/operations/lots/lot-000002"
    for minute, (method, path, query, ended) in enumerate(
        (
            (
                "GET",
                "/v1/operations/lots",
                (("status", "open"), ("page", "2")),
                RecordedResult(RequestOutcome.ANSWERED, 200, 0.038, 9000),
            ),
            ("POST", f"{lot}/split", (), None),
            ("PATCH", lot, (), RecordedResult(RequestOutcome.ANSWERED, 403, 0.024, 120, message="insufficient_scope")),
            ("DELETE", lot, (), RecordedResult(RequestOutcome.NOT_SENT, message="LIVE is locked.")),
            (
                "GET",
                "/v1/operations/hash-chain/verify",
                (("tunnelId", "tun-13"),),
                RecordedResult(RequestOutcome.ANSWERED, 200, 1.204, 88),
            ),
        )
    ):
        at = datetime(2026, 11, 20, 5, 12 + minute, tzinfo=UTC)
        number = await history.begin(RecordedRequest(at, RequestSpec(method, path, query)))
        if ended is not None:
            await history.end(number, ended)
    await user.press("f8")
    await user.sees(r"Request history · 5")
    await user.press("down")


async def _save_request(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("4")
    await user.sees(r"╭─ Console ")
    await user.types("POST lots/{id}/split parts:={parts}")
    await user.press("ctrl+s")
    await user.sees(r"Asks for id, parts each time")
    await user.types("Split as the lab wants it")
    await user.press("enter")


async def _saved_requests(user: User) -> None:
    # The program's own first look at the directory is over.
    await _read_ahead(user)
    filing = user.app.main.features.saved_requests
    for name, method in (("Lots by status", "GET"), ("Split as the lab wants it", "POST")):
        user.app.main.session.saved_requests.keep(SavedRequest(name, RequestForm(method, "/v1/operations/lots")))
    broken = f"{user.app.main.session.saved_requests.directory}/rename.toml"
    await asyncio.to_thread(Path(broken).write_text, "name = 7\n")
    await filing.load()
    await user.press("1")
    await user.sees(r"✕ rename")
    await user.press("end")


async def _mask(user: User) -> None:
    await user.sees(r"╭─ (\w+ / )?wrk-0001 ")
    await _opened(user)
    await user.press("ctrl+o")
    await user.sees(r"MASKED")


async def _masked_dialog(user: User) -> None:
    await user.sees(r"╭─ (\w+ / )?wrk-0001 ")
    await _opened(user)
    await user.press("y")
    await user.sees(r"record as JSON")
    await user.press("ctrl+o")
    await user.sees(r"masked · ctrl\+o unmask")


async def _tour(user: User) -> None:
    await user.sees(r"Tour 1 of 10")
    await _read_ahead(user)
    await user.press("G")
    await user.sees(r"Tour 2 of 10")
    await user.sees(r"lot-000300")


async def _tour_card(user: User) -> None:
    workspace = user.app.main.workspace
    await _read_ahead(user)
    for step in range(1, 6):
        await user.sees(rf"Tour {step} of 10")
        await user.press("f12")
    await user.sees(r"Tour 6 of 10")
    await user.press("enter")
    await user.until(lambda: workspace.panes.in_record, "the record never had the focus")
    await user.press("e")
    await user.sees(r"⏎ Apply  esc Cancel")
    await user.press("ctrl+u")
    await user.types("Silver doré 1")
    await user.press("enter", "ctrl+s")
    await user.sees(r"Change lot-000001")
    await user.sees(r"Press y to send it")


SCENES: dict[str, Scene] = {
    "browse": Scene(_table),
    "record": Scene(_record, place="lots/lot-000002"),
    "json": Scene(_json, place="lots/lot-000002"),
    "record-tree": Scene(_tree, place="lots/lot-000002"),
    "record-raw": Scene(_raw_answer, place="lots/lot-000002"),
    "record-history": Scene(_history, place="lots/lot-000002"),
    "references": Scene(_references),
    "record-attachments": Scene(_attachments, place="lots/lot-000002"),
    "peek": Scene(_peek, place="lots/lot-000002"),
    "finder": Scene(_finder),
    "finder-marked": Scene(_finder_marked),
    "results": Scene(_results),
    "edit": Scene(_edited, place="lots/lot-000002"),
    "edit-text": Scene(_editor_of("name", "ctrl+j", *"two", until="ends with|two"), place="lots/lot-000002"),
    "edit-time": Scene(_editor_of("openedAt", "up", until=r"openedAt +2024-.*Z"), place="lots/lot-000002"),
    "edit-flag": Scene(_editor_of("sealed", "up", until=r"sealed +true +✗ no"), place="lots/lot-000002"),
    "edit-choice": Scene(_choice),
    "edit-reference": Scene(_editor_of("tunnelId", *"11", until=r"tun-11 +Pique"), place="lots/lot-000002"),
    "edit-json": Scene(_editor_of("assay", "delete", until="Not valid JSON"), place="lots/lot-000002"),
    "edit-null": Scene(_editor_of("name", "ctrl+n", until="∅ null"), place="lots/lot-000002"),
    "change-card": Scene(_change_card, place="lots/lot-000002"),
    "ticket": Scene(_ticket, place="lots/lot-000002", key="live"),
    "conflict": Scene(_conflict, place="lots/lot-000002"),
    "unknown": Scene(
        _unknown,
        place="lots/lot-000002",
        before=lambda service: service.faults.next("500", count=3, method="PATCH"),
    ),
    "columns": Scene(_columns),
    "filter": Scene(_filter),
    "chips": Scene(_chips),
    "unknown-end": Scene(_unknown_end, before=lambda service: service.faults.always("no-total")),
    "shifted": Scene(_shifted),
    "summary": Scene(_summary),
    "summary-words": Scene(_summary_of_words),
    "console": Scene(_console),
    "answer": Scene(_answer),
    "compare": Scene(_comparison),
    "catalogue": Scene(_catalogue),
    "catalogue-error": Scene(_catalogue_of_errors),
    "values": Scene(_values),
    "signature": Scene(_signature, key="live", secret="svcsec_of_another_key"),
    "help": Scene(_help),
    "hostile": Scene(_hostile),
    "marks": Scene(_marks),
    "export": Scene(_export),
    "form": Scene(_form),
    "form-begun": Scene(_begun),
    "new-record": Scene(_new_record),
    "send-again": Scene(_made_or_not, before=lambda service: service.faults.next("500", count=3, method="POST")),
    "actions": Scene(_actions, place="lots/lot-000002"),
    "delete-live": Scene(_delete_live, place="lots/lot-000002", key="live"),
    "verdict": Scene(_verdict, place="tunnels/tun-13"),
    "undo": Scene(_undo),
    "journal-search": Scene(_journal_search),
    "journal-running": Scene(_running),
    "untaken": Scene(_untaken, place="lots/lot-000002"),
    "batch": Scene(_batch),
    "corrections": Scene(_corrections),
    "history": Scene(_requests_sent),
    "save-request": Scene(_save_request),
    "saved-requests": Scene(_saved_requests),
    "profiles": Scene(_profiles),
    "link-of-live": Scene(_link_of_live),
    "new-pair": Scene(_new_pair, key="revoked"),
    "new-pair-refused": Scene(_new_pair_refused, key="revoked"),
    "mask": Scene(_mask, place="workers/wrk-0001"),
    "mask-dialog": Scene(_masked_dialog, place="workers/wrk-0001"),
    "live": Scene(_live, key="live"),
    "locked": Scene(_locked, place="lots/lot-000002", key="live"),
    "unlock": Scene(_unlock, key="live"),
    "throttled": Scene(_throttled, before=lambda service: service.faults.next("429", retry_after=12)),
    "error": Scene(_failed, key="revoked"),
    "tour": Scene(_tour, key="test-signed", tour=True),
    "tour-card": Scene(_tour_card, key="test-signed", tour=True),
    "empty": Scene(_empty, place="operations/lots/lot-000001/attachments"),
}
