"""What `profiles/NAME.toml` may hold: the profile, and where its key and secret are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from svc_tui.config.errors import did_you_mean
from svc_tui.config.files import TrustedFile, parse_toml
from svc_tui.config.profiles.secrets import (
    CommandSource,
    FileSource,
    InlineSource,
    KeyringSource,
    SecretSource,
    VariableSource,
)
from svc_tui.config.validation import display_value, reject, validate
from svc_tui.domain.http.base_url import BaseUrl, BaseUrlError
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.headers import is_reserved, is_token
from svc_tui.domain.http.redact import mask_keys
from svc_tui.domain.http.routes import encode_segment, fill_path, target_of
from svc_tui.domain.model.catalog import BLANK, COLLECTIONS, Route, find_collection
from svc_tui.domain.model.credentials import PREFIXES, CredentialError, Environment, KeyPair
from svc_tui.domain.model.settings import CollectionSettings, Profile

_SOURCE_KINDS = ("command", "env", "file", "keyring")
_ALLOWED_SOURCES = (
    'allowed: { keyring = "service/name" }, { env = "NAME" }, { file = "path" }, { command = ["program", "…"] }'
)
_PAGING_PARAMETERS = ("page", "limit")
_DEFAULTS = Profile("")
_COLLECTION_KEYS = tuple(collection.key for collection in COLLECTIONS)
_TEST_PREFIX = next(prefix for prefix, environment in PREFIXES.items() if environment is Environment.SANDBOX)
_SOURCE_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": f"written out: for {_TEST_PREFIX} keys alone"},
        *(
            {"type": "object", "properties": {kind: shape}, "required": [kind], "additionalProperties": False}
            for kind, shape in (
                ("keyring", {"type": "string", "pattern": "^[^/]+/.+$"}),
                ("env", {"type": "string", "minLength": 1}),
                ("file", {"type": "string", "minLength": 1}),
                ("command", {"type": "array", "items": {"type": "string"}, "minItems": 1}),
            )
        ),
    ]
}


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A profile as its file has it; `signing_secret` None: requests go unsigned."""

    profile: Profile
    api_key: SecretSource
    signing_secret: SecretSource | None
    file: TrustedFile
    set_names: frozenset[str]
    """The settings that the file writes."""


def read_profile(name: str, file: TrustedFile) -> StoredProfile:
    """The profile that the file describes; raises ConfigError for the first thing in it that can't be used."""
    table = validate(ProfileTable, file.path, file.text, parse_toml(file.path, file.text))
    if isinstance(table.api_key, InlineSource) or isinstance(table.signing_secret, InlineSource):
        file.check_private()
    profile = Profile(
        name,
        base_url=table.base_url,
        sandbox_base_url=table.sandbox_base_url,
        page_size=table.page_size,
        idempotency_header=table.idempotency_header,
        idempotency=table.idempotency,
        read_only=table.read_only,
        collections={key: settings.plain() for key, settings in table.collections.items()},
        routes=tuple(route.plain() for route in table.routes),
    )
    return StoredProfile(profile, table.api_key, table.signing_secret, file, frozenset(table.model_fields_set))


def _parse_source(value: object) -> SecretSource:
    """Where a key or a secret is kept; what was found is told by its kind alone, since it may be the secret."""
    match value:
        case str():
            return InlineSource(value)
        case {"keyring": str(entry), **rest} if not rest and all(entry.partition("/")):
            service, _, user = entry.partition("/")
            return KeyringSource(service, user)
        case {"env": str(name), **rest} if not rest and name and "=" not in name and "\0" not in name:
            return VariableSource(name)
        case {"file": str(name), **rest} if not rest and name.strip() and "\0" not in name:
            return FileSource(name)
        case {"command": [str(first), *others], **rest} if (
            not rest and first and all(isinstance(w, str) for w in others)
        ):
            return CommandSource((first, *others))
        case {}:
            return reject(_table_mistake(value))
    return reject(f"is {display_value(value)}; {_ALLOWED_SOURCES}, or a text for {_TEST_PREFIX} keys")


