"""The page of licences names every package that comes with the program, each with the licence that it declares."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from svc_tui.ui.help.guide_pages import page_named, text_of

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

CLASSIFIED = {"License :: OSI Approved :: MIT License": "MIT"}
"""Classifiers of packages that declare their licence in no other way, to its SPDX name."""


def required(*, anywhere: bool = False) -> set[str]:
    """The names of all that the program needs, and of what that needs: on this system and Python, or on any."""
    names: set[str] = set()
    seen: set[tuple[str, str]] = set()
    asked = [Requirement(text) for text in PROJECT["dependencies"]]
    while asked:
        requirement = asked.pop()
        name = canonicalize_name(requirement.name)
        names.add(name)
        for extra in {"", *requirement.extras} - {extra for known, extra in seen if known == name}:
            seen.add((name, extra))
            asked += wanted(name, extra, anywhere)
    return names


def wanted(name: str, extra: str, anywhere: bool) -> Iterator[Requirement]:
    """What a package needs with one of its extras ("": with none); nothing where it is not installed."""
    try:
        requirements = [Requirement(text) for text in distribution(name).requires or ()]
    except PackageNotFoundError:
        return
    for requirement in requirements:
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": extra}) or (anywhere and "extra" not in str(marker)):
            yield requirement


def declared(name: str) -> str:
    """The licence of a package by its SPDX name, as its own metadata has it."""
    metadata = distribution(name).metadata
    said = [metadata[field] for field in ("License-Expression", "License") if field in metadata]
    classified = [CLASSIFIED[line] for line in metadata.get_all("Classifier") or () if line in CLASSIFIED]
    return (said + classified)[0]


def listed() -> dict[str, str]:
    """The licences by package, as the page has them."""
    return dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", text_of(page_named("licences")), re.MULTILINE))


def test_every_package_that_comes_with_the_program_is_listed_with_its_licence() -> None:
    names, told = required(), listed()
    assert {"textual", "rich", "pydantic-core"} <= names
    assert {name: told.get(name) for name in names} == {name: declared(name) for name in names}


def test_no_package_is_listed_that_nothing_needs() -> None:
    assert set(listed()) - required(anywhere=True) == set()


def test_what_the_program_is_built_on_stands_first() -> None:
    built_on = text_of(page_named("licences")).split("## ")[1]
    assert re.findall(r"^\| `([\w-]+)`", built_on, re.MULTILINE) == sorted(
        canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]
    )


def test_the_package_declares_its_own_licence() -> None:
    assert PROJECT["license"] == "MIT"
    assert PROJECT["license-files"] == ["LICENSE"]
