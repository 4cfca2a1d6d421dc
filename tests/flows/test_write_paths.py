"""Every way that a write can take through the program, found in the source, and driven against a locked LIVE."""

import ast
from collections.abc import Awaitable, Callable, Iterator
from inspect import getmembers, iscoroutinefunction
from pathlib import Path

import pytest

import svc_tui
from svc_tui.domain.requests import RequestSpec
from svc_tui.domain.writes import WriteRoad
from svc_tui.sandbox.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import at_name, renamed
from tests.flows.steps import chosen as batch_line_chosen
from tests.flows.test_acting import chosen, filled, new_lot

ROOT = Path(svc_tui.__file__).parent
STEPS = {name for name, _ in getmembers(WriteRoad, iscoroutinefunction) if not name.startswith("_")}
"""The ways onto the road."""

Path_ = tuple[str, str]
"""Where a write sets out: a file of the interface, and the step of the road that it takes."""


def taken(*parts: str) -> Iterator[tuple[str, str, str]]:
    """File, owner as it is written, and name of every attribute that parts of the program take of something."""
    for part in parts:
        for path in (ROOT / part).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute):
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(node.value), node.attr


def write_paths() -> set[Path_]:
    """Every place in the interface where a write sets out on the road."""
    return {(path, step) for path, owner, step in taken("ui") if "road" in owner.casefold() and step in STEPS}


async def edit(user: User) -> None:
    await at_name(user)
    await renamed(user, "Never")
    await user.press("ctrl+s")
    await user.sees(r"LIVE is locked\. w unlocks it\.")


async def console(user: User) -> None:
    await user.sees(r"lot-000001")
    pane = await user.app.main.workspace.console()
    pane.prefill(RequestSpec("DELETE", "/v1/operations/lots/lot-000002"))
    await user.press("ctrl+j")
    await user.sees(r"LIVE is locked\. esc, then w unlocks it\.")


async def create(user: User) -> None:
    await new_lot(user, name="Never")
    await user.press("ctrl+s")
    await user.sees(r"LIVE is locked\. w unlocks it\.")


async def delete(user: User) -> None:
    await at_name(user)
    await user.press("delete")
    await user.sees(r"LIVE is locked\. w unlocks it\.")


async def action(user: User) -> None:
    await chosen(user, "lots/lot-000002", "Split a lot")
    await filled(user, parts="2")
    await user.press("ctrl+s")
    await user.sees(r"LIVE is locked\. w unlocks it\.")


async def batch(user: User) -> None:
    await user.sees(r"lot-000001")
    await user.press("space", "space", "x")
    await batch_line_chosen(user, "Change a field of the 2 marked")
    await user.sees(r"LIVE is locked\. w unlocks it\.")


DRIVEN: dict[Path_, Callable[[User], Awaitable[None]]] = {
    ("ui/screens/editing.py", "update"): edit,
    ("ui/screens/editing.py", "request"): console,
    ("ui/screens/creating.py", "create"): create,
    ("ui/screens/deleting.py", "delete"): delete,
    ("ui/screens/acting.py", "act"): action,
    ("ui/screens/batching.py", "update"): batch,
}


def test_every_write_path_of_the_interface_is_driven_here() -> None:
    assert write_paths() == set(DRIVEN)


def test_every_way_onto_the_road_is_taken_by_a_path() -> None:
    assert {step for _, step in DRIVEN} == STEPS


def test_nothing_in_the_interface_sends_past_the_road_but_reads() -> None:
    # Each of these sends what is no write: `RequestSpec.writes` was asked before.
    senders = {path for path, owner, name in taken("ui") if "gateway" in owner.casefold() and name == "send"}
    assert senders == {"ui/screens/trying.py", "ui/screens/acting.py"}


def test_roads_are_made_where_the_lock_is() -> None:
    makers = {
        path.relative_to(ROOT).as_posix()
        for part in ("ui", "bootstrap", "cli")
        for path in (ROOT / part).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "WriteRoad"
    }
    assert makers == {"ui/screens/editing.py", "ui/screens/books.py", "bootstrap/requesting.py"}


@pytest.mark.parametrize("path", DRIVEN, ids=lambda path: f"{path[0].rpartition('/')[2]}-{path[1]}")
async def test_a_locked_live_refuses(service: RunningService, tmp_path: Path, path: Path_) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await DRIVEN[path](user)
        assert not await user.store.journal(user.shelf).entries()
    assert {attempt.method for attempt in service.attempts} == {"GET"}


@pytest.mark.parametrize("made", [True, False], ids=["restore", "remake"])
async def test_a_locked_live_refuses_to_undo(service: RunningService, tmp_path: Path, made: bool) -> None:
    async with browser(service, tmp_path, key="live", place="lots") as user:
        await at_name(user)
        await user.press("w")
        await user.sees(r"Unlock writes on LIVE")
        await user.types("live")
        await user.press("enter")
        await user.sees(r"WRITABLE")
        if made:
            await renamed(user, "Once")
            await user.press("ctrl+s")
            await user.sees(r"Change lot-000002")
            await user.press("y")
            await user.sees(r"lot-000002 is written")
        else:
            await user.press("delete")
            await user.sees(r"Looked through")
            await user.types("lot-000002")
            await user.press("enter")
            await user.sees(r"lot-000002 is deleted")
        sent = len([attempt for attempt in service.attempts if attempt.method != "GET"])
        await user.press("w")
        await user.sees(r"LOCKED")
        await user.press("u")
        await user.sees(r"↶ ")
        await user.press("enter")
        if not made:
            await user.sees(r"The service may give it another id")
            await user.press("ctrl+s")
        await user.sees(r"LIVE is locked\. w unlocks it\.")
        assert len(await user.store.journal(user.shelf).entries()) == 1
    assert len([attempt for attempt in service.attempts if attempt.method != "GET"]) == sent == 1
