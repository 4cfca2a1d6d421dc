"""New records: a form from the fields seen or from a copy, a card, and the road of all writes."""

from collections.abc import Mapping
from dataclasses import dataclass

from svc_tui.domain.catalog import Collection
from svc_tui.domain.draft import Absent
from svc_tui.domain.forms import Form, copied, form_for, kind_seen
from svc_tui.domain.records import Place, Record
from svc_tui.domain.writes import Result, WriteReport, create_request
from svc_tui.ui.report import Report, cause_of, of_deed
from svc_tui.ui.screens.form import FormScreen
from svc_tui.ui.screens.writing import Refusal, Writing
from svc_tui.ui.text import shown


@dataclass(frozen=True, slots=True)
class Unmade:
    """What a form is for: a new record of the collection, a copy of the record `like`, or that one made `again`."""

    collection: Collection
    like: str = ""
    again: bool = False


class Creating:
    """Makes records; a form that was left with something in it comes back where the same is wanted again."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._left: dict[Unmade, Form] = {}

    @property
    def left(self) -> Mapping[Unmade, Form]:
        """The forms that were left with something in them."""
        return self._left

    async def new(self, collection: Collection) -> None:
        """Ask for a new record of the collection."""
        form = form_for(self._seen(collection))
        note = "Only what is filled in is sent." if form.lines else "No fields were seen here yet: add them by name."
        await self._fill_in(Unmade(collection), form, note)

    async def copy(self, collection: Collection, record: Record) -> None:
        """Ask for a new record that begins as a copy of another, without its id and times."""
        form = copied(form_for(self._seen(collection)), record)
        unmade = Unmade(collection, record.id or "")
        await self._fill_in(unmade, form, f"A copy of {record.id or 'the record'}, without its id and times.")

    async def again(self, collection: Collection, record: Record) -> None:
        """Make a deleted record again, with every field that can be given."""
        form = copied(form_for([record]), record, times=True)
        name = record.id or "the record"
        note = f"As {name} was. The service may give it another id: what pointed at {name} will not find it."
        warning = f"This makes a new record; its id may not be {name}."
        await self._fill_in(Unmade(collection, record.id or "", again=True), form, note, warning)

    def _seen(self, collection: Collection) -> list[Record]:
        """Records of the collection that are held; of one like it where there are none."""
        held = [(known, list(records)) for known, records in self._writing.workspace.browse.held]
        own = [record for known, records in held if known == collection for record in records]
        return own or [
            record
            for known, records in held
            if known.under and collection.under and known.name == collection.name
            for record in records
        ]

    async def _fill_in(self, unmade: Unmade, empty: Form, note: str, warning: str = "") -> None:
        """Have a form filled in, `empty` where none of its kind was left, and make the record."""
        writing, collection = self._writing, unmade.collection
        form = self._left.get(unmade, empty)
        if self._shows_hidden(collection, form) and not await writing.may_show("form"):
            return
        what = f"New record in {collection.key}"
        records = self._seen(collection)
        screen = FormScreen(writing.heading(what), form, shown(note), kind_of=lambda name: kind_seen(name, records))
        await writing.screen.app.push_screen(screen)
        while (wanted := await screen.wanted()) is not None:
            report = await self._sent(collection, wanted, screen, what, warning)
            if report is None:
                continue
            if report.result is Result.DONE:
                self._left.pop(unmade, None)
                screen.dismiss(None)
                self._made(collection, report)
                return
            screen.say(of_deed(report, "The record", "made").line)
        if screen.form.touched and screen.form != empty:
            self._left[unmade] = screen.form
        else:
            self._left.pop(unmade, None)

    def _shows_hidden(self, collection: Collection, form: Form) -> bool:
        """Whether something stands in the form that is hidden now."""
        record = Record({
            line.name: line.text if isinstance(line.source, Absent) else line.source for line in form.lines
        })  # fmt: skip
        return self._writing.workspace.veil.record(record, collection.domain) != record

    async def _sent(
        self, collection: Collection, form: Form, screen: FormScreen, what: str, warning: str
    ) -> WriteReport | None:
        """Review and send what the form says; None where that was decided against, or can't be."""
        writing = self._writing
        report = await writing.carried_out(
            create_request(collection, form.values),
            what,
            lambda spec, ticket: writing.editing.road.create(collection, spec, ticket),
            note=warning,
        )
        if isinstance(report, Refusal):
            locked = writing.editing.refusal() is not None
            screen.say(f"{report.words} esc keeps this form for then." if locked else report.words)
            return None
        return report

    def _made(self, collection: Collection, report: WriteReport) -> None:
        writing, record = self._writing, report.record
        name = record.id if record is not None and record.id else "The record"
        writing.tell(Report(f"{cause_of(report)} u takes it back.".strip(), f"{name} is made"))
        if record is not None and record.id is not None:
            writing.go(Place(collection, record.id))
        writing.workspace.refresh_rows()
