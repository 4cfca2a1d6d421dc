"""Uses of the browser that change records."""

import re

from tests.golden.stage import Stage, Window

_FIELDS = (
    "id", "name", "status", "priority", "grade", "massKg", "moisturePct", "openedAt", "closedAt", "createdAt",
    "updatedAt", "tunnelId", "workerId", "mineral", "note", "hazardous", "sealed", "assay", "tags",
)  # fmt: skip
"""The fields of a lot in the order of the record pane."""


def _open_record(window: Window) -> None:
    window.sees(r"─ (• )?lot-000002 ─")
    window.sees(r"id +lot-000002 +│")


def _open_editor(window: Window, field: str) -> None:
    window.press("g", "j" * _FIELDS.index(field), "e")
    window.sees(r"(⏎|tab) Apply  esc Cancel")


def _edit(window: Window, field: str, text: str) -> None:
    """Replace the value of a field in the record pane; the edit is not sent."""
    _open_editor(window, field)
    window.press(text)
    window.sees(re.escape(text))
    window.press("enter")
    window.loses(r"(⏎|tab) Apply  esc Cancel")


def _review(window: Window) -> None:
    window.press("ctrl+s")
    window.sees(r" Change lot-000002 [─═]")


def _unlock(window: Window) -> None:
    window.press("w")
    window.sees(r"Unlock sending")
    window.press("live", "enter")
    window.loses(r"Unlock sending")
    window.sees(r"WRITABLE 9:")


def _quit(window: Window) -> None:
    """Quit with a draft that is not sent."""
    window.press("ctrl+q")
    window.sees(r"It is kept")
    window.end("y")


def fix_a_field(stage: Stage) -> None:
    """Edit a field of a lot, look at the change, send it, undo it."""
    with stage.browse("lots/lot-000002") as window:
        window.sees(r"─ lot-000002 ─")
        window.press("e")
        window.sees(r"(⏎|tab) Apply  esc Cancel")
        window.press("ctrl+u", "Renamed", "enter")
        window.shot("draft", r"draft: 1 field")
        window.press("ctrl+s")
        window.shot("change", r"Change lot-000002")
        window.press("y")
        window.shot("saved", r"Saved lot-000002")
        window.dismiss(r"Saved lot-000002")
        window.press("u")
        window.shot("undo list", r"Restores ")
        window.press("enter")
        window.shot("undo", r"y Send")
        window.press("y")
        window.shot("undone", r"Undone: change of")
        window.end("ctrl+q")
    stage.note_record("lot-000002")


def edit_each_kind_of_field(stage: Stage) -> None:
    """Edit a number, texts, a choice, a time and a flag, discard one edit, be refused for one, send the rest."""
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        _edit(window, "name", "Silver, sampled again")
        _edit(window, "grade", "8.50")
        _edit(window, "hazardous", "t")
        _edit(window, "closedAt", "2026-01-15T08:30:00Z")
        _open_editor(window, "note")
        window.press("ctrl+n")
        window.sees(r"note +∅ null")
        window.press("enter")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        _open_editor(window, "priority")
        window.press("urgnt")
        window.shot("unknown value", r"Use “urgnt” as typed")
        window.press("down", "enter")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        _edit(window, "moisturePct", "9")
        window.shot("drafts", r"draft: 7 fields")
        window.press("backspace")
        window.sees(r"draft: 6 fields")
        _review(window)
        window.press("t", "SUP-4711", "enter")
        window.shot("card", r"Ticket +SUP-4711")
        window.press("y")
        window.shot("refused", r"was not changed")
        window.dismiss(r"was not changed")
        window.press("g", "jjj", "backspace")
        window.sees(r"draft: 5 fields")
        _review(window)
        window.sees(r"Ticket +SUP-4711")
        window.press("y")
        window.shot("saved", r"Saved lot-000002")
        window.end("ctrl+q")
    stage.note_record("lot-000002")


def edit_json_and_a_reference(stage: Stage) -> None:
    """Edit an object and a list as JSON, choose another tunnel."""
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        _open_editor(window, "tags")
        window.press("down", "end", *["backspace"] * len('"rush",'), '"wet", "dry",')
        window.sees(r"3 items")
        window.press("tab")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        _open_editor(window, "assay")
        window.press("down", "end", *["backspace"] * len("5.401,"))
        window.shot("broken JSON", r"Not valid JSON")
        window.press("7.50,")
        window.sees(r"5 fields")
        window.press("tab")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        _open_editor(window, "tunnelId")
        window.press("tun-6")
        window.sees(r"tun-60  \w")
        window.press("0")
        window.shot("tunnel", r"tunnelId +tun-60 ")
        window.press("enter")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        _review(window)
        window.shot("card", r"y Send")
        window.press("y")
        window.shot("saved", r"Saved lot-000002")
        window.end("ctrl+q")
    stage.note_record("lot-000002")


