"""Where a profile was left."""

from svc_tui.core.credentials import Environment
from svc_tui.session.memory import LastPosition
from svc_tui.session.remembered_choices import RememberedChoices
from tests.ui.memory_preferences import MemoryPreferences


async def test_a_place_of_the_sandbox_is_not_opened_on_live() -> None:
    store, said = MemoryPreferences(), list[str]()
    sandbox = RememberedChoices(store, "work", Environment.SANDBOX, said.append)
    await sandbox.left(LastPosition("/v1/operations/lots/lot-000020"))
    assert RememberedChoices(store, "work", Environment.LIVE, said.append).last_position is None
    again = RememberedChoices(store, "work", Environment.SANDBOX, said.append)
    assert again.last_position == LastPosition("/v1/operations/lots/lot-000020")
    assert said == []
