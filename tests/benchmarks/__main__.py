"""`python -m tests.benchmarks [NAME]…`: figures measured now, each with its aim; without a name all of them."""

import os
import sys
from statistics import median, quantiles

from tests.benchmarks.answers import measure_answer
from tests.benchmarks.client import measure_client
from tests.benchmarks.commands import (
    HELP,
    HTTPIE,
    HTTPX,
    PYTHON,
    READ,
    TABS,
    TEN_LINES,
    find_httpie,
    measure_commands,
)
from tests.benchmarks.crashes import measure_crashes
from tests.benchmarks.export import measure_export
from tests.benchmarks.filtering import measure_filter, measure_painted_filter
from tests.benchmarks.finding import measure_finder
from tests.benchmarks.gestures import GESTURES as MEASURED_GESTURES
from tests.benchmarks.gestures import measure_gestures
from tests.benchmarks.indexing import measure_index
from tests.benchmarks.keys import KEY_PEERS, OURS, SURFACES, TEXTUAL, measure_keys
from tests.benchmarks.memory import measure_memory
from tests.benchmarks.planning import measure_planning
from tests.benchmarks.records import measure_loading, measure_store, measure_store_memory
from tests.benchmarks.sandbox import measure_sandbox
from tests.benchmarks.sandbox_load import CLIENTS, PAGE, WRITES, measure_load, measure_writes
from tests.benchmarks.soak import measure_soak
from tests.benchmarks.startup import PEERS, find_peers, measure_service_start, measure_startup
from tests.benchmarks.table import DOWNWARDS, GESTURES, measure_table
from tests.benchmarks.team import (
    measure_keys_with_team,
    measure_lines_under_kills,
    measure_start_with_team,
    measure_timeline,
)


def startup() -> None:
    """How soon the program shows itself."""
    peers = find_peers(os.environ)
    figures = measure_startup(peers)
    print("first paint, over a ten-line Textual app's")
    for way in figures.ways:
        _at_most(1.2 if way == "variables" else 1.25, f"  {way}", figures.first_paint(way))
    print("first records on the screen, over the ten lines' first paint")
    for way in figures.ways:
        _at_most(2.2, f"  {way}", figures.first_records(way))
    print("first paint with a key in variables, over that of a peer")
    for name in PEERS:
        if name in figures.peers:
            _at_most(0.6, f"  {name}", figures.first_paint(figures.ways[0], name))
        elif name in peers:
            print(f"  {name} ended before it showed itself: start {peers[name]} by hand to see why")
        else:
            print(f"  {name} is not installed: put it on the PATH, or name its command in {name.upper()}")
    for start in ("ten lines", *figures.ways, *figures.peers):
        _line(f"seconds to first paint, {start}", f"{figures.seconds(start):6.2f}")


def commands() -> None:
    """What a command costs that does not open the browser."""
    httpie = find_httpie(os.environ)
    figures = measure_commands(httpie)
    print("processor time of a whole command")
    _line(f"  {HELP}", f"{figures.milliseconds(HELP):6.0f} ms", "at most 150")
    _line(f"  {HELP}, over {TEN_LINES}", f"{figures.over(HELP, TEN_LINES):6.2f}")
    _line(f"  {HELP}, over {PYTHON}", f"{figures.over(HELP, PYTHON):6.2f}")
    _line(f"  {READ}", f"{figures.milliseconds(READ):6.0f} ms")
    if HTTPIE in figures.seconds:
        _at_most(1.0, f"  {READ}, over {HTTPIE}", figures.over(READ, HTTPIE))
    elif httpie is None:
        print("  httpie is not installed: put its command, http, on the PATH, or name it in HTTPIE")
    else:
        print(f"  httpie brought no records: run {httpie} by hand to see why")
    _line(f"  {READ}, over {HTTPX}", f"{figures.over(READ, HTTPX):6.2f}")
    for tab in TABS:
        _line(f"  Tab for {tab}", f"{figures.milliseconds(tab):6.0f} ms", "at most 120")
    slowest = max(TABS, key=figures.milliseconds)
    _line(f"  Tab for {slowest}, over {TEN_LINES}", f"{figures.over(slowest, TEN_LINES):6.2f}")
    _line(f"  Tab for {slowest}, over {PYTHON}", f"{figures.over(slowest, PYTHON):6.2f}")


_OVER_DATA_TABLE = {"page down": 0.2, "cursor down": 0.25, "sideways": 0.6}
"""The most that a gesture may take in the whole program, over DataTable alone."""


