"""Finding records of all collections by words: in the index, where one is kept, and in what was read."""

from collections.abc import Sequence
from datetime import datetime

from svc_tui.core.phrases import counted
from svc_tui.core.records import ID_NAMES, Record
from svc_tui.core.visible_text import field_label, visible
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.spoken_words import collection_words, shortened
from svc_tui.reader.talk import Talk
from svc_tui.search.record_search import RecordSearch, common_problem, count_held, excerpt_of
from svc_tui.search.sources import IndexedRows, ListedRecords, Origin, SearchedRows, indexed_rows
from svc_tui.session.unsent_drafts import Drafts
from svc_tui.storage.record_index.index_values import IndexProblem

_MOST = 30
"""Records that are told of at most, the best first."""


class Finding:
    """Searches; `drafts` are searched too."""

    def __init__(self, talk: Talk, drafts: Drafts) -> None:
        self._talk, self._drafts = talk, drafts
        self._last = ""
        """What was looked for last."""

    async def find(self, text: str) -> None:
        """Tell which records fit words or terms, the best first; `open` opens one by its number."""
        if not text:
            raise Mistake("Type what to search for: find north face, or find grade:A.")
        self._last = text
        held = self._held()
        where = f"{counted(count_held(held), 'loaded record')}"
        try:
            indexed = await self._indexed()
            search = self._search((*held, *indexed), text)
        except IndexProblem as error:
            self._talk.say(f"Could not search the index: {visible(str(error))}")
            indexed, search = (), self._search(held, text)
        if indexed:
            where += f" and {counted(sum(rows.count for rows in indexed), 'record')} in the index"
        matches = search.best()
        advice = "" if indexed else self._advice()
        if not matches:
            problem = common_problem(search.problems)
            self._talk.say(f"No matches in {where}.{f' {visible(problem)}' if problem else ''}{advice}")
            return
        lines = []
        for number, match in enumerate(matches, 1):
            # As it may be heard: what was sought in a hidden field is told of nowhere.
            seen = self._talk.mask.record(match.record, match.place.collection.domain)
            excerpt, label, place = excerpt_of(seen, text), seen.label, match.place
            found = ""
            if excerpt is not None and excerpt.path.casefold() not in ID_NAMES and excerpt.text != label:
                found = f"{field_label(excerpt.path)}: {visible(excerpt.text)}"
            parts = (shortened(label), found, collection_words(place.collection), visible(place.id))
            lines.append(f"{number}. {', '.join(filter(None, parts))}")
        self._talk.at.numbered = [match.place for match in matches]
        self._talk.say(f"{search.count:,} {'match' if search.count == 1 else 'matches'} in {where}.{advice}")
        await self._talk.say_part(lines)

    def _search(self, sources: Sequence[SearchedRows], text: str) -> RecordSearch:
        """A search that has ended; raises IndexProblem."""
        search = RecordSearch(sources, text, most=_MOST, now=self._talk.local_now())
        while search.step():
            pass
        return search

    def _advice(self) -> str:
        """What can be done to find more, where there is no index."""
        listing = self._talk.at.listing
        index = " There is no index. To build one: svc-tui index update."
        if listing is None or listing.ended:
            return index
        total = "" if listing.total is None else f" of {listing.total:,}"
        name = collection_words(listing.collection)
        return f" {len(listing.read):,}{total} {name} are loaded. To load and search the rest, type load.{index}"

    async def load(self, _: str) -> None:
        """Load every record of the open collection; after `find`, find again."""
        listing = self._talk.at.listing
        if listing is None:
            raise Mistake("No collection is open. Type :lots to open one.")
        await listing.load_rest()
        narrowed = " that match the query" if listing.view.query else ""
        self._talk.say(
            f"Loaded {counted(len(listing.read), 'record')} of {collection_words(listing.collection)}{narrowed}."
        )
        if self._last:
            await self.find(self._last)

    def _held(self) -> list[SearchedRows]:
        """What was read, and what is edited."""
        listing = self._talk.at.listing
        edited = ((place, self._drafts.draft(place)) for place in self._drafts.places)
        sources: list[SearchedRows] = [
            ListedRecords(place.collection, Origin.UNSENT, records=[Record(draft.fields)])
            for place, draft in edited
            if draft is not None
        ]
        if listing is not None and listing.read:
            sources.append(ListedRecords(listing.collection, Origin.LOADED, records=listing.read))
        return sources

    async def _indexed(self) -> Sequence[IndexedRows]:
        """What the index holds now, nothing where there is none; raises IndexProblem."""
        index = self._talk.session.index
        if not await index.open():
            return ()
        status = await index.look()
        if index.index is None or status is None:
            return ()
        collections, records = index.collections, index.index.records
        return indexed_rows(records, status, collections, datetime.timestamp, is_every_match_counted=True)
