"""From the screens on to the reader: the key, and when one stays."""

from textual.binding import Binding

from svc_tui.session.hand_over import HandOver
from svc_tui.ui.app.tour_keys import TourKeys
from svc_tui.ui.keys.key_scopes import Scope, key_scope


@key_scope(Scope.EVERYWHERE)
class ReaderKey(TourKeys):
    """An app that ends where the user goes on in lines."""

    BINDINGS = [
        Binding("ctrl+right_square_bracket", "reader", "Reader", id="app.reader", priority=True,
                show=False,
                tooltip="Switch to the reader: plain lines for a screen reader; type screen to return"),
    ]  # fmt: skip

    handed_over: HandOver | None = None
    """What goes along to the reader, where the app ended for that."""
    _reader_problem = ""

    def action_reader(self) -> None:
        """Go on in lines, at the same place; from a dialog not, since what is typed in it is kept nowhere."""
        problem = self._reader_problem
        if self.screen is not self.main:
            problem = "Close this dialog first, then switch to the reader."
        if problem:
            from svc_tui.ui.report import Report

            self.main.report(Report(f"{problem[0].upper()}{problem[1:]}", severity="warning"))
        else:
            self.main.go_on_in_lines(self._hand_over)

    def _hand_over(self, carried: HandOver) -> None:
        self.handed_over = carried
        self.exit()
