"""`config.toml` read at a look, where nothing can be wrong with it."""

from collections.abc import Mapping
from typing import Any, get_args

from svc_tui.config.plain_table import PlainTable, dict_of, flag, list_of, not_empty, number, one_of, text
from svc_tui.core.settings import DoneNotice

UNLOCK_MINUTES = (1, 60)
"""The least and the most that `live_unlock_minutes` may be."""
HISTORY_LIMITS = (0, 100_000)
"""The least and the most that `history_limit` may be."""


def read_plain_config(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the tables write, as `ConfigFile` has them; raises NotPlain where the model is to judge."""
    table, name = PlainTable(tables), text(not_empty)
    readers = {
        "default_profile": name,
        "theme": name,
        "live_unlock_minutes": number(*UNLOCK_MINUTES),
        "keys": dict_of(str, text()),
        "mask_fields": list_of(name),
        "history_limit": number(*HISTORY_LIMITS),
        "history_bodies": flag,
        "mouse": flag,
        "done_notice": one_of(*get_args(DoneNotice)),
        "hints": flag,
        "reader": flag,
    }
    values = {key: table.take(key, read, None) for key, read in readers.items()}
    table.end()
    return {key: value for key, value in values.items() if value is not None}
