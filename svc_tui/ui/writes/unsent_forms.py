"""The forms that were begun and not sent, by what they are for: held, and kept in the store at every change."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svc_tui.core.durations import age_words
from svc_tui.core.values import replace
from svc_tui.service.redact import holds_secret_text
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import Intent, JournalEntry, entry_result
from svc_tui.ui.context import Context
from svc_tui.ui.report import Report

if TYPE_CHECKING:
    from svc_tui.core.field_forms import FieldForm, FormTarget, SavedForm


class UnsentForms:
    """The forms of one main screen; what hinders their keeping is told."""

    def __init__(self, context: Context) -> None:
        self._context, self._now = context, context.session.now
        self._forms: dict[FormTarget, SavedForm] = {}
        self._sent_notes: dict[FormTarget, str] = {}
        self._unknown: set[FormTarget] = set()
        """Those that were sent and have no known outcome yet."""
        self._look_ups: dict[int, str] = {}
        """What a look for the record of a journal entry told."""
        self._look_up_lock = asyncio.Lock()
        self._loaded = asyncio.Event()

    async def load(self) -> None:
        """Take up the forms of earlier sessions but for those that were sent, and tell of them."""
        try:
            saved = await self._context.session.form_store.all()
            for form in reversed(saved):
                self._forms.setdefault(form.purpose, form)
            unknown = dict([sent for form in saved if (sent := await self._check_sent(form)) is not None])
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the unsent forms", "error"))
            return
        finally:
            self._loaded.set()
        left = [form.purpose for form in saved if form.purpose in self._forms]
        if unsent := [purpose for purpose in left if purpose not in unknown]:
            forms, them = ("1 form is", "it") if len(unsent) == 1 else (f"{len(unsent)} forms are", "them")
            self._context.notify(Report(f"{forms} not sent: {_words(unsent)}. Open {them} in Commands (ctrl+p)."))
        if uncertain := [purpose for purpose in left if purpose in unknown]:
            forms, them = ("1 form has", "it") if len(uncertain) == 1 else (f"{len(uncertain)} forms have", "them")
            words = f"{forms} an unknown outcome: {_words(uncertain)}. Open {them} in Commands (ctrl+p)."
            self._context.notify(Report(words))
        for purpose, entry in unknown.items():
            await self._look_up(purpose, entry)

    async def _check_sent(self, saved: "SavedForm") -> "tuple[FormTarget, JournalEntry] | None":
        """Forget a form that was sent, by the journal; gives the entry where its outcome is not known, or not yet.

        Raises StoreError.
        """
        entry = await self._context.journal.find(saved.intent) if saved.intent else None
        if entry is None:
            return None
        purpose, result = saved.purpose, entry_result(entry)
        self._sent_notes.pop(purpose, None)
        self.set_outcome(purpose, is_unknown=result in ("running", "unknown"))
        age = age_words((self._now() - entry.intent.at).total_seconds()) or "a moment"
        made = f" and created {entry.outcome.made}" if entry.outcome is not None and entry.outcome.made else ""
        if result == "done" and _is_as_sent(saved, entry.intent):
            self.discard(purpose)
            self._context.notify(Report(f"The form was sent {age} ago{made}.", f"Done: {purpose.words}", "success"))
        elif result == "done":
            self._sent_notes[purpose] = f"An earlier version of this form was sent {age} ago{made}."
        elif result == "running":
            self._sent_notes[purpose] = "The form is being sent in another window."
            return purpose, entry
        elif result == "unknown":
            self._sent_notes[purpose] = self._look_ups.get(entry.number) or f"Sent {age} ago, outcome unknown."
            return purpose, entry
        return None

    def _needs_look_up(self, purpose: "FormTarget", entry: JournalEntry) -> bool:
        """Return whether the record of a form is still to be looked for; what an action did no list tells."""
        return purpose.route is None and entry_result(entry) == "unknown" and entry.number not in self._look_ups

    async def _look_up(self, purpose: "FormTarget", entry: JournalEntry) -> None:
        """Look whether the record of a form that may have been sent is there; its form and its card tell."""
        from svc_tui.writes.record_lookup import search_created_record

        # One at a time: a form that is opened meanwhile waits for the look that is on its way.
        async with self._look_up_lock:
            if self._needs_look_up(purpose, entry):
                self._look_ups[entry.number] = await search_created_record(
                    self._context.gateway, purpose.collection, entry.intent.after or {}
                )
        if purpose in self._sent_notes and entry.number in self._look_ups:
            self._sent_notes[purpose] = self._look_ups[entry.number]

    @property
    def all(self) -> "tuple[SavedForm, ...]":
        """The forms, the one begun last first."""
        return tuple(reversed(self._forms.values()))

    async def form(self, purpose: "FormTarget") -> "FieldForm | None":
        """The form for this purpose, once those of earlier sessions are known; None where none was begun.

        One that another program sent or threw away meanwhile is none. For one that may have been sent, the record is
        looked for first: its note has to be read before it is sent again.
        """
        await self._loaded.wait()
        saved = self._forms.get(purpose)
        if saved is not None and self._is_stored(saved.form):
            try:
                stored = await self._context.session.form_store.find(purpose)
                if stored is None:
                    self._forms.pop(purpose, None)
                elif (unknown := await self._check_sent(replace(saved, intent=stored.intent))) is not None:
                    if self._needs_look_up(*unknown):
                        words = "Outcome unknown. Searching for the new record before the form opens."
                        self._context.notify(Report(words, purpose.words))
                    await self._look_up(*unknown)
            except StoreError as error:
                self._context.notify(Report(str(error), "Could not load the form", "error"))
            saved = self._forms.get(purpose)
        return saved.form if saved is not None else None

    def set_outcome(self, purpose: "FormTarget", *, is_unknown: bool) -> None:
        """Remember whether the last sending of a form has no known outcome."""
        if is_unknown:
            self._unknown.add(purpose)
        else:
            self._unknown.discard(purpose)

    def has_unknown_outcome(self, purpose: "FormTarget") -> bool:
        """Return True if the form was sent and it is not known whether it was carried out."""
        return purpose in self._unknown

    def sent_note(self, purpose: "FormTarget") -> str:
        """What is known of an earlier sending of the form for this purpose, a sentence or two; "" for none."""
        return self._sent_notes.get(purpose, "")

    async def is_of_other_key(self, purpose: "FormTarget") -> bool:
        """Return whether the form for this purpose was begun with another key; raises StoreError."""
        return await self._context.session.form_store.is_of_other_key(purpose)

    def age(self, purpose: "FormTarget") -> str:
        """How old the form for this purpose is, as people say it: `4 min`; "" where it is young or not there."""
        saved = self._forms.get(purpose)
        return "" if saved is None else age_words((self._now() - saved.changed).total_seconds())

    def age_note(self, purpose: "FormTarget") -> str:
        """What is said of a form that is gone on with."""
        return f"Started {self.age(purpose) or 'a moment'} ago. {self.sent_note(purpose)}".strip()

    def save(self, purpose: "FormTarget", empty: "FieldForm", form: "FieldForm") -> None:
        """Keep the form as it stands for as long as it is not sent; one that is as good as `empty` is let go of."""
        if form.touched and form != empty:
            self._keep(purpose, form)
        else:
            self.discard(purpose)

    def _keep(self, purpose: "FormTarget", form: "FieldForm") -> None:
        """Keep this state of a form, and store it."""
        from svc_tui.core.field_forms import SavedForm

        self._forms[purpose] = SavedForm(purpose, form, self._now())
        # Its dialog says so: a form is kept at every key.
        if self._is_stored(form):
            self._context.screen.run_worker(self._saved(purpose), group="drafts")

    def _is_stored(self, form: "FieldForm") -> bool:
        """Whether the form may be kept on the disk."""
        return not any(holds_secret_text(line.text, self._context.gateway.secrets) for line in form.lines)

    def discard(self, purpose: "FormTarget") -> None:
        """Forget a form that was sent, emptied, or thrown away."""
        self._sent_notes.pop(purpose, None)
        self._unknown.discard(purpose)
        if self._forms.pop(purpose, None) is not None:
            self._context.screen.run_worker(self._saved(purpose), group="drafts")

    async def _saved(self, purpose: "FormTarget") -> None:
        saved = self._forms.get(purpose)
        try:
            if saved is None:
                await self._context.session.form_store.drop(purpose)
            else:
                await self._context.session.form_store.keep(saved)
        except StoreError as error:
            title = "Could not save the form to disk" if saved else "Could not delete the form from disk"
            self._context.notify(Report(str(error), title, "error"))


def _words(purposes: Sequence["FormTarget"]) -> str:
    """What the forms are for, the first three by name."""
    return ", ".join(purpose.words for purpose in purposes[:3]) + (", …" if len(purposes) > 3 else "")


def _is_as_sent(saved: "SavedForm", intent: Intent) -> bool:
    """Whether the form was not changed since it was sent."""
    if saved.changed <= intent.at:
        return True
    from svc_tui.core.field_entry import ValueProblem
    from svc_tui.writes.write_requests import build_create_request, hash_body

    if saved.purpose.route is not None:
        return False
    try:
        return hash_body(build_create_request(saved.purpose.collection, saved.form.values).body) == intent.body_digest
    except ValueProblem:
        return False
