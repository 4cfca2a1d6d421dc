"""Shows the catalogue, and opens what is chosen in it in the console or a form."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from svc_tui.core.catalog import VERIFY
from svc_tui.core.records import Record
from svc_tui.ui.catalogue.api_reference import reference_entries
from svc_tui.ui.catalogue.catalogue_screen import ExploreScreen
from svc_tui.ui.context import Context

if TYPE_CHECKING:
    from svc_tui.ui.writes.record_actions import RecordActions

_MAX_SEEN_RECORDS = 200
"""Records of each collection that are looked at for the names of their fields."""


async def explore(context: Context, acting: "RecordActions") -> None:
    """Show the catalogue; put the chosen route into the console, or ask for what a verification needs."""
    gateway, held = context.gateway, context.selection.held
    field_names = {collection.key: _names(records) for collection, records in held}
    catalogue = reference_entries(context.profile, field_names, gateway.base_url, signs=gateway.signs)
    here = context.selection.collection
    at = next((n for n, e in enumerate(catalogue) if here and e.route and e.route.path == here.path), 0)
    route = await context.show(ExploreScreen(catalogue, at))
    if route == VERIFY:
        await acting.verify()
    elif route is not None:
        (await context.workspace.console()).prefill(route)


def _names(records: Iterable[Record]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for record in islice(records, _MAX_SEEN_RECORDS) for name in record.fields))
