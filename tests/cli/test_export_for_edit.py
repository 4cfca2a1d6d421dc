"""`svc-tui export --for-edit`: a file to edit and to read again as corrections."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from svc_tui.bootstrap.plans.read_file import read_correction_file
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import loads
from svc_tui.plans.cells import Cell, is_same_value
from svc_tui.plans.correction_file import ValueWords
from svc_tui.plans.for_edit import ExportedVersion
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.storage.plan import RowAction
from tests.cli.conftest import Run
from tests.optional import skip_without

Use = Callable[[str], None]
LOTS = "operations/lots"


def test_a_table_has_the_id_first_what_is_nested_in_columns_and_the_version_last(run: Run, use: Use) -> None:
    use("sandbox")
    changed = '{"massKg": 1.50, "assay": {"auPpm": 1e400, "lab": {"name": "=cmd"}}, "tags": ["x"]}'
    assert run("request", "PATCH", f"{LOTS}/lot-000001", "-d", changed).status == 0
    ran = run("export", "lots", "--for-edit", "--format", "csv", "--max-items", "1")
    assert ran.status == 0
    (row,) = csv.DictReader(io.StringIO(ran.out.decode("utf-8-sig")))
    names = list(row)
    assert (names[0], names[-1]) == ("id", "_version")
    assert (row["massKg"], row["assay.auPpm"], row["assay.lab.name"], row["tags"]) == (
        "1.50",
        "1e400",
        "'=cmd",
        '["x"]',
    )
    assert "assay" not in row
    assert ExportedVersion.parse(row["_version"]).holds("massKg", Cell("1.5"))


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_has_every_field_as_it_is_and_the_version_last(
    run: Run, use: Use, service: RunningService, form: str
) -> None:
    use("sandbox")
    out = run("export", "lots", "--for-edit", "--format", form, "--max-items", "1").out
    record = json.loads(out)[0] if form == "json" else json.loads(out)
    assert (next(iter(record)), list(record)[-1]) == ("id", "_version")
    del record["_version"]
    assert record == json.loads(service.record(LOTS, "lot-000001") or "")


def test_a_file_of_the_export_changes_nothing_also_by_way_of_pandas(
    run: Run, use: Use, service: RunningService, tmp_path: Path
) -> None:
    skip_without("pandas")
    import pandas as pd

    use("sandbox")
    file = tmp_path / "lots.csv"
    assert run("export", "lots", "--for-edit", "-o", str(file)).status == 0
    for _ in range(2):
        rows = read_correction_file(str(file), ValueWords()).rows
        assert len(rows) == 30
        for row in rows:
            record = loads(service.record(LOTS, row.record_id) or "")
            assert isinstance(record, dict)
            assert row.action is RowAction.UPDATE
            version = ExportedVersion.parse(row.version)
            assert version.holds("id", row.record_id)
            for path, cell in row.values.items():
                assert isinstance(cell, Cell)
                assert is_same_value(cell, value_at(record, path)), (path, cell)
                assert version.holds(path, cell)
                assert version.holds(path, value_at(record, path))
        pd.read_csv(file).to_csv(file, index=False)


def test_what_cant_be_read_back_is_not_written(run: Run, use: Use, tmp_path: Path) -> None:
    use("sandbox")
    for words in (["--format", "markdown"], ["-o", str(tmp_path / "lots.md")]):
        ran = run("export", "lots", "--for-edit", *words)
        assert (ran.status, ran.err) == (
            2,
            "svc-tui: --for-edit does not support markdown; use csv, jsonl or json\n",
        )
    assert list(tmp_path.glob("*.md")) == []


def test_a_collection_without_records_is_an_empty_file(run: Run, use: Use) -> None:
    use("sandbox")
    assert run("export", "lots", "--for-edit", "--format", "csv", "-q", "name=none").out == b""
