"""A request that stands in the console and was not sent."""

from dataclasses import dataclass

from svc_tui.domain.console.request_form import RequestForm
from svc_tui.domain.console.request_line import format_line


@dataclass(frozen=True, slots=True)
class UnsentRequest:
    """A request as it was left: its `form`, and its `line` where what was typed last is no request, else "".

    `on_show`: the screens showed the console when it was left.
    """

    form: RequestForm
    line: str = ""
    on_show: bool = False

    @property
    def text(self) -> str:
        """The line that writes it, as far as it is written."""
        return self.line or format_line(self.form)
