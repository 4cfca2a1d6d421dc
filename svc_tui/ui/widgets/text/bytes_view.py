"""The beginning of a body byte by byte, as many in a row as there is room for."""

from svc_tui.core.bodies import bytes_in_row, preview_bytes
from svc_tui.ui.widgets.text.text_view import TextView


class BytesView(TextView):
    """Shows bytes; out of sight it has rows of sixteen."""

    _data = b""
    _in_row = 0

    def show_bytes(self, data: bytes) -> None:
        """Show these, from the first."""
        self._data, self._in_row = data, 0
        self._fill()

    def on_resize(self) -> None:
        """Put as many into a row as there is room for now."""
        self._fill()

    def _fill(self) -> None:
        width = self.scrollable_content_region.width
        in_row = bytes_in_row(width) if width else 16
        if in_row != self._in_row:
            self._in_row = in_row
            self.show_text(preview_bytes(self._data, in_row))
