"""Destinations of the `:` line."""

from typing import TypeAlias

from msgspec import Struct

from svc_tui.console.links import LinkToOtherService
from svc_tui.core.catalog import Collection
from svc_tui.core.records import Place


class RowDestination(Struct, frozen=True):
    """A row of the collection shown, counted from 0."""

    index: int


class NamedDestination(Struct, frozen=True):
    """A saved view of a collection."""

    collection: Collection
    name: str


class OtherServiceDestination(Struct, frozen=True):
    """Another profile, at the place where it was left."""

    profile: str


class LinkDestination(Struct, frozen=True):
    """A link to the service of another profile."""

    text: str
    service: LinkToOtherService


class SearchDestination(Struct, frozen=True):
    """A text to search for in all collections."""

    text: str


class ListDestination(Struct, frozen=True):
    """Several ids, whose records are to be marked."""

    text: str


Destination: TypeAlias = (
    Place
    | RowDestination
    | NamedDestination
    | OtherServiceDestination
    | LinkDestination
    | SearchDestination
    | ListDestination
)
