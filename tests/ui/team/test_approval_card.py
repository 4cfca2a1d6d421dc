"""The card of an approval names only the keys of what it offers."""

from textual.content import Content

from svc_tui.ui.team.approval_card import ApprovalCard, AskCardContent
from tests.ui.stage import Stage, picture, until


async def test_a_card_that_can_only_be_closed_takes_and_names_no_decision() -> None:
    app, given = Stage(), list[object]()
    card = ApprovalCard(AskCardContent(Content("Change"), Content("grade 1"), why="Sent by a colleague."), None)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(card, given.append)
        await until(pilot, lambda: "esc Close" in "\n".join(picture(app)))
        await pilot.press("y", "n", "r", "m")
        shown = "\n".join(picture(app))
        assert not any(word in shown for word in ("Approve", "Decline", "Reply", "Message"))
        assert given == []


async def test_a_card_that_can_be_approved_names_its_message() -> None:
    app = Stage()
    content = AskCardContent(Content("Change"), Content("grade 1"), "Approve", "Decline", answers=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ApprovalCard(content, None))
        await until(pilot, lambda: "m Message" in "\n".join(picture(app)))
