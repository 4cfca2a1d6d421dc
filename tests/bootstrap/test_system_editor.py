"""The user's own editor: what is said of one that does not wait for its window."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from svc_tui.bootstrap import system_editor
from svc_tui.bootstrap.system_editor import SystemEditor
from svc_tui.session.ports import EditedText, TextEditorError


def editor(folder: Path, script: str) -> Path:
    """A program that gets the file as its last word."""
    program = folder / "code"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    return program


def left(folder: Path) -> list[Path]:
    """The files that the editor's are left in."""
    return list(folder.glob("svc-tui-*/*"))


@pytest.mark.parametrize(
    ("variable", "words", "remedy"),
    [
        ("EDITOR", "", ' If it opened a window, set EDITOR="{program} --wait".'),
        ("VISUAL", " --new-window", ' If it opened a window, set VISUAL="{program} --wait".'),
        ("EDITOR", " --wait", ""),
    ],
)
async def test_a_file_that_may_be_in_a_window_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, words: str, remedy: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program = editor(tmp_path, "exit 0")
    command = f"{program}{words}"
    with pytest.raises(TextEditorError) as raised:
        await SystemEditor(lambda: {variable: command, "PATH": os.environ["PATH"]}).edit("damp", "txt")
    (kept,) = left(tmp_path)
    assert kept.read_text() == "damp"
    advice = remedy.format(program=program)
    assert str(raised.value) == (
        f"The editor in {variable} closed immediately without a change.{advice} The file is kept: {kept}"
    )


@pytest.mark.parametrize(("script", "edited"), [("printf wet > $1", "wet"), ("touch -t 200001010000 $1", "damp")])
async def test_no_file_is_left_by_an_editor_that_was_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, edited: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    command = str(editor(tmp_path, script))
    result = await SystemEditor(lambda: {"EDITOR": command, "PATH": os.environ["PATH"]}).edit("damp", "txt")
    assert result == EditedText(edited, True)
    assert not left(tmp_path)


@pytest.mark.parametrize(("seconds", "is_kept"), [(3.0, True), (10.0, False)])
async def test_a_file_is_kept_where_a_slow_program_handed_it_to_a_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, is_kept: bool
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(system_editor, "time", SimpleNamespace(monotonic=iter([0.0, seconds]).__next__))
    edit = SystemEditor(lambda: {"EDITOR": str(editor(tmp_path, "exit 0")), "PATH": os.environ["PATH"]}).edit
    if is_kept:
        with pytest.raises(TextEditorError, match="The file is kept"):
            await edit("damp", "txt")
    else:
        assert await edit("damp", "txt") == EditedText("damp", True)
    assert [file.read_text() for file in left(tmp_path)] == (["damp"] if is_kept else [])
