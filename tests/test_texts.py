"""Texts that users read hold none of the phrases that only their authors understood."""

import re
from pathlib import Path

import click
import pytest

from tests import texts
from tests.texts import Text, all_texts, command_texts, page_texts, source_texts

PHRASES = (
    *("fit of", "is sought", "be sought", "made again", "gives way", "lets through", "kept to the blank"),
    *("kept to the digit", "anew", "whoever", "comes to nothing", "makes known", "as it came", "take it up"),
    *("taken up again", "hand on", "what is to be", "is told of", "are told", "it is said", "stands there"),
)
"""Phrases that are wrong in any context."""

_PHRASE = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.IGNORECASE)


def phrases_in(text: Text) -> list[str]:
    """Return the phrases in a text, also those that a line break divides."""
    return _PHRASE.findall(" ".join(text.text.split()))


def test_no_text_holds_such_a_phrase() -> None:
    assert {text.place: phrases for text in all_texts() if (phrases := phrases_in(text))} == {}


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_is_found_in_every_kind_of_text(
    phrase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    module, page = tmp_path / "module.py", tmp_path / "page.md"
    half = phrase.replace(" ", "\n", 1)
    module.write_text(f'a = "The row {phrase} here."\nb = f"{{a}} and {phrase} {{a}}"\n')
    page.write_text(f"# Page\n\nThe row {half} here.\n")
    command = click.Command("open", help=f"Open what {phrase}.", params=[click.Option(["--all"], help=f"{phrase} it")])
    found = [*source_texts(module), *page_texts(page), *command_texts(command, "svc-tui open")]
    assert [(text.place, phrases_in(text)) for text in found if phrases_in(text)] == [
        ("module.py:1", [phrase]),
        ("module.py:2", [phrase]),
        ("page.md:3", [phrase]),
        ("svc-tui open --help", [phrase, phrase]),
    ]


def test_texts_are_those_that_a_user_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(
        '"""A docstring is for developers."""\n'
        'BINDINGS = [Binding("a", "add", "Add", id="table.add", tooltip="Add a record")]\n'
        'DEFAULT_CSS = "Screen { layers: below above; }"\n'
        'connection.execute("SELECT name FROM rows WHERE id = ?")\n'
        'pattern = re.compile("the first word")\n'
        'title = f"Change {count} " "records now"\n'
    )
    assert [text.text for text in source_texts(module)] == ["Add", "Add a record", "Change {} records now"]
