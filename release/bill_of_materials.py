"""Writes the bill of materials of the program, in CycloneDX: `python -m release.bill_of_materials [EXTRA ...]`.

It names the packages that come along in the environment that it runs in, with their versions, licences and what needs
what, as their own metadata has it. To say what a release was checked with, run it in the environment of the checks.
"""

import json
import sys
from collections.abc import Collection, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

NAME = canonicalize_name("svc-tui")

CLASSIFIED = {"License :: OSI Approved :: MIT License": "MIT"}
"""Classifiers of packages that declare their licence in no other way, to its SPDX name."""


def required(extras: Collection[str] = (), *, anywhere: bool = False) -> dict[NormalizedName, set[NormalizedName]]:
    """All that the program needs, each with what it needs itself: on this system and Python, or on any.

    `extras` are those of the program; what is not installed needs nothing.
    """
    needs: dict[NormalizedName, set[NormalizedName]] = {}
    seen: set[tuple[NormalizedName, str]] = set()
    asked: list[tuple[NormalizedName, str]] = [(NAME, extra) for extra in ("", *extras)]
    while asked:
        name, extra = asked.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        below = needs.setdefault(name, set())
        for requirement in _wanted(name, extra, anywhere):
            needed = canonicalize_name(requirement.name)
            below.add(needed)
            asked += [(needed, inner) for inner in ("", *requirement.extras)]
    return needs


def declared(name: str) -> str:
    """The licence of a package by its SPDX name, as its own metadata has it."""
    metadata = distribution(name).metadata
    said = [metadata[field] for field in ("License-Expression", "License") if field in metadata]
    classified = [CLASSIFIED[line] for line in metadata.get_all("Classifier") or () if line in CLASSIFIED]
    return (said + classified)[0]


def bill_of_materials(extras: Collection[str] = ()) -> dict[str, Any]:
    """The document. It holds no time and no number of its own, so that the same packages give the same document."""
    needs = required(extras)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component(NAME, "application")},
        "components": [_component(name, "library") for name in sorted(needs) if name != NAME],
        "dependencies": [
            {"ref": _address(name), "dependsOn": sorted(map(_address, needs[name]))} for name in sorted(needs)
        ],
    }


def _wanted(name: str, extra: str, anywhere: bool) -> Iterator[Requirement]:
    """What a package needs with one of its extras ("": with none); nothing where it is not installed."""
    try:
        requirements = [Requirement(text) for text in distribution(name).requires or ()]
    except PackageNotFoundError:
        return
    for requirement in requirements:
        marker = requirement.marker
        if marker is None:
            taken = not extra
        elif "extra" in str(marker):
            taken = bool(extra) and marker.evaluate({"extra": extra})
        else:
            taken = not extra and (anywhere or marker.evaluate({"extra": ""}))
        if taken:
            yield requirement


def _component(name: str, kind: str) -> dict[str, Any]:
    return {
        "type": kind,
        "bom-ref": _address(name),
        "name": name,
        "version": distribution(name).version,
        "licenses": [_licence(declared(name))],
        "purl": _address(name),
    }


def _licence(said: str) -> dict[str, Any]:
    try:
        return {"expression": canonicalize_license_expression(said)}
    except InvalidLicenseExpression:
        return {"license": {"name": said}}


def _address(name: str) -> str:
    """The package's own address in the language of package URLs, which also stands for it within the document."""
    return f"pkg:pypi/{name}@{distribution(name).version}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(bill_of_materials(sys.argv[1:]), indent=2) + "\n")
