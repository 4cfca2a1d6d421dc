"""A sentence below the header of a table that has no rows to show."""

from textual.widgets import Static

from svc_tui.session.privacy_mask import PrivacyMask
from svc_tui.ui.table import title
from svc_tui.ui.table.open_collection import OpenCollection


class EmptyNotice(Static):
    """Says why no rows are shown and what to do; is not there where there are rows."""

    DEFAULT_CSS = """
    EmptyNotice {
        layer: notice;
        height: auto;
        margin-top: 1;
        padding: 1 0;
        color: $role-muted;
        display: none;
        &.-failed { color: $role-danger; }
        &.-shown { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="notice", markup=False)
        self._shown = ("", False)

    def show(self, opened: OpenCollection, privacy_mask: PrivacyMask) -> None:
        """Say what there is to say of an open collection; nothing where it has rows."""
        self._say(*title.empty_notice(opened, privacy_mask))

    def clear(self) -> None:
        """Say nothing."""
        self._say("", False)

    def _say(self, text: str, failed: bool) -> None:
        if (text, failed) == self._shown:
            return
        self._shown = text, failed
        self.update(text)
        self.set_class(bool(text), "-shown")
        self.set_class(failed, "-failed")
