"""What can be exported, what it costs, and how its file is called."""

from datetime import UTC, datetime

import pytest

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.export_formats import Format
from svc_tui.core.filters import Filter, parse_filter
from svc_tui.core.records import Record
from svc_tui.records.record_export import ExportScope, export_scopes, file_name

NOW = datetime(2026, 11, 20, 5, 12, tzinfo=UTC)
A, B = Record({"id": "a"}), Record({"id": "b"})
FILTER = parse_filter("a", {})


def told(found: tuple[ExportScope, ...]) -> list[str]:
    return [f"{share.name} {share.cost}".strip() for share in found]


def test_all_costs_a_request_a_page_and_what_is_loaded_costs_none() -> None:
    assert told(export_scopes(10_000_000, 50, Filter(), [A], "1 of 10,000,000 loaded", [])) == [
        "all 10,000,000 records 200,000 requests",
        "1 of 10,000,000 loaded",
    ]
    assert told(export_scopes(51, 50, Filter(), [], "0 of 51 loaded", []))[0] == "all 51 records 2 requests"
    assert told(export_scopes(50, 50, Filter(), [], "0 of 50 loaded", []))[0] == "all 50 records 1 request"
    assert told(export_scopes(2, 50, Filter(), [A, B], "all 2 records", [])) == [
        "all 2 records 1 request",
        "2 loaded records",
    ]


def test_without_a_total_the_cost_is_said_by_the_page() -> None:
    (whole, _) = export_scopes(None, 50, Filter(), [], "0 of 50+ loaded", [])
    assert f"{whole.name} · {whole.cost}" == "all records · 1 request per 50 records"
    assert whole.goal is None


def test_what_is_marked_comes_first_then_what_the_filter_lets_through() -> None:
    found = export_scopes(300, 50, FILTER, [A], "100 of 300 loaded", [B, A])
    assert told(found) == [
        "2 marked records",
        "1 match in 100 of 300 loaded",
        "all records matching the filter 6 requests",
        "all 300 records 6 requests",
    ]
    assert [share.records for share in found] == [(B, A), (A,), None, None]
    assert [bool(share.filter) for share in found] == [False, False, True, False]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("lots", "lots-20261120-0512.csv"),
        ("shiftLogs", "shiftLogs-20261120-0512.csv"),
        ("../../etc/passwd", "etc-passwd-20261120-0512.csv"),
        ("坑道", "records-20261120-0512.csv"),
    ],
)
def test_a_file_is_called_after_the_collection_and_the_minute(name: str, file: str) -> None:
    assert file_name(Collection("operations", name, "x"), NOW, Format.CSV) == file


def test_a_file_ends_as_its_format_does() -> None:
    assert file_name(COLLECTIONS[0], NOW, Format.MARKDOWN).endswith(".md")
