"""The index of the profile in use, for commands that only look into it: no request is sent, and no client is made."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from svc_tui.bootstrap.index.open_index import index_file, index_rules
from svc_tui.bootstrap.key_in_use import located_key
from svc_tui.bootstrap.start import CommandFailure, Options, translate_errors
from svc_tui.core.catalog import Collection
from svc_tui.core.settings import Profile
from svc_tui.service.routes import parse_place
from svc_tui.storage.record_index.index_values import IndexProblem

if TYPE_CHECKING:
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.storage.record_index.index_file import IndexFile
    from svc_tui.storage.record_index.index_reader import IndexReader


@dataclass(frozen=True, slots=True)
class LocatedIndex:
    """Where the index of a profile lies, whether or not there is one."""

    profile: Profile
    file: "IndexFile"
    preferences: "FilePreferences"

    @property
    def kept_by(self) -> str:
        """What says that the browser keeps one, for people; "" where nothing does."""
        if self.profile.index:
            return "index = true in the profile"
        return "chosen in full-screen mode" if self.profile.name in self.preferences.memory.indexed else ""

    def collections(self, places: Sequence[str]) -> tuple[Collection, ...]:
        """Those that are named, each once, all where none is; raises PlaceError, CommandFailure for what is none."""
        if not places:
            return self.profile.catalog
        return tuple(dict.fromkeys(map(self._collection, places)))

    def _collection(self, text: str) -> Collection:
        place = parse_place(text, self.profile.catalog)
        if place.record_id is not None or place.collection not in self.profile.catalog:
            raise CommandFailure(f"{text} is not a collection in the index; use one such as operations/lots")
        return place.collection


def locate_index(options: Options, variables: Mapping[str, str]) -> LocatedIndex:
    """The index of the profile in use; raises ConfigError and its like, see `translate_errors`."""
    from svc_tui.config.paths import find_locations
    from svc_tui.config.preferences.preferences import FilePreferences
    from svc_tui.config.profiles.active_profile import resolve_scope

    locations = find_locations(variables, options.config)
    scoped = resolve_scope(locations, variables, options.profile)
    preferences = FilePreferences(locations)
    rules = index_rules(scoped.profile, preferences.preferences.mask_fields)
    file = index_file(locations.indexes_directory, scoped.scope, rules, located_key(locations, scoped))
    return LocatedIndex(scoped.profile, file, preferences)


@asynccontextmanager
async def open_reader(located: LocatedIndex) -> AsyncIterator["IndexReader"]:
    """The index, to look into; raises IndexProblem, NoIndex where there is none."""
    from svc_tui.storage.record_index.index_reader import IndexReader

    reader = IndexReader(located.file)
    try:
        yield reader
    finally:
        await reader.aclose()


@contextmanager
def index_command() -> Iterator[None]:
    """Turn every expected error, those of the index too, into the line and the status that the program ends with."""
    with translate_errors():
        try:
            yield
        except IndexProblem as error:
            raise CommandFailure(str(error)) from None
