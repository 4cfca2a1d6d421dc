"""What was last chosen in the program, and where it was left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from svc_tui.core.credentials import Environment
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


def position_name(profile: str, environment: Environment) -> str:
    """Return the name that a last position is kept under.

    A key of the other environment may be used in the same profile: the same path leads to another record there.
    """
    return f"{profile} {environment.value}"


class SavedChoices(Struct, frozen=True):
    """What was last chosen in the program: last positions, habits by collection's key, pane sizes.

    `places` are last positions by their `position_name`. `hinted` counts the tips of earlier versions, by the id of a
    binding; nothing reads it. `indexed` names the profiles of which the user wants an index kept. `searched` says, by
    the name of a profile, whether a search loads all collections.
    """

    places: Mapping[str, LastPosition] = field(default_factory=dict)
    habits: Mapping[str, RememberedView] = field(default_factory=dict)
    panes: PaneSizes = field(default_factory=PaneSizes)
    hinted: Mapping[str, int] = field(default_factory=dict)
    indexed: frozenset[str] = frozenset()
    searched: Mapping[str, bool] = field(default_factory=dict)

    def last_position(self, profile: str, environment: Environment) -> LastPosition | None:
        """Return where the profile was left with a key of that environment."""
        return self.places.get(position_name(profile, environment))
