"""The table of commands: what each is called, what it takes, and what it does, from which help is made too."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from svc_tui.core.catalog import find_collection
from svc_tui.core.spelling import nearest_name
from svc_tui.reader.browsing import Browsing
from svc_tui.reader.console.console_requests import ConsoleRequests
from svc_tui.reader.console.saved_request_commands import SavedRequests
from svc_tui.reader.copying import Copying
from svc_tui.reader.editing import Editing
from svc_tui.reader.finding import Finding
from svc_tui.reader.journal_reading import JournalReading, Undoing
from svc_tui.reader.leaving import Leaving
from svc_tui.reader.locking import Locking
from svc_tui.reader.mask_command import Masking
from svc_tui.reader.mistakes import Mistake
from svc_tui.reader.reviewed_writes import Writes
from svc_tui.reader.reviewing import Reviewing
from svc_tui.reader.standing import StateSummary
from svc_tui.reader.team.approval_commands import ApprovalCommands, AskReading

RunCommand = Callable[[str], Awaitable[None]]
"""Runs a command on the text behind its name."""


@dataclass(frozen=True, slots=True)
class ReaderCommand:
    """One command. `usage` is how it is typed, `help` what it does, in a sentence or two.

    `keeps_review`: what was read out can still be sent after it.
    """

    name: str
    usage: str
    help: str
    run: RunCommand
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
    approvals: ApprovalCommands


def command_table(features: Features, help_run: RunCommand) -> Mapping[str, ReaderCommand]:
    """Every command by its name, in the order in which help tells of them."""
    look, edit, writes = features.browsing, features.editing, features.writes
    commands = (
        ReaderCommand(":", ":lots", "Open a collection. :lots/lot-000001 opens a record.", look.go),
        ReaderCommand(
            "/",
            "/grade:A",
            "List the matching records. Type words or conditions, such as massKg>10, updatedAt>1h, !damp. "
            "?status=open is a query to the service. / alone clears filter and query.",
            look.filter,
        ),
        ReaderCommand("list", "list", "List the collection from the start.", look.list),
        ReaderCommand("more", "more", "Continue the list or text.", look.more, keeps_review=True),
        ReaderCommand(
            "open",
            "open 3",
            "Open a record by its number in the list, or by id: open lots/lot-000001.",
            look.open,
        ),
        ReaderCommand("fields", "fields", "Read all fields of the record.", look.fields, keeps_review=True),
        ReaderCommand(
            "field", "field grade", "Read one field in full, by name or number.", look.field, keeps_review=True
        ),
        ReaderCommand(
            "copy",
            "copy grade",
            "Copy a field. copy alone copies the record as JSON. Also copy link, copy curl.",
            features.copying.copy,
            keeps_review=True,
        ),
        ReaderCommand(
            "curl",
            "curl",
            "Print the curl command for what is open. With a request, such as curl GET lots/lot-000001, it prints the "
            "command for that request.",
            features.copying.curl,
            keeps_review=True,
        ),
        ReaderCommand("find", "find north face", "Search all collections.", features.finding.find),
        ReaderCommand(
            "load",
            "load",
            "Load all records of the collection. After find, search the newly loaded records too.",
            features.finding.load,
        ),
        ReaderCommand(
            "edit",
            "edit grade",
            "Edit a field; nothing is sent yet. :null sets null, :empty sets an empty text, :json [1] sets a JSON "
            "value.",
            edit.edit,
        ),
        ReaderCommand("edits", "edits", "List the drafts.", edit.edits),
        ReaderCommand(
            "drop", "drop grade", "Discard the edit of a field. drop alone discards the draft of the record.", edit.drop
        ),
        ReaderCommand(
            "review",
            "review",
            "Review the draft before you send it. review full reads the full request.",
            features.reviewing.review,
            # It forgets by itself: review full reads out what was read out before.
            keeps_review=True,
        ),
        ReaderCommand(
            "ticket",
            "ticket SUP-1",
            "Add a ticket to the next changes. ticket none removes it.",
            writes.name_ticket,
            keeps_review=True,
        ),
        ReaderCommand(
            "send",
            "send",
            "Send what you reviewed. send 2 sends your approved request 2.",
            features.approvals.send,
            keeps_review=True,
        ),
        ReaderCommand(
            "unlock",
            "unlock",
            "Unlock LIVE for a few minutes.",
            features.locking.unlock,
            keeps_review=True,
        ),
        ReaderCommand("lock", "lock", "Lock LIVE.", features.locking.lock, keeps_review=True),
        ReaderCommand(
            "journal",
            "journal",
            "List the sent changes, newest first. journal 5 reads number 5 in full.",
            features.journal.journal,
        ),
        ReaderCommand("undo", "undo 5", "Review the undo of change 5. Then type send.", features.undoing.undo),
        ReaderCommand(
            "approvals",
            "approvals",
            "List approval requests, yours too. approvals 2 reads number 2 in full.",
            features.asks.approvals,
        ),
        ReaderCommand("approve", "approve 2", "Read approval request 2 and approve it.", features.approvals.approve),
        ReaderCommand(
            "refuse",
            "refuse 2 not today",
            "Decline approval request 2 with a message, or withdraw your own.",
            features.approvals.refuse,
        ),
        ReaderCommand(
            "answer",
            "answer 2 which lot?",
            "Reply to approval request 2 without deciding.",
            features.approvals.answer,
        ),
        ReaderCommand(
            "console",
            "console GET lots/lot-000001",
            "Send any request; you review a change before it is sent. "
            "console alone: send, change or discard the unsent request.",
            features.requests.console,
        ),
        ReaderCommand(
            "requests",
            "requests",
            "List the saved requests. requests 2 reads number 2 in full.",
            features.saved_requests.requests,
        ),
        ReaderCommand(
            "request",
            "request 2",
            "Send a saved request by number or name; you review a change before it is sent.",
            features.saved_requests.request,
        ),
        ReaderCommand(
            "save",
            "save Lots by grade",
            "Save the last console request under a name.",
            features.saved_requests.save,
            keeps_review=True,
        ),
        ReaderCommand(
            "where",
            "where",
            "Show the current state: profile, record, drafts, lock, ticket.",
            features.standing.where,
            keeps_review=True,
        ),
        ReaderCommand(
            "mask",
            "mask on",
            "Mask personal data. mask off unmasks it.",
            features.masking.mask,
            keeps_review=True,
        ),
        ReaderCommand("help", "help edit", "Explain a command. help alone explains all.", help_run, keeps_review=True),
        ReaderCommand(
            "profile",
            "profile NAME",
            "Switch to another profile, like :@NAME. profile alone lists them.",
            features.leaving.profile,
        ),
        ReaderCommand(
            "screen", "screen", "Switch to full-screen mode. ctrl+] returns to the reader.", features.leaving.screen
        ),
        ReaderCommand("quit", "quit", features.leaving.quit_help, features.leaving.quit),
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
            raise Mistake(f"No command {word}. Type :{word} to open the collection.")
        near = nearest_name(word, table)
        raise Mistake(
            f"No command {word}." + (f" Did you mean {near}?" if near else "") + " For the commands, type help."
        )
    return command, rest.strip()


def help_lines(table: Mapping[str, ReaderCommand], name: str) -> list[str]:
    """What is said of one command, or of all; raises Mistake."""
    if not name:
        return [f"{command.usage}: {command.help}" for command in table.values()]
    command = table.get(name.casefold()) or table.get(name[:1])
    if command is None:
        raise Mistake(f"No command {name}. For the commands, type help.")
    return [f"{command.usage}: {command.help}"]
