"""The edits not yet sent, by place, and the store that keeps them."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from svc_tui.domain.editing.draft import Draft
from svc_tui.domain.editing.ports import DraftStore, SavedDraft
from svc_tui.domain.model.catalog import Collection
from svc_tui.domain.model.records import Place, Record


class Drafts:
    """Frozen drafts by place: replaced, never changed; a draft without edits is no draft."""

    def __init__(self, store: DraftStore, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now
        self._drafts: dict[Place, SavedDraft] = {}

    async def load(self) -> int:
        """Take up the drafts that the store kept; gives their number. Raises StoreError."""
        for saved in await self._store.all():
            self._drafts.setdefault(Place(saved.collection, saved.record_id), saved)
        return len(self._drafts)

    @property
    def saved(self) -> tuple[SavedDraft, ...]:
        """All of them, as the store holds them, or should."""
        return tuple(self._drafts.values())

    def take_over(self, drafts: Iterable[SavedDraft]) -> None:
        """Hold drafts that were made elsewhere in this program; before `load`: what the store kept may be older."""
        self._drafts.update({Place(saved.collection, saved.record_id): saved for saved in drafts})

    def __len__(self) -> int:
        return len(self._drafts)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where there are edits not yet sent."""
        return tuple(self._drafts)

    def draft(self, place: Place, record: Record | None = None) -> Draft | None:
        """The draft at `place`; where there is none, one without edits made on `record`, if that is given."""
        if (saved := self._drafts.get(place)) is not None:
            return saved.draft
        return Draft(record) if record is not None else None

    def age(self, place: Place) -> float:
        """Seconds since the draft at `place` was last changed; 0 where there is none."""
        saved = self._drafts.get(place)
        return 0.0 if saved is None else (self._now() - saved.changed).total_seconds()

    def of(self, collection: Collection) -> Mapping[str, Draft]:
        """The drafts of one collection, by the record's id."""
        return {saved.record_id: saved.draft for saved in self._drafts.values() if saved.collection == collection}

    def put(self, place: Place, draft: Draft) -> None:
        """Hold `draft` at `place`; one without edits is let go of. `save` hands it to the store."""
        if draft.edits:
            self._drafts[place] = SavedDraft(place.collection, place.id, draft, self._now())
        else:
            self._drafts.pop(place, None)

    async def save(self, place: Place) -> None:
        """Bring the store up to date with what is held at `place`. Raises StoreError; nothing held is lost by it."""
        saved = self._drafts.get(place)
        if saved is None:
            await self._store.drop(place.collection, place.id)
        else:
            await self._store.keep(saved)
