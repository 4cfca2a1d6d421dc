"""JSON schemas of the files that users write, for editors that complete and check TOML."""

import json

from pydantic import BaseModel

from svc_tui.config.preferences.config_file import ConfigFile
from svc_tui.config.profiles.profile_table import ProfileTable

_MODELS: dict[str, type[BaseModel]] = {"config": ConfigFile, "profile": ProfileTable}


def schema_text(name: str) -> str:
    """The schema of `config` or `profile` files."""
    schema = _MODELS[name].model_json_schema()
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2)
