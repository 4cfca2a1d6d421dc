"""A short text that changes while the user types: it has the screen laid out anew only where it takes other rows."""

from textual.visual import VisualType
from textual.widgets import Static


class NoteText(Static):
    """Text that is never markup, as high as it needs."""

    def __init__(self, content: VisualType = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(content, id=id, markup=False)

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        """Show another text; nothing is done where it is the same."""
        if content == self.content:
            return
        super().update(content, layout=False)
        width, rows = self.size
        if layout and (not width or self.get_content_height(self.container_size, self.size, width) != rows):
            self.refresh(layout=True)
