"""The edits not yet sent, by place, and the store that keeps them."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from svc_tui.core.catalog import Collection
from svc_tui.core.draft import Draft, FieldChange
from svc_tui.core.jsontext import ABSENT
from svc_tui.core.records import Place, Record
from svc_tui.core.values import replace
from svc_tui.storage.drafts import DraftOnDisk, DraftStore, SavedDraft
from svc_tui.storage.journal_entries import Intent, JournalEntry, WriteLog, entry_result


class Drafts:
    """Frozen drafts by place: replaced, never changed; a draft without edits is no draft."""

    def __init__(self, store: DraftStore, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now
        self._drafts: dict[Place, SavedDraft] = {}

    async def load(self) -> None:
        """Take up the drafts that the store kept. Raises StoreError."""
        stored = {Place(saved.collection, saved.record_id): saved for saved in await self._store.all()}
        new = {place: saved for place, saved in stored.items() if place not in self._drafts}
        self._store.take_up(new.values(), self._drafts)
        self._drafts.update(new)

    async def remove_sent(self, journal: WriteLog) -> tuple[Place, ...]:
        """Let go of the loaded edits that were sent, by the journal; gives the records concerned. Raises StoreError.

        A program that was killed between a write's end and the removal of its draft left them behind.
        """
        removed = []
        for place, entry in await self._sent_with(journal):
            if (saved := self._drafts.get(place)) is None or entry_result(entry) != "done":
                continue
            left = _without_sent(saved, entry.intent)
            if left.edits == saved.draft.edits:
                continue
            if left.edits:
                self._drafts[place] = replace(saved, draft=left)
            else:
                del self._drafts[place]
            await self.save(place)
            removed.append(place)
        return tuple(removed)

    async def sent_with_unknown_outcome(self, journal: WriteLog) -> tuple[Place, ...]:
        """The records whose loaded edits were sent, and what became of that is not known. Raises StoreError."""
        return tuple(place for place, entry in await self._sent_with(journal) if entry_result(entry) == "unknown")

    async def _sent_with(self, journal: WriteLog) -> list[tuple[Place, JournalEntry]]:
        """The drafts that were sent, each with the entry of its last sending."""
        sent = [(place, saved.intent) for place, saved in self._drafts.items() if saved.intent]
        return [(place, entry) for place, number in sent if (entry := await journal.find(number)) is not None]

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
            saved = self._drafts.get(place)
            intent, others = (0, ()) if saved is None else (saved.intent, saved.others)
            self._drafts[place] = SavedDraft(place.collection, place.id, draft, self._now(), intent, others)
        else:
            self._drafts.pop(place, None)

    def others(self, place: Place) -> tuple[FieldChange, ...]:
        """Other programs' edits of the fields that the draft at `place` edits, as far as they were looked for."""
        saved = self._drafts.get(place)
        return () if saved is None else saved.others

    async def compare_with_disk(self, place: Place) -> DraftOnDisk:
        """Let go of the edits at `place` that other programs removed, and learn of theirs. Raises StoreError."""
        look = await self._store.on_disk(place.collection, place.id)
        saved = self._drafts.get(place)
        if saved is None:
            return DraftOnDisk()
        edits = saved.draft.edits
        removed = {name: value for name, value in look.removed.items() if edits.get(name, ABSENT) == value}
        for name in removed:
            saved = replace(saved, draft=saved.draft.without(name))
        if saved.draft.edits:
            self._drafts[place] = replace(saved, others=look.others)
        else:
            del self._drafts[place]
        return DraftOnDisk(removed, look.others)

    async def is_of_other_key(self, place: Place) -> bool:
        """Return whether the draft at `place` was begun with another key than the one in use; raises StoreError."""
        return await self._store.is_of_other_key(place.collection, place.id)

    async def save(self, place: Place) -> None:
        """Bring the store up to date with what is held at `place`. Raises StoreError; nothing held is lost by it."""
        saved = self._drafts.get(place)
        if saved is None:
            await self._store.drop(place.collection, place.id)
        else:
            await self._store.keep(saved)


def _without_sent(saved: SavedDraft, intent: Intent) -> Draft:
    """The draft without the edits that a write carried out.

    An edit typed after the write left is another one, unless it is to the letter what was sent.
    """
    before, after, base = intent.before or {}, intent.after or {}, saved.draft.base.fields
    typed_since = saved.changed > intent.at
    left = saved.draft
    for name, value in saved.draft.edits.items():
        is_sent = after.get(name, ABSENT) == value and name not in saved.draft.untaken
        if is_sent and not (typed_since and before.get(name, ABSENT) != base.get(name, ABSENT)):
            left = left.without(name)
    return left
