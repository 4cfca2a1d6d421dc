"""Every way that a write can take through the program, found in the source, and driven against a locked LIVE."""

import ast
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from inspect import getmembers, iscoroutinefunction
from pathlib import Path

import pytest

import svc_tui
from svc_tui.bootstrap.request import WriteOptions, request
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.client.client import SignedClient
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.records import Place
from svc_tui.core.requests import Answer, RequestSpec
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.service.errors import SendResult
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.plan import Plan, PlanRow
from svc_tui.storage.team.kept_asks import KeptAsk
from svc_tui.writes.pipeline import WritePipeline
from svc_tui.writes.write_requests import build_create_request, build_delete_request
from tests.browser import User, browser
from tests.flows.steps import at_name, commanded, held_back, renamed
from tests.flows.steps import chosen as batch_line_chosen
from tests.flows.test_acting import chosen, filled, new_lot
from tests.reader.talking import session_on, talk

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot-000002")
ROOT = Path(svc_tui.__file__).parent
LOOKS = {"read_again"}
"""What the pipeline does that sends no write."""
STEPS = {name for name, _ in getmembers(WritePipeline, iscoroutinefunction) if not name.startswith("_")} - LOOKS
"""What a write can be sent as."""

PARTS = (
    *("ui", "reader", "bootstrap", "cli", "session", "history"),
    *("console", "plans", "search", "connect", "team"),
)
"""Where writes set out: the packages above the pipeline."""
PIPELINES = frozenset({"pipeline"})
GATEWAYS = frozenset({"gateway", "client"})
READS = {"page", "walk", "record", "reading", "download", "reread_keys", "aclose"}
"""What the client does that changes nothing at the service."""
SENDING = {name for name, _ in getmembers(SignedClient, iscoroutinefunction) if not name.startswith("_")} - READS
"""What the client does that could change something there."""

Path_ = tuple[str, str]
"""Where a write sets out: a file of the program, and the step of the pipeline that it takes."""


def modules(part: str) -> list[tuple[Path, ast.Module]]:
    """Every module of a part of the program; none at all would let a test pass that looks at nothing."""
    paths = sorted((ROOT / part).rglob("*.py"))
    assert paths, f"{part} is not there"
    return [(path, ast.parse(path.read_text())) for path in paths]


def taken(*parts: str) -> Iterator[tuple[str, str, str]]:
    """File, owner as it is written, and name of every attribute that parts of the program take of something."""
    for part in parts:
        for path, tree in modules(part):
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute):
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(node.value), node.attr


def write_paths() -> set[Path_]:
    """Every place in the program where a write sets out through the pipeline."""
    return {(path, step) for path, owner, step in taken(*PARTS) if named(owner, PIPELINES) and step in STEPS}


def named(text: str, names: frozenset[str]) -> bool:
    """Whether the last word of an expression, such as `pipeline` in `self._pipeline`, has one of these names in it."""
    last = re.split(r"[^\w]", text.rstrip("()"))[-1] if text.rstrip("()") else ""
    return any(name in last.casefold() for name in names)


