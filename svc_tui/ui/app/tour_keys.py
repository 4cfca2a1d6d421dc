"""What the app has to do with the first tour: its keys and commands, and the looks at what keys have done."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.binding import Binding

from svc_tui.ui.app.base_app import BaseApp
from svc_tui.ui.keys.command import Command
from svc_tui.ui.keys.key_scopes import Scope, key_scope
from svc_tui.ui.terminal.key_queue import RoundTrip

if TYPE_CHECKING:
    from svc_tui.ui.app.tour import TourController
    from svc_tui.ui.main.screen import MainScreen


@key_scope(Scope.TOUR)
class TourKeys(BaseApp[None]):
    """An app on which the tour can be taken where nothing is real; its keys mean something only meanwhile."""

    BINDINGS = [
        Binding("f12", "tour('next')", "Skip this step", id="tour.next", priority=True, show=False,
                tooltip="Skip this step of the tour"),
        Binding("f11", "tour('back')", "Previous step", id="tour.back", priority=True, show=False,
                tooltip="Go back to the previous step of the tour"),
        Binding("ctrl+x", "tour('end')", "End the tour", id="tour.end", priority=True, show=False,
                tooltip="End the tour"),
    ]  # fmt: skip

    on_demo = False
    """Whether nothing on the service is real."""
    _touring: "TourController | None" = None

    if TYPE_CHECKING:

        @property
        def main(self) -> MainScreen:
            """The main screen, which the app knows how to find."""

    def take_tour(self) -> None:
        """Begin the tour, from its first step; where something is real, say where it can be taken."""
        if not self.on_demo:
            from svc_tui.ui.report import Report

            self.main.report(
                Report(
                    "The tour changes records, so it runs only in the demo: svc-tui demo --tour",
                    "Tour not available here",
                )
            )
            return
        from svc_tui.ui.app.tour import TourController

        self._touring = TourController(self, self.main, self._keymap, self._tour_ended)
        self.run_worker(self._touring.begin(), group="tour")

    def tour_commands(self) -> Iterator[Command]:
        """What the palette offers of it that no key does."""
        if self._touring is None:
            where = "Learn svc-tui in ten short steps" if self.on_demo else "Only in the demo: svc-tui demo --tour"
            yield Command("Take the tour", where, self.take_tour)

    def action_tour(self, what: str) -> None:
        """Skip a step, go back by one, or end it."""
        touring = self._touring
        if touring is not None:
            {"next": touring.skip, "back": touring.back, "end": touring.end}[what]()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a tour its keys are free for others."""
        return self._touring is not None if action == "tour" else super().check_action(action, parameters)

    def _tour_ended(self) -> None:
        self._touring = None

    # When to look

    async def on_round_trip(self, lap: RoundTrip) -> None:
        """A key has been dealt with. The base class is told of it by Textual, and is not to be told twice."""
        if self._touring is not None:
            self._touring.look()

    def on_dialog_opened(self) -> None:
        """A dialog is there, and may cover what the tour says."""
        if self._touring is not None:
            self._touring.look()
