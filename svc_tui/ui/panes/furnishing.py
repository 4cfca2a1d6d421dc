"""Makes the panes: the table at the start, the record and the console when they are first needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

from svc_tui.domain.catalog import Collection, Route
from svc_tui.domain.gateway import Gateway
from svc_tui.domain.references import Held
from svc_tui.domain.settings import Profile
from svc_tui.ui.panes.browse import BrowsePane
from svc_tui.ui.remembering import Remembering
from svc_tui.ui.veil import Veil

if TYPE_CHECKING:
    from svc_tui.ui.offers import Offer
    from svc_tui.ui.panes.console import ConsolePane
    from svc_tui.ui.panes.nested import NestedPane
    from svc_tui.ui.panes.record import RecordPane
    from svc_tui.ui.widgets.field_lines import KindOf, Leads


@dataclass(frozen=True, slots=True)
class Furnishing:
    """What panes work with."""

    gateway: Gateway
    profile: Profile
    routes: Sequence[Route]
    collections: Sequence[Collection]
    remembering: Remembering
    monotonic: Callable[[], float]
    tz: tzinfo
    veil: Veil

    def record(
        self, kind_of: "KindOf", offers: "Callable[[], Sequence[Offer]]", leads: "Leads", *, raw: bool
    ) -> "RecordPane":
        """The pane of one record."""
        from svc_tui.ui.panes.record import RecordPane

        return RecordPane(kind_of, self.gateway.environment, self._nested, offers, self.tz, raw=raw, leads=leads)

    def table(self, name: str) -> BrowsePane:
        """The table of collections."""
        return BrowsePane(self.gateway, self.profile, self.remembering, self.monotonic, self.tz, self.veil, id=name)

    def _nested(self, name: str) -> "NestedPane":
        from svc_tui.ui.panes.nested import NestedPane

        return NestedPane(self.gateway, self.profile, self.remembering, self.monotonic, self.tz, self.veil, id=name)

    def console(self, held: Callable[[], Held], name: str) -> "ConsolePane":
        """The console, which completes by what is `held`."""
        from svc_tui.domain.compose import known_paths
        from svc_tui.ui.panes.console import ConsolePane

        gateway, profile = self.gateway, self.profile
        return ConsolePane(
            gateway.environment,
            gateway.preview,
            known_paths(profile.domains(), self.routes),
            self.veil.exchange,
            base_url=gateway.base_url,
            idempotency_header=profile.idempotency_header,
            collections=tuple(self.collections),
            held=held,
            id=name,
        )
