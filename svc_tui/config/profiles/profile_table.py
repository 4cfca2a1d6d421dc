"""What `profiles/NAME.toml` may hold, checked with pydantic and told in plain words."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, ValidationInfo, WithJsonSchema

from svc_tui.config.files import TrustedFile
from svc_tui.config.profiles import profile_values as values
from svc_tui.config.profiles.secrets import SecretSource
from svc_tui.config.profiles.stored_profile import StoredProfile
from svc_tui.core.catalog import Route
from svc_tui.core.settings import CollectionSettings, Profile
from svc_tui.team.approval_rules import ALLOWED as RULE_FORMS

_DEFAULTS = Profile("")
_PLACES_SCHEMA: list[dict[str, Any]] = [
    {"type": "object", "properties": {kind: shape}, "required": [kind], "additionalProperties": False}
    for kind, shape in (
        ("keyring", {"type": "string", "pattern": "^[^/]+/.+$"}),
        ("env", {"type": "string", "minLength": 1}),
        ("file", {"type": "string", "minLength": 1}),
        ("command", {"type": "array", "items": {"type": "string"}, "minItems": 1}),
    )
]
_SOURCE_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": f"in plain text: only for {values.TEST_PREFIX} keys"},
        *_PLACES_SCHEMA,
    ]
}


FieldName = Annotated[str, Field(min_length=1, description="a field, or a path such as assay.labId, in quotes")]
BaseUrlText = Annotated[
    str, AfterValidator(values.base_url), Field(description="a URL such as https://api.example.com")
]
KeylessText = Annotated[str, AfterValidator(values.without_key), Field(description="text in quotes")]


class CollectionTable(BaseModel):
    """`[collections."domain/collection"]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    segment: Annotated[
        str,
        AfterValidator(values.segment),
        Field(description="how the collection is spelled in the URL, in quotes"),
    ] = ""
    query: Annotated[
        dict[Annotated[str, AfterValidator(values.parameter)], KeylessText],
        Field(description='parameters always sent with its lists, such as { status = "open" }'),
    ] = {}
    columns: Annotated[
        list[FieldName],
        AfterValidator(values.columns),
        Field(description='the fields shown, such as ["id", "grade"]'),
    ] = []
    references: Annotated[
        dict[
            FieldName,
            Annotated[str, AfterValidator(values.reference_target), Field(description="a collection, in quotes")],
        ],
        Field(
            description='fields and the collections that they reference, such as { tunnelId = "operations/tunnels" }'
        ),
    ] = {}

    def plain(self) -> CollectionSettings:
        """The same as a plain value."""
        return CollectionSettings(self.segment, dict(self.query), tuple(self.columns), dict(self.references))


class RouteTable(BaseModel):
    """`[[routes]]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Annotated[
        str,
        AfterValidator(values.without_key),
        Field(min_length=1, description="the name of the route, in quotes"),
    ]
    method: Annotated[str, AfterValidator(values.method), Field(description='a method in quotes, such as "POST"')]
    path: Annotated[
        str,
        AfterValidator(values.path),
        AfterValidator(values.without_key),
        Field(min_length=1, description='a path in quotes, such as "/v1/operations/lots/{id}/split"'),
    ]
    query: Annotated[dict[str, KeylessText], Field(description='parameters, such as { tunnelId = "{tunnelId}" }')] = {}
    body: Annotated[
        str,
        AfterValidator(values.without_key),
        Field(description="a body in quotes, such as '{\"parts\": {parts}}'"),
    ] = ""

    def plain(self) -> Route:
        """The same as a plain value."""
        return Route(self.name, self.method, self.path, tuple(self.query.items()), self.body)


def _unlike_null_word(word: str, info: ValidationInfo) -> str:
    # Not there where it was refused itself, which is told first.
    return values.other_word(word, info.data.get("null_word", ""))


def _with_team(rules: list[str], info: ValidationInfo) -> list[str]:
    # Not there where it was refused itself, which is told first.
    return values.with_team(rules, info.data["team"]) if "team" in info.data else rules


