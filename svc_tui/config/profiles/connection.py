"""How the service is reached: what a profile or the environment comes to."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.settings import Profile

if TYPE_CHECKING:
    from svc_tui.domain.http.gateway import Credentials


@dataclass(frozen=True, slots=True)
class Connection:
    """The profile, the key pair now, and where to read it again."""

    profile: Profile
    keys: KeyPair
    credentials: "Credentials" = field(repr=False)
    key_origin: str
    """Where the key comes from, in the journal's words; never the key."""
    settings: tuple[str, ...] = ()
    """What key, secret and base URL come from, as far as they are set."""
    file: Path | None = None
    """The profile's file; None for the environment."""
