"""Notes for the team from the main screen: one is left on the record at hand, colleagues' are told while it is open."""

from collections.abc import Iterator

from svc_tui.core.values import replace
from svc_tui.storage.errors import StoreError
from svc_tui.team.notes import Note
from svc_tui.team.team import Team
from svc_tui.ui.context import Context
from svc_tui.ui.keys import availability
from svc_tui.ui.keys.command import Command
from svc_tui.ui.report import Report
from svc_tui.ui.team.news import TeamNews

_MAX_TOLD_CHARACTERS = 200
"""What is told of a colleague's note at most; the record's history shows all."""


class NotesController:
    """The team's notes for one screen; only made where there is a team."""

    def __init__(self, context: Context, team: Team) -> None:
        self._context, self._team = context, team

    def begin(self) -> None:
        """Tell of notes that colleagues leave on the record on show, from now on."""
        TeamNews(self._context, self._team.sync, self._look).begin()

    def commands(self) -> Iterator[Command]:
        """The palette's: a note on the record at hand."""
        yield Command(
            "Team note…",
            "Write a note on this record for colleagues; never sent to the service",
            lambda: self._context.ask(self.write()),
        )

    async def write(self) -> None:
        """Ask for a note on the record at hand, and leave it."""
        place = self._context.selection.place
        if place is None or place.record_id is None:
            self._context.notify(Report(availability.NO_RECORD))
            return
        from svc_tui.ui.team.note_dialog import NoteDialog
        from svc_tui.ui.widgets.record.note_lines import notes_content

        notes = self._team.notes
        try:
            earlier = [self._masked(note) for note in await notes.of(place.key)]
            content = notes_content(earlier, self._context.tz)
            text = await self._context.show(NoteDialog(place.record_id, content, self._context.gateway.secrets))
            if text is None:
                return
            await notes.add(place.key, text)
        except StoreError as error:
            self._context.notify(Report(str(error), "Note not added", "error"))
            return
        self._context.notify(Report("See the History tab of the record.", f"Added a note to {place.record_id}"))
        self._context.screen.run_worker(self._show_own(), group="team-notes")

    async def _show_own(self) -> None:
        """Show the note that was just left, where the history is on show: it needs no server for that."""
        try:
            await self._team.sync.take_up()
        except StoreError as error:
            self._context.notify(Report(str(error), "Could not load the note", "error"))
        self._context.workspace.record_display.refresh_history()

    async def _look(self) -> None:
        """See what came; tell of what was said of the record on show."""
        arrived = await self._team.notes.arrived()
        display = self._context.workspace.record_display
        if display.shown is None:
            return
        place, _ = display.shown
        here = [self._masked(note) for note in arrived if note.place == place.key]
        if not here:
            return
        display.refresh_history()
        newest = here[-1]
        text = newest.text[:_MAX_TOLD_CHARACTERS] + ("…" if len(newest.text) > _MAX_TOLD_CHARACTERS else "")
        more = f" ({len(here):,} new notes)" if len(here) > 1 else ""
        self._context.notify(Report(f"{newest.author}: {text}{more}", f"Team note on {place.record_id}"))

    def _masked(self, note: Note) -> Note:
        return replace(note, text=self._context.privacy_mask.text(note.text))
