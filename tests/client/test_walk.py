"""Walking a list: every record once, how far ahead, where it ends, and what is left of it when it does."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from svc_tui.client.walk import walk_pages
from svc_tui.core.jsontext import loads, to_plain
from svc_tui.core.records import Page
from svc_tui.service.errors import NotFound, ServerFault, ServiceError
from svc_tui.service.pages import parse_page
from tests.budget import share_of


@dataclass
class ListEndpoint:
    """A list of `count` records as some service may give it; answers may overtake each other."""

    count: int
    limit: int = 50
    cap: int = 1000
    """More than that the service gives on no page, and may not say so."""
    says: frozenset[str] = frozenset()
    """The fields of `meta`, by their names in `FACTS`."""
    lie: int = 0
    """How far the total is off."""
    past: str = "empty"
    """What a page past the end is: empty, "the last again" or "missing"."""
    turns: Sequence[int] = (0,)
    """How many turns of the event loop the answers take, over and over."""
    broken: int | None = None
    """The page that can't be read."""
    asked: list[int] = field(default_factory=list)
    under_way: int = 0
    most_under_way: int = 0

    @property
    def size(self) -> int:
        """How many records a page really holds."""
        return min(self.limit, self.cap)

    @property
    def total(self) -> int:
        """The number of records as `meta` gives it."""
        return max(0, self.count + self.lie)

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return -(-self.count // self.size)

    async def page(self, number: int) -> Page:
        self.asked.append(number)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            for _ in range(self.turns[number % len(self.turns)]):
                await asyncio.sleep(0)
        finally:
            self.under_way -= 1
        assert number < self.pages + 20, "the walk never ends"
        if number == self.broken:
            raise ServerFault(f"page {number} can't be read")
        if number > max(1, self.pages) and self.past == "missing":
            raise NotFound(f"there is no page {number}")
        place = min(number, max(1, self.pages)) if self.past == "the last again" else number
        items = [{"id": row} for row in range((place - 1) * self.size, min(place * self.size, self.count))]
        meta = {name: FACTS[name](self, place) for name in self.says}
        return parse_page(to_plain({"items": items, "meta": meta}), number, self.limit)

    def ids(self, first: int = 1) -> list[str]:
        """The ids of every record from page `first` on."""
        return [str(row) for row in range((first - 1) * self.size, self.count)]


FACTS: Mapping[str, Callable[[ListEndpoint, int], object]] = {
    "total": lambda listing, _: listing.total,
    "total_items": lambda listing, _: str(listing.total),
    "count": lambda listing, _: listing.total,
    "pages": lambda listing, _: -(-listing.total // listing.size),
    "TotalPages": lambda listing, _: -(-listing.total // listing.size),
    "limit": lambda listing, _: listing.size,
    "pageSize": lambda listing, _: listing.size,
    "hasMore": lambda listing, number: number < listing.pages,
    "is_last": lambda listing, number: number >= listing.pages,
    "next": lambda listing, number: f"?page={number + 1}" if number < listing.pages else None,
    "page": lambda _, number: number,
}
COUNTS = ("total", "total_items", "count", "pages", "TotalPages")
SIZES = ("limit", "pageSize")

PASTS = st.sampled_from(["empty", "the last again", "missing"])
SOME_PAGE = st.sampled_from(["empty", "the last again"])
NO_LIE = st.just(0)
TURNS = st.lists(st.integers(0, 5), min_size=1, max_size=7)
AHEAD = st.integers(0, 5)


def listings(
    says: st.SearchStrategy[frozenset[str]],
    *,
    lie: st.SearchStrategy[int] = NO_LIE,
    past: st.SearchStrategy[str] = PASTS,
    least: int = 0,
) -> st.SearchStrategy[ListEndpoint]:
    return st.builds(
        ListEndpoint,
        count=st.integers(least, 40),
        limit=st.integers(1, 12),
        cap=st.sampled_from([1000, 8, 5, 3]),
        says=says,
        lie=lie,
        past=past,
        turns=TURNS,
    )


truthful = listings(st.frozensets(st.sampled_from(sorted(FACTS))))


async def ids_of(listing: ListEndpoint, *, first: int = 1, most: int | None = None, ahead: int = 3) -> list[str | None]:
    came: list[str | None] = []
    await gather(walk_pages(listing.page, first=first, most=most, ahead=ahead), came)
    return came


async def gather(pages: AsyncIterator[Page], came: list[str | None]) -> None:
    """Put the ids of what comes into `came`, so that they are there if it breaks off; busy for a moment with each."""
    async for page in pages:
        came += [record.id for record in page.records]
        await asyncio.sleep(0)


@given(truthful, st.integers(1, 4), AHEAD)
async def test_every_record_comes_once_and_no_page_is_asked_for_that_is_not_there(
    listing: ListEndpoint, first: int, ahead: int
) -> None:
    # Past the end, a last page that comes again can't be told from a page.
    assume(listing.past != "the last again" or first <= max(1, listing.pages))
    assert await ids_of(listing, first=first, ahead=ahead) == listing.ids(first)
    assert listing.asked == list(range(first, first + len(listing.asked)))
    # One page past the end shows that it is the end, where nothing else does.
    assert listing.asked[-1] <= max(first, listing.pages + 1)
    assert listing.most_under_way <= ahead + 1


lying = listings(
    st.frozensets(st.sampled_from([*COUNTS, *SIZES])).map(lambda says: says | {"total"}),
    lie=st.integers(-30, 60),
    past=SOME_PAGE,
)


@given(lying, AHEAD)
async def test_a_total_that_lies_costs_no_record_and_few_requests(listing: ListEndpoint, ahead: int) -> None:
    came = list(dict.fromkeys(await ids_of(listing, ahead=ahead)))
    # One that is reached just as a page ends can't be told from a true one.
    assert came in (listing.ids(), listing.ids()[: listing.total])
    # A total above what came can mean that records moved between two pages under way: they are read once more.
    assert len(listing.asked) <= 2 * (listing.pages + 1) + ahead


Metas = st.dictionaries(
    st.sampled_from([*FACTS, "last", "nextPage", "items"]),
    st.none() | st.booleans() | st.integers(-1, 60) | st.sampled_from(["7", "x", "٣"]),
)


@given(listings(st.just(frozenset()), past=SOME_PAGE), st.lists(Metas, min_size=1, max_size=5), AHEAD)
async def test_whatever_meta_says_a_walk_ends(
    listing: ListEndpoint, metas: Sequence[Mapping[str, object]], ahead: int
) -> None:
    async def fetch(number: int) -> Page:
        items = [{"id": record.id} for record in (await listing.page(number)).records]
        return parse_page(to_plain({"items": items, "meta": metas[number % len(metas)]}), number, listing.limit)

    given = [record.id async for page in walk_pages(fetch, ahead=ahead) for record in page.records]
    came = list(dict.fromkeys(given))
    assert came == listing.ids()[: len(came)]
    assert len(listing.asked) <= 2 * (listing.pages + 1) + ahead


@given(truthful, st.integers(0, 50), AHEAD)
async def test_as_many_as_are_wanted_come_and_no_page_is_asked_for_that_they_do_not_need(
    listing: ListEndpoint, most: int, ahead: int
) -> None:
    assert await ids_of(listing, most=most, ahead=ahead) == listing.ids()[:most]
    assert len(listing.asked) <= (-(-most // listing.size) if most <= listing.count else listing.pages + 1)


@given(listings(st.frozensets(st.sampled_from(sorted(FACTS))), least=1), st.data(), AHEAD)
async def test_a_page_that_fails_costs_none_before_it_and_the_walk_goes_on_from_there(
    listing: ListEndpoint, data: st.DataObject, ahead: int
) -> None:
    listing.broken = data.draw(st.integers(1, listing.pages))
    came: list[str | None] = []
    with pytest.raises(ServerFault, match=f"page {listing.broken} "):
        await gather(walk_pages(listing.page, ahead=ahead), came)
    assert came == listing.ids()[: (listing.broken - 1) * listing.size]
    assert listing.under_way == 0
    broken, listing.broken = listing.broken, None
    assert came + await ids_of(listing, first=broken, ahead=ahead) == listing.ids()


@given(listings(st.frozensets(st.sampled_from(COUNTS)), least=1), st.data(), AHEAD)
async def test_who_stops_leaves_nothing_running(listing: ListEndpoint, data: st.DataObject, ahead: int) -> None:
    taken = data.draw(st.integers(1, listing.pages))
    async with aclosing(walk_pages(listing.page, ahead=ahead)) as pages:
        for _ in range(taken):
            await anext(pages)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert listing.under_way == 0
    assert len(listing.asked) <= taken + ahead


@pytest.mark.parametrize("ahead", [0, 1, 3])
async def test_who_is_cancelled_leaves_nothing_running(ahead: int) -> None:
    waits = asyncio.Event()

    async def fetch(number: int) -> Page:
        if number > 1:
            waits.set()
            await asyncio.Event().wait()
        return listed(0, 50, number, '{"total": 500}')

    consumer = asyncio.create_task(gather(walk_pages(fetch, ahead=ahead), []))
    await waits.wait()
    consumer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(consumer, 5)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    ("first_meta", "meta", "size"),
    [
        ('{"total": 500}', '{"total": 500}', 50),
        ('{"total": 500}', "{}", 50),
        ('{"total": 110}', '{"total": 110}', 20),
        ('{"pages": 10}', '{"pages": 10}', 50),
        ('{"pages": 10}', "{}", 50),
    ],
    ids=["a total", "a total told once", "a total and small pages", "pages", "pages told once"],
)
async def test_pages_ahead_are_asked_for_while_somebody_is_busy_with_one(first_meta: str, meta: str, size: int) -> None:
    asked: asyncio.Queue[int] = asyncio.Queue()

    async def fetch(number: int) -> Page:
        asked.put_nowait(number)
        return listed((number - 1) * size, number * size, number, first_meta if number == 1 else meta)

    async with asyncio.timeout(5), aclosing(walk_pages(fetch, ahead=3)) as pages:
        await anext(pages)
        assert [await asked.get() for _ in range(4)] == [1, 2, 3, 4]
        assert asked.empty()
        for following in (5, 6):
            await anext(pages)
            assert await asked.get() == following
    assert asked.empty()


async def test_a_walk_that_goes_on_looks_ahead_once_it_knows_how_many_came_before() -> None:
    capped = ListEndpoint(90, cap=20, says=frozenset({"total"}), turns=[1])
    assert await ids_of(capped, first=2) == capped.ids(2)
    assert capped.most_under_way > 1
    short = ListEndpoint(70, says=frozenset({"total"}), turns=[1])
    assert await ids_of(short, first=2) == short.ids(2)
    assert short.asked == [2, 3]


async def test_nothing_is_asked_for_after_the_page_that_is_called_the_last() -> None:
    answers = [listed(0, 50, 1, "{}"), listed(50, 100, 2, '{"total": 500}'), listed(100, 150, 3, '{"hasMore": false}')]
    assert await walked(answers, first=2) == ([str(at) for at in range(50, 150)], [2, 3])


async def test_an_error_of_a_page_ahead_is_not_raised_when_the_walk_ends_before_it() -> None:
    failed, told = asyncio.Semaphore(0), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))

    async def fetch(number: int) -> Page:
        if number > 2:
            failed.release()
            raise ServiceError(f"page {number} can't be read")
        if number == 2:
            for _ in range(2):
                await failed.acquire()
        return listed(0, 50 if number == 1 else 0, number, '{"total": 500}')

    async with asyncio.timeout(5):
        assert [page.number async for page in walk_pages(fetch, ahead=2)] == [1]
    gc.collect()
    assert told == []


@pytest.mark.parametrize("says", [frozenset(), frozenset({"total", "pages"})], ids=["nothing", "counts"])
async def test_a_missing_page_is_the_end_unless_it_was_said_to_be_there(says: frozenset[str]) -> None:
    strict = ListEndpoint(100, says=says, past="missing")
    assert await ids_of(strict) == strict.ids()
    assert await ids_of(strict, first=3) == []
    strict.lie = 1 if says else 0
    if says:
        with pytest.raises(NotFound, match="page 3"):
            await ids_of(strict)


async def test_a_first_page_that_is_missing_is_an_error() -> None:
    async def fetch(number: int) -> Page:
        raise NotFound("no such list")

    with pytest.raises(NotFound):
        await anext(walk_pages(fetch))


async def test_a_total_that_grows_or_shrinks_on_the_way_is_followed() -> None:
    grows = [listed(0, 50, 1, '{"total": 60}'), listed(50, 100, 2, '{"total": 170}'), listed(100, 150, 3, "{}")]
    grows += [listed(150, 170, 4, '{"total": 170}')]
    assert await walked(grows) == ([str(at) for at in range(170)], [1, 2, 3, 4])
    shrinks = [listed(0, 50, 1, '{"total": 500}'), listed(50, 70, 2, '{"total": 70}'), listed(0, 0, 3, "{}")]
    ids, asked = await walked(shrinks)
    assert ids == [str(at) for at in range(70)]
    assert asked[-1] <= 2 + 3


async def test_a_total_that_is_only_a_ceiling_does_not_end_the_walk() -> None:
    counted = '{"total": 100, "hasMore": true}'
    answers = [listed((n - 1) * 50, n * 50, n, counted) for n in (1, 2, 3)] + [listed(150, 170, 4, '{"hasMore":false}')]
    assert await walked(answers) == ([str(at) for at in range(170)], [1, 2, 3, 4])


@dataclass
class GrowingList:
    """A list with the newest record first, in which `added` records are inserted after each page, `inserts` times.

    `order` gives, for each page, how many turns of the event loop its answer takes.
    """

    size: int
    count: int
    added: int
    inserts: int
    order: Sequence[int]
    tells_total: bool
    rows: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows = list(range(self.count))

    async def page(self, number: int) -> Page:
        self.asked.append(number)
        for _ in range(self.order[number % len(self.order)]):
            await asyncio.sleep(0)
        shown = self.rows[(number - 1) * self.size : number * self.size]
        meta = {"total": len(self.rows)} if self.tells_total else {"pages": -(-len(self.rows) // self.size)}
        page = parse_page(to_plain({"items": [{"id": row} for row in shown], "meta": meta}), number, self.size)
        if self.inserts:
            self.inserts -= 1
            self.rows[:0] = [-len(self.rows) - at for at in range(self.added)]
        return page


growing = st.builds(
    GrowingList,
    # Fewer are added in all than a page holds: a page that repeats the one before it is taken for the end of the list.
    size=st.integers(13, 15),
    count=st.integers(1, 90),
    added=st.integers(1, 2),
    inserts=st.integers(0, 6),
    order=TURNS,
    tells_total=st.booleans(),
)


@settings(max_examples=share_of(400))
@given(growing, AHEAD)
async def test_records_that_move_between_pages_under_way_are_read_in_the_end(listing: GrowingList, ahead: int) -> None:
    before = set(map(str, listing.rows))
    came = [record.id async for page in walk_pages(listing.page, ahead=ahead) for record in page.records]
    assert before <= set(came)
    assert len(listing.asked) <= 2 * (len(listing.rows) // listing.size + 2) + ahead


async def test_the_pages_from_the_lowest_early_one_on_are_read_again_one_after_the_other() -> None:
    # Page 3 is answered before page 2; a record is inserted between the two answers.
    listing = GrowingList(size=2, count=8, added=1, inserts=0, order=[0, 0, 4, 0], tells_total=True)

    async def fetch(number: int) -> Page:
        page = await listing.page(number)
        if number == 3 and len(listing.rows) == 8:
            listing.rows.insert(0, -1)
        return page

    numbers = [page.number async for page in walk_pages(fetch, ahead=2)]
    assert numbers == [1, 2, 3, 4, 5, 3, 4, 5]
    assert listing.asked == numbers


async def walked(answers: Sequence[Page], first: int = 1) -> tuple[list[str | None], list[int]]:
    asked: list[int] = []

    async def fetch(number: int) -> Page:
        asked.append(number)
        return answers[min(number, len(answers)) - 1]

    came: list[str | None] = []
    await gather(walk_pages(fetch, first=first), came)
    return came, asked


def listed(first: int, until: int, number: int, meta: str, limit: int = 50) -> Page:
    items = ",".join(f'{{"id": {at}}}' for at in range(first, until))
    return parse_page(loads(f'{{"items": [{items}], "meta": {meta}}}'), number, limit)
