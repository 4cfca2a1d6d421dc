"""Builds and parses paths: base URLs, the `/v1` rule, ids as single segments, and what is refused.

Source: service-interface, "Endpoints", "Versioning", and "API keys" (a key can't call `/v1/auth/*`). What leaves is
checked in every spelling that a gateway might fold into another path, and leaves exactly as it is signed.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, unquote_to_bytes, urlencode, urlsplit

from svc_tui.domain.catalog import BLANK, COLLECTIONS, VERSION_PREFIX, Collection, find_collection
from svc_tui.domain.credentials import PREFIXES, Environment
from svc_tui.domain.errors import RequestRefused
from svc_tui.domain.records import Place
from svc_tui.domain.settings import Profile

_PATH_SAFE = "/!$&'()*+,;=:@-._~%"
_QUERY_SAFE = _PATH_SAFE + "?"
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9.])?")
_ADDRESS_LIKE = re.compile(r".*:.*|(?:.*\.)?[0-9]+\.?")
"""What every reader takes for an address: with a colon in it, or with a last part of digits alone."""
_PORT = re.compile(r":[0-9]*$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_CUT = re.compile(r"[;?#]")
"""Where careless servers end a segment: parameters, and a query or a fragment that was decoded too early."""
_HALF = re.compile(r"[\ud800-\udfff]")
_MOST_DECODINGS = 8


class BaseUrlError(ValueError):
    """A base URL that is missing or can't be used; the message names the setting and quotes no password."""


class PlaceError(ValueError):
    """Text that names no place in the service."""


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """Where the service is; `prefix` is a gateway's path before `/v1`, "" where there is none, and is not signed."""

    scheme: str
    host: str
    port: int | None = None
    prefix: str = ""

    @classmethod
    def parse(cls, text: str) -> "BaseUrl":
        """The base URL that `text` writes; a trailing slash and a trailing `/v1` are dropped; raises BaseUrlError."""
        text = text.strip()
        if not text:
            raise BaseUrlError("the base URL is empty")
        if "\\" in text or not all("!" <= character <= "~" for character in text):
            raise BaseUrlError("the base URL has a space, a backslash or a character outside ASCII in it")
        try:
            parts = urlsplit(text)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise BaseUrlError("the base URL can't be understood; it looks like https://api.example.com") from None
        if "@" in parts.netloc:
            raise BaseUrlError("the base URL holds a user name or a password; the key alone identifies, leave them out")
        if parts.scheme not in ("https", "http") or not host:
            raise BaseUrlError("the base URL must begin with https:// and name a host")
        if "?" in text or "#" in text:
            raise BaseUrlError("the base URL holds a query or a fragment; leave out everything from ? or # on")
        alone = _PORT.sub("", parts.netloc.lower())
        if not is_host(host) or alone != (f"[{host}]" if ":" in host else host) or port == 0:
            raise BaseUrlError("the base URL names no host or port that can be reached")
        if parts.scheme == "http" and not is_loopback(host):
            raise BaseUrlError(f"plain http to {host} would show the key to everybody on the way; use https")
        return cls(parts.scheme, host, None if port == _DEFAULT_PORTS[parts.scheme] else port, _prefix(parts.path))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.prefix}"

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether requests stay on this machine."""
        return is_loopback(self.host)


_DEFAULT_PORTS = {"https": 443, "http": 80}


def base_url_of(profile: Profile, environment: Environment) -> BaseUrl:
    """The profile's base URL for keys of the environment; raises BaseUrlError naming what to set."""
    live = environment is Environment.LIVE
    setting, variable = ("base_url", "SVC_BASE_URL") if live else ("sandbox_base_url", "SVC_SANDBOX_BASE_URL")
    text, other = profile.base_url, profile.sandbox_base_url
    if not live:
        text, other = other, text
    if not text.strip():
        prefix = "svc_live_" if live else "svc_test_"
        raise BaseUrlError(
            f"no base URL for {prefix} keys: set {variable}, or {setting} in the profile {profile.name or 'in use'}"
        )
    try:
        base = BaseUrl.parse(text)
    except BaseUrlError as error:
        raise BaseUrlError(f"{error} ({variable}, or {setting} in the profile {profile.name or 'in use'})") from None
    if not base.loopback and _leads_to(base, other):
        raise BaseUrlError(
            f"live and test keys would both go to {base}: unset the one of SVC_BASE_URL and SVC_SANDBOX_BASE_URL "
            f"(base_url and sandbox_base_url in the profile {profile.name or 'in use'}) that is not meant"
        )
    return base


