"""Screens that are as large as the terminal is now, whatever they hear."""

from textual import events
from textual.message_pump import MessagePump


class IgnoresStaleResizes(MessagePump):
    """For a screen: it hears of the terminal's size as it is now, and of no other.

    Laying a screen out, Textual tells it of its size once more. In a storm of sizes that word is out of date when it is
    heard: everything is laid out for a window that is gone, which the screen is told of too, and two sizes can follow
    each other for ever, with nothing else heard meanwhile.
    """

    async def on_event(self, event: events.Event) -> None:
        """Be told, unless of a size that the terminal had before: the app tells of the new one."""
        if not isinstance(event, events.Resize) or event.size == self.app.size:
            await super().on_event(event)
