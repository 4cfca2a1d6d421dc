"""The request that waits in the console: what was half-written on the screens, or was read out here and not sent."""

import re

from svc_tui.console.pasted_command import is_command
from svc_tui.console.request_form import METHODS, RequestForm, compose_request
from svc_tui.console.request_line import UnsentRequest
from svc_tui.core.catalog import Collection, find_collection
from svc_tui.core.requests import RequestSpec
from svc_tui.core.values import replace
from svc_tui.reader.console.form_words import form_line, holds_secret_part, safe_words
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.spoken_words import shortened
from svc_tui.reader.talk import Talk
from svc_tui.service.redact import holds_secret, list_holds_secret
from svc_tui.session.write_words import SECRET_TYPED

SEND, DROP = "send", "drop"
"""What is answered to have the request sent, or let go of."""

_COMMAND = "console "
_MAX_CHARACTERS = 300
"""Characters of the request's line that are said."""


class UnsentRequests:
    """Holds one request, which goes along to the screens; one that came from there is not pushed out by others."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._arrived: UnsentRequest | None = None
        self._noted: UnsentRequest | None = None

    @property
    def request(self) -> UnsentRequest | None:
        """The request, None where none waits."""
        return self._arrived or self._noted

    def arrive(self, request: UnsentRequest | None) -> None:
        """Take the one that came along from the screens."""
        self._arrived = request

    def note(self, form: RequestForm) -> None:
        """A request is about to be sent, and may not be."""
        self._noted = UnsentRequest(form)

    def write(self, form: RequestForm, better: RequestForm) -> None:
        """The one from the screens, should `form` be it, is `better` now: values stand where it had blanks."""
        if self._arrived is not None and self._arrived.form == form and not self._arrived.line:
            self._arrived = replace(self._arrived, form=better)

    def read_line(self, form: RequestForm) -> None:
        """The line of the one from the screens is a request after all."""
        if self._arrived is not None:
            self._arrived = replace(self._arrived, form=form, line="")

    def left(self, form: RequestForm) -> None:
        """A request left: it waits no longer."""
        if self._arrived is not None and self._arrived.form == form and not self._arrived.line:
            self._arrived = None
        if self._noted is not None and self._noted.form == form:
            self._noted = None

    def left_as(self, spec: RequestSpec) -> None:
        """The same, of a request that left by another way than the console."""
        for request in (self._arrived, self._noted):
            if request is not None and not request.line and self._composes(request.form, spec):
                self.left(request.form)

    def _composes(self, form: RequestForm, spec: RequestSpec) -> bool:
        composed = compose_request(form, self._talk.session.collections)
        return not composed.problems and composed.spec == replace(spec, idempotency_key="")

    def let_go(self, request: UnsentRequest | None) -> None:
        """Let go of just this one, should it still wait."""
        if request is not None and self._arrived is request:
            self._arrived = None
        elif request is not None and self._noted is request:
            self._noted = None

    def drop(self) -> None:
        """Let go of the request; another one may have waited behind it."""
        if self._arrived is not None:
            self._arrived = None
        else:
            self._noted = None

    @property
    def words(self) -> str:
        """A sentence that tells of it, "" where none waits."""
        return f"Unsent request in the console: {self._line(self.request)}." if self.request is not None else ""

    @property
    def parting_words(self) -> str:
        """A sentence that tells what ends with this conversation, "" where nothing waits."""
        waiting = [self._line(request) for request in (self._arrived, self._noted) if request is not None]
        return f"Discarded without sending: {'; '.join(dict.fromkeys(waiting))}." if waiting else ""

    def _line(self, request: UnsentRequest) -> str:
        if not request.line:
            return shortened(form_line(request.form, self._talk), _MAX_CHARACTERS)
        if self._talk.mask.on or self._holds_secret(request):
            # Which part of a half-written line is personal or secret, nobody can tell.
            return "not shown (may contain personal data or a secret)"
        return shortened(safe_words(request.line, self._talk), _MAX_CHARACTERS)

    def _holds_secret(self, request: UnsentRequest) -> bool:
        secrets = self._talk.session.gateway.secrets
        if request.line and any(_unquoted(secret) in _unquoted(request.line) for secret in secrets):
            return True
        return list_holds_secret(request.text, secrets) or holds_secret_part(request.form, self._talk)

    async def ask(self, request: UnsentRequest) -> str:
        """What is to become of it: SEND, DROP, another request as it was typed, or "" where it is to be kept."""
        self._talk.say(self.words)
        secrets, mask = self._talk.session.gateway.secrets, self._talk.mask
        if not mask.on and request.text.isprintable() and not self._holds_secret(request):
            self._talk.offer(f"{_COMMAND}{request.text}")
        question = f"{SEND}, {DROP}, another request, or an empty line to keep the unsent request"
        answer = await self._talk.ask(question)
        if holds_secret(answer, secrets):
            raise Mistake(f"{SECRET_TYPED} The request was not changed.")
        if answer.casefold() in (SEND, DROP):
            return answer.casefold()
        if answer and not _is_request(answer, self._talk.session.collections):
            raise Mistake(f"Request kept. Type {SEND}, {DROP} or another request, such as GET lots/lot-000001.")
        return answer[len(_COMMAND) :] if _is_named(answer) else answer


def _unquoted(text: str) -> str:
    """A text without the marks that a line quotes by, which may be written in many ways."""
    return re.sub(r"[\\'\"$]", "", text)


def _is_named(answer: str) -> bool:
    return answer[: len(_COMMAND)].casefold() == _COMMAND


def _is_request(answer: str, collections: tuple[Collection, ...]) -> bool:
    """Whether an answer is meant as a request: on LIVE too, a word such as `no` is not to be asked of the service."""
    if _is_named(answer) or answer.startswith("/") or is_command(answer):
        return True
    word = answer.split()[0]
    steps = word.partition("?")[0].split("/")
    collection = find_collection(steps[0], collections) or find_collection("/".join(steps[:2]), collections)
    return collection is not None or word.upper() in (*METHODS, "OPTIONS")