def is_host(text: str) -> bool:
    """Whether the text can name a host: a name in ASCII, or an address without a zone."""
    if _ADDRESS_LIKE.fullmatch(text):
        return _address(text) is not None
    labels = text.removesuffix(".").split(".")
    return bool(_HOST.fullmatch(text)) and len(text) <= 253 and all(0 < len(label) < 64 for label in labels)


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, by its name or its address."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    address = _address(host)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address is not None and (mapped or address).is_loopback


def target_of(path: str, query: Sequence[tuple[str, str]] = ()) -> str:
    """The path with its query, from `/v1` on, as it is sent and signed; raises RequestRefused.

    `path` is kept as it is written, `?query` and all, but for characters that can't stand there; `/v1` is put in
    front where it is missing. `query` is added to it, percent-encoded.
    """
    written, mark, written_query = path.strip(" ").partition("?")
    _check_text(written + written_query)
    if _SCHEME.match(written) or written.startswith("//"):
        raise RequestRefused("give the path alone: requests go to the profile's base URL and nowhere else")
    if "\\" in written:
        raise RequestRefused("the path has a backslash in it; write / between segments, %5C inside one")
    encoded = "/" + _encoded(written, _PATH_SAFE).removeprefix("/")
    if encoded != VERSION_PREFIX and not encoded.startswith(VERSION_PREFIX + "/"):
        encoded = VERSION_PREFIX + encoded
    _check_path(encoded)
    asked = _encoded(written_query, _QUERY_SAFE)
    if query:
        for name, value in query:
            _check_text(name + value, controls=True)
        more = urlencode(list(query), quote_via=quote, safe="")
        asked = f"{asked}{'&' if asked and not asked.endswith('&') else ''}{more}"
        mark = "?"
    return f"{encoded}{mark}{asked}"


def segment(text: str) -> str:
    """The text as one encoded path segment; raises RequestRefused for "", "." and "..", which name no record."""
    if text in ("", ".", ".."):
        raise RequestRefused(f"an id can't be {text!r}: it would address something else")
    _check_text(text, controls=True)
    return quote(text, safe="")


def record_path(collection: Collection, record_id: str) -> str:
    """The path of one record, its id encoded as a single segment; raises RequestRefused."""
    return f"{collection.path}/{segment(record_id)}"


def addressable(place: Place) -> bool:
    """Whether a path can name the place: an id such as `..` or half a character can't stand in one."""
    if place.record_id is None:
        return True
    try:
        segment(place.record_id)
    except RequestRefused:
        return False
    return True


def nested(collection: Collection, record_id: str, name: str) -> Collection:
    """The collection that hangs under a record, such as the attachments of a lot."""
    return Collection(collection.domain, name, segment(name), under=record_path(collection, record_id))