def table() -> None:
    """How fast the table moves and filters, and what it holds."""
    figures = measure_table()
    print("ours at 10,000,000 rows over DataTable's at 10,000, key to last byte")
    _at_most(0.2, "  page down", figures.over_data_table("page down"))
    for gesture in GESTURES[1:]:
        _line(f"  {gesture}", f"{figures.over_data_table(gesture):6.2f}")
    print("ours at 10,000,000 rows over textual-fastdatatable's at 1,000,000")
    for gesture in GESTURES:
        _line(f"  {gesture}", f"{figures.over_fast(gesture):6.2f}")
    print("the whole program at 10,000,000 rows")
    for gesture in GESTURES:
        middle, most = figures.program(gesture)
        _line(f"  {gesture}, median", f"{middle:6.1f} ms")
        if gesture in DOWNWARDS:
            _line(f"  {gesture}, 95 of 100 within", f"{most:6.1f} ms", "at most 16.7")
        if gesture in _OVER_DATA_TABLE:
            ratio = figures.program_over_data_table(gesture)
            _at_most(_OVER_DATA_TABLE[gesture], f"  {gesture}, over DataTable's at 10,000", ratio)
    _filter()
    _at_most(1.1, "memory after 500 jumps in 10,000,000 rows, over 1,000", measure_memory())


def gestures() -> None:
    """What a gesture costs the whole program, over what it cost the commit that the painting was made anew after."""
    figures = measure_gestures()
    print("the whole program over its reference: processor time, and bytes written")
    for name, gesture in MEASURED_GESTURES.items():
        processor, written = figures.processor(name), figures.written(name)
        _line(f"  {name}, processor time", f"{processor.ratio:6.2f}", f"at most {gesture.aim}" if gesture.aim else "")
        _line("", f"{1000 * processor.ours:6.1f} ms")
        _line("  … bytes", f"{written.ratio:6.2f}", f"at most {gesture.aim}" if gesture.aim else "")
        _line("", f"{written.ours:6,.0f}")


def keys() -> None:
    """What each key costs on each surface, beside the nearest key of the others."""
    peers = find_peers(os.environ, KEY_PEERS)
    figures = measure_keys(peers)
    for name in KEY_PEERS:
        if name not in peers:
            print(f"{name} is not installed: put it on the PATH, or name its command in {name.upper()}")
        elif name not in figures:
            print(f"{name} ended before it showed itself: start {peers[name]} by hand to see why")
    installed = [name for name in peers if name in figures]
    print(
        "milliseconds of the processor; until painted, the median, 95 of 100, at the first press; until the last byte."
    )
    print(f"Then processor and median over those of {TEXTUAL}, and the median of each peer's nearest key.")
    columns = ("cpu", "painted", "p95", "first", "last", "x cpu", "x painted", *installed)
    print(f"{'':<24}", *(f"{column:>9}" for column in columns))
    for name, press in SURFACES.items():
        ours, like = figures[OURS][name], figures[TEXTUAL][press.like].medians
        processor, painted, last = ours.medians
        seconds = [processor, painted, ours.painted_p95, ours.painted_first, last]
        theirs = [figures[peer].get(press.like) for peer in installed]
        cells = [f"{1000 * figure:.1f}" for figure in seconds]
        cells += [f"{processor / like.processor:.2f}", f"{painted / like.painted:.2f}"]
        cells += [f"{1000 * their.medians.painted:.1f}" if their else "-" for their in theirs]
        print(f"{name:<24}", *(f"{cell:>9}" for cell in cells))


def _filter() -> None:
    frame, two_frames = "at most 16.7", "at most 33"
    print("a key in the filter line, 20,000 records loaded")
    chosen, painted = measure_filter(), measure_painted_filter()
    _line("  choosing what is in view, median", f"{1000 * chosen.median:6.1f} ms")
    _line("  choosing what is in view, worst", f"{1000 * chosen.worst:6.1f} ms", frame)
    _line("  choosing from all, worst", f"{1000 * max(chosen.keys):6.1f} ms")
    _line("  a page that comes meanwhile, at most 5 times a second", f"{1000 * chosen.take_in:6.1f} ms", frame)
    _line("  the longest of these that nothing can come between", f"{1000 * chosen.step:6.1f} ms", frame)
    _line("  until painted, /", f"{1000 * painted.opening:6.1f} ms", frame)
    _line("  until painted, the first key of all", f"{1000 * painted.first:6.1f} ms", two_frames)
    _line("  until painted, median", f"{1000 * median(painted.keys):6.1f} ms", frame)
    _line("  until painted, worst", f"{1000 * max(painted.keys):6.1f} ms", two_frames)


