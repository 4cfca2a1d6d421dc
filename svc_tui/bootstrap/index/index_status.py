"""What there is of the index, for people and scripts; and its removal. Nothing is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.bootstrap.index.located_index import LocatedIndex, index_command, locate_index, open_reader
from svc_tui.bootstrap.key_in_use import connected_key
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.platform.event_loops import run_on_loop
from svc_tui.storage.record_index.index_values import IndexProblem, IndexStatus, NoIndex

if TYPE_CHECKING:
    from svc_tui.config.paths import Locations
    from svc_tui.config.profiles.connection import Connection
    from svc_tui.core.settings import Preferences


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The index of a profile: the file, what it holds, and who keeps it up to date.

    `status` None: there is none, or it can't be used, and `problem` says why. `kept_by` is what has the browser keep
    one, "" where nothing does; `claimed` tells whether a program does so at the moment.
    """

    path: Path
    exists: bool
    status: IndexStatus | None
    problem: str
    kept_by: str
    claimed: bool
    keys: Sequence[str]
    """The collections that there are."""


def index_report(options: Options, variables: Mapping[str, str]) -> IndexReport:
    """What there is of the index of the profile in use; raises CommandFailure."""
    with index_command():
        located = locate_index(options, variables)
        return run_on_loop(_report(located))


async def _report(located: LocatedIndex) -> IndexReport:
    status, problem = None, ""
    try:
        async with open_reader(located) as reader:
            status = await reader.status()
    except NoIndex:
        pass
    except IndexProblem as error:
        problem = str(error)
    return IndexReport(
        located.file.path,
        located.file.path.exists(),
        status,
        problem,
        located.kept_by,
        located.file.is_claimed(),
        tuple(collection.key for collection in located.profile.catalog),
    )


def index_of(
    connection: "Connection", locations: "Locations", preferences: "Preferences"
) -> IndexStatus | IndexProblem:
    """What the index of a connection holds, or why that can't be told, NoIndex where there is none."""
    from svc_tui.bootstrap.index.open_index import index_file, index_rules
    from svc_tui.storage.errors import StoreError
    from svc_tui.storage.record_index.index_reader import IndexReader

    rules = index_rules(connection.profile, preferences.mask_fields)
    try:
        key = connected_key(locations, connection)
    except StoreError as error:
        return IndexProblem(str(error))
    file = index_file(locations.indexes_directory, connection.scope, rules, key)

    async def look() -> IndexStatus:
        reader = IndexReader(file)
        try:
            return await reader.status()
        finally:
            await reader.aclose()

    try:
        return run_on_loop(look())
    except IndexProblem as error:
        return error


class IndexRemoval:
    """The removal of the index of the profile in use; making it, and each call, may raise CommandFailure."""

    def __init__(self, options: Options, variables: Mapping[str, str]) -> None:
        with index_command():
            self._located = locate_index(options, variables)

    def files(self) -> Sequence[tuple[str, int]]:
        """The names of the files that go, and how many bytes each takes; raises CommandFailure while one is kept up."""
        if self._located.file.is_any_claimed():
            raise CommandFailure(
                "another svc-tui process is updating the index; wait until it ends, or stop that process"
            )
        return [(path.name, path.stat().st_size) for path in self._located.file.files()]

    @property
    def directory(self) -> Path:
        """Where they lie."""
        return self._located.file.path.parent

    def carry_out(self) -> bool:
        """Remove them, and forget that one was wanted; gives whether the profile has the browser begin another."""
        with index_command():
            self._located.file.remove()
            name, preferences = self._located.profile.name, self._located.preferences
            if name in preferences.memory.indexed:
                try:
                    preferences.remember_index(name, kept=False)
                except OSError as error:
                    raise CommandFailure(
                        f"deleted the index, but full-screen mode may create it again: {error.strerror}"
                    ) from None
        return self._located.profile.index
