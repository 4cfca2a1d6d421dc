"""Makes the panes: the table at the start, the record and the console when they are first needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

from svc_tui.domain.data.references import Held
from svc_tui.domain.http.gateway import Gateway
from svc_tui.domain.model.catalog import Collection, Route
from svc_tui.domain.model.settings import Profile
from svc_tui.ui.session.privacy_mask import PrivacyMask
from svc_tui.ui.session.remembered_choices import RememberedChoices
from svc_tui.ui.table.pane import TablePane

if TYPE_CHECKING:
    from svc_tui.domain.editing.offered_actions import Offer
    from svc_tui.ui.console.pane import ConsolePane
    from svc_tui.ui.record.nested_table import NestedPane
    from svc_tui.ui.record.pane import RecordPane
    from svc_tui.ui.widgets.record.field_lines import KindOf, Leads


@dataclass(frozen=True, slots=True)
class PaneFactory:
    """What panes work with."""

    gateway: Gateway
    profile: Profile
    routes: Sequence[Route]
    collections: Sequence[Collection]
    remembered: RememberedChoices
    monotonic: Callable[[], float]
    tz: tzinfo
    privacy_mask: PrivacyMask

    def record(
        self, kind_of: "KindOf", offers: "Callable[[], Sequence[Offer]]", leads: "Leads", *, raw: bool
    ) -> "RecordPane":
        """The pane of one record."""
        from svc_tui.ui.record.pane import RecordPane

        return RecordPane(kind_of, self.gateway.environment, self._nested, offers, self.tz, raw=raw, leads=leads)

    def table(self, name: str) -> TablePane:
        """The table of collections."""
        return TablePane(
            self.gateway, self.profile, self.remembered, self.monotonic, self.tz, self.privacy_mask, id=name
        )

    def _nested(self, name: str) -> "NestedPane":
        from svc_tui.ui.record.nested_table import NestedPane

        return NestedPane(
            self.gateway, self.profile, self.remembered, self.monotonic, self.tz, self.privacy_mask, id=name
        )

    def console(self, held: Callable[[], Held], name: str) -> "ConsolePane":
        """The console, which completes by what is `held`."""
        from svc_tui.domain.console.request_form import known_paths
        from svc_tui.ui.console.pane import ConsolePane

        gateway, profile = self.gateway, self.profile
        return ConsolePane(
            gateway.environment,
            gateway.preview,
            known_paths(profile.domains(), self.routes),
            self.privacy_mask.exchange,
            base_url=gateway.base_url,
            idempotency_header=profile.idempotency_header,
            collections=tuple(self.collections),
            held=held,
            id=name,
        )
