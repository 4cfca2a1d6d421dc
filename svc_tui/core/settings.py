"""What the user sets up, as plain values: the profile in use, preferences, palettes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import msgspec

from svc_tui.core.catalog import DOMAINS, Collection, Domain, Route
from svc_tui.core.values import replace

DoneNotice = Literal["off", "bell", "desktop"]
"""How the user wants to hear that long work has ended."""


class CollectionSettings(msgspec.Struct, frozen=True):
    """How one collection is reached and shown."""

    segment: str = ""
    """How it is spelled in the URL, where that differs from its name."""
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Always sent with its lists."""
    columns: tuple[str, ...] = ()
    """The fields shown, in order; empty: chosen from what the records hold."""
    references: Mapping[str, str] = msgspec.field(default_factory=dict)
    """A field, or the path of one (`assay.labId`), to the key of the collection that its ids are of."""


@dataclass(frozen=True)
class Profile:
    """One way to reach the service; holds no key and no secret."""

    name: str
    """What the user calls it."""
    base_url: str = ""
    """Where `svc_live_` keys work."""
    sandbox_base_url: str = ""
    """Where `svc_test_` keys work."""
    page_size: int = 50
    """Records asked for at a time (`limit`)."""
    idempotency_header: str = "Idempotency-Key"
    """The header that carries a write's idempotency key; "" switches it off."""
    idempotency: Literal["unproven", "honoured"] = "unproven"
    """Whether the service is known to honour that header: then a POST with an unknown outcome is sent again."""
    read_only: bool = False
    """Writes are refused for good."""
    key_from: str = ""
    """Where the key comes from if it can't be replaced here, such as `SVC_API_KEY`; "" where it can."""
    index: bool = False
    """Whether an index of all records is kept on this machine."""
    index_hours: int = 24
    """How many hours after a collection was indexed it is read again."""
    index_days: int = 30
    """After how many days without that the index is forgotten; 0: never."""
    null_word: str = "(null)"
    """What stands in a cell of a file of corrections for null."""
    empty_word: str = "(empty)"
    """The word for the empty text; never the same as `null_word`."""
    team: str = ""
    """Where the journal is that the team shares (`TeamUrl`), without a password; "": nowhere."""
    team_name: str = ""
    """What colleagues read beside what this user did; "": the name of the system's user."""
    team_required: bool = False
    """Whether LIVE is read-only for as long as the team server can't be reached."""
    approve: tuple[str, ...] = ()
    """Which changes on LIVE want a second person, as `ApprovalRules` reads them; never without a team."""
    collections: Mapping[str, CollectionSettings] = field(default_factory=dict)
    """By key: `operations/lots`."""
    routes: tuple[Route, ...] = ()
    """Routes of the user's own."""
    bulk_page_size: int = field(default=200, compare=False)
    """Records asked for at a time where a whole collection is read. It follows from `page_size`: equal to it where the
    user set that."""

    def domains(self) -> tuple[Domain, ...]:
        """The service's domains, their collections spelled as this profile says."""
        return tuple(replace(d, collections=tuple(map(self.spelled, d.collections))) for d in DOMAINS)

    @cached_property
    def catalog(self) -> tuple[Collection, ...]:
        """Every collection of the service, spelled as this profile says."""
        return tuple(collection for domain in self.domains() for collection in domain.collections)

    @property
    def first(self) -> Collection:
        """What opens where nothing else is asked for."""
        return self.catalog[0]

    def spelled(self, collection: Collection) -> Collection:
        """The collection with this profile's spelling in the URL."""
        settings = self.collections.get(collection.key)
        return collection.spelled(settings.segment) if settings and settings.segment else collection

    def query(self, collection: Collection) -> tuple[tuple[str, str], ...]:
        """The parameters always sent with the collection's lists."""
        settings = self.collections.get(collection.key)
        return tuple(settings.query.items()) if settings else ()

    def references(self, collection: Collection) -> Mapping[str, str]:
        """Where fields of the collection's records point, as the user says: field or path to a collection's key."""
        settings = self.collections.get(collection.key)
        return settings.references if settings else {}


class Preferences(msgspec.Struct, frozen=True):
    """How the user likes the program."""

    theme: str = "svc-dark"
    """The name of a palette."""
    keys: Mapping[str, str] = msgspec.field(default_factory=dict)
    """A binding's id to the keys wanted for it, separated by commas."""
    live_unlock_minutes: int = 10
    """How long `w` unlocks LIVE."""
    mask_fields: tuple[str, ...] = ()
    """Fields, or paths of fields, that the mask over personal data hides besides those it knows."""
    history_limit: int = 1_000
    """How many requests the history keeps for a profile; 0: none."""
    history_bodies: bool = False
    """Whether the history keeps the bodies of answers too."""
    mouse: bool = True
    """Whether the program takes the mouse; without it the terminal selects text as everywhere."""
    done_notice: DoneNotice = "off"
    """How the terminal tells a user who looks elsewhere that long work has ended."""
    hints: bool = True
    """Has no effect: there are no tips any more."""
    reader: bool = False
    """Whether the program talks in lines, for a screen reader or a plain terminal, in place of a screen."""


class Palette(msgspec.Struct, frozen=True):
    """A theme: colours by role, each `#rrggbb`."""

    name: str
    title: str
    dark: bool
    background: str
    surface: str
    panel: str
    foreground: str
    muted: str
    accent: str
    ok: str
    warning: str
    danger: str
    live: str
    sandbox: str
    changed: str
    marked: str
    reference: str
    number: str
    text: str
    time: str

    def roles(self) -> Mapping[str, str]:
        """Role to colour, for every field that is a colour."""
        return {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("name", "title", "dark")}
