"""What `export --for-edit` writes, taken through pandas and LibreOffice and back: nothing has changed."""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from svc_tui.bootstrap.plans.read_file import read_correction_file
from svc_tui.core.export_formats import Format
from svc_tui.core.field_path import value_at
from svc_tui.core.jsontext import Json
from svc_tui.plans.cells import Cell
from svc_tui.plans.correction_file import Corrections, ValueWords
from svc_tui.plans.for_edit import ExportedVersion
from tests.bootstrap.plans.awkward import COLUMNS, RECORDS, changes, for_edit
from tests.optional import skip_without

Records = Mapping[str, Mapping[str, Json]]

SOFFICE = shutil.which("soffice")
FIXTURES = Path(__file__).parent / "libreoffice"
"""What LibreOffice 7.4 wrote of `for_edit(RECORDS)`, where it is not installed: each made by `by_libreoffice`.

Where the records or what is exported of them change, `python -m tests.bootstrap.plans.test_there_and_back` makes them.
"""

IMPORT = "CSV:44,34,76,1,,1033,false,true"
"""Commas, quotes, UTF-8, from the first line on, American; texts may become numbers and dates."""
EXPORTS = {
    "xlsx": ("xlsx", "xlsx"),
    "csv": ("csv", "csv:Text - txt - csv (StarCalc):44,34,76,1"),
    "german": ("csv", "csv:Text - txt - csv (StarCalc):59,34,76,1,,1031"),
}
"""By name: the ending of the file, and what LibreOffice is told."""

GERMAN = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale"><value>de-DE</value></prop></item>
</oor:items>
"""
"""The settings of somebody in Germany."""


def read(path: Path) -> Corrections:
    """The corrections of a file."""
    return read_correction_file(str(path), ValueWords())


@pytest.fixture(params=[RECORDS, COLUMNS], ids=["one column", "a column each"])
def records(request: pytest.FixtureRequest) -> Records:
    """The awkward values."""
    found: Records = request.param
    return found


@pytest.fixture
def exported(records: Records, tmp_path: Path) -> Path:
    """The file that the export writes."""
    (tmp_path / "lots.csv").write_bytes(for_edit(records))
    return tmp_path / "lots.csv"


@pytest.fixture
def pd() -> Any:
    """Provide pandas."""
    skip_without("pandas")
    import pandas as pd

    return pd


def test_the_file_as_it_is_changes_nothing(records: Records, exported: Path) -> None:
    read_file = read(exported)
    assert list(changes(records, read_file)) == []
    filled = {path for row in read_file.rows for path in row.values}
    assert {"mass.kg", "value.goldPpm", "value.lab.name"} <= filled or {"c1", "c2"} <= filled


@pytest.mark.parametrize("form", [Format.JSON, Format.JSONL])
def test_a_file_of_json_holds_every_field_as_it_is(records: Records, tmp_path: Path, form: Format) -> None:
    path = tmp_path / f"lots.{form}"
    path.write_bytes(for_edit(records, form))
    for row in read(path).rows:
        record, version = records[row.record_id], ExportedVersion.parse(row.version)
        assert {"id": record["id"], **row.values} == record
        assert all(version.holds(name, value) and not isinstance(value, Cell) for name, value in row.values.items())


def test_pandas_changes_nothing(records: Records, exported: Path, pd: Any) -> None:
    pd.read_csv(exported).to_csv(exported, index=False)
    assert list(changes(records, read(exported))) == []


def test_pandas_with_types_of_its_own_changes_nothing(records: Records, exported: Path, pd: Any) -> None:
    pd.read_csv(exported).convert_dtypes().to_csv(exported, index=False, sep=";")
    assert list(changes(records, read(exported))) == []


def test_a_spreadsheet_of_pandas_changes_nothing(records: Records, exported: Path, pd: Any) -> None:
    pd.read_csv(exported).to_excel(exported.with_suffix(".xlsx"), index=False)
    assert list(changes(records, read(exported.with_suffix(".xlsx")))) == []
    pd.read_excel(exported.with_suffix(".xlsx"), engine="openpyxl").to_csv(exported, index=False)
    assert list(changes(records, read(exported))) == []


def test_times_that_pandas_reads_as_times_change_nothing(tmp_path: Path, pd: Any) -> None:
    moments = ("2026-11-20T05:12:00Z", "2026-11-20T05:12:00.125Z", "2026-11-21T00:00:00Z")
    records = {f"{number}": {"id": f"{number}", "at": moment} for number, moment in enumerate(moments)}
    (tmp_path / "a.csv").write_bytes(for_edit(records))
    table = pd.read_csv(tmp_path / "a.csv", dtype={"id": str})
    table["at"] = pd.to_datetime(table["at"], format="ISO8601")
    table.to_csv(tmp_path / "a.csv", index=False)
    assert list(changes(records, read(tmp_path / "a.csv"))) == []


def by_libreoffice(source: Path, kind: str, profile: Path) -> Path:
    """The file that LibreOffice makes of the source."""
    ending, told = EXPORTS[kind]
    out = source.parent / kind
    if kind == "german":
        (profile / "user").mkdir(parents=True, exist_ok=True)
        (profile / "user" / "registrymodifications.xcu").write_text(GERMAN)
    words = ["--headless", f"-env:UserInstallation=file://{profile}", f"--infilter={IMPORT}", "--convert-to", told]
    subprocess.run(
        [str(SOFFICE), *words, "--outdir", str(out), str(source)], check=True, capture_output=True, timeout=180
    )
    return out / f"{source.stem}.{ending}"


@pytest.mark.parametrize("kind", EXPORTS)
def test_what_libreoffice_wrote_changes_nothing(kind: str) -> None:
    read_file = read(FIXTURES / f"{kind}.{EXPORTS[kind][0]}")
    assert list(changes(RECORDS, read_file)) == []
    assert ("numbers are read with a decimal comma" in read_file.notices) == (kind == "german")


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not here; the files that it wrote are read above")
@pytest.mark.parametrize("kind", EXPORTS)
def test_libreoffice_changes_nothing(records: Records, exported: Path, tmp_path: Path, kind: str) -> None:
    assert list(changes(records, read(by_libreoffice(exported, kind, tmp_path / "profile")))) == []


@pytest.mark.parametrize(
    ("path", "text"), [("value", "A"), ("mass.kg", "1.6"), ("open", "FALSE"), ("value.goldPpm", "7")]
)
def test_an_edit_is_the_one_change(exported: Path, records: Records, path: str, text: str, pd: Any) -> None:
    if records is not RECORDS:
        return
    table = pd.read_csv(exported, dtype=str, keep_default_na=False)
    table.loc[3, path] = text
    table.to_csv(exported, index=False)
    (change,) = changes(records, read(exported))
    assert change[:2] == (path, Cell(text))
    assert change[2] == value_at(records["lot-0004"], path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "lots.csv"
        source.write_bytes(for_edit(RECORDS))
        for kind, (ending, _) in EXPORTS.items():
            shutil.copy(by_libreoffice(source, kind, Path(folder) / f"{kind}-profile"), FIXTURES / f"{kind}.{ending}")
