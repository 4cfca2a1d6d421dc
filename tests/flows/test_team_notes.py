"""Notes and things shared, between the browser of one and the desk of another, around a real server."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from svc_tui.core.jsontext import Json
from svc_tui.core.kinds import MASKED
from svc_tui.core.values import replace
from svc_tui.core.views import Sort, View
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.team.lines import LineKind, ServiceScope
from svc_tui.team.notes import Notes
from svc_tui.team.shares import SharedDraft, SharedRequest, SharedView, Shares
from tests.browser import User, browser
from tests.colleagues import Desk, desk, make_team
from tests.flows.steps import LOTS, RECORD, at_name, chosen, commanded, heard, renamed, stored_field
from tests.flows.test_record_tabs import to_tab
from tests.postgres import OwnDatabase

PLACE = f"{LOTS.key}/{RECORD}"
PATH = f"{LOTS.path}/{RECORD}"
HOSTILE = "[/x] [bold]\x1b[31mred \u202egnp.exe\u202c \ud800 end"
SOUND = 'name = "Open lots"\nmethod = "GET"\npath = "/v1/operations/lots"\n\n[query]\nstatus = "open"\n'
WITH_IDENTITY = (
    'name = "Trap {number}"\nmethod = "GET"\npath = "/v1/operations/lots"\n\n[headers]\n{header} = "stolen"\n'
)
WIDE = (160, 44)


class Colleague:
    """Bob, at a desk of his own."""

    def __init__(self, his: Desk, user: User) -> None:
        self._desk, self._user = his, user
        service = ServiceScope.of(user.app.main.session.scope)
        self.notes = Notes(his.own, his.mirror, his.sync, service, lambda: datetime.now(UTC))
        self.shares = Shares(his.own, his.mirror, his.sync, service, lambda: datetime.now(UTC))

    async def says(self, kind: LineKind, place: str, content: dict[str, Json]) -> None:
        """Write a line that holds anything."""
        await self._desk.own.add(kind, place, content, datetime.now(UTC))

    async def is_heard(self) -> None:
        """Have what was said arrive in the browser, at once."""
        await self._desk.sync.round()
        team = self._user.app.main.session.team
        assert team is not None
        team.sync.nudge()

    async def hears(self) -> None:
        """Learn what the browser said, once that is at the server."""
        team = self._user.app.main.session.team
        assert team is not None
        own = team.own

        while await own.count_waiting():
            team.sync.nudge()
            await self._user.pilot.pause(0.01)
        await self._desk.sync.round()


async def test_notes_and_things_go_from_one_to_the_other(
    service: RunningService, tmp_path: Path, team_database: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await make_team(team_database.url)
    home = tmp_path / "ada"
    home.mkdir()
    async with (
        browser(service, home, place="lots", size=WIDE, team=team_database.url, team_name="ada") as user,
        desk(tmp_path, team_database.url, "bob", scope=user.app.main.session.scope) as his,
    ):
        await _notes(user, his)
        await _things(user, his, service)


async def _notes(user: User, his: Desk) -> None:
    bob = Colleague(his, user)
    await at_name(user)
    # One that is written here is read there.
    await user.press("x")
    await chosen(user, "Team note…")
    await user.sees(rf"╭─ Team note · {RECORD}")
    await user.press("ctrl+s")
    await user.sees(r"Enter a note\.")
    await user.types("svc_test_abcdef")
    await user.sees(r"an API key or signing secret")
    await user.press("ctrl+s", *["backspace"] * 15)
    await user.types("asked them\nmail eve@example.com")
    await user.press("ctrl+s")
    await heard(user, rf"Added a note to {RECORD}\. See the History tab of the record")
    await bob.hears()
    (note,) = await bob.notes.of(PLACE)
    assert (note.text, str(note.author)) == ("asked them\nmail eve@example.com", "ada")
    # One that is left there is told here, while its record is on show, and stands in its history.
    await user.press("enter")
    await user.sees(rf"╭─ {RECORD} ")
    await to_tab(user, "History")
    await user.press("z")
    await user.sees(r"  you  +note: asked them mail eve@example\.com")
    await bob.notes.add(PLACE, HOSTILE)
    await bob.notes.add(f"{LOTS.key}/lot-000003", "of another lot")
    await bob.says(LineKind.NOTE, PLACE, {"text": ["no", "text"]})
    await bob.is_heard()
    seen = r"\[/x\] \[bold\]␛\[31mred ⟨202e⟩gnp\.exe⟨202c⟩ \ufffd end"
    await heard(user, rf"Team note on {RECORD}: bob: \[/x\]")
    assert not [report for report in user.app.main.reports if "another lot" in report.line]
    await user.puts_away_notices()
    await user.sees(rf"  bob  +note: {seen}")
    await user.press("home", "enter")
    await user.sees(rf"╭─ Team note on {PLACE}[\s\S]*by +bob on bob-desk[\s\S]*{seen}")
    await user.press("escape")
    # Personal data in it is hidden with all other.
    await user.press("ctrl+o")
    await user.sees(rf"  you  +note: asked them mail {MASKED}")
    assert "eve@example.com" not in user.text
    await commanded(user, "note", "Team note…")
    await user.sees(rf"you +\d{{4}}-[\s\S]*mail {MASKED}[\s\S]*bob +\d{{4}}-[\s\S]*{seen}")
    await user.press("escape")
    await user.loses(r"╭─ Team note")
    await user.press("ctrl+o")
    await commanded(user, "case", "Case file…")
    await user.sees(r"╭─ Case file")
    await user.press("enter")
    await heard(user, "Case file saved")
    (file,) = Path.cwd().glob("case-*.md")
    text = file.read_text()
    assert "## Team notes (2)" in text
    assert "```\nasked them\nmail eve@example.com\n```" in text
    assert "by `bob on bob-desk`:\n\n```\n[/x] [bold]�[31mred �gnp.exe� � end\n```" in text
    await user.puts_away_notices()
    await user.press("z")


async def _things(user: User, his: Desk, service: RunningService) -> None:
    bob = Colleague(his, user)
    assert await bob.shares.arrived() == ([], [])
    # A request, a view and a draft of Bob's, and what is none of them.
    await bob.shares.share("ada", SharedRequest("Open lots", SOUND), "for you")
    heavy = SharedView(LOTS.path, "heavy", View("massKg>10", Sort("massKg", True)))
    await bob.shares.share("", heavy, "", LOTS.key)
    draft = SharedDraft(PATH, {"name": "not as it is"}, {"name": "Bob's"}, ("email",))
    await bob.shares.share("ada", draft, HOSTILE, PLACE)
    await bob.shares.share("eve", heavy, "not for ada", LOTS.key)
    for number, header in enumerate(("Authorization", "X-Svc-Signature", "cookie", "X_SVC_KEY")):
        trap = WITH_IDENTITY.format(number=number, header=header)
        await bob.shares.share("ada", SharedRequest(f"Trap {number}", trap), "")
    await bob.shares.share("ada", replace(draft, path="/v1/none/such"), "", "none/such")
    await bob.says(LineKind.SHARE, PLACE, {"id": "x", "to": "", "what": "draft", "data": {}, "word": 1 > 0})
    await bob.is_heard()
    await heard(user, r"Shared by bob\. A draft of .*: name\. “\[/x\]")
    await user.puts_away_notices()
    await commanded(user, "shared", "Shared with me…")
    await user.sees(r"╭─ Shared with me · 8 ")
    for number in range(4):
        await chosen(user, f"Trap {number}")
        await user.sees(r"Can't be accepted: [\s\S]*The profile provides them")
        await user.press("t", "d")
        await user.sees(rf"╭─ Shared with me · {7 - number} ")
    await chosen(user, "draft of none/such")
    await user.sees(r"Can't be accepted: [\s\S]*is not a collection or a record")
    await user.press("d")
    await user.sees(r"╭─ Shared with me · 3 ")
    await chosen(user, "Open lots")
    await user.sees(r'“for you”[\s\S]*status = "open"')
    await user.press("t")
    await heard(user, r"Saved as Open lots\. File: ")
    await user.sees(r"Requests[\s\S]*Open lots")
    await commanded(user, "shared", "Shared with me…")
    await user.sees(r"╭─ Shared with me · \d ")
    await chosen(user, "view “heavy”")
    await user.sees(r"filter +massKg>10[\s\S]*sorting +massKg, descending")
    await user.press("t")
    await heard(user, "Saved as “heavy”")
    assert user.app.main.context.remembered.habit(LOTS.key).named["heavy"] == heavy.view
    await _draft(user)
    await bob.hears()
    (_, answers) = await bob.shares.arrived()
    taken = [share.thing for share, answer in answers if answer.taken]
    assert taken == [SharedRequest("Open lots", SOUND), heavy, draft]
    assert len(answers) == len(taken) + 5
    # And the other way round.
    await commanded(user, "share", "Share with a colleague…")
    await user.sees(r"╭─ Share with a colleague ")
    await chosen(user, f"Draft of {RECORD}: name")
    await user.sees(r"╭─ Share · draft of[\s\S]*Bob's[\s\S]*everybody in the team[\s\S]*bob")
    await user.press("enter")
    await user.types("your turn")
    await user.press("ctrl+s")
    await heard(user, "Shared with bob")
    await commanded(user, "share", "Share with a colleague…")
    await user.sees(r"╭─ Share with a colleague ")
    await chosen(user, "Saved request “Open lots”")
    await user.sees(r"╭─ Share · saved request")
    await user.press("ctrl+s")
    await heard(user, "Shared with bob", 2)
    await commanded(user, "share", "Share with a colleague…")
    await user.sees(r"╭─ Share with a colleague ")
    await chosen(user, "View “heavy”")
    await user.sees(r"╭─ Share · view")
    await user.press("up", "ctrl+s")
    await heard(user, "Shared with everybody in the team")
    await bob.hears()
    view, request, edits = await bob.shares.open()
    assert (view.to, view.thing, view.place) == ("", heavy, LOTS.key)
    assert request.thing == SharedRequest("Open lots", SOUND)
    assert isinstance(edits.thing, SharedDraft)
    assert (edits.thing.edits, edits.word, str(edits.author)) == ({"name": "Bob's"}, "your turn", "ada")
    await bob.shares.answer(edits, taken=True)
    await bob.shares.answer(view, taken=False)
    await bob.is_heard()
    await heard(user, rf"bob accepted the draft of {PLACE}: name")
    await heard(user, rf"bob declined the view “heavy” of {LOTS.key}")
    assert stored_field(service, "name") == "Cobalt doré 2", "nothing was sent"
    assert not [attempt for attempt in service.attempts if attempt.method not in ("GET", "HEAD")]


async def _draft(user: User) -> None:
    """Take Bob's draft: not over one's own without having been asked."""
    await user.press("2")
    await renamed(user, "Mine")
    await commanded(user, "shared", "Shared with me…")
    await user.sees(r"╭─ Shared with me · \d ")
    await chosen(user, "draft of")
    await user.sees(r"“\[/x\] \[bold\]␛[\s\S]*Bob's[\s\S]*Not shared \(masked\): email")
    await user.press("t")
    await user.sees(rf"Replace your draft of {RECORD}")
    await user.press("escape")
    await user.loses(r"Replace your draft")
    await user.sees(r"╭─ Shared with me · 1 ")
    await user.press("enter")
    await user.sees(r"t Accept")
    await user.press("t")
    await user.sees(r"Replace your draft")
    await user.press("y")
    await heard(user, r"Accepted the draft of lot-000002 by bob\. The record has changed since: name")
    await user.puts_away_notices()
    draft = user.app.main.features.drafting.drafts.draft(user.app.main.features.drafting.drafts.places[0])
    assert draft is not None
    assert draft.edits == {"name": "Bob's"}
    assert draft.base.fields["name"] == "Cobalt doré 2"
