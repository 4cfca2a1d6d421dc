"""Exploring from the main screen: the catalogue is shown, and what is chosen in it goes on in the console or a form."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from svc_tui.domain.app.api_reference import entries
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import VERIFY
from svc_tui.domain.model.records import Record
from svc_tui.domain.model.settings import Profile
from svc_tui.ui.catalogue.catalogue_screen import ExploreScreen
from svc_tui.ui.main.workspace import Workspace

if TYPE_CHECKING:
    from textual.screen import Screen

    from svc_tui.ui.writes.record_actions import RecordActions

_SEEN = 200
"""Records of each collection that are looked at for the names of their fields."""


async def explore(
    screen: "Screen[Any]", gateway: Gateway, profile: Profile, workspace: Workspace, acting: "RecordActions"
) -> None:
    """Show the catalogue; put the route that is chosen into the console, or ask for what a verification needs."""
    seen = {collection.key: _names(records) for collection, records in workspace.browse.held}
    catalogue = entries(profile, seen, gateway.base_url, signs=gateway.signs)
    here = workspace.browse.collection
    at = next((n for n, e in enumerate(catalogue) if here and e.route and e.route.path == here.path), 0)
    route = await screen.app.push_screen_wait(ExploreScreen(catalogue, at))
    if route == VERIFY:
        await acting.verify()
    elif route is not None:
        (await workspace.console()).prefill(route)


def _names(records: Iterable[Record]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for record in islice(records, _SEEN) for name in record.fields))