def fill(template: str, values: Mapping[str, str]) -> str:
    """The path with a value for every `{name}`, each one encoded segment, never read for braces again."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            raise RequestRefused(f"the path asks for a value of {{{name}}}")
        return segment(values[name])

    return BLANK.sub(value, template)


def parse_place(text: str, collections: Sequence[Collection] = COLLECTIONS) -> Place:
    """The collection, record or nested collection that `text` names; raises PlaceError.

    Text that begins with `/` is a URL path, percent-decoded, with or without `/v1` (`Place.path` is one); other text
    is the name that people use (`lots`, `lots/lot-1`, `operations/lots/lot-1`), taken literally.
    """
    text = text.strip()
    if _HALF.search(text):
        raise PlaceError("the place has half a character in it (a lone surrogate), which nothing is called by")
    is_path = text.startswith("/")
    if "?" in text and is_path:
        raise PlaceError(f"{_short(text)}: a place has no query; send it from the console instead")
    parts = text.strip("/").split("/") if text.strip("/") else []
    if is_path:
        if parts and parts[0] == VERSION_PREFIX.strip("/"):
            parts = parts[1:]
        try:
            parts = [unquote(part, errors="strict") for part in parts]
        except UnicodeDecodeError:
            raise PlaceError(f"{_short(text)} is not percent-encoded UTF-8") from None
    if not parts:
        raise PlaceError("no place given; try lots, operations/lots or operations/lots/<id>")
    if any(part in ("", ".", "..") for part in parts):
        raise PlaceError(f"{_short(text)} has an empty or dotted part in it")
    known = tuple(collections)
    collection, rest = None, parts[2:]
    if len(parts) > 1:
        collection = find_collection("/".join(parts[:2]), known) or _by_segment(parts[:2], known)
    if collection is None and not is_path:
        collection, rest = find_collection(parts[0], known), parts[1:]
    if collection is None:
        raise PlaceError(f"{_short(text)} names no collection and no record; for other routes use the console")
    while len(rest) > 1:
        collection, rest = nested(collection, rest[0], rest[1]), rest[2:]
    return Place(collection, rest[0] if rest else None)


def place_of_url(text: str, base_url: str, collections: Sequence[Collection] = COLLECTIONS) -> Place:
    """The place that an `http(s)://` URL is of, whatever its query; raises PlaceError for one of another service."""
    text = text.strip()
    base, asked = base_url.rstrip("/"), re.split("[?#]", text, maxsplit=1)[0]
    start = f"{base}{VERSION_PREFIX}/"
    if asked[: len(start)].casefold() != start.casefold():
        raise PlaceError(f"{_short(text)} is not of the service in use, {base}")
    return parse_place(asked[len(base) :], collections)


def _by_segment(parts: Sequence[str], collections: Sequence[Collection]) -> Collection | None:
    wanted = [part.casefold() for part in parts]
    return next((c for c in collections if [c.domain.casefold(), (c.segment or c.name).casefold()] == wanted), None)


def _leads_to(base: BaseUrl, text: str) -> bool:
    """Whether the other setting, as far as it can be understood, is the same place."""
    try:
        other = BaseUrl.parse(text)
    except BaseUrlError:
        return False
    return replace(other, host=other.host.removesuffix(".")) == replace(base, host=base.host.removesuffix("."))


def _prefix(path: str) -> str:
    path = path.rstrip("/").removesuffix(VERSION_PREFIX).rstrip("/")
    if path.endswith(VERSION_PREFIX):
        raise BaseUrlError(f"the base URL ends in {VERSION_PREFIX} twice; write it once, or leave it out")
    if any(unquote(part) in ("", ".", "..") for part in path.split("/")[1:]) or _encoded(path, _PATH_SAFE) != path:
        raise BaseUrlError("the path of the base URL has an empty or dotted part or an illegal character in it")
    return path


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        # A zone (`fe80::1%eth0`) names an interface of one machine, and no URL carries it unchanged.
        return None if "%" in host else ipaddress.ip_address(host)
    except ValueError:
        return None


def _encoded(text: str, safe: str) -> str:
    return quote(_BARE_PERCENT.sub("%25", text), safe=safe)


def _check_text(text: str, *, controls: bool = False) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RequestRefused("the request has half a character in it (a lone surrogate) that can't be sent") from None
    if not controls and _CONTROL.search(text):
        raise RequestRefused("the path has a control character in it, such as a line break; take it out")


def _check_path(path: str) -> None:
    """Refuse what a server or a gateway could read as another path than the one that is signed."""
    try:
        once = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        raise RequestRefused("the path is not percent-encoded UTF-8") from None
    if _CONTROL.search(once):
        raise RequestRefused("the path has an encoded control character in it; take it out")
    if any(unquote(part).partition(";")[0] == "." for part in path.split("/")):
        raise RequestRefused("the path has a segment '.' in it, which would be folded away; leave it out")
    parts = [_CUT.split(part)[0].strip() for part in _read_loosely(once).split("/")]
    if ".." in parts:
        raise RequestRefused("the path climbs out with a segment '..'; write the path that you mean")
    read = [part for part in parts if part not in ("", ".")]
    while read and read[0] == VERSION_PREFIX.strip("/"):
        read = read[1:]
    if read and read[0].rstrip(". ") == "auth":
        raise RequestRefused("/v1/auth/* is reserved for interactive sessions: an API key can't call it")


def _read_loosely(text: str) -> str:
    """The path as the most careless server would read it: decoded to the end, one kind of slash, one case."""
    for _ in range(_MOST_DECODINGS):
        further = unquote(text)
        if further == text:
            return unicodedata.normalize("NFKC", text).casefold().replace("\\", "/")
        text = further
    raise RequestRefused("the path is percent-encoded over and over; write it plainly")


def _short(text: str) -> str:
    if any(prefix in text for prefix in PREFIXES):
        return "what looks like a key"
    return text if len(text) <= 60 else f"{text[:59]}…"
