"""What goes along from the screens to the reader, and back: where the user is, and what nothing else keeps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    # Loaded with the first edit and the first table, not with the first frame.
    from svc_tui.console.request_line import UnsentRequest
    from svc_tui.core.views import View
    from svc_tui.storage.drafts import SavedDraft


class HandOver(Struct, frozen=True):
    """The profile on show, the path of the place, and what was chosen for as long as the program runs.

    `place` is "" for the one that is remembered. `drafts` are the edits that are not sent: the store may not have all
    of them. `view` is how the collection of `place` is looked at, None where nothing of it is to change; its columns
    are remembered in any case. `request` is the one that stands in the console and was not sent. LIVE's lock does not
    go along: it is closed on the other side.
    """

    profile: str
    place: str = ""
    ticket: str = ""
    masked: bool = False
    drafts: "Sequence[SavedDraft]" = ()
    view: "View | None" = None
    request: "UnsentRequest | None" = None
