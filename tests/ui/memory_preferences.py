"""Choices and drafts that are held as long as the test lasts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Palette
from svc_tui.core.values import replace
from svc_tui.core.views import RememberedView
from svc_tui.session.memory import LastPosition, SavedChoices
from svc_tui.session.pane_layout import PaneSizes
from svc_tui.session.remembered_choices import RememberedChoices
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.drafts import DraftStore


@dataclass
class MemoryPreferences:
    """What was remembered; see `session.ports.PreferenceStore`."""

    memory: SavedChoices = field(default_factory=SavedChoices)
    theme: str = ""
    profile: str | None = None

    def remember_theme(self, name: str) -> None:
        """Keep the theme."""
        self.theme = name

    def remember_profile(self, name: str | None) -> None:
        """Keep the profile in use."""
        self.profile = name

    def remember_place(self, name: str, position: LastPosition) -> None:
        """Keep the place."""
        self.memory = replace(self.memory, places={**self.memory.places, name: position})

    def remember_panes(self, sizes: PaneSizes) -> None:
        """Keep the sizes."""
        self.memory = replace(self.memory, panes=sizes)

    def remember_habit(self, key: str, habit: RememberedView) -> None:
        """Keep the habit."""
        self.memory = replace(self.memory, habits={**self.memory.habits, key: habit})

    def remember_index(self, profile: str, *, kept: bool) -> None:
        """Keep the choice."""
        others = self.memory.indexed - {profile}
        self.memory = replace(self.memory, indexed=others | {profile} if kept else others)

    def remember_search_loading(self, profile: str, *, on: bool) -> None:
        """Keep the choice."""
        self.memory = replace(self.memory, searched={**self.memory.searched, profile: on})

    def palettes(self) -> Sequence[Palette]:
        """There are none."""
        return ()


def remembered(preferences: MemoryPreferences | None = None) -> RememberedChoices:
    """Choices kept in the preferences; what goes wrong fails the test."""

    def complain(line: str) -> None:
        raise AssertionError(line)

    return RememberedChoices(preferences or MemoryPreferences(), "test", Environment.SANDBOX, complain)


def unsaved_drafts() -> Drafts:
    """Drafts that are held, and that no store is asked about."""
    return Drafts(cast("DraftStore", None), lambda: datetime.now(UTC))
