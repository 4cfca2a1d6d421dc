"""What the journal of the profile in use tells the command line; nothing is sent or changed, and no secret is read."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.environment import SystemTimeZone
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.core.catalog import Collection
from svc_tui.core.jsontext import Json
from svc_tui.core.times import parse_since
from svc_tui.core.values import replace
from svc_tui.history.journal_rows import journal_row, record_of, team_row
from svc_tui.service.routes import parse_place
from svc_tui.session.masking import Mask
from svc_tui.storage.errors import StoreError
from svc_tui.storage.journal_entries import JournalEntry, JournalSelection

if TYPE_CHECKING:
    from svc_tui.bootstrap.journal.team_writes import TeamWrites
    from svc_tui.config.profiles.active_profile import ScopedProfile
    from svc_tui.team.notes import Note


@dataclass(frozen=True, slots=True)
class JournalRequest:
    """Which writes are asked for, in the words of a command line; None: whichever.

    Of many, the newest `max_items` are given, None for all. `mask` hides personal data as the browser does, besides the
    fields that are listed to be hidden. `mine` leaves colleagues' writes out, where the profile has a team.
    """

    ticket: str | None = None
    record: str | None = None
    since: str | None = None
    max_items: int | None = None
    mask: bool = False
    mine: bool = False


@dataclass(frozen=True, slots=True)
class JournalWrite:
    """A write, with what is to be hidden hidden, and the same as a row for a script; in a team, `by` is whose it is."""

    entry: JournalEntry
    row: Mapping[str, Json]
    by: str = ""


@dataclass(frozen=True, slots=True)
class JournalResult:
    """How many writes there were, to how many records, and the moment since when they were asked for.

    `more`: there are older ones that were not wanted. `exists`: there is a journal on this machine at all. `problems`
    say what is wrong with it, a line each. Of the writes, `theirs` are colleagues'; `notices` are to be known of the
    copy of what these wrote; `in_team`: there could be any.
    """

    writes: int
    records: int
    since: datetime | None
    more: bool
    exists: bool
    problems: tuple[str, ...] = ()
    theirs: int = 0
    notices: tuple[str, ...] = ()
    in_team: bool = False


WritesListener = Callable[[Sequence[JournalWrite]], None]
"""Takes some writes, the next after those before."""


def read_journal(
    request: JournalRequest, options: Options, variables: Mapping[str, str], on_writes: WritesListener
) -> JournalResult:
    """Give the writes that are asked for, the newest first, some at a time; raises CommandFailure."""
    with translate_errors():
        journal = _locate(request, options, variables)
        for entries in journal.pages():
            on_writes(journal.writes(entries))
        return journal.result()


def read_case_file(
    request: JournalRequest, options: Options, variables: Mapping[str, str]
) -> tuple[str, JournalResult]:
    """The case file of the writes that are asked for, "" where there is no journal; raises CommandFailure."""
    from svc_tui.history.case_file import render_journal_case_file
    from svc_tui.service.redact import mask_keys

    with translate_errors():
        journal = _locate(request, options, variables)
        writes = [entry for entries in journal.pages() for entry in entries]
        if not journal.exists:
            return "", journal.result()
        runs = journal.reader.runs() if any(entry.intent.batch for entry in writes) else []
        ids = {entry.intent.batch for entry in writes}
        firsts = (journal.reader.first_of_run(run.id) for run in runs if run.undoes in ids and run.undoes)
        text = render_journal_case_file(
            writes,
            journal.scope,
            SystemTimeZone(),
            ticket=journal.selection.ticket,
            note=journal.mask_note,
            known_runs=runs,
            first_of_undos=[journal.mask.entry(first) for first in firsts if first is not None],
            notes=journal.notes(),
        )
        return mask_keys(text), journal.result()


class _LocatedJournal:
    """The writes of one profile that are asked for, and what is counted while they are read."""

    def __init__(
        self,
        database: Path,
        scoped: "ScopedProfile",
        mask: Mask,
        selection: JournalSelection,
        max_items: int | None,
        team: "TeamWrites | None" = None,
    ) -> None:
        from svc_tui.storage.journal_reader import JournalReader

        self.reader = JournalReader(database, scoped.scope)
        self.scope, self.catalog = scoped.scope, scoped.profile.catalog
        self.mask, self.selection = mask, selection
        self.exists = database.exists()
        self._database, self._max_items, self._team = database, max_items, team
        self._writes, self._theirs, self._more = 0, 0, False
        self._records: set[tuple[str, str]] = set()

    @property
    def mask_note(self) -> str:
        """A word about what is hidden; "" where nothing is."""
        if self.mask.personal:
            return "personal data is masked"
        return "the fields listed under mask_fields are masked" if self.mask.listed else ""

    def pages(self) -> Iterator[Sequence[JournalEntry]]:
        """The writes, the newest first, masked; what is left of a page that is longer than is wanted."""
        with closing(self._all_pages()) as pages:
            for page in pages:
                wanted = page if self._max_items is None else page[: self._max_items - self._writes]
                self._writes += len(wanted)
                self._theirs += sum(entry.author is not None for entry in wanted)
                self._records.update(record for entry in wanted if (record := record_of(entry, self.catalog))[1])
                if wanted:
                    yield [self.mask.entry(entry) for entry in wanted]
                if len(wanted) < len(page):
                    self._more = True
                    return

    def _all_pages(self) -> Generator[list[JournalEntry], None, None]:
        own = self.reader.pages(self.selection)
        return own if self._team is None else self._team.beside(own, self.selection)

    def writes(self, entries: Sequence[JournalEntry]) -> Sequence[JournalWrite]:
        """The writes with their rows, in a team with who made them, and when its server got them."""
        rows = [(entry, journal_row(entry, self.scope, self.catalog)) for entry in entries]
        if self._team is None:
            return [JournalWrite(entry, row) for entry, row in rows]
        received, own = self._team.received(entries), self._team.author
        return [
            JournalWrite(entry, team_row(entry, row, own, received.get(entry.number)), self._team.name_of(entry))
            for entry, row in rows
        ]

    def notes(self) -> Sequence["Note"]:
        """The team's notes on records of the service, masked."""
        notes = () if self._team is None else self._team.notes()
        return [replace(note, text=self.mask.text(note.text)) for note in notes]

    def result(self) -> JournalResult:
        """What came of it, with what is wrong with the journal: it is checked to its end, as far as it is here."""
        return JournalResult(
            self._writes,
            len(self._records),
            self.selection.since,
            self._more,
            self.exists,
            tuple(self._problems()),
            self._theirs,
            self._team.notices() if self._team is not None else (),
            self._team is not None,
        )

    def _problems(self) -> Iterator[str]:
        from svc_tui.connect.checks import CheckVerdict, check_journal
        from svc_tui.storage.journal import check_chain

        if unreadable := self.reader.unreadable:
            entries = f"entry {unreadable[0]:,}" if len(unreadable) == 1 else f"{len(unreadable):,} entries"
            yield f"skipped entries of the journal that can't be read: {entries}"
        try:
            check = check_journal(check_chain(self._database), str(self._database))
        except StoreError as error:
            yield str(error)
            return
        if check.verdict is CheckVerdict.FAILED:
            yield f"the journal is {check.result}; run svc-tui doctor for details"


