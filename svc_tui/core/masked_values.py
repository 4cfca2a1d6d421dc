"""Values that a machine keeps to itself: what the team gets of them is a digest, which tells only that one changed."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from svc_tui.core.jsontext import Json


class SplitFields(Struct, frozen=True):
    """Fields without those that are masked, and the digests of these, by the path of each."""

    kept: Mapping[str, Json]
    digests: Mapping[str, str] = field(default_factory=dict)


def split_masked(fields: Mapping[str, Json], listed: frozenset[str], digest: Callable[[Json], str]) -> SplitFields:
    """Take the `listed` fields out, wherever they are in it; these are names, or paths, in lower case.

    In a list of objects an object is part of the path by its position.
    """
    digests: dict[str, str] = {}
    return SplitFields(_object(fields, "", listed, digest, digests), digests)


def _object(
    fields: Mapping[str, Json], path: str, listed: frozenset[str], digest: Callable[[Json], str], out: dict[str, str]
) -> dict[str, Json]:
    kept: dict[str, Json] = {}
    for name, value in fields.items():
        here = f"{path}.{name}" if path else name
        if name.casefold() in listed or here.casefold() in listed:
            out[here] = digest(value)
        else:
            kept[name] = _value(value, here, listed, digest, out)
    return kept


def _value(value: Json, path: str, listed: frozenset[str], digest: Callable[[Json], str], out: dict[str, str]) -> Json:
    if isinstance(value, Mapping):
        return _object(value, path, listed, digest, out)
    if isinstance(value, list):
        return [_value(item, f"{path}.{index}", listed, digest, out) for index, item in enumerate(value)]
    return value
