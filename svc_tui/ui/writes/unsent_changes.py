"""Drafts and forms that are not sent: their commands in the palette, and the question before quitting.

Dialogs are imported where they open, so that the first records do not wait for them.
"""

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual.content import Content

from svc_tui.core.draft import Draft
from svc_tui.core.durations import age_words
from svc_tui.core.jsontext import Json
from svc_tui.core.records import Place
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys.command import Command
from svc_tui.ui.text import styled
from svc_tui.ui.writes.unsent_forms import UnsentForms

if TYPE_CHECKING:
    from svc_tui.core.field_forms import FieldForm, FormTarget

_Subject = TypeVar("_Subject")

_MAX_NAMES = 6
"""Records or fields that are named."""


class UnsentChanges:
    """The drafts and forms of one main screen that are not sent."""

    def __init__(
        self,
        context: Context,
        drafting: DraftController,
        unsent_forms: UnsentForms,
        resume: "Callable[[FormTarget], Coroutine[Any, Any, None]]",
    ) -> None:
        """Store the parts; `resume` continues a form."""
        self._context, self._drafting, self._unsent_forms, self._resume = context, drafting, unsent_forms, resume
        self._asked_about: dict[Place, Mapping[str, Json]] = {}
        self._asked_forms: Mapping[FormTarget, FieldForm] = {}

    def commands(self) -> Iterator[Command]:
        """Return the commands that continue or discard each draft and form."""
        for place in self._drafting.drafts.places:
            draft = self._drafting.drafts.draft(place)
            assert draft is not None
            age = age_words(self._drafting.drafts.age(place))
            description = f"{_name_list(draft.edits)} in {place.collection.key}{f', {age} old' if age else ''}"
            yield Command(f"Draft: {place.record_id}", description, partial(self._context.go, place), "not sent")
            yield Command(
                f"Discard: draft of {place.record_id}", description, partial(self._ask, self._discard_draft, place)
            )

        for kept in self._unsent_forms.all:
            purpose, age = kept.purpose, self._unsent_forms.age(kept.purpose)
            description = f"{_name_list(list(kept.form.filled))}{f', {age} old' if age else ''}"
            state = "Outcome unknown" if self._unsent_forms.has_unknown_outcome(purpose) else "Form"
            yield Command(
                f"{state}: {purpose.words}", description, partial(self._ask, self._resume, purpose), "not sent"
            )
            yield Command(f"Discard: {purpose.words}", description, partial(self._ask, self._discard_form, purpose))

    def _ask(self, question: Callable[[_Subject], Coroutine[Any, Any, None]], subject: _Subject) -> None:
        self._context.ask(question(subject))

    async def _discard_form(self, purpose: "FormTarget") -> None:
        form = await self._unsent_forms.form(purpose)
        if form is None:
            return
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        body = Content.assemble("Filled fields: ", styled(", ".join(form.filled), "$role-changed"))
        title = Content.assemble("Discard the form: ", styled(purpose.words))
        if await self._context.show(ConfirmScreen(title, body, "Discard", "Keep the form")):
            self._unsent_forms.discard(purpose)

    async def _discard_draft(self, place: Place) -> None:
        draft = self._drafting.drafts.draft(place)
        if draft is None:
            return
        from svc_tui.ui.dialogs.confirm import ConfirmScreen
        from svc_tui.ui.widgets.text.difference import diff_content

        title = Content.assemble("Discard the draft of ", styled(place.record_id or ""))
        masked = self._context.privacy_mask.draft(draft, place.collection.domain)
        question = ConfirmScreen(title, diff_content(masked.changes), "Discard", "Keep the draft")
        if await self._context.show(question):
            self._drafting.put(place, Draft(draft.base))

    async def may_leave(self) -> bool:
        """Return True if the program may quit: the user is asked once about each state of drafts and forms."""
        for place in self._drafting.drafts.places:
            # Only what is on the disk is kept, and another program may have sent it.
            await self._drafting.compare_with_disk(place)
        edits = {
            place: draft.edits
            for place in self._drafting.drafts.places
            if (draft := self._drafting.drafts.draft(place)) is not None
        }
        new_drafts = [place for place, values in edits.items() if self._asked_about.get(place) != values]
        saved = {kept.purpose: kept.form for kept in self._unsent_forms.all}
        new_forms = [purpose for purpose, form in saved.items() if self._asked_forms.get(purpose) != form]
        if not new_drafts and not new_forms:
            return True
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        self._asked_about, self._asked_forms = edits, saved
        unknown = [purpose for purpose in new_forms if self._unsent_forms.has_unknown_outcome(purpose)]
        unsent = [purpose for purpose in new_forms if purpose not in unknown]
        sentences = [self._draft_words(new_drafts)] if new_drafts else []
        if unsent:
            words = "1 form is not sent: " if len(unsent) == 1 else f"{len(unsent)} forms are not sent: "
            sentences.append(self._form_words(words, unsent))
        if unknown:
            words = "1 form has an unknown outcome: "
            if len(unknown) > 1:
                words = f"{len(unknown)} forms have an unknown outcome: "
            sentences.append(self._form_words(words, unknown))
        question = ConfirmScreen(Content("Quit"), Content("\n").join(sentences), "Quit", "Stay")
        return await self._context.show(question) is True

    def _draft_words(self, places: Sequence[Place]) -> Content:
        return Content.assemble(
            "1 record has a draft: " if len(places) == 1 else f"{len(places)} records have drafts: ",
            styled(_name_list(sorted(place.record_id or "" for place in places)), "$role-changed"),
            self._fate(len(places)),
        )

    def _form_words(self, words: str, purposes: "Sequence[FormTarget]") -> Content:
        return Content.assemble(
            words,
            styled(_name_list(sorted(purpose.words for purpose in purposes)), "$role-changed"),
            self._fate(len(purposes)),
        )

    def _fate(self, count: int) -> str:
        """Return what becomes of `count` drafts or forms."""
        if self._context.session.lasting:
            return ". It is kept for the next start." if count == 1 else ". They are kept for the next start."
        return ". It is lost when you quit." if count == 1 else ". They are lost when you quit."


def _name_list(names: Mapping[str, Json] | list[str]) -> str:
    """Return the first names, and the number of the others."""
    few = list(names)[:_MAX_NAMES]
    return ", ".join(few) + (f" and {len(names) - len(few)} more" if len(names) > len(few) else "")
