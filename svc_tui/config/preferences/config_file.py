"""What `config.toml` may hold, checked with pydantic and told in plain words."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from svc_tui.config.preferences.plain_config import HISTORY_LIMITS, UNLOCK_MINUTES
from svc_tui.core.settings import DoneNotice

NonEmptyText = Annotated[str, Field(min_length=1)]


class ConfigFile(BaseModel):
    """The keys of `config.toml`; None: not written there."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="config")

    default_profile: Annotated[NonEmptyText | None, Field(description="the name of a profile")] = None
    theme: Annotated[NonEmptyText | None, Field(description="the name of a theme")] = None
    live_unlock_minutes: Annotated[
        Annotated[int, Field(ge=UNLOCK_MINUTES[0], le=UNLOCK_MINUTES[1])] | None,
        Field(description="a whole number from 1 to 60"),
    ] = None
    keys: Annotated[
        dict[str, Annotated[str, Field(description='keys in quotes, such as "e"')]] | None,
        Field(description='a table of lines such as "record.edit" = "e"'),
    ] = None
    mask_fields: Annotated[
        list[NonEmptyText] | None, Field(description='a list of fields, such as ["operator", "assay.lab.name"]')
    ] = None
    history_limit: Annotated[
        Annotated[int, Field(ge=HISTORY_LIMITS[0], le=HISTORY_LIMITS[1])] | None,
        Field(description="a whole number from 0 (no history) to 100000"),
    ] = None
    history_bodies: Annotated[bool | None, Field(description="true or false")] = None
    mouse: Annotated[bool | None, Field(description="true or false")] = None
    done_notice: Annotated[DoneNotice | None, Field(description='"off", "bell" or "desktop"')] = None
    hints: Annotated[bool | None, Field(description="true or false")] = None
    reader: Annotated[bool | None, Field(description="true or false")] = None
