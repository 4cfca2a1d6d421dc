"""What a release is made of: a description, an sdist that can be checked, a manual page, workflows."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from release.commands import SHARED, commands, options_of
from release.description import description
from release.man_page import man_page

TREE = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
README = (TREE / "README.md").read_text(encoding="utf-8")
WORKFLOWS = TREE / ".github" / "workflows"
LOWEST = (TREE / ".ci" / "lowest.txt").read_text(encoding="utf-8")
MAKE_MAN_PAGE = "python -m release.man_page > release/svc-tui.1"


def test_the_sdist_holds_every_file_that_the_checks_name() -> None:
    tool = PYPROJECT["tool"]
    commands = README.split("<!-- checks -->")[1].split("```")[1]
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    needed = {
        *re.findall(r"-c (\S+)", commands),
        *tool["mypy"]["files"],
        *tool["pytest"]["ini_options"]["testpaths"],
        *tool["hatch"]["build"]["targets"]["wheel"]["packages"],
        *tool["hatch"]["build"]["targets"]["wheel"]["force-include"],
        *tool["hatch"]["build"]["targets"]["wheel"]["shared-data"],
        tool["hatch"]["metadata"]["hooks"]["custom"]["path"],
        tool["hatch"]["version"]["path"],
        *PYPROJECT["project"]["license-files"],
        ".ci/run",
        ".ci/lowest.txt",
        *links,
    }
    assert {".ci/constraints.txt", "tests", "release", "screenshots/browse.svg", ".github/CONTRIBUTING.md"} <= needed
    included = [name.removeprefix("/") for name in tool["hatch"]["build"]["targets"]["sdist"]["include"]]
    missing = {name for name in needed if not any(f"{name}/".startswith(f"{part}/") for part in included)}
    assert missing == set()
    assert {name for name in needed if not (TREE / name).exists()} == set()


def test_an_index_shows_screens_in_place_of_pictures_and_nothing_that_leads_nowhere() -> None:
    shown = description(TREE)
    pictures = re.findall(r"^!\[[^\]]+\]\((screenshots/[a-z-]+)\.svg\)$", README, re.MULTILINE)
    assert len(pictures) == 7
    for name in pictures:
        screen = (TREE / f"{name}.txt").read_text(encoding="utf-8")
        assert f"```text\n{screen}```\n" in shown
        assert len(screen.splitlines()) == 34
    assert re.findall(r"\]\((?!https://)[^)]*\)", shown) == []
    assert "MIT, see LICENSE." in shown


def test_there_is_a_screen_as_text_for_each_picture() -> None:
    drawn, told = ({file.stem for file in (TREE / "screenshots").glob(f"*.{ending}")} for ending in ("svg", "txt"))
    assert drawn == told


def test_the_manual_page_is_what_the_command_line_says() -> None:
    if (TREE / "release" / "svc-tui.1").read_text(encoding="utf-8") != man_page():
        pytest.fail(f"the manual page is not what the commands say; make it anew and look at it:\n{MAKE_MAN_PAGE}")


def test_no_command_and_no_option_is_left_out_of_the_manual_page() -> None:
    page = man_page().replace("\\-", "-")
    for words, command in commands():
        assert words == "svc-tui" or re.search(rf"^\.SS {words}( |$)", page, re.MULTILINE), words
        for option in (*options_of(command), *SHARED.values()):
            assert all(f"\\fB{name}\\fR" in page for name in option.opts if name.startswith("-")), option


def test_nothing_in_the_manual_page_is_read_as_a_request_by_mistake() -> None:
    requests = {line.split()[0] for line in man_page().splitlines() if line.startswith((".", "'"))}
    assert requests == {'.\\"', ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".br", ".nf", ".fi"}


def test_the_checks_run_on_every_python_that_the_package_names() -> None:
    text = (WORKFLOWS / "checks.yml").read_text(encoding="utf-8")
    (versions,) = re.findall(r"^ +python: (\[.+\])$", text, re.MULTILINE)
    classified = re.findall(r":: (3\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"]))
    assert json.loads(versions) == classified
    assert f">={classified[0]}" == PYPROJECT["project"]["requires-python"]


@pytest.mark.parametrize("name", ["checks", "release"])
def test_a_workflow_runs_scripts_that_exist_and_actions_of_a_fixed_commit_without_secrets(name: str) -> None:
    text = (WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8")
    scripts = set(re.findall(r"run: (\.ci/\w+)", text))
    assert scripts
    assert {script for script in scripts if not os.access(TREE / script, os.X_OK)} == set()
    actions = set(re.findall(r"uses: (.+)$", text, re.MULTILINE)) - {"./.github/workflows/checks.yml"}
    assert actions
    assert {action for action in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action)} == set()
    assert "secrets." not in text


def test_every_file_that_contributing_names_exists() -> None:
    page = (TREE / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_.]+/)+[a-z_.-]+\.(?:py|toml|txt|md))`", page))
    assert len(named) > 40
    assert {name for name in named if not any((root / name).is_file() for root in (TREE, TREE / "svc_tui"))} == set()


def test_the_lowest_versions_that_are_tested_are_the_lowest_that_are_allowed() -> None:
    project = PYPROJECT["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = [Requirement(text) for texts in lists for text in texts]
    bounds = {
        canonicalize_name(one.name): Version(bound.version)
        for one in wanted
        for bound in one.specifier
        if bound.operator == ">="
    }
    assert len(bounds) > 30
    tested = {name: Version(text) for name, text in re.findall(r"^(\S+)==(\S+)$", LOWEST, re.MULTILINE)}
    assert {name: str(tested[name]) for name, bound in bounds.items() if tested[name] != bound} == {}
