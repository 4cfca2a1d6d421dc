"""How the list of actions is written."""

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.ui.widgets.record.action_list import ActionList
from svc_tui.writes.offered_actions import OfferedAction
from tests.ui.stage import Stage, until

NEED = OfferedAction(COLLECTIONS[0], "POST", "Split a lot", request="POST /v1/operations/lots/lot-000002/split")


async def test_a_list_that_is_written_while_another_is_shown_has_lines_as_wide_as_before() -> None:
    actions = ActionList()
    app = Stage(lambda: [actions])
    async with app.run_test(size=(80, 20)) as pilot:
        await until(pilot, lambda: actions.region.width == 80)
        actions.display = False
        await until(pilot, lambda: not actions.region)
        actions.show([NEED])
        assert (
            str(actions.get_option_at_index(0).prompt).splitlines()[1].strip() == "/v1/operations/lots/lot-000002/split"
        )
