"""Which routes the key lacks the scope for, as far as answers have told.

Names of scopes are not shown (service-interface, "API keys"), so nothing is known of one before the service refuses a
request with `insufficient_scope`. What it refused for one record it is taken to refuse for all, until it answers.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from svc_tui.core.catalog import BLANK
from svc_tui.core.values import replace
from svc_tui.service.traffic import Answered, Failed, Sent, TrafficEvent

MAX_ANSWERS = 200
"""Answers that are remembered."""

_CODE = "insufficient_scope"


class MissingScopes(Struct, frozen=True):
    """What was refused, and what went through since; give it all that happens on the wire."""

    under_way: Mapping[int, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """Method and path of each call that is not answered yet."""
    answers: Mapping[tuple[str, str], bool] = field(default_factory=lambda: MappingProxyType({}))
    """Whether method and path were refused, the latest answer last; nothing before the first refusal."""

    def after(self, event: TrafficEvent) -> "MissingScopes":
        """What is known after this event."""
        match event:
            case Sent():
                path = event.target.partition("?")[0]
                return replace(self, under_way={**self.under_way, event.call: (event.method, path)})
            case Answered() if event.call in self.under_way:
                rest = dict(self.under_way)
                request = rest.pop(event.call)
                refused = event.code == _CODE
                if not refused and not (self.answers and 200 <= event.status < 300):
                    return replace(self, under_way=rest)
                others = {known: was for known, was in self.answers.items() if known != request}
                latest = list({**others, request: refused}.items())[-MAX_ANSWERS:]
                return MissingScopes(rest, dict(latest))
            case Failed() if event.call in self.under_way:
                return replace(self, under_way={call: r for call, r in self.under_way.items() if call != event.call})
            case _:
                return self

    def lacking(self, method: str, path: str) -> bool:
        """Whether the latest answer to that method at such a path, `{name}` standing for any segment, was a refusal."""
        pattern = re.compile("[^/]+".join(re.escape(part) for part in BLANK.split(path)[::2]))
        latest = [was for (verb, at), was in self.answers.items() if verb == method.upper() and pattern.fullmatch(at)]
        return bool(latest) and latest[-1]
