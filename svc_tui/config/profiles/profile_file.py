"""Reading a profile from its file: quickly where it is plain, with the model of what it may hold where it is not."""

from collections.abc import Mapping
from typing import Any, Literal

from svc_tui.config.errors import ValueRejected
from svc_tui.config.files import TrustedFile, parse_toml
from svc_tui.config.plain_table import NotPlain, PlainTable, dict_of, flag, list_of, not_empty, number, text
from svc_tui.config.profiles import profile_values as values
from svc_tui.config.profiles.secrets import InlineSource
from svc_tui.config.profiles.stored_profile import StoredProfile
from svc_tui.core.catalog import Route
from svc_tui.core.settings import CollectionSettings, Profile

_DEFAULTS, _SETTINGS = Profile(""), CollectionSettings()
_KEYLESS, _WORD = text(values.without_key), text(values.word)


def read_profile(name: str, file: TrustedFile) -> StoredProfile:
    """The profile that the file describes; raises ConfigError for the first thing in it that can't be used."""
    tables = parse_toml(file.path, file.text)
    try:
        stored = read_plain_profile(name, file, tables)
    except (NotPlain, ValueRejected):
        from svc_tui.config.profiles.profile_table import ProfileTable
        from svc_tui.config.validation import validate

        stored = validate(ProfileTable, file.path, file.text, tables).stored(name, file)
    if isinstance(stored.api_key, InlineSource) or isinstance(stored.signing_secret, InlineSource):
        file.check_private()
    return stored


def read_plain_profile(name: str, file: TrustedFile, tables: Mapping[str, Any]) -> StoredProfile:
    """The profile that the file's tables describe, as `ProfileTable` has it, where nothing can be wrong with them.

    Raises NotPlain or ValueRejected where the model is to judge.
    """
    table, base_url = PlainTable(tables), text(values.base_url)
    page_size = table.take("page_size", number(1, values.MAX_PAGE_SIZE), None)
    stored = StoredProfile(
        Profile(
            name,
            base_url=table.take("base_url", base_url, _DEFAULTS.base_url),
            sandbox_base_url=table.take("sandbox_base_url", base_url, _DEFAULTS.sandbox_base_url),
            page_size=page_size or _DEFAULTS.page_size,
            bulk_page_size=page_size or _DEFAULTS.bulk_page_size,
            idempotency_header=table.take("idempotency_header", text(values.header), _DEFAULTS.idempotency_header),
            idempotency=table.take("idempotency", _idempotency, _DEFAULTS.idempotency),
            read_only=table.take("read_only", flag, _DEFAULTS.read_only),
            index=table.take("index", flag, _DEFAULTS.index),
            index_hours=table.take("index_hours", number(1, values.MAX_INDEX_HOURS), _DEFAULTS.index_hours),
            index_days=table.take("index_days", number(0, values.MAX_INDEX_DAYS), _DEFAULTS.index_days),
            null_word=table.take("null_word", _WORD, _DEFAULTS.null_word),
            empty_word=table.take("empty_word", _WORD, _DEFAULTS.empty_word),
            team=table.take("team", text(values.team), _DEFAULTS.team),
            team_name=table.take("team_name", text(values.team_name), _DEFAULTS.team_name),
            team_required=table.take("team_required", flag, _DEFAULTS.team_required),
            approve=tuple(table.take("approve", list_of(text(values.approval_rule)), [])),
            collections=table.take("collections", _collections, _DEFAULTS.collections),
            routes=tuple(table.take("routes", list_of(_route), [])),
        ),
        table.need("api_key", values.key_source),
        table.take("signing_secret", values.secret_source, None),
        table.take("team_password", values.team_password_source, None),
        file,
        frozenset(tables),
    )
    table.end()
    if stored.profile.null_word == stored.profile.empty_word:
        raise NotPlain
    values.with_team(list(stored.profile.approve), stored.profile.team)
    return stored


def _idempotency(value: object) -> Literal["unproven", "honoured"]:
    match value:
        case "unproven" | "honoured":
            return value
    raise NotPlain


def _collections(value: object) -> dict[str, CollectionSettings]:
    return values.with_distinct_paths(dict_of(values.collection, _collection)(value))


def _collection(value: object) -> CollectionSettings:
    table, field = PlainTable(value), text(not_empty)
    settings = CollectionSettings(
        table.take("segment", text(values.segment), _SETTINGS.segment),
        table.take("query", dict_of(values.parameter, _KEYLESS), _SETTINGS.query),
        tuple(values.columns(table.take("columns", list_of(field), []))),
        table.take("references", dict_of(not_empty, text(values.reference_target)), _SETTINGS.references),
    )
    table.end()
    return settings


def _route(value: object) -> Route:
    table = PlainTable(value)
    route = Route(
        table.need("name", text(not_empty, values.without_key)),
        table.need("method", text(values.method)),
        table.need("path", text(not_empty, values.path, values.without_key)),
        tuple(table.take("query", dict_of(str, _KEYLESS), dict[str, str]()).items()),
        table.take("body", _KEYLESS, ""),
    )
    table.end()
    return route