def handed_on(part: str) -> Iterator[tuple[str, str, str]]:
    """File, name and type of all that is annotated, and file, name and value of all that is given a name."""
    for path, tree in modules(part):
        file = path.relative_to(ROOT).as_posix()
        for node in ast.walk(tree):
            match node:
                case ast.arg(arg=name, annotation=ast.expr() as kind):
                    yield file, name, ast.unparse(kind)
                case ast.FunctionDef(name=name, returns=ast.expr() as kind):
                    yield file, name, ast.unparse(kind)
                case ast.AsyncFunctionDef(name=name, returns=ast.expr() as kind):
                    yield file, name, ast.unparse(kind)
                case ast.AnnAssign(target=target, annotation=kind):
                    yield file, ast.unparse(target), ast.unparse(kind)
                case ast.Assign(targets=targets, value=value):
                    yield from ((file, name, given) for target in targets for name, given in pairs(target, value))
                case (
                    ast.NamedExpr(target=target, value=value)
                    | ast.withitem(optional_vars=ast.expr() as target, context_expr=value)
                ):
                    yield from ((file, name, given) for name, given in pairs(target, value))


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    """Each name that is assigned to, and what it is given, in words."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, given in zip(target.elts, value.elts, strict=True):
            yield from pairs(one, given)
    else:
        yield ast.unparse(target), re.sub(r"^await ", "", ast.unparse(value)).partition("(")[0]


def disguised(kinds: tuple[str, ...], names: frozenset[str]) -> set[tuple[str, str]]:
    """Where something of these kinds goes by another name than these, so that it could not be followed by its name."""
    return {
        (file, name)
        for part in PARTS
        for file, name, said in handed_on(part)
        if (named(said, names) or any(re.search(rf"\b{kind}\b", said) for kind in kinds)) and not named(name, names)
    }


async def edit(user: User) -> None:
    await at_name(user)
    await renamed(user, "Never")
    await user.press("ctrl+s")
    await held_back(user)


async def console(user: User) -> None:
    await user.sees(r"lot-000001")
    pane = await user.app.main.workspace.console()
    pane.prefill(RequestSpec("DELETE", "/v1/operations/lots/lot-000002"))
    await user.press("ctrl+j")
    await held_back(user)


async def create(user: User) -> None:
    await new_lot(user, name="Never")
    await user.press("ctrl+s")
    await held_back(user)


async def delete(user: User) -> None:
    await at_name(user)
    await user.press("delete")
    await held_back(user)


async def action(user: User) -> None:
    await chosen(user, "lots/lot-000002", "Split a lot")
    await filled(user, parts="2")
    await user.press("ctrl+s")
    await held_back(user)


async def batch(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("space", "space", "x")
    await batch_line_chosen(user, "Change a field of 2 marked")
    await user.sees(r"LIVE is locked\. Press w to unlock\.")


def from_file(rows: str) -> Callable[[User], Awaitable[None]]:
    """Plan the corrections of a file, and agree to them."""

    async def planned(user: User) -> None:
        await user.sees(r"lot-000001")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(rows)
            file.flush()
            await commanded(user, "Corrections from a file", "Corrections from a file…")
            await user.sees(r"Corrections for lots from a file")
            await user.types(file.name)
            await user.press("enter")
            await user.sees(r"y Send 1")
        await user.press("y")
        await user.sees(r"LIVE is locked\. Press w to unlock\.")

    return planned


DRIVEN: dict[Path_, Callable[[User], Awaitable[None]]] = {
    ("ui/editing/draft_controller.py", "update"): edit,
    ("ui/console/request_sender.py", "request"): console,
    ("ui/writes/create.py", "create"): create,
    ("ui/writes/delete.py", "delete"): delete,
    ("ui/writes/record_actions.py", "act"): action,
    ("plans/run.py", "update"): batch,
    ("plans/run.py", "create"): from_file("id,name\n,New lot\n"),
    ("plans/run.py", "delete"): from_file("id,_action\nlot-000001,delete\n"),
}
UNDONE = ["undo 1", "send", "live", "lot-000002"]
COMMANDED: Path_ = ("bootstrap/request.py", "request")
"""The path of the command line, driven below."""
APPROVED: dict[Path_, KeptAsk] = {
    ("team/approvals.py", kept.kind if kept.kind != "action" else "act"): kept
    for kept in (
        KeptAsk("q-1", "update", LOT, RequestSpec("PATCH", LOT.path), {"name": "Now"}, edits={"name": "Never"}),
        KeptAsk("q-1", "create", Place(LOTS), build_create_request(LOTS, {"name": "Never"})),
        KeptAsk("q-1", "delete", LOT, build_delete_request(LOT)),
        KeptAsk("q-1", "action", LOT, RequestSpec("POST", "/v1/operations/lots/lot-000002/split")),
        KeptAsk("q-1", "request", LOT, RequestSpec("DELETE", "/v1/operations/lots/lot-000002")),
    )
}
"""The paths of what a colleague approved, driven below."""
_UNLOCKED = ("unlock", "live")
SPOKEN: dict[Path_, tuple[list[str], list[str]]] = {
    ("reader/reviewing.py", "update"): ([], [":lots/lot-000002", "edit note", "damp", "review", "send", "live"]),
    ("reader/console/console_requests.py", "request"): ([], ["console DELETE lots/lot-000002", "send", "live"]),
    ("reader/journal_reading.py", "delete"): ([*_UNLOCKED, "console POST lots name=Once", "send", "live"], UNDONE),
    ("reader/journal_reading.py", "create"): (
        [*_UNLOCKED, "console DELETE lots/lot-000002", "send", "lot-000002"],
        UNDONE,
    ),
}
"""The paths of the reader, driven below: the lines before LIVE is locked, and those that it refuses then."""


def test_every_write_path_of_the_program_is_driven_here() -> None:
    assert write_paths() == {*DRIVEN, *APPROVED, *SPOKEN, COMMANDED}


def test_every_step_of_the_pipeline_is_taken_by_a_path() -> None:
    assert {step for _, step in DRIVEN} == STEPS


def test_pipelines_and_gateways_go_by_their_names_so_that_no_path_is_overlooked() -> None:
    assert disguised(("WritePipeline",), PIPELINES) == set()
    assert disguised(("Gateway", "SignedClient"), GATEWAYS) == set()


def test_nothing_but_reads_is_sent_past_the_pipeline() -> None:
    assert {"send", "watched"} == SENDING
    senders = {path for path, owner, name in taken(*PARTS) if named(owner, GATEWAYS) and name in SENDING}
    # The indexed gateway hands on what it is called for. Each of the others sends what is no write:
    # `RequestSpec.writes` was asked before.
    assert senders - {"search/indexed_gateway.py"} == {
        "connect/signature_doctor.py",
        "reader/console/console_requests.py",
        "ui/console/request_sender.py",
        "ui/writes/record_actions.py",
    }


def test_pipelines_are_made_where_the_lock_is() -> None:
    makers = {
        path.relative_to(ROOT).as_posix()
        for part in ("ui", "bootstrap", "cli")
        for path, tree in modules(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "WritePipeline"
    }
    assert makers == {
        "ui/sending/write_controller.py",
        "ui/plans/run_controller.py",
        "bootstrap/plans/apply_plan.py",
        "bootstrap/request.py",
    }


@pytest.mark.parametrize("path", DRIVEN, ids=lambda path: f"{path[0].rpartition('/')[2]}-{path[1]}")
async def test_a_locked_live_refuses(service: RunningService, tmp_path: Path, path: Path_) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await DRIVEN[path](user)
        assert not await user.store.journal(user.scope).entries()
    assert {attempt.method for attempt in service.attempts} == {"GET"}


@pytest.mark.parametrize("path", APPROVED, ids=lambda path: path[1])
async def test_a_locked_live_refuses_what_is_kept_to_be_sent_once_it_is_approved(
    service: RunningService, tmp_path: Path, path: Path_
) -> None:
    nowhere = f"postgresql:///journal?host={tmp_path}"
    async with browser(service, tmp_path, key="live", place="lots", team=nowhere) as user:
        await user.sees(r"lot-000001")
        approvals = user.app.main.features.approvals
        await approvals._send(APPROVED[path])
        await user.sees(r"LIVE is locked\. Press w to unlock\.")
        assert not await user.store.journal(user.scope).entries()
    assert {attempt.method for attempt in service.attempts} == {"GET"}


@pytest.mark.parametrize("path", SPOKEN, ids=lambda path: f"{path[0].rpartition('/')[2]}-{path[1]}")
async def test_a_locked_live_refuses_what_is_said_to_the_reader(
    service: RunningService, tmp_path: Path, path: Path_
) -> None:
    before, refused = SPOKEN[path]
    async with session_on(service, tmp_path, key="live") as session:
        await talk(session, before)
        writes = len(sent(service))
        assert writes == (1 if before else 0)
        # Locked again: a conversation begins so.
        said = (await talk(session, refused)).said
        assert any("LIVE is locked" in line for line in said), said
    assert len(sent(service)) == writes


def ignore(head: Answer, piece: bytes) -> None:
    """Take an answer that is handed on."""


def test_a_live_write_from_the_command_line_needs_its_word(service: RunningService, tmp_path: Path) -> None:
    key = service.key("live")
    variables = {
        "SVC_API_KEY": key.api_key,
        "SVC_SIGNING_SECRET": key.signing_secret or "",
        "SVC_BASE_URL": service.base_url,
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    spec = RequestSpec("DELETE", "/v1/operations/lots/lot-000002")
    with pytest.raises(CommandFailure, match="changes LIVE data; add --live"):
        request(spec, Options(), variables, notify=print, hand_on=ignore)
    assert not service.attempts
    sent = request(spec, Options(), variables, writing=WriteOptions(live=True), notify=print, hand_on=ignore)
    assert sent.exchange is not None
    assert [attempt.method for attempt in service.attempts] == ["GET", "DELETE"]


def sent(service: RunningService) -> list[str]:
    """The methods of the writes that arrived."""
    return [attempt.method for attempt in service.attempts if attempt.method != "GET"]


@pytest.mark.parametrize("undo", ["restore", "remake", "remove"])
async def test_a_locked_live_refuses_to_undo(service: RunningService, tmp_path: Path, undo: str) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await at_name(user)
        await user.press("w")
        await user.sees(r"Unlock sending")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        if undo == "restore":
            await renamed(user, "Once")
            await user.press("ctrl+s")
            await user.sees(r"Change lot-000002[\s\S]+h Show")
            await user.press("y")
            await user.sees(r"Saved lot-000002")
        elif undo == "remake":
            await user.press("delete")
            await user.sees(r"Searched")
            await user.types("lot-000002")
            await user.press("enter")
            await user.sees(r"Deleted lot-000002")
        else:
            writes = user.app.main.features.writes
            spec = writes.pipeline.with_idempotency_key(build_create_request(LOTS, {"name": "Once"}))
            assert (await writes.run(writes.pipeline.create(LOTS, spec))).result is SendResult.DONE
        await user.press("w")
        await user.sees(r"LOCKED")
        await user.press("u")
        await user.sees(r"Review the undo")
        await user.press("enter")
        if undo == "remake":
            await user.sees(r"The service may assign a new id")
            await user.press("ctrl+s")
        await held_back(user)
        assert len(await user.store.journal(user.scope).entries()) == 1
    assert len(sent(service)) == 1


@pytest.mark.parametrize("choice", ["Resume: 1 remaining record", "Undo 1 changed record"])
async def test_a_locked_live_refuses_to_go_on_with_a_batch_and_to_undo_it(
    service: RunningService, tmp_path: Path, choice: str
) -> None:
    rows = tuple(
        PlanRow(at, record_id=f"lot-00000{at}", base={"mineral": "old"}, edits={"mineral": "new"}, fields=("mineral",))
        for at in (1, 2)
    )
    plan = Plan("b-1", LOTS, rows, datetime.now(UTC))
    async with browser(service, tmp_path, key="live") as user:
        await user.sees(r"lot-000001")
        runs, journal = user.store.runs(user.scope), user.store.journal(user.scope)
        await runs.keep(plan)
        await runs.let_go(plan.id)
        place = plan.place(rows[0])
        now = datetime.now(UTC)
        done = Intent(now, "PATCH", place.path, place.key, "key", {"mineral": "old"}, {"mineral": "new"}, batch=plan.id)
        await journal.conclude(await journal.intend(done), Outcome(now, "done", 200))
        await user.press("at")
        await user.sees(r"─ Journal")
        await user.press("b")
        await batch_line_chosen(user, choice)
        await user.sees(r"LIVE is locked\. Press w to unlock\.")
        await user.until(lambda: not user.app.main.asking, "a dialog is still open")
        assert [run.id for run in await runs.unfinished()] == [plan.id]
        assert len(await journal.entries()) == 1
    assert sent(service) == []
