"""Screens that come on show for the first time in the styles that they were given as they were mounted."""

from textual import events, on
from textual.message_pump import MessagePump


class KeepsFreshStyles(MessagePump):
    """For a screen: its styles are applied anew when it comes back on show, not when it comes for the first time.

    Textual applies them to each widget as it is mounted, and to all of them again whenever it tells a screen that it is
    on show now, which it tells the first screen of a mode twice. They can have grown old only while another screen
    stood in front.
    """

    _was_suspended = False

    @on(events.ScreenSuspend)
    def _note_suspension(self) -> None:
        self._was_suspended = True

    @on(events.ScreenResume)
    def _keep_fresh_styles(self, event: events.ScreenResume) -> None:
        event.refresh_styles = event.refresh_styles and self._was_suspended
