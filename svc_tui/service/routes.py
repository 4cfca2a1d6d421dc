"""Builds and parses paths: the `/v1` rule, ids as single segments, and what is refused.

Source: service-interface, "Endpoints", "Versioning", and "API keys" (a key can't call `/v1/auth/*`). What leaves is
checked in every spelling that a gateway might fold into another path, and leaves exactly as it is signed.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote, unquote_to_bytes, urlencode

from svc_tui.core.catalog import (
    ATTACHMENTS,
    BLANK,
    COLLECTIONS,
    VERSION_PREFIX,
    Collection,
    Route,
    find_collection,
)
from svc_tui.core.credentials import PREFIXES
from svc_tui.core.records import Place
from svc_tui.core.values import replace
from svc_tui.service.base_url import PATH_SAFE, percent_encode
from svc_tui.service.errors import RequestRefused

NESTED = (ATTACHMENTS.path,)
"""The paths of routes that are collections under a record."""

_QUERY_SAFE = PATH_SAFE + "?"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PATH_END = re.compile(r"[;?#]")
"""Where careless servers end a segment: parameters, and a query or a fragment that was decoded too early."""
_HALF = re.compile(r"[\ud800-\udfff]")
_MAX_DECODINGS = 8


class PlaceError(ValueError):
    """Text that names no place in the service."""


def target_of(path: str, query: Sequence[tuple[str, str]] = ()) -> str:
    """The path with its query, from `/v1` on, as it is sent and signed; raises RequestRefused.

    `path` is kept as it is written, `?query` and all, but for characters that can't stand there; `/v1` is put in
    front where it is missing. `query` is added to it, percent-encoded.
    """
    written, mark, written_query = path.strip(" ").partition("?")
    _check_text(written + written_query)
    if _SCHEME.match(written) or written.startswith("//"):
        raise RequestRefused("enter only the path; requests always go to the base URL of the profile")
    if "\\" in written:
        raise RequestRefused("the path contains a backslash; write / between segments, or %5C inside a segment")
    asked_path = "/" + percent_encode(written, PATH_SAFE).removeprefix("/")
    if asked_path != VERSION_PREFIX and not asked_path.startswith(VERSION_PREFIX + "/"):
        asked_path = VERSION_PREFIX + asked_path
    _check_path(asked_path)
    asked_query = percent_encode(written_query, _QUERY_SAFE)
    if query:
        for name, value in query:
            _check_text(name + value, controls=True)
        more = urlencode(list(query), quote_via=quote, safe="")
        asked_query = f"{asked_query}{'&' if asked_query and not asked_query.endswith('&') else ''}{more}"
        mark = "?"
    return f"{asked_path}{mark}{asked_query}"


def encode_segment(text: str) -> str:
    """The text as one encoded path segment; raises RequestRefused for "", "." and "..", which name no record."""
    if text in ("", ".", ".."):
        raise RequestRefused(f"an id can't be {text!r}: it would change the path")
    _check_text(text, controls=True)
    return quote(text, safe="")


def record_path(collection: Collection, record_id: str) -> str:
    """The path of one record, its id encoded as a single segment; raises RequestRefused."""
    return f"{collection.path}/{encode_segment(record_id)}"


def is_addressable(place: Place) -> bool:
    """Whether a path can name the place: an id such as `..` or half a character can't stand in one."""
    if place.record_id is None:
        return True
    try:
        encode_segment(place.record_id)
    except RequestRefused:
        return False
    return True


def nested_collection(collection: Collection, record_id: str, name: str) -> Collection:
    """The collection that hangs under a record, such as the attachments of a lot."""
    return Collection(collection.domain, name, encode_segment(name), under=record_path(collection, record_id))


def expand_path(path: str, collections: tuple[Collection, ...]) -> str:
    """The path with the name of a collection at its beginning (`lots`, `operations/lots`) as it is spelled in URLs."""
    written, mark, query = path.partition("?")
    if written.startswith("/"):
        return path
    first, *rest = written.split("/")
    if rest and (collection := find_collection(f"{first}/{rest[0]}", collections)) is not None:
        rest = rest[1:]
    else:
        collection = find_collection(first, collections)
    return path if collection is None else "/".join((collection.path, *rest)) + mark + query


