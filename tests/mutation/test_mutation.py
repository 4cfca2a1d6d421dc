"""Mutants of a small module, and the table of the modules that they are made of."""

import tomllib
from pathlib import Path

import pytest

from tests.mutation.__main__ import TABLE
from tests.mutation.mutants import find_mutants
from tests.mutation.running import ROOT

MODULE = '''
"""A docstring."""

class Lock:
    __slots__ = ("until",)

    def __repr__(self) -> str:
        return "1"

    def open(self, now: "int | None" = 2) -> str:
        """Open it."""
        assert now
        log.debug("at", now)
        if now < 3 and self.until is None:
            self.until = max(now, 4)
            raise Closed("No text for people.", code="shut")
        return "It is open."
'''
NAMES = [
    "Lock.open: 2 → 3",
    "Lock.open: 'shut' → 'mutant'",
    "Lock.open: 3 → 4",
    "Lock.open: 4 → 5",
    "Lock.open: Closed('No text for people.', code='shut') → Closed('No text for people.')",
    "Lock.open: max(now, 4) → min(now, 4)",
    "Lock.open: now < 3 and self.until is None → False",
    "Lock.open: now < 3 and self.until is None → now < 3",
    "Lock.open: now < 3 and self.until is None → self.until is None",
    "Lock.open: now < 3 → now <= 3",
    "Lock.open: raise Closed('No text for people.', code='shut') → pass",
    "Lock.open: self.until = max(now, 4) → pass",
]


def test_each_small_change_that_a_user_could_notice_is_a_mutant(tmp_path: Path) -> None:
    path = tmp_path / "lock.py"
    path.write_text(MODULE, encoding="utf-8")
    mutants = find_mutants(path, "lock.py")
    assert sorted(mutant.name for mutant in mutants) == sorted(NAMES)
    assert [mutant.name for mutant in mutants if mutant.runs_at_import] == ["Lock.open: 2 → 3"]
    for mutant in mutants:
        compile(mutant.source, mutant.path, "exec")


@pytest.mark.parametrize(("module", "entry"), tomllib.loads(TABLE.read_text(encoding="utf-8")).items())
def test_the_table_names_tests_that_exist_and_accepts_only_mutants_that_exist(
    module: str, entry: dict[str, object]
) -> None:
    tests, accepted = entry["tests"], entry.get("accepted", {})
    assert isinstance(tests, list)
    assert isinstance(accepted, dict)
    assert all((ROOT / path).exists() for path in tests)
    assert set(accepted) <= {mutant.name for mutant in find_mutants(ROOT / module, module)}
    assert all(isinstance(reason, str) and reason for reason in accepted.values())