def _table_mistake(table: Mapping[str, object]) -> str:
    named = [key for key in table if key in _SOURCE_KINDS]
    if len(named) > 1:
        return f"names {' and '.join(named)}; give one of them"
    for key in table:
        if key not in _SOURCE_KINDS:
            return f"has the unknown key {mask_keys(key)}; {_ALLOWED_SOURCES}{did_you_mean(key, _SOURCE_KINDS)}"
    return (
        f"has no use for what {named[0]} is set to; {_ALLOWED_SOURCES}"
        if named
        else f"is an empty table; {_ALLOWED_SOURCES}"
    )


def _key_source(value: object) -> SecretSource:
    source = _parse_source(value)
    if isinstance(source, InlineSource):
        try:
            pair = KeyPair(source.text)
        except CredentialError as error:
            reject(f"is written out and can't be used: {error}")
        if pair.environment is not Environment.SANDBOX:
            reject(
                f"is a live key written out, which is for {_TEST_PREFIX} keys alone; "
                "keep it in { keyring }, { file }, { env } or { command }"
            )
    return source


def _secret_source(value: object) -> SecretSource:
    source = _parse_source(value)
    if isinstance(source, InlineSource):
        try:
            KeyPair(f"{_TEST_PREFIX}x", source.text)
        except CredentialError as error:
            reject(f"is written out and can't be used: {error}")
    return source


def _base_url(text: str) -> str:
    try:
        BaseUrl.parse(text)
    except BaseUrlError as error:
        # A password could stand in it.
        reject(f"can't be used: {error}" if "@" in text else f"is {display_value(text)}; {error}")
    return text


def _header(name: str) -> str:
    if name and not is_token(name):
        reject(f'is {display_value(name)}; allowed: the name of a header, or "" for none')
    if is_reserved(name):
        reject(f"is {display_value(name)}, which the program sets itself; name another header")
    return name


def _collection(key: str) -> str:
    if key not in _COLLECTION_KEYS:
        reject(f"is no collection; {_allowed_collections(key)}")
    return key


def _reference_target(key: str) -> str:
    if key not in _COLLECTION_KEYS:
        reject(f"is {display_value(key)}; {_allowed_collections(key)}")
    return key


def _allowed_collections(key: str) -> str:
    known = find_collection(key)
    close = f'; did you mean "{known.key}"?' if known else did_you_mean(key, _COLLECTION_KEYS)
    return f"allowed: {', '.join(_COLLECTION_KEYS)}{close}"


def _segment(text: str) -> str:
    try:
        plain = encode_segment(text) == text
    except RequestRefused:
        plain = False
    if not plain:
        reject(f"is {display_value(text)}; allowed: one part of a path, as it stands in the URL")
    return text


def _parameter(name: str) -> str:
    if not name or name in _PAGING_PARAMETERS:
        reject("is the program's own to send" if name else "has no name")
    return name


