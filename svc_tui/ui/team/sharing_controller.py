"""Handing things to colleagues from the main screen, and taking what they hand over; nothing of it is ever sent."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from svc_tui.core.draft import freshen
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.service.errors import ServiceError
from svc_tui.service.routes import PlaceError, parse_place
from svc_tui.storage.errors import StoreError
from svc_tui.team.shares import (
    MAX_SHARED_NAME_CHARACTERS,
    Share,
    SharedDraft,
    SharedRequest,
    SharedThing,
    SharedView,
    ShareRefused,
    draft_of,
    draft_to_share,
    share_problem,
    thing_words,
    view_to_share,
)
from svc_tui.team.team import Team
from svc_tui.ui.console.saved_requests_controller import SavedRequestsController
from svc_tui.ui.context import Context
from svc_tui.ui.editing.draft_controller import DraftController
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report, error_report
from svc_tui.ui.table.view_controller import ViewController
from svc_tui.ui.team.news import TeamNews
from svc_tui.ui.text import shorten, styled, visible

if TYPE_CHECKING:
    from svc_tui.console.saved_requests import SavedRequest

_NOTHING_TO_SHARE = "Nothing to share here: no draft, no table and no saved request."
_TAKE_IT = "Open “Shared with me” in Commands (ctrl+p)."
_TITLE_CELLS = 60
_MAX_NAMED = 4
"""Fields that are named one by one."""


class SharingController:
    """What the team hands to one another, for one screen; only made where there is a team."""

    def __init__(
        self,
        context: Context,
        team: Team,
        saved_requests: SavedRequestsController,
        views: ViewController,
        drafting: DraftController,
    ) -> None:
        self._team = team
        self._context, self._saved_requests, self._views, self._drafting = context, saved_requests, views, drafting
        self._began = False

    def begin(self) -> None:
        """Tell of what colleagues hand over, and of what became of one's own, from now on."""
        TeamNews(self._context, self._team.sync, self._look).begin()

    def commands(self) -> Iterator[Command]:
        """The palette's."""
        yield Command(
            "Share with a colleague…",
            "Share a saved request, a view or the draft of this record",
            lambda: self._context.ask(self.share()),
        )
        yield Command(
            "Shared with me…",
            "Show what colleagues shared; accept or decline it",
            lambda: self._context.ask(self.show_shared()),
        )

    async def _look(self) -> None:
        shares, answers = await self._team.shares.arrived()
        if not self._began:
            self._began = True
            if waiting := len(await self._team.shares.open()):
                items = "1 item is" if waiting == 1 else f"{waiting:,} items are"
                self._context.notify(Report(_TAKE_IT, f"{items} shared with you"))
            return
        for share in shares:
            word = f"“{share.word}” " if share.word else ""
            self._context.notify(Report(f"{self._words(share)} {word}{_TAKE_IT}", f"Shared by {share.author}"))
        for share, answer in answers:
            became = "accepted" if answer.taken else "declined"
            self._context.notify(Report(f"{answer.author} {became} the {thing_words(share.thing, share.place)}."))

    def _words(self, share: Share) -> str:
        return f"A {share.words}."

    # Handing over

    async def share(self) -> None:
        """Ask what is to be handed over, and to whom."""
        from svc_tui.ui.dialogs.menu import MenuScreen

        things = list(self._things())
        if not things:
            self._context.notify(Report(_NOTHING_TO_SHARE))
            return
        lines = [(styled(words), make) for words, make in things]
        make = await self._context.show(MenuScreen("Share with a colleague", lines))
        if make is None:
            return
        try:
            made = await make()
            if made is not None:
                await self._hand_over(*made)
        except ShareRefused as error:
            self._context.notify(Report(str(error), "Can't be shared", "warning"))
        except StoreError as error:
            self._context.notify(Report(str(error), "Not shared", "error"))

    def _things(self) -> "Iterator[tuple[str, Callable[[], Awaitable[tuple[SharedThing, str] | None]]]]":
        """What can be handed over here and now: in words, and what makes it, with the key of its place."""
        place = self._context.selection.place
        draft = self._drafting.drafts.draft(place) if place is not None and place.record_id is not None else None
        if place is not None and draft is not None and draft.edits:
            yield f"Draft of {place.record_id}: {_name_list(tuple(draft.edits))}", partial(self._make_draft, place)
        if (on_show := self._views.on_show) is not None:
            collection, _ = on_show
            yield f"Current view of {collection.key}…", partial(self._make_view, "")
            for name in self._context.remembered.habit(collection.key).named:
                yield f"View “{name}” of {collection.key}", partial(self._make_view, name)
        for saved in self._saved_requests.sound:
            yield f"Saved request “{saved.name}”", partial(self._make_request, saved)

    async def _make_draft(self, place: Place) -> tuple[SharedThing, str] | None:
        draft = self._drafting.drafts.draft(place)
        if draft is None:
            return None
        return draft_to_share(place.path, draft, self._context.session.preferences.mask_fields), place.key

    async def _make_view(self, name: str) -> tuple[SharedThing, str] | None:
        if (on_show := self._views.on_show) is None:
            return None
        collection, view = on_show
        if name:
            view = self._context.remembered.habit(collection.key).named[name]
        else:
            from svc_tui.ui.dialogs.name_prompt import NamePromptScreen

            asked = await self._context.show(
                NamePromptScreen("Share this view", "name, for example: heavy and open", verb="next")
            )
            if asked is None:
                return None
            name = asked
        shared = view_to_share(collection.path, name, view, self._context.session.preferences.mask_fields)
        return shared, collection.key

    async def _make_request(self, saved: "SavedRequest") -> tuple[SharedThing, str] | None:
        from svc_tui.console.saved_requests import find_mistakes, to_toml

        for key, why in find_mistakes(saved, self._context.gateway.secrets):
            raise ShareRefused(f"The {key} {why}.")
        return SharedRequest(saved.name, to_toml(saved)), ""

    async def _hand_over(self, thing: SharedThing, place: str) -> None:
        from svc_tui.ui.team.share_dialog import ShareDialog
        from svc_tui.ui.team.thing_lines import thing_content

        secrets = self._context.gateway.secrets
        if problem := share_problem(thing, "", secrets):
            raise ShareRefused(problem)
        people = await self._team.shares.people()
        dialog = ShareDialog(
            shorten(visible(self._context.privacy_mask.text(thing_words(thing, place))), _TITLE_CELLS),
            thing_content(thing, self._context.privacy_mask),
            people,
            lambda word: share_problem(thing, word, secrets),
        )
        recipient = await self._context.show(dialog)
        if recipient is None:
            return
        await self._team.shares.share(recipient.to, thing, recipient.word, place)
        stayed = (
            f" Not shared (masked): {', '.join(thing.masked)}."
            if isinstance(thing, SharedDraft) and thing.masked
            else ""
        )
        to = recipient.to or "everybody in the team"
        self._context.notify(
            Report(f"You will be notified when it is accepted or declined.{stayed}", f"Shared with {to}")
        )

    # Taking

    async def show_shared(self) -> None:
        """Show what waits, and take or decline what is chosen."""
        from svc_tui.ui.team.shared_dialog import SharedDialog

        try:
            while True:
                shares = await self._team.shares.open()
                dialog = SharedDialog(shares, self._context.tz, self._context.privacy_mask.text)
                share = await self._context.show(dialog)
                if share is None or await self._decide(share):
                    return
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load shared items", "error"))

    async def _decide(self, share: Share) -> bool:
        """Show one thing, take or decline it; gives whether that is all for now."""
        from svc_tui.ui.team.shared_dialog import SharedThingDialog
        from svc_tui.ui.team.thing_lines import thing_content

        content = [thing_content(share.thing, self._context.privacy_mask)]
        if share.word:
            content.insert(0, styled(f"“{self._context.privacy_mask.text(share.word)}”", "$role-accent"))
        title = shorten(visible(f"{share.author}: {self._context.privacy_mask.text(share.words)}"), _TITLE_CELLS)
        unusable = await self._unusable_reason(share)
        decision: bool | None = await self._context.show(
            SharedThingDialog(title, Content("\n\n").join(content), unusable)
        )
        if decision is None:
            return False
        if decision and not await self._take(share):
            return False
        await self._team.shares.answer(share, taken=decision)
        return decision

    async def _unusable_reason(self, share: Share) -> str:
        """Why the thing can't be taken here; "" where it can."""
        try:
            if isinstance(share.thing, SharedRequest):
                await self._read_request(share.thing)
            else:
                self._place(share)
        except (ShareRefused, PlaceError) as error:
            return f"Can't be accepted: {error}"
        return ""

    async def _read_request(self, thing: SharedRequest) -> "SavedRequest":
        """The request, checked as a file of the user's own is; raises ShareRefused."""
        from svc_tui.console.saved_requests import SavedRequestError, find_mistakes

        try:
            saved = await asyncio.to_thread(self._context.session.saved_requests.read_text, thing.toml)
        except SavedRequestError as error:
            raise ShareRefused(str(error)) from None
        for key, why in find_mistakes(saved, self._context.gateway.secrets):
            raise ShareRefused(f"the {key} {why}")
        if saved.name[:MAX_SHARED_NAME_CHARACTERS] != thing.name:
            raise ShareRefused("the shared item has two different names")
        return saved

    def _place(self, share: Share) -> Place:
        """Where a view or a draft belongs; raises PlaceError or ShareRefused."""
        assert not isinstance(share.thing, SharedRequest)
        place = parse_place(share.thing.path, self._context.session.collections)
        if place.key != share.place or isinstance(share.thing, SharedDraft) != (place.record_id is not None):
            raise ShareRefused("the shared item refers to two different records")
        return place

    async def _take(self, share: Share) -> bool:
        """Take a thing; gives whether it was taken."""
        try:
            match share.thing:
                case SharedRequest() as request:
                    return await self._take_request(request)
                case SharedView() as view:
                    return await self._take_view(share, view)
                case SharedDraft() as draft:
                    return await self._take_draft(share, draft)
        except (ShareRefused, PlaceError) as error:
            self._context.notify(Report(str(error), "Can't be accepted", "error"))
            return False

    async def _take_request(self, thing: SharedRequest) -> bool:
        from svc_tui.console.saved_requests import SavedRequestError

        saved = await self._read_request(thing)
        store = self._context.session.saved_requests
        while there := await asyncio.to_thread(store.existing_name, saved):
            name = await self._ask_name(f"The saved request “{there}” already exists", f"{saved.name} 2")
            if name is None:
                return False
            saved = replace(saved, name=name)
        try:
            path = await self._saved_requests.add(saved)
        except SavedRequestError as error:
            raise ShareRefused(str(error)) from None
        self._context.notify(Report(f"File: {path}. See Requests in the sidebar.", f"Saved as {saved.name}"))
        return True

    async def _take_view(self, share: Share, thing: SharedView) -> bool:
        collection, name = self._place(share).collection, thing.name
        while name in self._context.remembered.habit(collection.key).named:
            other = await self._ask_name(f"The view “{name}” already exists", f"{name} 2")
            if other is None:
                return False
            name = other
        await self._views.keep_view(collection, name, thing.view)
        self._context.notify(Report(f"See {collection.name} in the sidebar.", f"Saved as “{name}”"))
        return True

    async def _take_draft(self, share: Share, thing: SharedDraft) -> bool:
        from svc_tui.ui.dialogs.confirm import ConfirmScreen

        place = self._place(share)
        own = self._drafting.drafts.draft(place)
        if own is not None and own.edits:
            body = f"Your draft will be discarded: {_name_list(tuple(own.edits))}."
            title = Content.assemble("Replace your draft of ", styled(place.record_id or ""))
            if not await self._context.show(ConfirmScreen(title, styled(body), "Replace", "Keep mine")):
                return False
        try:
            record = await self._context.gateway.record(place.collection, place.id)
        except ServiceError as error:
            self._context.notify(error_report(error, f"Could not load {place.record_id}"))
            return False
        freshness = freshen(draft_of(thing), record)
        self._drafting.begin(place, record)
        self._drafting.put(place, freshness.draft)
        self._context.go(place)
        what = f"Accepted the draft of {place.record_id} by {share.author}"
        if not freshness.draft.edits:
            self._context.notify(Report("The record already has these values.", what))
        elif freshness.conflicts:
            moved = _name_list(freshness.conflicts)
            sentence = f"The record has changed since: {moved}. Check before you send."
            self._context.notify(Report(sentence, what, "warning"))
        else:
            self._context.notify(Report("Not sent yet. Press ctrl+s to review.", what))
        return True

    async def _ask_name(self, title: str, proposal: str) -> str | None:
        from svc_tui.ui.dialogs.name_prompt import NamePromptScreen

        name: str | None = await self._context.show(NamePromptScreen(title, "another name", proposal))
        return name


def _name_list(names: tuple[str, ...]) -> str:
    few = names[:_MAX_NAMED]
    return ", ".join(few) + (f" and {len(names) - len(few)} more" if len(names) > len(few) else "")