def records() -> None:
    """What the record store costs for what a table holds, and for the most that a search loads of a collection."""
    for count in (20_000, 100_000):
        figures = measure_store(count)
        print(f"{count:,} records in the store")
        _line("  adding pages of 200, over parsing their JSON", f"{figures.adding:6.2f}")
        for task in figures.tasks:
            for state, times in (("cold", task.cold), ("warm", task.warm)):
                name = f"{task.kind} {task.name}, {state}"
                _line(f"  {name}, until in view", f"{1000 * times.in_view:6.1f} ms", "at most 16.7")
                _line("  … complete, over plain Python", f"{times.whole / task.plain:6.2f}")
    print("one slice while 100,000 records are added, filtered, sorted and summarized")
    for kind, slices in figures.slices.items():
        _line(f"  {kind}, median", f"{1000 * median(slices):6.1f} ms")
        _line(
            "  … 99 of 100 within", f"{1000 * quantiles(slices, n=100, method='inclusive')[98]:6.1f} ms", "at most 16.7"
        )
        _line("  … worst", f"{1000 * max(slices):6.1f} ms")
    stored, arranged = measure_store_memory(100_000)
    _line("memory of 100,000 records in the store, over parsed ones", f"{stored:6.2f}")
    _line("  … after a filter, a sort and a word", f"{arranged:6.2f}")
    loading = measure_loading()
    print(f"loading {loading.records:,} records of the local sandbox for a search")
    _line("  seconds", f"{loading.seconds:6.1f}", "at most 6")
    _line("  over a bare loop of httpx", f"{loading.over_bare:6.2f}")


def finder() -> None:
    """What a key costs in the finder, over what is held."""
    figures = measure_finder()
    print("a key in the finder, 20,000 records held")
    _line("  until all is found, median", f"{1000 * median(figures.found):6.1f} ms")
    _line("  until all is found, worst", f"{1000 * max(figures.found):6.1f} ms")
    _line("  until painted, ctrl+f", f"{1000 * figures.opening:6.1f} ms")
    _line("  until painted, median", f"{1000 * figures.median:6.1f} ms", "at most 16.7")
    _line("  until painted, worst", f"{1000 * figures.worst:6.1f} ms")


def index() -> None:
    """What an index of a million records costs, and what a key costs that is looked for in it."""
    figures = measure_index()
    print("an index of 1,000,000 records")
    _line("  processor time a record, on top of reading", f"{1000 * figures.built:6.3f} ms", "at most 0.35")
    _at_most(2.5, "  size, over the JSON of the records", figures.size)
    print("  a key in the finder")
    for what, seconds in (("what is in view is final", figures.in_view), ("everything is still", figures.still)):
        _line(f"    until {what}, median", f"{1000 * median(seconds):6.1f} ms", "at most 50")
        _line(f"    until {what}, worst", f"{1000 * max(seconds):6.1f} ms", "at most 150")
    _at_most(1.15, "  the most memory of the browser, over the same browsing without", figures.memory)
    _at_most(1.2, "  a page-down while it is built, over one without", figures.page_down_building / figures.page_down)


def answers() -> None:
    """What a large answer costs somebody who goes on at the keys."""
    figures = measure_answer()
    print("an answer of 50 MB in the console")
    _line("  until it can be read", f"{figures.whole:6.1f} s")
    _line("  keys answered meanwhile", f"{len(figures.keys):6,}")
    _line("  a key meanwhile, median", f"{1000 * figures.median:6.1f} ms")
    _line("  a key meanwhile, worst", f"{1000 * figures.worst:6.1f} ms")


def client() -> None:
    """What the signed client costs over bare httpx."""
    figures = measure_client()
    _at_least(0.85, "requests a second, over bare httpx's", figures.requests)
    _at_least(1.0, "pages of 50 records a second, over bare httpx's with json", figures.pages)
    _line("signing, as a share of a request", f"{figures.signing:6.1%}", "at most 2 %")
    exports = measure_export()
    _at_least(1.4, "records a second in an export of 100,000, over a bare loop's", exports.rate)
    _at_most(1.4, "  its processor time, over a bare loop's, where pages cost nothing", exports.processor)


