"""The name of a collection above its rows, and on its tab. The first frame loads this module: it stays light."""

from urllib.parse import unquote

from textual.content import Content

from svc_tui.core.catalog import Collection
from svc_tui.ui.text import styled, visible


def title_content(collection: Collection, unsent: int = 0) -> Content:
    """Return `operations / lots`; for a collection under a record the whole path. A dot marks `unsent` edits."""
    names = collection.key.split("/") if collection.under else (collection.domain, collection.name)
    return Content.assemble(("• ", "$role-changed") if unsent else "", styled(" / ".join(names)))


def tab_label(collection: Collection) -> str:
    """Return the name on a tab: `lots`; for a collection under a record with the id of that record."""
    if not collection.under:
        return visible(collection.name)
    return visible(f"{unquote(collection.under.rpartition('/')[2])} {collection.name}")