def _locate(request: JournalRequest, options: Options, variables: Mapping[str, str]) -> _LocatedJournal:
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_scope

    locations = find_locations(variables, options.config)
    scoped = resolve_scope(locations, variables, options.profile)
    mask = Mask.of(FilePreferences(locations).preferences.mask_fields, personal=request.mask)
    catalog = scoped.profile.catalog
    selection = JournalSelection(_ticket(request.ticket), _place_key(request.record, catalog), _moment(request.since))
    team = None
    if scoped.profile.team and not request.mine:
        from svc_tui.bootstrap.journal.team_writes import TeamWrites
        from svc_tui.bootstrap.team.located_team import locate_team

        team = TeamWrites(locate_team(options, variables))
        team.refresh()
    return _LocatedJournal(locations.database, scoped, mask, selection, request.max_items, team)


def _ticket(text: str | None) -> str:
    if text is None:
        return ""
    if not text.strip():
        raise CommandFailure("--ticket is empty; add a ticket, or remove --ticket to list all writes")
    return text.strip()


def _place_key(text: str | None, catalog: Sequence[Collection]) -> str:
    if text is None:
        return ""
    place = parse_place(text, catalog)
    if place.record_id is None:
        raise CommandFailure(f"--record {text} is a collection; use a record, such as {place.key}/ID")
    return place.key


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = parse_since(text, datetime.now(UTC), SystemTimeZone())
        if moment is not None:
            return moment.astimezone(UTC)
    except (OverflowError, ValueError):
        # At the end of the calendar.
        pass
    raise CommandFailure(
        f"--since {text} is not valid; use one such as 30m, 12h, 1d, 2w, today, yesterday, 2026-11-20 or "
        "2026-11-20T06:00:00Z"
    )
