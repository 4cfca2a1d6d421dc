"""How long to wait before something is tried again by itself."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds between tries: `least` while they go well, doubling up to `most` while they don't."""

    least: float
    most: float
    doubled: int = 0

    @property
    def seconds(self) -> float:
        """How long to wait now."""
        return min(self.most, self.least * 2.0**self.doubled)

    def longer(self) -> "Backoff":
        """After a try that went badly."""
        return self if self.seconds >= self.most else replace(self, doubled=self.doubled + 1)

    def anew(self) -> "Backoff":
        """After one that went well."""
        return replace(self, doubled=0)