def _columns(names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            reject(f"names {display_value(name)} twice; once is enough")
    return names


def _method(text: str) -> str:
    if not is_token(text) or text.upper() in ("CONNECT", "TRACE"):
        reject(f"is {display_value(text)}; allowed: GET, POST, PUT, PATCH, DELETE, or another method")
    return text.upper()


def _path(text: str) -> str:
    try:
        if "?" in text:
            reject(f"is {display_value(text)}; its parameters stand in query")
        target_of(fill_path(text, dict.fromkeys(BLANK.findall(text), "x")))
    except RequestRefused as error:
        reject(f"is {display_value(text)}; {error}")
    return text


def _without_key(text: str) -> str:
    if any(prefix in text for prefix in PREFIXES):
        reject("holds a key; take it out: the profile's own identifies every request")
    return text


def _with_distinct_paths(tables: "dict[str, CollectionTable]") -> "dict[str, CollectionTable]":
    paths: dict[str, str] = {}
    for collection in COLLECTIONS:
        table = tables.get(collection.key)
        path = collection.spelled(table.segment if table else "").path
        if path in paths:
            reject(f"has {paths[path]} and {collection.key} at the same path, {path}; spell one of them otherwise")
        paths[path] = collection.key
    return tables


FieldName = Annotated[str, Field(min_length=1, description="a field, or the path of one (assay.labId), in quotes")]
BaseUrlText = Annotated[str, AfterValidator(_base_url), Field(description="an address such as https://api.example.com")]
KeylessText = Annotated[str, AfterValidator(_without_key), Field(description="a text in quotes")]


class CollectionTable(BaseModel):
    """`[collections."domain/collection"]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    segment: Annotated[
        str, AfterValidator(_segment), Field(description="how the collection is spelled in the URL, in quotes")
    ] = ""
    query: Annotated[
        dict[Annotated[str, AfterValidator(_parameter)], KeylessText],
        Field(description='parameters always sent with its lists, such as { status = "open" }'),
    ] = {}
    columns: Annotated[
        list[FieldName], AfterValidator(_columns), Field(description='the fields shown, such as ["id", "grade"]')
    ] = []
    references: Annotated[
        dict[
            FieldName, Annotated[str, AfterValidator(_reference_target), Field(description="a collection, in quotes")]
        ],
        Field(description='fields and the collections they point at, such as { tunnelId = "operations/tunnels" }'),
    ] = {}

    def plain(self) -> CollectionSettings:
        """The same as a plain value."""
        return CollectionSettings(self.segment, dict(self.query), tuple(self.columns), dict(self.references))


class RouteTable(BaseModel):
    """`[[routes]]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Annotated[
        str, AfterValidator(_without_key), Field(min_length=1, description="what the route is called, in quotes")
    ]
    method: Annotated[str, AfterValidator(_method), Field(description='a method in quotes, such as "POST"')]
    path: Annotated[
        str,
        AfterValidator(_path),
        AfterValidator(_without_key),
        Field(min_length=1, description='a path in quotes, such as "/v1/operations/lots/{id}/split"'),
    ]
    query: Annotated[dict[str, KeylessText], Field(description='parameters, such as { tunnelId = "{tunnelId}" }')] = {}
    body: Annotated[
        str, AfterValidator(_without_key), Field(description="a body in quotes, such as '{\"parts\": {parts}}'")
    ] = ""

    def plain(self) -> Route:
        """The same as a plain value."""
        return Route(self.name, self.method, self.path, tuple(self.query.items()), self.body)


class ProfileTable(BaseModel):
    """The keys of a profile's file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, title="profile")

    api_key: Annotated[
        SecretSource,
        PlainValidator(_key_source),
        WithJsonSchema(_SOURCE_SCHEMA),
        Field(description='where the key is kept, such as { keyring = "svc-tui/sandbox" }'),
    ]
    signing_secret: Annotated[
        SecretSource | None,
        PlainValidator(_secret_source),
        WithJsonSchema(_SOURCE_SCHEMA),
        Field(description="where the signing secret is kept; without it requests go unsigned"),
    ] = None
    base_url: BaseUrlText = ""
    sandbox_base_url: BaseUrlText = ""
    page_size: Annotated[
        int, Field(ge=1, le=1000, description="a whole number from 1 to 1000: records asked for at a time")
    ] = _DEFAULTS.page_size
    idempotency_header: Annotated[
        str, AfterValidator(_header), Field(description='the name of a header in quotes, or "" for none')
    ] = _DEFAULTS.idempotency_header
    idempotency: Annotated[
        Literal["unproven", "honoured"],
        Field(description='"unproven", or "honoured": then a POST of unknown outcome is sent again'),
    ] = _DEFAULTS.idempotency
    read_only: Annotated[bool, Field(description="true or false; true refuses every write")] = False
    collections: Annotated[
        dict[
            Annotated[str, AfterValidator(_collection)],
            Annotated[CollectionTable, Field(description="a table of segment, query, columns and references")],
        ],
        AfterValidator(_with_distinct_paths),
        Field(description='tables such as [collections."operations/lots"]'),
    ] = {}
    routes: Annotated[
        list[Annotated[RouteTable, Field(description="a table of name, method, path, query and body")]],
        Field(description="a [[routes]] table for each route"),
    ] = []
