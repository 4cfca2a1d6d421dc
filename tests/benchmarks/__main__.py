"""`python -m tests.benchmarks [startup] [table] [client]`: figures measured in this run, each with its aim."""

import sys

from tests.benchmarks.client import measure_client
from tests.benchmarks.export import measure_export
from tests.benchmarks.startup import measure_startup
from tests.benchmarks.table import measure_memory, measure_table


def startup() -> None:
    """How soon the program shows itself."""
    figures = measure_startup()
    _at_most(1.5, "first paint, over a ten-line Textual app's", figures.first_paint_ratio)
    _at_most(2.5, "first records on screen, over the ten lines' first paint", figures.first_records_ratio)


def table() -> None:
    """How fast the table moves, and what it holds."""
    figures = measure_table()
    _at_most(0.2, "page down at 1,000,000 rows, over DataTable's at 10,000", figures.page_down_ratio)
    _line("cursor down at 1,000,000 rows, over DataTable's at 10,000", f"{figures.cursor_down_ratio:6.2f}")
    _at_most(1.1, "memory at 1,000,000 rows, over that at 1,000", measure_memory())


def client() -> None:
    """What the signed client costs over bare httpx."""
    figures = measure_client()
    _at_least(0.85, "requests a second, over bare httpx's", figures.requests)
    _line("pages of 50 records a second, over bare httpx's with json", f"{figures.pages:6.2f}")
    _line("signing, as a share of a request", f"{figures.signing:6.1%}", "at most 2 %")
    _at_least(1.0, "records a second in an export of 100,000, over a bare loop's", measure_export())


BENCHMARKS = {benchmark.__name__: benchmark for benchmark in (startup, table, client)}


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
