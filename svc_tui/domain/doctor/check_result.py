"""What one check of the doctor found."""

from dataclasses import dataclass
from enum import Enum


class CheckVerdict(Enum):
    """How a check ended; the value is the word people and scripts see."""

    PASSED = "passed"
    WARNING = "warning"
    """It works, and the user should look at it."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """It could not be made; `result` tells why."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found: `result` on one line, and what to do about it; `advice` is "" where that is plain."""

    name: str
    verdict: CheckVerdict
    result: str
    advice: str = ""
