"""Which command shows a text: the user's own, or the first of the usual ones that is there."""

from pathlib import Path

import pytest

from svc_tui.ui.terminal.pager import PagerError, pager_command


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    """A directory with one program in it, `mine`."""
    program(tmp_path, "mine")
    return tmp_path


def program(directory: Path, name: str) -> None:
    """Put a program there."""
    path = directory / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o700)


def test_the_users_pager_is_a_command_with_words(bin_: Path) -> None:
    assert pager_command({"PAGER": "mine -R --prompt='a b'", "PATH": str(bin_)}) == ["mine", "-R", "--prompt=a b"]


@pytest.mark.parametrize(
    ("there", "words"), [(("less", "more"), ["less", "-R"]), (("more",), ["more"])], ids=["less", "more"]
)
@pytest.mark.parametrize("unset", [{}, {"PAGER": "  "}], ids=["unset", "blank"])
def test_without_one_the_first_of_the_usual_that_is_there(
    bin_: Path, there: tuple[str, ...], words: list[str], unset: dict[str, str]
) -> None:
    for name in there:
        program(bin_, name)
    assert pager_command({**unset, "PATH": str(bin_)}) == words


def test_where_there_is_none_it_is_said(bin_: Path) -> None:
    with pytest.raises(PagerError, match=r"No pager was found\. Set PAGER"):
        pager_command({"PATH": str(bin_)})


def test_one_that_is_not_there_is_named_and_no_other_takes_its_place(bin_: Path) -> None:
    program(bin_, "less")
    with pytest.raises(PagerError, match=r"theirs was not found\. Set PAGER"):
        pager_command({"PAGER": "theirs -x", "PATH": str(bin_)})


def test_an_open_quote_is_said(bin_: Path) -> None:
    with pytest.raises(PagerError, match=r"PAGER is not a valid command: a quote is not closed"):
        pager_command({"PAGER": "mine 'x", "PATH": str(bin_)})
