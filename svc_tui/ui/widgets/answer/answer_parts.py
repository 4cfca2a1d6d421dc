"""The parts of an answer, one for each tab: body, headers, the request as it left, and the body's bytes."""

from textual.app import ComposeResult
from textual.getters import query_one
from textual.widgets import ContentSwitcher

from svc_tui.ui.widgets.answer.answer_body_view import AnswerBody
from svc_tui.ui.widgets.bars.tab_bar import Tab
from svc_tui.ui.widgets.text.bytes_view import BytesView
from svc_tui.ui.widgets.text.text_view import TextView

_BODY, _HEADERS, _REQUEST, _BYTES = "answer-whole", "answer-headers", "answer-request", "answer-bytes"
_PARTS = (_BODY, _HEADERS, _REQUEST, _BYTES)


def answer_tabs(headers: int = 0) -> list[Tab]:
    """The tabs of the parts, in their order, with the number of headers."""
    return [Tab("Body"), Tab("Headers", str(headers or "")), Tab("Request"), Tab("Bytes")]


class AnswerParts(ContentSwitcher):
    """Shows one of the parts at a time; the body is given what it shows by itself, for it may take a while."""

    DEFAULT_CSS = """
    AnswerParts { height: 1fr; }
    """

    body = query_one(AnswerBody)
    _headers = query_one(f"#{_HEADERS}", TextView)
    _request = query_one(f"#{_REQUEST}", TextView)
    _bytes = query_one(BytesView)

    def __init__(self) -> None:
        super().__init__(initial=_BODY)

    def compose(self) -> ComposeResult:
        """The parts."""
        yield AnswerBody(id=_BODY)
        yield TextView(id=_HEADERS)
        yield TextView(id=_REQUEST)
        yield BytesView(id=_BYTES)

    def show_texts(self, headers: str, request: str, body: bytes = b"") -> None:
        """Give all parts but the body what they show."""
        self._headers.show_text(headers, "headers")
        self._request.show_text(request, "headers")
        self._bytes.show_bytes(body)

    def show_tab(self, tab: int) -> None:
        """Show the part of a tab."""
        self.current = _PARTS[tab]

    def view(self, tab: int) -> TextView:
        """What shows the text in the part of a tab."""
        return self.body.view if _PARTS[tab] == _BODY else self.query_one(f"#{_PARTS[tab]}", TextView)
