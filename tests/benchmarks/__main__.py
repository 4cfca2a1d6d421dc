"""`python -m tests.benchmarks`: ratios measured in this run, each with what it should be at most."""

from tests.benchmarks.startup import measure_startup
from tests.benchmarks.table import measure_memory, measure_table


def main() -> None:
    """Measure everything and print a line each."""
    startup = measure_startup()
    _line("first paint, over a ten-line Textual app's", startup.first_paint_ratio, 1.5)
    _line("first records on screen, over the ten lines' first paint", startup.first_records_ratio, 2.5)
    table = measure_table()
    _line("page down at 1,000,000 rows, over DataTable's at 10,000", table.page_down_ratio, 0.2)
    _line("cursor down at 1,000,000 rows, over DataTable's at 10,000", table.cursor_down_ratio)
    _line("memory at 1,000,000 rows, over that at 1,000", measure_memory(), 1.1)


def _line(what: str, ratio: float, aim: float | None = None) -> None:
    print(f"{what:<62} {ratio:6.2f}" + (f"   (aim: at most {aim})" if aim is not None else ""))


if __name__ == "__main__":
    main()