def edit_on_live(stage: Stage) -> None:
    """Find LIVE locked, unlock it on the card, send, lock it; delete a record by its id."""
    with stage.browse("lots/lot-000002", key="live") as window:
        _open_record(window)
        _edit(window, "note", "damp")
        _review(window)
        window.shot("locked", r"LIVE is locked\. +esc .+w Unlock LIVE")
        window.press("y")
        window.sees(r"not sent: LIVE is locked")
        window.press("w")
        window.sees(r"Unlock sending")
        window.press("yes", "enter")
        window.shot("wrong word", r"Wrong word")
        window.press("ctrl+u", "live", "enter")
        window.loses(r"w Unlock LIVE")
        window.press("h")
        window.shot("unlocked", r"WRITABLE 9:[\s\S]+WRITABLE 9:")
        window.press("y")
        window.shot("saved", r"Saved lot-000002")
        window.dismiss(r"Saved lot-000002")
        window.press("w")
        window.dismiss(r"LIVE is locked again")
        window.press("delete")
        window.sees(r"Delete lot-000002[\s\S]+Searched")
        _unlock(window)
        window.press("lot-000001", "enter")
        window.shot("wrong id", r"wrong id")
        window.press("ctrl+u", "lot-000002", "enter")
        window.shot("deleted", r"Deleted lot-000002")
        window.end("ctrl+q")


def edit_with_a_wrong_secret(stage: Stage) -> None:
    """Keep a draft, find that the signature is refused the next day, and later that the key was replaced."""
    with stage.browse("lots/lot-000002", key="live") as window:
        _open_record(window)
        _edit(window, "note", "damp")
        _quit(window)
    with stage.browse("lots/lot-000002", key="live", SVC_SIGNING_SECRET="wrong") as window:
        window.sees(r"1 record has a draft")
        window.shot("refused", r"signature_mismatch[\s\S]+Could not load lot-000002[\s\S]+signature refused")
        window.dismiss(r"Could not load lot-000002")
        window.press("ctrl+p")
        window.sees(r"Search for commands")
        window.press("draft: lot")
        window.shot("palette", r"Draft: lot-000002")
        window.press("enter")
        window.shot("draft", r"Could not load lot-000002")
        window.dismiss(r"Could not load lot-000002")
        _quit(window)
    with stage.browse("lots/lot-000002", key="live") as window:
        _open_record(window)
        window.dismiss(r"1 record has a draft")
        _unlock(window)
        _review(window)
        window.think()
        stage.control("POST", "rotate", key="live")
        window.press("y")
        window.shot("key replaced", r"lot-000002 was not")
        window.dismiss(r"lot-000002 was not")
        _quit(window)


def meet_a_conflict(stage: Stage) -> None:
    """Others change the same fields: choose one's own value and theirs; others change another field."""
    stage.interval = 0  # two clocks that differ are a warning on the screen
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        _edit(window, "note", "mine")
        _edit(window, "grade", "1.10")
        stage.run("""request PATCH lots/lot-000002 -d '{"note": "theirs", "grade": 2, "massKg": 3}'""")
        _review(window)
        window.shot("card", r"Others also changed")
        window.press("y")
        window.shot("conflict", r"Conflict in lot-000002[\s\S]+y Send")
        window.press("y")
        window.sees(r"Press m or o")
        window.press("m", "o")
        window.loses(r"Press m or o")
        window.shot("chosen", r"Conflict in [\s\S]+y Send")
        window.think()
        window.press("y")
        window.shot("saved", r"Saved lot-000002")
        window.dismiss(r"Saved lot-000002")
        _edit(window, "note", "again")
        stage.run("""request PATCH lots/lot-000002 -d '{"massKg": 4}'""")
        _review(window)
        window.press("y")
        window.shot("other fields", r"Others (also|have) changed massKg")
        window.end("ctrl+q")
    stage.note_record("lot-000002")


def others_write_at_the_same_time(stage: Stage) -> None:
    """Others change the record between the check and the change; then somebody deletes it."""
    stage.interval = 0  # two clocks that differ are a warning on the screen
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        _edit(window, "note", "mine")
        _review(window)
        stage.settle()
        stage.fail("hold", method="GET", path="/v1/operations/lots/lot-000002")
        window.press("y")
        stage.wait_until_held()
        stage.run("""request PATCH lots/lot-000002 -d '{"note": "theirs"}'""")
        stage.control("POST", "release")
        window.shot("conflict", r"Conflict in lot-000002")
        window.think()
        window.press("y")
        window.sees(r"Press m or o")
        window.press("m")
        window.loses(r"Press m or o")
        window.press("y")
        window.dismiss(r"Saved lot-000002")
        stage.settle()
        _edit(window, "note", "too late")
        _review(window)
        stage.settle()
        stage.run("request DELETE lots/lot-000002")
        window.press("y")
        window.shot("gone", r"lot-000002 was not")
        window.dismiss(r"lot-000002 was not")
        _quit(window)


