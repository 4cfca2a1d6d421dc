"""The table of commands: what each is called, what it takes, and what it does, from which help is made too."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from svc_tui.domain.model.catalog import find_collection
from svc_tui.domain.model.spelling import nearest_name
from svc_tui.reader.browsing import Browsing
from svc_tui.reader.console.console_requests import ConsoleRequests
from svc_tui.reader.console.saved_requests import SavedRequests
from svc_tui.reader.copying import Copying
from svc_tui.reader.editing import Editing
from svc_tui.reader.finding import Finding
from svc_tui.reader.journal import JournalReading, Undoing
from svc_tui.reader.leaving import Leaving
from svc_tui.reader.locking import Locking
from svc_tui.reader.masking import Masking
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewing import Reviewing
from svc_tui.reader.standing import StateSummary
from svc_tui.reader.team.approvals import Approvals, AskReading
from svc_tui.reader.writes import Writes

Run = Callable[[str], Awaitable[None]]
"""Runs a command on the text behind its name."""


@dataclass(frozen=True, slots=True)
class ReaderCommand:
    """One command. `usage` is how it is typed, `help` what it does, in a sentence or two.

    `keeps_review`: what was read out can still be sent after it.
    """

    name: str
    usage: str
    help: str
    run: Run
    keeps_review: bool = False


@dataclass(frozen=True, slots=True)
class Features:
    """What the commands run on."""

    browsing: Browsing
    copying: Copying
    editing: Editing
    reviewing: Reviewing
    writes: Writes
    locking: Locking
    journal: JournalReading
    undoing: Undoing
    requests: ConsoleRequests
    saved_requests: SavedRequests
    finding: Finding
    standing: StateSummary
    masking: Masking
    leaving: Leaving
    asks: AskReading
    approvals: Approvals


def command_table(features: Features, help_run: Run) -> Mapping[str, ReaderCommand]:
    """Every command by its name, in the order in which help tells of them."""
    look, edit, writes = features.browsing, features.editing, features.writes
    commands = (
        ReaderCommand(":", ":lots", "Goes to a collection, or to a record: :lots/lot-000001.", look.go),
        ReaderCommand(
            "/",
            "/grade:A",
            "Lists the matching records: words, grade:A, massKg>10, updatedAt>1h, !damp; ?status=open has the service "
            "choose. / alone takes the filter away.",
            look.filter,
        ),
        ReaderCommand("list", "list", "Lists the collection from its first record.", look.list),
        ReaderCommand("more", "more", "Goes on with what was said last.", look.more, keeps_review=True),
        ReaderCommand(
            "open",
            "open 3",
            "Opens a record by its number in the list, by its id, or by its place: open lots/lot-000001.",
            look.open,
        ),
        ReaderCommand("fields", "fields", "Reads every field of the open record.", look.fields, keeps_review=True),
        ReaderCommand(
            "field", "field grade", "Reads one field whole, by its name or number.", look.field, keeps_review=True
        ),
        ReaderCommand(
            "copy",
            "copy grade",
            "Copies a field of the open record; copy alone the record as JSON, copy link and copy curl those.",
            features.copying.copy,
            keeps_review=True,
        ),
        ReaderCommand(
            "curl",
            "curl",
            "Prints the curl command that reads what is open; curl GET lots/lot-000001 that of any request.",
            features.copying.curl,
            keeps_review=True,
        ),
        ReaderCommand("find", "find north face", "Finds records of all collections by words.", features.finding.find),
        ReaderCommand(
            "load", "load", "Loads every record of the collection; after find, finds again.", features.finding.load
        ),
        ReaderCommand("edit", "edit grade", "Asks for the new value of a field; nothing is sent.", edit.edit),
        ReaderCommand("edits", "edits", "Reads every edit that is not sent.", edit.edits),
        ReaderCommand("drop", "drop grade", "Takes an edit back; drop alone all of the open record.", edit.drop),
        ReaderCommand(
            "review", "review", "Reads the change of the open record out, before it is sent.", features.reviewing.review
        ),
        ReaderCommand(
            "ticket",
            "ticket SUP-1",
            "Names the ticket of the next writes; ticket none takes it away.",
            writes.name_ticket,
            keeps_review=True,
        ),
        ReaderCommand(
            "send",
            "send",
            "Sends what was read out, on LIVE after a word; send 2 an ask of yours that is approved.",
            features.approvals.send,
            keeps_review=True,
        ),
        ReaderCommand(
            "unlock",
            "unlock",
            "Unlocks writes on LIVE for some minutes, by a word.",
            features.locking.unlock,
            keeps_review=True,
        ),
        ReaderCommand("lock", "lock", "Locks writes on LIVE again.", features.locking.lock, keeps_review=True),
        ReaderCommand(
            "journal",
            "journal",
            "Lists the writes, the newest first; journal 5 reads number 5 whole.",
            features.journal.journal,
        ),
        ReaderCommand(
            "undo", "undo 5", "Reads out what takes a write of the journal back; send sends it.", features.undoing.undo
        ),
        ReaderCommand(
            "approvals",
            "approvals",
            "Lists what colleagues want approved, and your own asks; approvals 2 reads number 2 whole.",
            features.asks.approvals,
        ),
        ReaderCommand(
            "approve", "approve 2", "Reads an ask of the list out, and approves it.", features.approvals.approve
        ),
        ReaderCommand(
            "refuse",
            "refuse 2 not today",
            "Refuses an ask of the list, with a word; your own is taken back.",
            features.approvals.refuse,
        ),
        ReaderCommand(
            "answer", "answer 2 which lot?", "Answers an ask, and decides nothing.", features.approvals.answer
        ),
        ReaderCommand(
            "console",
            "console GET lots/lot-000001",
            "Sends any request; a write is read out first. console alone is about the one that is not sent: "
            "sends it, changes it or drops it.",
            features.requests.console,
        ),
        ReaderCommand(
            "requests",
            "requests",
            "Lists the saved requests; requests 2 reads number 2 whole.",
            features.saved_requests.requests,
        ),
        ReaderCommand(
            "request",
            "request 2",
            "Sends a saved request by its number or its name: asks for its values, and reads a write out first.",
            features.saved_requests.request,
        ),
        ReaderCommand(
            "save",
            "save Lots by grade",
            "Saves the last request of the console under a name.",
            features.saved_requests.save,
            keeps_review=True,
        ),
        ReaderCommand(
            "where",
            "where",
            "Says where you are and how everything stands.",
            features.standing.where,
            keeps_review=True,
        ),
        ReaderCommand(
            "mask",
            "mask on",
            "Hides personal data in all that is said; mask off says it again.",
            features.masking.mask,
            keeps_review=True,
        ),
        ReaderCommand("help", "help edit", "Says what the commands do.", help_run, keeps_review=True),
        ReaderCommand(
            "profile",
            "profile NAME",
            "Goes to another profile, as :@NAME does; profile alone says which ones there are.",
            features.leaving.profile,
        ),
        ReaderCommand(
            "screen", "screen", "Goes on on the screen, at the same place; ctrl+] comes back.", features.leaving.screen
        ),
        ReaderCommand("quit", "quit", "Leaves; edits that are not sent are kept.", features.leaving.quit),
    )
    return {command.name: command for command in commands}


def command_of(line: str, table: Mapping[str, ReaderCommand]) -> tuple[ReaderCommand, str]:
    """The command that a line calls, and the text behind its name; raises Mistake."""
    if line.startswith(":@"):
        return table["profile"], line[2:].strip()
    if line[0] in (":", "/"):
        return table[line[0]], line[1:].strip()
    word, _, rest = line.partition(" ")
    command = table.get(word.casefold())
    if command is None:
        if find_collection(word):
            raise Mistake(f"There is no command {word}. :{word} goes to the collection.")
        near = nearest_name(word, table)
        raise Mistake(f"There is no command {word}." + (f" {near} is near." if near else "") + " help lists them.")
    return command, rest.strip()


def help_lines(table: Mapping[str, ReaderCommand], name: str) -> list[str]:
    """What is said of one command, or of all; raises Mistake."""
    if not name:
        return [f"{command.usage}: {command.help}" for command in table.values()]
    command = table.get(name.casefold()) or table.get(name[:1])
    if command is None:
        raise Mistake(f"There is no command {name}. help lists them.")
    return [f"{command.usage}: {command.help}"]
