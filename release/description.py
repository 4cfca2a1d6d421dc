"""What an index shows of the package: the README, without what only leads somewhere within the source tree.

Pictures there are files of the tree, and so are most of the pages that it links to. Of those pictures an index gets the
screen as text, and of those links their words.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[([^\]]*)\]\((?!https?:)([^)]+)\.svg\)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^][]+)\]\((?!https?:|#)[^)]+\)")


def description(tree: Path) -> str:
    """The README of a tree as an index can show it, in Markdown."""
    text = (tree / "README.md").read_text(encoding="utf-8")
    return _LINK.sub(r"\1", _PICTURE.sub(lambda found: _screen(tree, *found.groups()), text))


def _screen(tree: Path, caption: str, name: str) -> str:
    screen = (tree / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")
    return f"{caption}:\n\n```text\n{screen}\n```"


class DescriptionHook(MetadataHookInterface):
    """Has the built packages describe themselves so."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the description in."""
        metadata["readme"] = {"content-type": "text/markdown", "text": description(Path(self.root))}