def wait_for_the_service(stage: Stage) -> None:
    """Wait after 429 and 503 while a page and a record are read and a change is sent; be told to wait for a day."""
    stage.fail("503", 20)
    with stage.browse("lots") as window:
        window.shot("no page", r"503")
        stage.stop_failing()
        stage.fail("429", retry_after="1")
        window.press("r")
        window.sees(r"lot-000002 ")
        window.press("j", "enter")
        _open_record(window)
        _edit(window, "note", "late")
        stage.fail("503", method="PATCH")
        stage.fail("429", retry_after="2", method="PATCH")
        _review(window)
        window.press("y")
        window.sees(r"retry in")
        window.shot("saved", r"Saved lot-000002")
        window.dismiss(r"Saved lot-000002")
        _edit(window, "note", "tomorrow")
        stage.fail("429", retry_after="86420", method="PATCH")
        _review(window)
        window.press("y")
        window.shot("refused", r"lot-000002 was not")
        window.dismiss(r"lot-000002 was not")
        _quit(window)


def change_of_unknown_outcome(stage: Stage) -> None:
    """Lose every response, leave the change, look at the record the next day, send it again with the same key."""
    stage.fail("reset-before", 20, method="PATCH")
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        _edit(window, "note", "lost")
        _review(window)
        window.press("y")
        window.shot("unknown", r"Outcome unknown: lot-000002[\s\S]+esc Later")
        window.press("esc")
        window.loses(r"Outcome unknown: lot-000002")
        window.dismiss(r"outcome unknown")
        _quit(window)
    stage.stop_failing()
    with stage.browse("lots/lot-000002") as window:
        window.shot("next day", r"lot-000002: outcome unknown")
        window.dismiss(r"lot-000002: outcome unknown")
        _review(window)
        window.press("h")
        window.shot("same key", r"Idempotency-Key: ")
        window.press("y")
        window.dismiss(r"Saved lot-000002")
        _edit(window, "note", "found")
        stage.fail("reset", method="PATCH")
        _review(window)
        window.press("y")
        window.dismiss(r"Saved lot-000002")
        window.press("@")
        window.shot("journal", r"Journal · 3")
        window.end("ctrl+q")
    stage.note_record("lot-000002")


def crash_with_a_draft(stage: Stage) -> None:
    """Be killed with an edit that is applied and one that is not, and go on with both."""
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        _edit(window, "note", "survives")
        _open_editor(window, "massKg")
        window.press("12x5")
        window.shot("being typed", r"is not a number")
        window.kill()
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        window.shot("restarted", r"1 record has a draft[\s\S]+not applied yet")
        window.dismiss(r"not applied yet")
        _open_editor(window, "massKg")
        window.shot("goes on", r"Unfinished edit")
        window.press("backspace", "backspace", ".50")
        window.sees(r"massKg +12\.50")
        window.press("enter")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        _review(window)
        window.shot("both", r"12\.50")
        window.press("y")
        window.dismiss(r"Saved lot-000002")
        window.end("ctrl+q")


def edit_in_two_windows(stage: Stage) -> None:
    """Edit the same field in two windows: each sends its own."""
    stage.interval = 0  # two clocks that differ are a warning on the screen
    with stage.browse("lots/lot-000002") as one, stage.browse("lots/lot-000002") as two:
        _open_record(one)
        _open_record(two)
        _edit(one, "note", "A")
        stage.settle()
        _edit(two, "note", "B")
        two.shot("second edit", r"different draft of note")
        two.dismiss(r"different draft of note")
        stage.settle()
        _review(one)
        one.shot("first card", r'Value in another window: "B"')
        one.press("y")
        one.dismiss(r"Saved lot-000002")
        stage.settle()
        _review(two)
        two.shot("second card", r"Others also changed note")
        two.press("y")
        two.shot("conflict", r"Conflict in lot-000002[\s\S]*y Send")
        two.think()
        two.press("y")
        two.sees(r"Press m or o: note")
        two.press("m", "y")
        two.shot("second saved", r"Saved lot-000002")
        two.end("ctrl+q")
        one.end("ctrl+q")


