"""What values have in common: a copy with other fields, and fields that logs and tracebacks must not show."""

from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

if TYPE_CHECKING:
    # mypy checks the names and types of the fields by this one alone.
    from dataclasses import replace
else:
    import dataclasses

    from msgspec import structs

    def replace(value: Any, /, **changes: Any) -> Any:
        """Return a copy of a Struct or dataclass in which some fields have other values.

        Raises TypeError for an unknown name.
        """
        replaced = structs.replace if isinstance(value, Struct) else dataclasses.replace
        return replaced(value, **changes)


__all__ = ["HidesFields", "replace"]


class HidesFields(Struct, frozen=True):
    """A value whose repr leaves out `hidden_fields`; Rich's tracebacks print values by `__rich_repr__`."""

    hidden_fields: ClassVar[frozenset[str]] = frozenset()

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self.__struct_fields__ if name not in self.hidden_fields]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"