class ProfileTable(BaseModel):
    """The keys of a profile's file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, title="profile")

    api_key: Annotated[
        SecretSource,
        PlainValidator(values.key_source),
        WithJsonSchema(_SOURCE_SCHEMA),
        Field(description='where the key is kept, such as { keyring = "svc-tui/sandbox" }'),
    ]
    signing_secret: Annotated[
        SecretSource | None,
        PlainValidator(values.secret_source),
        WithJsonSchema(_SOURCE_SCHEMA),
        Field(description="where the signing secret is kept; without it requests go unsigned"),
    ] = None
    base_url: BaseUrlText = ""
    sandbox_base_url: BaseUrlText = ""
    page_size: Annotated[
        int,
        Field(
            ge=1,
            le=values.MAX_PAGE_SIZE,
            description="a whole number from 1 to 1000: records per request",
        ),
    ] = _DEFAULTS.page_size
    idempotency_header: Annotated[
        str, AfterValidator(values.header), Field(description='the name of a header in quotes, or "" for none')
    ] = _DEFAULTS.idempotency_header
    idempotency: Annotated[
        Literal["unproven", "honoured"],
        Field(description='"unproven", or "honoured": then a POST of unknown outcome is sent again'),
    ] = _DEFAULTS.idempotency
    read_only: Annotated[bool, Field(description="true or false; true refuses every write")] = False
    index: Annotated[
        bool, Field(description="true or false; true keeps a search index of all records on this computer")
    ] = _DEFAULTS.index
    index_hours: Annotated[
        int,
        Field(
            ge=1,
            le=values.MAX_INDEX_HOURS,
            description="a whole number from 1 to 8760: hours after which a collection in the index is updated",
        ),
    ] = _DEFAULTS.index_hours
    index_days: Annotated[
        int,
        Field(
            ge=0,
            le=values.MAX_INDEX_DAYS,
            description="a whole number from 0 to 3650: days without an update until the index is deleted, 0: never",
        ),
    ] = _DEFAULTS.index_days
    null_word: Annotated[
        str,
        AfterValidator(values.word),
        Field(description="a word in quotes: null in a cell of a file of corrections"),
    ] = _DEFAULTS.null_word
    empty_word: Annotated[
        str,
        AfterValidator(values.word),
        AfterValidator(_unlike_null_word),
        Field(description="a word in quotes: the empty text in a cell; not the same as null_word"),
    ] = Field(_DEFAULTS.empty_word, validate_default=True)
    team: Annotated[
        str,
        AfterValidator(values.team),
        Field(description="where the team's journal is, such as postgresql://me@db.example.com/journal"),
    ] = _DEFAULTS.team
    team_password: Annotated[
        SecretSource | None,
        PlainValidator(values.team_password_source),
        WithJsonSchema({"anyOf": _PLACES_SCHEMA}),
        Field(description='where the password for it is kept, such as { keyring = "svc-tui/team" }'),
    ] = None
    team_name: Annotated[
        str,
        AfterValidator(values.team_name),
        Field(description='a name in quotes: your name in the team\'s journal; "": the user name of the system'),
    ] = _DEFAULTS.team_name
    team_required: Annotated[
        bool, Field(description="true or false; true keeps LIVE read-only while the team server can't be reached")
    ] = _DEFAULTS.team_required
    approve: Annotated[
        list[
            Annotated[str, AfterValidator(values.approval_rule), Field(description=f"in quotes, one of: {RULE_FORMS}")]
        ],
        AfterValidator(_with_team),
        Field(description='changes on LIVE that need approval, such as ["delete", "batch>20"]'),
    ] = []
    collections: Annotated[
        dict[
            Annotated[str, AfterValidator(values.collection)],
            Annotated[CollectionTable, Field(description="a table with segment, query, columns and references")],
        ],
        AfterValidator(values.with_distinct_paths),
        Field(description='tables such as [collections."operations/lots"]'),
    ] = {}
    routes: Annotated[
        list[Annotated[RouteTable, Field(description="a table with name, method, path, query and body")]],
        Field(description="a [[routes]] table for each route"),
    ] = []

    def stored(self, name: str, file: TrustedFile) -> StoredProfile:
        """The same as a plain value, for the profile of that name and file."""
        profile = Profile(
            name,
            base_url=self.base_url,
            sandbox_base_url=self.sandbox_base_url,
            page_size=self.page_size,
            bulk_page_size=self.page_size if "page_size" in self.model_fields_set else _DEFAULTS.bulk_page_size,
            idempotency_header=self.idempotency_header,
            idempotency=self.idempotency,
            read_only=self.read_only,
            index=self.index,
            index_hours=self.index_hours,
            index_days=self.index_days,
            null_word=self.null_word,
            empty_word=self.empty_word,
            team=self.team,
            team_name=self.team_name,
            team_required=self.team_required,
            approve=tuple(self.approve),
            collections={key: settings.plain() for key, settings in self.collections.items()},
            routes=tuple(route.plain() for route in self.routes),
        )
        written = frozenset(self.model_fields_set)
        return StoredProfile(profile, self.api_key, self.signing_secret, self.team_password, file, written)
