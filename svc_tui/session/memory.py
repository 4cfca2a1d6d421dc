"""What was last chosen in the program, and where it was left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from svc_tui.session.pane_layout import PaneSizes

if TYPE_CHECKING:
    # Loaded where a view is remembered, not with the first frame.
    from svc_tui.core.views import RememberedView


class LastPosition(Struct, frozen=True):
    """Where a profile was left: the path of the place, and in a collection the cursor's row, field and record."""

    path: str
    row: int = 0
    field: str | None = None
    record_id: str | None = None


class SavedChoices(Struct, frozen=True):
    """What was last chosen in the program: where each profile was left, habits by collection's key, pane sizes.

    `hinted` counts the tips of earlier versions, by the id of a binding; nothing reads it. `indexed` names
    the profiles of which the user wants an index kept. `searched` says, by the name of a profile, whether a
    search loads all collections.
    """

    places: Mapping[str, LastPosition] = field(default_factory=dict)
    habits: Mapping[str, RememberedView] = field(default_factory=dict)
    panes: PaneSizes = field(default_factory=PaneSizes)
    hinted: Mapping[str, int] = field(default_factory=dict)
    indexed: frozenset[str] = frozenset()
    searched: Mapping[str, bool] = field(default_factory=dict)