def add_copy_and_delete(stage: Stage) -> None:
    """Add a lot, add a copy of it, delete the copy, see both in the journal."""
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        window.press("a")
        window.shot("form", r"New record in operations/lots")
        window.press("Made by hand", "down", "down", "down", "12.50")
        window.sees(r"massKg +number +12\.50")
        window.press("ctrl+s")
        window.shot("new record", r"y Send")
        window.press("y")
        window.dismiss(r"Created lot-000121")
        window.sees(r"─ lot-000121 ─")
        window.press("A")
        window.sees(r"A copy of lot-000121")
        window.press("up", "up", "ctrl+u", "The copy")
        window.shot("copy", r"The copy")
        window.press("ctrl+s")
        window.sees(r"y Send")
        window.press("y")
        window.dismiss(r"Created lot-000122")
        window.sees(r"─ lot-000122 ─")
        window.press("delete")
        window.shot("deletion", r"Searched")
        window.press("y")
        window.shot("deleted", r"Deleted lot-000122")
        window.dismiss(r"Deleted lot-000122")
        window.press("@")
        window.shot("journal", r"Journal · 3")
        window.end("ctrl+q")
    stage.note_record("lot-000121")


def split_a_lot(stage: Stage) -> None:
    """Split a lot in two by the actions menu."""
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        window.press("x")
        window.shot("actions", r"Split a lot[\s\S]+Delete the record")
        window.press("enter")
        window.sees(r"Split a lot · lot-000002")
        window.press("[{", "ctrl+s")
        window.shot("no JSON", r"must be JSON")
        window.press("ctrl+u", "2", "ctrl+s")
        window.shot("action", r"y Send")
        window.press("y")
        window.shot("response", r"Split a lot · 201")
        window.press("esc")
        window.loses(r"Split a lot · 201")
        window.sees(r"status +✓ closed")
        window.press("u")
        window.shot("no undo", r"no undo")
        window.press("esc")
        window.end("ctrl+q")


def undo_from_the_journal(stage: Stage) -> None:
    """Undo a change, a creation and a deletion from the journal, one after the other."""
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "damp", "grade": 1.50}'""")
    stage.run("""request POST lots -d '{"name": "Made once"}'""")
    stage.run("request DELETE lots/lot-000003")
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        window.press("@")
        window.shot("journal", r"Journal · 3")
        window.press("u")
        window.shot("again", r"New record in")
        window.press("ctrl+s")
        window.sees(r"y Send")
        window.press("y")
        window.dismiss(r"Undone: created")
        stage.settle()
        window.press("@")
        window.sees(r"Journal · 4")
        window.press("down", "down", "u")
        window.shot("deletion", r"Undo: delete lot-000121[\s\S]+Searched")
        window.press("y")
        window.dismiss(r"Undone: deleted lot-000121")
        stage.settle()
        window.press("@")
        window.sees(r"Journal · 5")
        window.press("down", "down", "down", "down", "u")
        window.shot("change", r"Undo: change lot-000002[\s\S]+y Send")
        window.press("y")
        window.dismiss(r"Undone: change of lot-000002")
        stage.settle()
        window.press("@")
        window.shot("undone", r"Journal · 6")
        window.end("ctrl+q")
    stage.note_record("lot-000002")


def quit_with_a_draft(stage: Stage) -> None:
    """Be asked once for each draft when quitting, and find it again in the palette."""
    with stage.browse("lots", (80, 24)) as window:
        window.sees(r"lot-000002 ")
        window.press("j", "l", "e")
        window.sees(r"(⏎|tab) Apply  esc Cancel")
        window.press("Unsent", "enter")
        window.loses(r"(⏎|tab) Apply  esc Cancel")
        window.press("q")
        window.shot("asked", r"1 record has a draft: lot-000002")
        window.press("esc")
        window.loses(r"1 record has a draft")
        window.press("ctrl+p")
        window.sees(r"Search for commands")
        window.press("draft: lot")
        window.shot("palette", r"Draft: lot-000002")
        window.press("enter")
        window.shot("found", r"─ • lots / lot-000002 · ")
        window.end("ctrl+q")
    with stage.browse("lots", (80, 24)) as window:
        window.shot("next day", r"1 record has a draft")
        window.dismiss(r"1 record has a draft")
        _quit(window)


def undo_what_others_changed(stage: Stage) -> None:
    """Undo the older of two changes of a field: see the newer one first, keep or overwrite it."""
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "damp"}'""")
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "theirs"}'""")
    with stage.browse("lots/lot-000002") as window:
        _open_record(window)
        window.press("u")
        window.sees(r"Review the undo")
        window.press("down", "enter")
        window.shot("changed later", r"changed later")
        window.press("y")
        window.shot("card", r"y Send")
        window.press("y")
        window.shot("undone", r"Undone: change of lot-000002")
        window.end("ctrl+q")
    stage.note_record("lot-000002")
