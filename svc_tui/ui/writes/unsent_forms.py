"""The forms that were not sent, by their purpose, stored at every change."""

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
    """The unsent forms of one main screen."""

    def __init__(self, context: Context) -> None:
        self._context, self._now = context, context.session.now
        self._forms: dict[FormTarget, SavedForm] = {}
        self._sent_notes: dict[FormTarget, str] = {}
        self._unknown: set[FormTarget] = set()
        """The forms that were sent with an unknown outcome."""
        self._search_results: dict[int, str] = {}
        """The results of searches for created records, by the numbers of their journal entries."""
        self._search_lock = asyncio.Lock()
        self._loaded = asyncio.Event()

    async def load(self) -> None:
        """Load the forms of earlier sessions, discard those that were sent, and show notices about the others."""
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
            self._context.notify(
                Report(f"{forms} not sent: {_purpose_list(unsent)}. Open {them} in Commands (ctrl+p).")
            )
        if uncertain := [purpose for purpose in left if purpose in unknown]:
            forms, them = ("1 form has", "it") if len(uncertain) == 1 else (f"{len(uncertain)} forms have", "them")
            words = f"{forms} an unknown outcome: {_purpose_list(uncertain)}. Open {them} in Commands (ctrl+p)."
            self._context.notify(Report(words))
        for purpose, entry in unknown.items():
            await self._search_record(purpose, entry)

    async def _check_sent(self, saved: "SavedForm") -> "tuple[FormTarget, JournalEntry] | None":
        """Discard a form that was sent, by the journal; return the entry if its outcome is unknown or not there yet.

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
            self._sent_notes[purpose] = self._search_results.get(entry.number) or f"Sent {age} ago, outcome unknown."
            return purpose, entry
        return None

    def _needs_search(self, purpose: "FormTarget", entry: JournalEntry) -> bool:
        """Return True if the record of a form is to be searched; the effect of an action is in no list."""
        return purpose.route is None and entry_result(entry) == "unknown" and entry.number not in self._search_results

    async def _search_record(self, purpose: "FormTarget", entry: JournalEntry) -> None:
        """Search for the record of a form that may have been sent, for the note on the form and its card."""
        from svc_tui.writes.record_lookup import search_created_record

        # One at a time: a form that is opened meanwhile waits for the search in progress.
        async with self._search_lock:
            if self._needs_search(purpose, entry):
                self._search_results[entry.number] = await search_created_record(
                    self._context.gateway, purpose.collection, entry.intent.after or {}
                )
        if purpose in self._sent_notes and entry.number in self._search_results:
            self._sent_notes[purpose] = self._search_results[entry.number]

    @property
    def all(self) -> "tuple[SavedForm, ...]":
        """The forms, the newest first."""
        return tuple(reversed(self._forms.values()))

    async def form(self, purpose: "FormTarget") -> "FieldForm | None":
        """Return the form for this purpose, once those of earlier sessions are loaded; None for none.

        A form that another program sent or discarded is dropped. For one that may have been sent, the record is
        searched first, since the note about it must be read before the form is sent again.
        """
        await self._loaded.wait()
        saved = self._forms.get(purpose)
        if saved is not None and self._is_stored(saved.form):
            try:
                stored = await self._context.session.form_store.find(purpose)
                if stored is None:
                    self._forms.pop(purpose, None)
                elif (unknown := await self._check_sent(replace(saved, intent=stored.intent))) is not None:
                    if self._needs_search(*unknown):
                        words = "Outcome unknown. Searching for the new record before the form opens."
                        self._context.notify(Report(words, purpose.words))
                    await self._search_record(*unknown)
            except StoreError as error:
                self._context.notify(Report(str(error), "Could not load the form", "error"))
            saved = self._forms.get(purpose)
        return saved.form if saved is not None else None

    def set_outcome(self, purpose: "FormTarget", *, is_unknown: bool) -> None:
        """Remember whether the outcome of sending a form is unknown."""
        if is_unknown:
            self._unknown.add(purpose)
        else:
            self._unknown.discard(purpose)

    def has_unknown_outcome(self, purpose: "FormTarget") -> bool:
        """Return True if the form was sent with an unknown outcome."""
        return purpose in self._unknown

    def sent_note(self, purpose: "FormTarget") -> str:
        """Return the note about an earlier sending of the form; "" for none."""
        return self._sent_notes.get(purpose, "")

    async def is_of_other_key(self, purpose: "FormTarget") -> bool:
        """Return True if the form was filled in with another key; raises StoreError."""
        return await self._context.session.form_store.is_of_other_key(purpose)

    def age(self, purpose: "FormTarget") -> str:
        """Return the age of the form in words, such as `4 min`; "" for a new form or none."""
        saved = self._forms.get(purpose)
        return "" if saved is None else age_words((self._now() - saved.changed).total_seconds())

    def age_note(self, purpose: "FormTarget") -> str:
        """Return the note of a form that is continued."""
        return f"Started {self.age(purpose) or 'a moment'} ago. {self.sent_note(purpose)}".strip()

    def save(self, purpose: "FormTarget", empty: "FieldForm", form: "FieldForm") -> None:
        """Store the form; discard it if it has no more than the `empty` one."""
        if not form.touched or form == empty:
            self.discard(purpose)
            return
        from svc_tui.core.field_forms import SavedForm

        self._forms[purpose] = SavedForm(purpose, form, self._now())
        if self._is_stored(form):
            self._context.screen.run_worker(self._store(purpose), group="drafts")

    def _is_stored(self, form: "FieldForm") -> bool:
        """Return True if the form may be stored: it holds no secret."""
        return not any(holds_secret_text(line.text, self._context.gateway.secrets) for line in form.lines)

    def discard(self, purpose: "FormTarget") -> None:
        """Remove a form that was sent, cleared or discarded."""
        self._sent_notes.pop(purpose, None)
        self._unknown.discard(purpose)
        if self._forms.pop(purpose, None) is not None:
            self._context.screen.run_worker(self._store(purpose), group="drafts")

    async def _store(self, purpose: "FormTarget") -> None:
        saved = self._forms.get(purpose)
        try:
            if saved is None:
                await self._context.session.form_store.drop(purpose)
            else:
                await self._context.session.form_store.keep(saved)
        except StoreError as error:
            title = "Could not save the form to disk" if saved else "Could not delete the form from disk"
            self._context.notify(Report(str(error), title, "error"))


def _purpose_list(purposes: Sequence["FormTarget"]) -> str:
    return ", ".join(purpose.words for purpose in purposes[:3]) + (", …" if len(purposes) > 3 else "")


def _is_as_sent(saved: "SavedForm", intent: Intent) -> bool:
    """Return True if the form was not changed since it was sent."""
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
