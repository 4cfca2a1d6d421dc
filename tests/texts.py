"""All texts of `svc_tui` that a user can read: `python -m tests.texts > texts.txt` writes them with their places.

Texts are the literals of the sources that read as words, those of the TOML files beside them, the help of every
command, the guide and the other pages.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import click

from svc_tui.cli.main import program

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "svc_tui"
PAGES = ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md")

_STYLES = {"DEFAULT_CSS", "CSS", "COMPONENT_CLASSES", "__slots__", "__all__"}
"""Names whose values no user reads."""
_WIDTH = 120
_LABEL_CALLS = {"Binding", "Option", "Offer", "Choice", "Entry", "MenuEntry", "Command", "Check"}
"""Calls whose capitalised one-word arguments are labels."""
_UNREAD_CALLS = {"compile", "execute", "executemany", "executescript", "getLogger", "query", "query_one", "NewType"}
"""Calls whose arguments are patterns, SQL and selectors."""
_SQL = re.compile(
    r"\s*(select|insert|update|delete from|create|drop|alter|pragma|begin|commit|rollback|attach|vacuum|savepoint"
    r"|with|where|and|or|order by|from|on conflict|values|set|limit)\b.*[=(*?\n]",
    re.IGNORECASE | re.DOTALL,
)
_CONTROLS = re.compile(r"[^\n\x20-\U0010ffff]")
_WORDS = re.compile(r"[A-Za-z][a-z’']+[,.:;!?…]?\s+\S|\S\s+[a-z’']{2,}")
_LABEL = re.compile(r"[A-Z][a-z]+…?")


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its place: a file of the project with a line, or a command."""

    place: str
    text: str


def source_texts(path: Path) -> Iterator[Text]:
    """Yield the literals of a module that read as words; blanks of an f-string are `{}`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unread: set[int] = set()
    for node in ast.walk(tree):
        for part in _unread_parts(node):
            unread.update(map(id, ast.walk(part)))
    labels = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called_name(node) in _LABEL_CALLS
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    for node in sorted(ast.walk(tree), key=lambda node: getattr(node, "lineno", 0)):
        if id(node) in unread or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = _literal(node)
        if isinstance(node, ast.JoinedStr):
            unread.update(map(id, node.values))
        if _reads_as_words(text) or (id(node) in labels and _LABEL.fullmatch(text)):
            yield Text(f"{path.relative_to(ROOT)}:{node.lineno}", text)


def table_texts(path: Path) -> Iterator[Text]:
    """Yield the names and values of a TOML file that read as words, with the tables that they are in."""
    yield from _table_texts(str(path.relative_to(ROOT)), tomllib.loads(path.read_text(encoding="utf-8")))


def _table_texts(place: str, table: Mapping[str, object]) -> Iterator[Text]:
    for name, value in table.items():
        inner = f"{place}:{name}"
        yield from (Text(inner, text) for text in (name, value) if isinstance(text, str) and _reads_as_words(text))
        if isinstance(value, Mapping):
            yield from _table_texts(inner, value)


def command_texts(command: click.Command, name: str) -> Iterator[Text]:
    """Yield the help of a command and of those below it."""
    with click.Context(command, info_name=name, terminal_width=_WIDTH, max_content_width=_WIDTH) as context:
        yield Text(f"{name} --help", command.get_help(context))
        if isinstance(command, click.Group):
            for part in command.list_commands(context):
                below = command.get_command(context, part)
                assert below is not None, part
                yield from command_texts(below, f"{name} {part}")


def page_texts(path: Path) -> Iterator[Text]:
    """Yield the paragraphs of a page."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for is_blank, group in groupby(enumerate(lines, 1), key=lambda numbered: not numbered[1].strip()):
        if not is_blank:
            paragraph = list(group)
            yield Text(f"{path.relative_to(ROOT)}:{paragraph[0][0]}", "\n".join(line for _, line in paragraph))


def all_texts() -> Iterator[Text]:
    """Yield every text: of the sources, of their TOML files, of the commands, of the pages."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield from source_texts(path)
    for path in sorted(PACKAGE.rglob("*.toml")):
        yield from table_texts(path)
    yield from command_texts(program, "svc-tui")
    for page in (*(ROOT / page for page in PAGES), *sorted(PACKAGE.glob("guide/*.md"))):
        yield from page_texts(page)


def _unread_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that no user reads: docstrings, patterns, styles, identifiers."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        # Also a literal below an attribute, which documents it.
        yield from (one.value for one in node.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    elif isinstance(node, ast.Call) and _called_name(node) in _UNREAD_CALLS:
        yield from node.args
    elif isinstance(node, ast.Assign):
        if any(isinstance(target, ast.Name) and target.id in _STYLES for target in node.targets):
            yield node.value
    elif isinstance(node, ast.AnnAssign | ast.arg):
        if node.annotation is not None:
            yield node.annotation
    elif isinstance(node, ast.keyword) and node.arg in {"id", "classes", "css", "format"}:
        yield node.value


def _called_name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _literal(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
    return node.value if isinstance(node.value, str) else ""


def _reads_as_words(text: str) -> bool:
    return bool(_WORDS.search(text)) and not _SQL.match(text) and "$role" not in text


if __name__ == "__main__":
    for one in all_texts():
        print(f"{one.place}\t{_CONTROLS.sub(lambda control: ascii(control[0])[1:-1], one.text)}")  # noqa: T201
