"""What the values of a profile's file may be, and what is said of one that can't be used.

Loaded with every start that uses a profile: what only some settings are checked by is imported where they are.
"""

from collections.abc import Mapping
from typing import Protocol, TypeVar

from svc_tui.config.errors import did_you_mean, display_value, reject
from svc_tui.config.profiles.secrets import (
    CommandSource,
    FileSource,
    InlineSource,
    KeyringSource,
    SecretSource,
    VariableSource,
)
from svc_tui.core.catalog import BLANK, COLLECTIONS, find_collection
from svc_tui.core.credentials import PREFIXES, CredentialError, Environment, KeyPair
from svc_tui.service.base_url import BaseUrl, BaseUrlError

TEST_PREFIX = next(prefix for prefix, environment in PREFIXES.items() if environment is Environment.SANDBOX)
"""What a key begins with that may be written out."""

MAX_PAGE_SIZE = 1000

MAX_INDEX_HOURS, MAX_INDEX_DAYS = 8_760, 3_650

MAX_TEAM_NAME = 60
"""How many characters a name has room for in a colleague's table."""

_SOURCE_KINDS = ("command", "env", "file", "keyring")
_ALLOWED_SOURCES = (
    'allowed: { keyring = "service/name" }, { env = "NAME" }, { file = "path" }, { command = ["program", "…"] }'
)
_PAGING_PARAMETERS = ("page", "limit")
_COLLECTION_KEYS = tuple(collection.key for collection in COLLECTIONS)


class _Spelled(Protocol):
    """The settings of a collection, as far as its path goes."""

    @property
    def segment(self) -> str: ...


Collections = TypeVar("Collections", bound=Mapping[str, _Spelled])


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
    return reject(
        f"is {display_value(value)}; {_ALLOWED_SOURCES}, or the API key in quotes if it begins with {TEST_PREFIX}"
    )


def _table_mistake(table: Mapping[str, object]) -> str:
    named = [key for key in table if key in _SOURCE_KINDS]
    if len(named) > 1:
        return f"has {' and '.join(named)}; use only one"
    for key in table:
        if key not in _SOURCE_KINDS:
            from svc_tui.service.redact import mask_keys

            return f"has the unknown setting {mask_keys(key)}; {_ALLOWED_SOURCES}{did_you_mean(key, _SOURCE_KINDS)}"
    return (
        f"has a value for {named[0]} that is not valid; {_ALLOWED_SOURCES}"
        if named
        else f"is an empty table; {_ALLOWED_SOURCES}"
    )


def key_source(value: object) -> SecretSource:
    """Where the key is kept; written out, it is a test key."""
    source = _parse_source(value)
    if isinstance(source, InlineSource):
        try:
            pair = KeyPair(source.text)
        except CredentialError as error:
            reject(f"is in plain text and not valid: {error}")
        if pair.environment is not Environment.SANDBOX:
            reject(
                f"is a live key in plain text, which is only allowed for {TEST_PREFIX} keys; "
                "store it in a keyring, file, variable (env) or command"
            )
    return source


def secret_source(value: object) -> SecretSource:
    """Where the signing secret is kept."""
    source = _parse_source(value)
    if isinstance(source, InlineSource):
        try:
            KeyPair(f"{TEST_PREFIX}x", source.text)
        except CredentialError as error:
            reject(f"is in plain text and not valid: {error}")
    return source


def team_password_source(value: object) -> SecretSource:
    """Where the team's password is kept; written out, it would be in as many files as the team has members."""
    if not isinstance(value, dict):
        # Not repeated: a number can be the password as well.
        reject(f"can't be in plain text, because others can read the profile; {_ALLOWED_SOURCES}")
    return _parse_source(value)


def team(text: str) -> str:
    """Where a team's journal can be, or "" for nowhere."""
    from svc_tui.storage.team.team_url import TeamUrl, TeamUrlError

    try:
        if text:
            TeamUrl.parse(text)
    except TeamUrlError as error:
        # A password could stand in it.
        reject(f"is not valid: {error}")
    return text


def team_name(text: str) -> str:
    """What colleagues read of a user, or "" for the name of the system's."""
    if text != text.strip() or not text.isprintable() or len(text) > MAX_TEAM_NAME:
        reject(
            f"is {display_value(text)}; allowed: one line of up to {MAX_TEAM_NAME} characters, without spaces around it"
        )
    return text


