"""A sentence in the middle of a table that has no rows to show, and the key that leads on."""

from textual.content import Content
from textual.widgets import Static


class EmptyNotice(Static):
    """Says why no rows are shown and what to do; is not there where there are rows."""

    DEFAULT_CSS = """
    EmptyNotice {
        layer: notice;
        width: auto;
        max-width: 100%;
        height: auto;
        padding: 0 2;
        text-align: center;
        color: $role-foreground;
        display: none;
        &.-shown { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="notice", markup=False)
        self._shown = Content()

    def show(self, words: Content) -> None:
        """Say this; nothing where it is empty."""
        if words.is_same(self._shown):
            return
        self._shown = words
        self.update(words)
        self.set_class(bool(words), "-shown")
        # Keys that need a row come and go with it.
        self.screen.refresh_bindings()
