"""The list of licences names every package that comes with the program, each with the licence that it declares."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.bill_of_materials import NAME, declared, required

TREE = Path(__file__).parents[1]
PROJECT = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LIST = (TREE / "release" / "LICENSES.md").read_text(encoding="utf-8")


def listed() -> dict[str, str]:
    """Return the licences by package, as the list has them."""
    return dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", LIST, re.MULTILINE))


def test_every_package_that_comes_with_the_program_is_listed_with_its_licence() -> None:
    names, told = required().keys() - {NAME}, listed()
    assert {"textual", "rich", "pydantic-core"} <= names
    assert {name: told.get(name) for name in names} == {name: declared(name) for name in names}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="what only older Pythons need is not here to say what it needs")
def test_no_package_is_listed_that_nothing_needs() -> None:
    assert listed().keys() - required(anywhere=True).keys() == set()


def test_what_the_program_is_built_on_stands_first() -> None:
    built_on = LIST.split("## ")[1]
    assert re.findall(r"^\| `([\w-]+)`", built_on, re.MULTILINE) == sorted(
        canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]
    )


def test_the_package_declares_its_own_licence() -> None:
    assert PROJECT["license"] == "MIT"
    assert PROJECT["license-files"] == ["LICENSE"]
