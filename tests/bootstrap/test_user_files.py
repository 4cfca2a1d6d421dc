"""Names of files that no file can have: each is refused in plain words."""

from pathlib import Path

import pytest

from svc_tui.bootstrap.user_files import UserFiles, read_body
from svc_tui.session.ports import BodyFileError, FileWriteError


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whose home directory is unknown."""

    def unknown(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)


def path_problem(name: str, state: Path) -> str:
    with pytest.raises(FileWriteError) as caught:
        UserFiles(state).taken(name)
    return str(caught.value)


def body_problem(name: str) -> str:
    with pytest.raises(BodyFileError) as caught:
        read_body(name)
    return str(caught.value)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    assert path_problem("\ud800", tmp_path) == "\ud800 is not a valid file name; choose another name"
    assert path_problem("a\0b", tmp_path).endswith("a\0b is not a valid file name; choose another name")
    assert path_problem(" ", tmp_path) == "The file name is empty."
    assert body_problem("nowhere") == "nowhere does not exist or is not a file"


@pytest.mark.usefixtures("homeless")
def test_a_home_that_is_unknown_is_told(tmp_path: Path) -> None:
    told = "~/x: the home directory is unknown; use the full path"
    assert path_problem("~/x", tmp_path) == told
    assert body_problem("~/x") == told
