"""What becomes of an answer's body."""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from svc_tui.core.requests import Answer

HandOn: TypeAlias = Callable[[Answer, bytes], None]
"""Takes the head of an answer, and a piece of its body."""


class BodyHandling(Struct, frozen=True):
    """At most `cap` bytes of a body are kept, after decompression; with `hand_on`, none of a 2xx are.

    `hand_on` is given the head of a 2xx with b"", then all of the body, however long it is, piece by piece.
    """

    cap: int
    hand_on: HandOn | None = None
