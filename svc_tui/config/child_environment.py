"""The environment for programs that are started from here: editors, pagers, clipboard tools, commands for secrets."""

import re
from collections.abc import Mapping
from pathlib import Path

_PREFIX = "SVC_"
_NAMED = re.compile(r"""\benv["']?\s*=\s*["']([^"'\n]+)["']""")
"""A variable as a profile names it; read as text, so that a profile with a mistake in it counts too."""


def child_environment(variables: Mapping[str, str], profiles_directory: Path) -> dict[str, str]:
    """The variables without `SVC_*`, and without those that any profile names as the place of a key or a secret."""
    hidden = frozenset(name for path in profiles_directory.glob("*.toml") for name in _named_variables(path))
    return {name: value for name, value in variables.items() if not name.startswith(_PREFIX) and name not in hidden}


def _named_variables(path: Path) -> list[str]:
    try:
        return _NAMED.findall(path.read_text("utf-8", "replace"))
    except OSError:
        # What can't be read here names nothing that this program could take a key from.
        return []