def sandbox() -> None:
    """What the embedded service takes for a list of a million lots, what it bears, and how soon it answers."""
    figures = measure_sandbox()
    print("the first answer to a filter of 1,000,000 lots")
    _line("  seconds of the service's processor", f"{figures.first:6.2f}", "at most 2")
    _at_most(2.0, "  that over a bare loop of as many hashes", figures.first / figures.bare)
    _line("  memory beyond what it had before", f"{figures.grown / 1024:6.1f} MB", "at most 4")
    _line("a page of 200 lots, over reading and writing it with json", f"{figures.page / figures.page_by_json:6.2f}")
    _at_most(1.5, "a page of 50 lots at any depth, over the first", figures.depth)
    print(f"{CLIENTS} clients at once")
    mixed, pages = measure_load(), measure_load((PAGE,))
    _line("  pages of 50, records and writes, a second", f"{mixed.rate:6,.0f}", "at least 400")
    _line("  … the service's processor for each", f"{1000 * mixed.processor:6.2f} ms")
    _line("  pages of 50 alone, a second", f"{pages.rate:6,.0f}")
    _line("  … the service's processor for each", f"{1000 * pages.processor:6.2f} ms")
    warm, end = measure_writes()
    _at_most(1.05, f"memory after {WRITES:,} writes, over that after a tenth of them", end / warm)
    _line("", f"{end / 1024:6.1f} MB")
    seconds, over_first_paint = measure_service_start()
    _at_most(0.5, "until the service answers, over the program's first paint", over_first_paint)
    _line("", f"{1000 * seconds:6.0f} ms")


def plans() -> None:
    """What a plan costs, and what becomes of one that is carried out under kills."""
    figures = measure_planning()
    print("a plan of 10,000 records")
    _at_most(1.3, "  over reading them one by one", figures.over_reading)
    _line("  memory at most, and of the plan", f"{figures.peak / 1e6:6.1f} MB, {figures.held / 1e6:.1f} MB")
    _at_most(1.0, "  memory of a row once it is written, over that in the plan", figures.run_over_plan)
    crashes = measure_crashes()
    print(f"{crashes.rows} rows on a bad service, killed {crashes.kills} times in {crashes.starts} starts")
    _line("  done twice, or told wrongly", f"{crashes.twice:6d}, {crashes.wrong}", "none")
    for word, count in crashes.outcomes.items():
        _line(f"  {word}", f"{count:6d}")


def team() -> None:
    """What a journal that a team shares costs, and what becomes of its lines while its server is killed."""
    timelines = measure_timeline()
    print("what colleagues wrote to a record, among 1,000,000 lines")
    _line("  median", f"{1000 * median(timelines):6.1f} ms", "at most 50")
    _line("  worst", f"{1000 * max(timelines):6.1f} ms")
    frame, records = measure_start_with_team()
    print("the start with a team, over one without")
    _at_most(1.03, "  first paint", frame)
    _at_most(1.03, "  first records on the screen", records)
    keys = measure_keys_with_team()
    print("a page-down with a team, over one without, its server")
    for how, seconds in keys.with_server.items():
        _at_most(1.0, f"  {how}", seconds / keys.alone)
    lines = measure_lines_under_kills()
    print(f"{lines.written:,} lines of 20 programs, their server killed {lines.kills} times")
    _line("  lines that came there", f"{lines.there:,}", "all")
    _line("  … twice", f"{lines.there - lines.distinct:6d}", "none")
    _line("  broken chains", f"{lines.broken:6d}", "none")


def soak() -> None:
    """What is left of minutes of random use."""
    figures = measure_soak()
    print(
        f"after {figures.keys:,} random keys with {figures.writes:,} writes, over what was held when all had been open"
    )
    _at_most(1.03, "  memory", figures.memory)
    for what in ("descriptors", "threads", "tasks"):
        warm, end = getattr(figures.warm, what), getattr(figures.end, what)
        _line(f"  {what}", f"{end:6d}", f"{warm}, as before")


BENCHMARKS = {
    benchmark.__name__: benchmark
    for benchmark in (
        startup,
        commands,
        table,
        records,
        finder,
        index,
        gestures,
        keys,
        answers,
        client,
        sandbox,
        plans,
        team,
        soak,
    )
}


def main(names: list[str]) -> None:
    """Measure what is named, or everything, and print a line for each figure."""
    if unknown := [name for name in names if name not in BENCHMARKS]:
        sys.exit(f"no benchmark {unknown[0]!r}; choose from {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        BENCHMARKS[name]()


def _at_most(aim: float, what: str, ratio: float) -> None:
    _line(what, f"{ratio:6.2f}", f"at most {aim}")


def _at_least(aim: float, what: str, ratio: float) -> None:
    _line(what, f"{ratio:6.2f}", f"at least {aim}")


def _line(what: str, figure: str, aim: str = "") -> None:
    print(f"{what:<62} {figure:>6}{f'   (aim: {aim})' if aim else ''}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
