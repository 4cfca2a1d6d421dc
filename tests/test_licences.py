"""The list of licences names every package that comes with the program, each with the licence that it declares."""

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

TREE = Path(__file__).parents[1]
PROJECT = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LIST = (TREE / "release" / "LICENSES.md").read_text(encoding="utf-8")
NAME = canonicalize_name("svc-tui")
SPDX_NAMES = {"License :: OSI Approved :: MIT License": "MIT"}
"""SPDX names by classifier, for packages that declare their license only there."""


def required_packages(*, anywhere: bool = False) -> set[NormalizedName]:
    """Return the packages that are installed with the program: on this system and Python, or on any."""
    pending, seen = [(NAME, "")], set[tuple[NormalizedName, str]]()
    while pending:
        package = pending.pop()
        if package not in seen:
            seen.add(package)
            for requirement in requirements_of(*package, anywhere=anywhere):
                name = canonicalize_name(requirement.name)
                pending += [(name, extra) for extra in ("", *requirement.extras)]
    return {name for name, _ in seen} - {NAME}


def requirements_of(name: str, extra: str, *, anywhere: bool) -> Iterator[Requirement]:
    """Yield the requirements of an installed package, or with `extra` those of that extra."""
    try:
        requirements = [Requirement(text) for text in distribution(name).requires or ()]
    except PackageNotFoundError:
        return
    for requirement in requirements:
        marker = requirement.marker
        if marker is not None and "extra" in str(marker):
            is_required = bool(extra) and marker.evaluate({"extra": extra})
        else:
            is_required = not extra and (anywhere or marker is None or marker.evaluate())
        if is_required:
            yield requirement


def declared_license(name: str) -> str:
    """Return the SPDX name of a package's license, from its metadata."""
    metadata = distribution(name).metadata
    declared = [metadata[field] for field in ("License-Expression", "License") if field in metadata]
    return (declared + [SPDX_NAMES[line] for line in metadata.get_all("Classifier") or () if line in SPDX_NAMES])[0]


def listed() -> dict[str, str]:
    """Return the licences by package, as the list has them."""
    return dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", LIST, re.MULTILINE))


def test_every_package_that_comes_with_the_program_is_listed_with_its_licence() -> None:
    names, told = required_packages(), listed()
    assert {"textual", "rich", "pydantic-core"} <= names
    assert {name: told.get(name) for name in names} == {name: declared_license(name) for name in names}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="what only older Pythons need is not here to say what it needs")
def test_no_package_is_listed_that_nothing_needs() -> None:
    assert listed().keys() - required_packages(anywhere=True) == set()


def test_what_the_program_is_built_on_stands_first() -> None:
    built_on = LIST.split("## ")[1]
    assert re.findall(r"^\| `([\w-]+)`", built_on, re.MULTILINE) == sorted(
        canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]
    )


def test_the_package_declares_its_own_licence() -> None:
    assert PROJECT["license"] == "MIT"
    assert PROJECT["license-files"] == ["LICENSE"]