def fill_path(template: str, values: Mapping[str, str]) -> str:
    """The path with a value for every `{name}`, each one encoded segment, never read for braces again."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            raise RequestRefused(f"the path contains the placeholder {{{name}}}; replace it with a value")
        return encode_segment(values[name])

    return BLANK.sub(value, template)


def parse_place(text: str, collections: Sequence[Collection] = COLLECTIONS) -> Place:
    """The collection, record or nested collection that `text` names; raises PlaceError.

    Text that begins with `/` is a URL path, percent-decoded, with or without `/v1` (`Place.path` is one); other text
    is the name that people use (`lots`, `lots/lot-1`, `operations/lots/lot-1`), taken literally.
    """
    text = text.strip()
    if _HALF.search(text):
        raise PlaceError("the path contains an incomplete Unicode character; remove it")
    is_path = text.startswith("/")
    if "?" in text and is_path:
        raise PlaceError(f"{_shorten(text)}: a query is not possible here; use the console")
    parts = text.strip("/").split("/") if text.strip("/") else []
    if is_path:
        if parts and parts[0] == VERSION_PREFIX.strip("/"):
            parts = parts[1:]
        try:
            parts = [unquote(part, errors="strict") for part in parts]
        except UnicodeDecodeError:
            raise PlaceError(f"{_shorten(text)} is not percent-encoded UTF-8") from None
    if not parts:
        raise PlaceError("enter a collection or a record, such as lots, operations/lots or operations/lots/<id>")
    if any(part in ("", ".", "..") for part in parts):
        raise PlaceError(f"{_shorten(text)} contains an empty, . or .. part")
    known = tuple(collections)
    collection, rest = None, parts[2:]
    if len(parts) > 1:
        collection = find_collection("/".join(parts[:2]), known) or _by_segment(parts[:2], known)
    if collection is None and not is_path:
        collection, rest = find_collection(parts[0], known), parts[1:]
    if collection is None:
        raise PlaceError(
            f"{_shorten(text)} is not a collection or a record; for other routes use the console or svc-tui request"
        )
    while len(rest) > 1:
        collection, rest = nested_collection(collection, rest[0], rest[1]), rest[2:]
    return Place(collection, rest[0] if rest else None)


def place_of_url(text: str, base_url: str, collections: Sequence[Collection] = COLLECTIONS) -> Place:
    """The place of an `http(s)://` URL, without its query; raises PlaceError for one of another service."""
    text = text.strip()
    base, path = base_url.rstrip("/"), re.split("[?#]", text, maxsplit=1)[0]
    start = f"{base}{VERSION_PREFIX}/"
    if path[: len(start)].casefold() != start.casefold():
        raise PlaceError(f"{_shorten(text)} does not belong to the current service, {base}")
    return parse_place(path[len(base) :], collections)


def _by_segment(parts: Sequence[str], collections: Sequence[Collection]) -> Collection | None:
    wanted = [part.casefold() for part in parts]
    return next((c for c in collections if [c.domain.casefold(), (c.segment or c.name).casefold()] == wanted), None)


def _check_text(text: str, *, controls: bool = False) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RequestRefused("the request contains an incomplete Unicode character; remove it") from None
    if not controls and _CONTROL.search(text):
        raise RequestRefused("the path contains a control character, such as a line break; remove it")


def _check_path(path: str) -> None:
    """Refuse what a server or a gateway could read as another path than the one that is signed."""
    try:
        once = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        raise RequestRefused("the path is not percent-encoded UTF-8") from None
    if _CONTROL.search(once):
        raise RequestRefused("the path contains an encoded control character; remove it")
    if any(unquote(part).partition(";")[0] == "." for part in path.split("/")):
        raise RequestRefused("the path contains the segment '.'; remove it")
    parts = [_PATH_END.split(part)[0].strip() for part in _decode_loosely(once).split("/")]
    if ".." in parts:
        raise RequestRefused("the path contains the segment '..'; write the full path without it")
    read = [part for part in parts if part not in ("", ".")]
    while read and read[0] == VERSION_PREFIX.strip("/"):
        read = read[1:]
    if read and read[0].rstrip(". ") == "auth":
        raise RequestRefused("API keys can't call routes under /v1/auth")


def _decode_loosely(text: str) -> str:
    """The path as the most careless server would read it: decoded to the end, one kind of slash, one case."""
    for _ in range(_MAX_DECODINGS):
        further = unquote(text)
        if further == text:
            return unicodedata.normalize("NFKC", text).casefold().replace("\\", "/")
        text = further
    raise RequestRefused("the path is percent-encoded more than once; encode it only once")


def _shorten(text: str) -> str:
    if any(prefix in text for prefix in PREFIXES):
        return "text that looks like a key"
    return text if len(text) <= 60 else f"{text[:59]}…"


def nested_in(
    place: Place, routes: Iterable[Route], collections: Sequence[Collection] = COLLECTIONS
) -> Iterator[Collection]:
    """The collections that hang under the record at `place`."""
    for route in (in_spelling_of(route, collections) for route in routes if route.path in NESTED):
        above, _, name = route.path.rpartition("/{id}/")
        if place.record_id is not None and above == place.collection.path:
            yield nested_collection(place.collection, place.record_id, name)


def in_spelling_of(route: Route, collections: Iterable[Collection]) -> Route:
    """The route with its collection as the profile spells it."""
    for collection in collections:
        usual = replace(collection, segment="").path
        if route.path.startswith(f"{usual}/"):
            return replace(route, path=f"{collection.path}{route.path.removeprefix(usual)}")
    return route
