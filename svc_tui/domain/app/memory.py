"""What was last chosen in the program, and where it was left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from svc_tui.domain.app.pane_layout import PaneSizes

if TYPE_CHECKING:
    # Loaded where a view is remembered, not with the first frame.
    from svc_tui.domain.collections.views import RememberedView


@dataclass(frozen=True, slots=True)
class LastPosition:
    """Where a profile was left: the path of the place, and in a collection the cursor's row, field and record."""

    path: str
    row: int = 0
    field: str | None = None
    record_id: str | None = None


@dataclass(frozen=True, slots=True)
class SavedChoices:
    """What was last chosen in the program: where each profile was left, habits by collection's key, pane sizes.

    `hinted` counts the sessions in which a hint was shown, by the id of its binding; see `domain.hints`. `indexed`
    names the profiles of which the user wants an index kept.
    """

    places: Mapping[str, LastPosition] = field(default_factory=dict)
    habits: Mapping[str, RememberedView] = field(default_factory=dict)
    panes: PaneSizes = field(default_factory=PaneSizes)
    hinted: Mapping[str, int] = field(default_factory=dict)
    indexed: frozenset[str] = frozenset()
