"""The forms that were begun and not sent, by what they are for: held, and kept in the store at every change."""

import asyncio
from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import StoreError
from svc_tui.domain.http.redact import holds_secret_text
from svc_tui.domain.model.durations import age_words
from svc_tui.ui.report import Report
from svc_tui.ui.session.context import Context

if TYPE_CHECKING:
    from svc_tui.domain.editing.forms import FieldForm, FormTarget, SavedForm
    from svc_tui.domain.model.records import Record
    from svc_tui.domain.model.requests import RequestSpec


class UnsentForms:
    """The forms of one main screen; what hinders their keeping is told."""

    def __init__(self, context: Context) -> None:
        self._context, self._now = context, context.session.now
        self._forms: dict[FormTarget, SavedForm] = {}
        self._loaded = asyncio.Event()

    async def load(self) -> None:
        """Take up the forms of earlier sessions, and tell of them."""
        try:
            saved = await self._context.session.form_store.all()
        except StoreError as error:
            self._context.notify(Report(str(error), "Earlier forms could not be read", "error"))
            return
        finally:
            self._loaded.set()
        for form in reversed(saved):
            self._forms.setdefault(form.purpose, form)
        if saved:
            forms = "1 form is" if len(saved) == 1 else f"{len(saved)} forms are"
            words = ", ".join(form.purpose.words for form in saved[:3]) + (", …" if len(saved) > 3 else "")
            self._context.notify(
                Report(f"{forms} filled in but not sent: {words}. The palette lists what is not sent.")
            )

    @property
    def all(self) -> "tuple[SavedForm, ...]":
        """The forms, the one begun last first."""
        return tuple(reversed(self._forms.values()))

    async def form(self, purpose: "FormTarget") -> "FieldForm | None":
        """The form for this purpose, once those of earlier sessions are known; None where none was begun."""
        await self._loaded.wait()
        saved = self._forms.get(purpose)
        return saved.form if saved is not None else None

    def age(self, purpose: "FormTarget") -> str:
        """How old the form for this purpose is, as people say it: `4 min`; "" where it is young or not there."""
        saved = self._forms.get(purpose)
        return "" if saved is None else age_words((self._now() - saved.changed).total_seconds())

    def age_note(self, purpose: "FormTarget") -> str:
        """What is said of a form that is gone on with."""
        return f"Begun {self.age(purpose) or 'a moment'} ago."

    def save(self, purpose: "FormTarget", empty: "FieldForm", form: "FieldForm") -> None:
        """Keep the form as it stands for as long as it is not sent; one that is as good as `empty` is let go of."""
        if form.touched and form != empty:
            self.keep(purpose, form)
        else:
            self.discard(purpose)

    def keep(self, purpose: "FormTarget", form: "FieldForm") -> None:
        """Keep this state of a form, and store it."""
        from svc_tui.domain.editing.forms import SavedForm

        self._forms[purpose] = SavedForm(purpose, form, self._now())
        # Its dialog says so: a form is kept at every key.
        if not any(holds_secret_text(line.text, self._context.gateway.secrets) for line in form.lines):
            self._context.screen.run_worker(self._saved(purpose), group="drafts")

    def discard(self, purpose: "FormTarget") -> None:
        """Forget a form that was sent, emptied, or thrown away."""
        if self._forms.pop(purpose, None) is not None:
            self._context.screen.run_worker(self._saved(purpose), group="drafts")

    def discard_sent(self, spec: "RequestSpec", record: "Record") -> None:
        """Forget the forms that made the very request that was sent from elsewhere; `record` is what it was about."""
        from svc_tui.domain.editing.actions import form_request
        from svc_tui.domain.team.approvals import is_same

        collections = self._context.session.collections
        for saved in self.all:
            made = form_request(saved, record, collections)
            if made is not None and is_same(made, spec):
                self.discard(saved.purpose)

    async def _saved(self, purpose: "FormTarget") -> None:
        saved = self._forms.get(purpose)
        try:
            if saved is None:
                await self._context.session.form_store.drop(purpose)
            else:
                await self._context.session.form_store.keep(saved)
        except StoreError as error:
            title = "The form is kept in memory only" if saved else "The form is done with, but still on the disk"
            self._context.notify(Report(str(error), title, "error"))
