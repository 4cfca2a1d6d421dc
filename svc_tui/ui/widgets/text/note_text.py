"""A short text that changes while the user types, and lays out the screen only if its height changes."""

from textual.visual import VisualType
from textual.widgets import Static


class NoteText(Static):
    """A text without markup, as high as it needs."""

    def __init__(self, content: VisualType = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(content, id=id, markup=False)

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        """Replace the text."""
        if content == self.content:
            return
        super().update(content, layout=False)
        width, rows = self.size
        if layout and (not width or self.get_content_height(self.container_size, self.size, width) != rows):
            self.refresh(layout=True)