def approval_rule(text: str) -> str:
    """A kind of change that wants a second person."""
    from svc_tui.team.approval_rules import ApprovalRuleError, ApprovalRules

    try:
        ApprovalRules.parse([text])
    except ApprovalRuleError as error:
        reject(f"is {display_value(text)}; {error}")
    return text


def with_team(rules: list[str], team: str) -> list[str]:
    """Rules that are there only where a team is."""
    if rules and not team:
        reject("needs a team; set team to the URL of the team's database")
    return rules


def base_url(text: str) -> str:
    """An address that the service can be at."""
    try:
        BaseUrl.parse(text)
    except BaseUrlError as error:
        # A password could stand in it.
        reject(f"is not valid: {error}" if "@" in text else f"is {display_value(text)}; {error}")
    return text


def header(name: str) -> str:
    """The name of a header that the program does not set itself, or "" for none."""
    from svc_tui.service.headers import is_reserved, is_token

    if name and not is_token(name):
        reject(f'is {display_value(name)}; allowed: the name of a header, or "" for none')
    if is_reserved(name):
        reject(f"is {display_value(name)}, which svc-tui sets itself; use another header")
    return name


def collection(key: str) -> str:
    """The key of a collection, as the name of a table."""
    if key not in _COLLECTION_KEYS:
        reject(f"is not a collection; {_allowed_collections(key)}")
    return key


def reference_target(key: str) -> str:
    """The key of a collection that references point at."""
    if key not in _COLLECTION_KEYS:
        reject(f"is {display_value(key)}; {_allowed_collections(key)}")
    return key


def _allowed_collections(key: str) -> str:
    known = find_collection(key)
    close = f'; did you mean "{known.key}"?' if known else did_you_mean(key, _COLLECTION_KEYS)
    return f"allowed: {', '.join(_COLLECTION_KEYS)}{close}"


def segment(text: str) -> str:
    """One part of a path, as it stands in a URL."""
    from svc_tui.service.errors import RequestRefused
    from svc_tui.service.routes import encode_segment

    try:
        plain = encode_segment(text) == text
    except RequestRefused:
        plain = False
    if not plain:
        reject(f"is {display_value(text)}; allowed: one path segment, percent-encoded as in the URL")
    return text


def parameter(name: str) -> str:
    """The name of a parameter that the program does not send itself."""
    if not name or name in _PAGING_PARAMETERS:
        reject("is set by svc-tui itself; remove it" if name else "has no name")
    return name


def columns(names: list[str]) -> list[str]:
    """Names of which none stands there twice."""
    for name in names:
        if names.count(name) > 1:
            reject(f"has {display_value(name)} twice; remove one")
    return names


def method(text: str) -> str:
    """A method that can be sent, in capitals."""
    from svc_tui.service.headers import is_token

    if not is_token(text) or text.upper() in ("CONNECT", "TRACE"):
        reject(f"is {display_value(text)}; allowed: an HTTP method such as GET, POST or PATCH")
    return text.upper()


def path(text: str) -> str:
    """A path that requests may go to, whatever its blanks are filled with."""
    from svc_tui.service.errors import RequestRefused
    from svc_tui.service.routes import fill_path, target_of

    try:
        if "?" in text:
            reject(f"is {display_value(text)}; put its parameters into query")
        target_of(fill_path(text, dict.fromkeys(BLANK.findall(text), "x")))
    except RequestRefused as error:
        reject(f"is {display_value(text)}; {error}")
    return text


def without_key(text: str) -> str:
    """A text that holds no key."""
    if any(prefix in text for prefix in PREFIXES):
        reject("contains an API key; remove it: requests use the key of the profile")
    return text


def word(text: str) -> str:
    """What a person can write into a cell, and a program leaves as it is there."""
    if not text.strip() or text != text.strip() or not text.isprintable():
        reject(f"is {display_value(text)}; allowed: a word on one line, without spaces around it")
    return text


def other_word(word: str, other: str) -> str:
    """A word that differs from the other one."""
    if word == other:
        reject(f"is {display_value(word)}, the same as null_word; use another word")
    return word


def with_distinct_paths(tables: Collections) -> Collections:
    """Tables by the keys of collections, no two of which are spelled alike."""
    paths: dict[str, str] = {}
    for collection in COLLECTIONS:
        table = tables.get(collection.key)
        path = collection.spelled(table.segment if table else "").path
        if path in paths:
            reject(f"has {paths[path]} and {collection.key} at the same path, {path}; change the path segment of one")
        paths[path] = collection.key
    return tables
