"""Texts for users, and docstrings of rewritten packages, hold none of the phrases that only authors understood."""

import ast
import re
from pathlib import Path

import click
import pytest

from tests import texts
from tests.texts import Text, all_texts, command_texts, page_texts, source_texts, table_texts

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


PLAIN_PACKAGES = (
    *("core", "service", "storage", "records", "writes", "plans"),
    *("team", "console", "search", "connect", "history", "session", "client"),
    *("ui/app", "ui/main", "ui/workspace", "ui/keys", "ui/navigation", "ui/help", "ui/sidebar", "ui/table"),
    *("ui/record", "ui/marks", "ui/editing", "ui/sending", "ui/writes", "ui/dialogs", "ui/connect", "ui/catalogue"),
    *("ui/widgets", "ui/terminal"),
)
"""The packages whose docstrings hold none of the phrases; a package joins them when it is rewritten."""


@pytest.mark.parametrize("package", PLAIN_PACKAGES)
def test_no_docstring_of_a_rewritten_package_holds_such_a_phrase(package: str) -> None:
    found = {
        text.place: phrases for text in docstrings_of(texts.ROOT / "svc_tui" / package) if (phrases := phrases_in(text))
    }
    assert found == {}


def docstrings_of(folder: Path) -> list[Text]:
    """Return the texts that stand by themselves in the modules of a folder: docstrings of all kinds."""
    found = [
        Text(f"{module.relative_to(texts.ROOT)}:{node.lineno}", node.value.value)
        for module in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    assert found, f"{folder} has no docstrings"
    return found


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_is_found_in_every_kind_of_text(
    phrase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    module, table, page = tmp_path / "module.py", tmp_path / "table.toml", tmp_path / "page.md"
    half = phrase.replace(" ", "\n", 1)
    module.write_text(f'a = "The row {phrase} here."\nb = f"{{a}} and {phrase} {{a}}"\n')
    table.write_text(f'[errors."The {phrase} row"]\nwhen = """The row \\\n  {phrase} here."""\n')
    page.write_text(f"# Page\n\nThe row {half} here.\n")
    command = click.Command("open", help=f"Open what {phrase}.", params=[click.Option(["--all"], help=f"{phrase} it")])
    found = [
        *source_texts(module),
        *table_texts(table),
        *page_texts(page),
        *command_texts(command, "svc-tui open"),
    ]
    assert [(text.place, phrases_in(text)) for text in found if phrases_in(text)] == [
        ("module.py:1", [phrase]),
        ("module.py:2", [phrase]),
        (f"table.toml:errors:The {phrase} row", [phrase]),
        (f"table.toml:errors:The {phrase} row:when", [phrase]),
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
