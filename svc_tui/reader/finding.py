"""Finding records of all collections by words: in the index, where one is kept, and in what was read."""

from contextlib import aclosing

from svc_tui.domain.data.counted import counted
from svc_tui.domain.data.visible_text import field_label, visible
from svc_tui.domain.model.records import ID_NAMES, Record
from svc_tui.domain.search.index_search import IndexSearch
from svc_tui.domain.search.record_index import IndexProblem
from svc_tui.domain.search.record_search import (
    Origin,
    RecordSearch,
    SearchedRows,
    common_problem,
    count_held,
    excerpt_of,
)
from svc_tui.domain.session.drafts import Drafts
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.talk import Talk
from svc_tui.reader.words import collection_words, shortened

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
        search = RecordSearch(held, text, more=True, most=_MOST, now=self._talk.local_now())
        while search.step():
            pass
        where = f"{counted(count_held(held), 'loaded record')}"
        try:
            index = await self._index()
            if index is not None:
                async with aclosing(index.batches(text)) as batches:
                    async for batch in batches:
                        search.extend(batch)
                        while search.step():
                            pass
                where += f" and {counted(index.status.records, 'record')} in the index"
        except IndexProblem as error:
            self._talk.say(f"Could not search the index: {visible(str(error))}")
            index = None
        matches = search.best()
        advice = "" if index else self._advice()
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
        sources = [
            SearchedRows.of(place.collection, [Record(draft.fields)], Origin.UNSENT)
            for place, draft in edited
            if draft is not None
        ]
        if listing is not None and listing.read:
            sources.append(SearchedRows.of(listing.collection, listing.read, Origin.LOADED))
        return sources

    async def _index(self) -> IndexSearch | None:
        """A search of what the index holds now; None where there is none. Raises IndexProblem."""
        index = self._talk.session.index
        if not await index.open():
            return None
        status = await index.look()
        if index.index is None or status is None or not status.records:
            return None
        collections = {collection.key: collection for collection in index.collections}
        return IndexSearch(index.index, status, collections, lambda moment: moment.timestamp())
