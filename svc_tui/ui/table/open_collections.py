"""All open collections: the order of their tabs, the order in which they were used, and which one is on show."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from svc_tui.core.catalog import Collection
from svc_tui.core.records import Record
from svc_tui.ui.table.open_collection import OpenCollection, PageLoader

_MAX_OPEN = 12
"""Collections that are open at the same time; the one left first is closed for another."""


class OpenCollections:
    """The collections that are open, in the order of their tabs, and which of them is on show.

    The least recently used one is closed at a limit. `make_loader` makes what reads the pages of one.
    """

    def __init__(self, make_loader: Callable[[OpenCollection], PageLoader]) -> None:
        self._make_loader = make_loader
        self._open: dict[str, PageLoader] = {}
        self._used: list[str] = []
        self.loader: PageLoader | None = None
        """What reads the pages of the collection on show; for all others they are not read on."""

    @property
    def current(self) -> OpenCollection | None:
        """The collection on show."""
        return None if self.loader is None else self.loader.opened

    @property
    def collections(self) -> Sequence[Collection]:
        """The collections that are open."""
        return tuple(loader.opened.collection for loader in self._open.values())

    @property
    def has_several(self) -> bool:
        """Whether more than one collection is open."""
        return len(self._open) > 1

    @property
    def opened(self) -> Sequence[OpenCollection]:
        """Those that are open, the one used last first."""
        return [self._open[key].opened for key in reversed(self._used)]

    @property
    def held(self) -> Iterator[tuple[Collection, Iterable[Record]]]:
        """The records that each open collection holds, the one used last first."""
        for opened in self.opened:
            yield opened.collection, opened.rows.records()

    def get(self, collection: Collection) -> OpenCollection | None:
        """A collection as it was left; None where it is not open."""
        loader = self._open.get(collection.key)
        # Another spelling in the URL is another collection.
        return loader.opened if loader is not None and loader.opened.collection == collection else None

    def show(self, opened: OpenCollection) -> None:
        """Put a collection on show; one that was not open yet takes the place of another with the same key."""
        self.hide()
        key = opened.collection.key
        loader = self._open.get(key)
        if loader is None or loader.opened is not opened:
            loader = self._open[key] = self._make_loader(opened)
        self._used = [other for other in self._used if other != key] + [key]
        while len(self._open) > _MAX_OPEN:
            del self._open[self._used.pop(0)]
        self.loader, loader.paused = loader, False

    def hide(self) -> None:
        """Have nothing on show."""
        if self.loader is not None:
            self.loader.paused = True
            self.loader = None

    def close(self) -> Collection | None:
        """Close the collection on show; gives the one to show then, None (and it stays) where it is the only one."""
        if self.loader is None or not self.has_several:
            return None
        key = self.loader.opened.collection.key
        self.hide()
        del self._open[key]
        self._used.remove(key)
        return self._open[self._used[-1]].opened.collection
