"""What points at a record: counted in the records that are held, and asked of the service where it can choose."""

from collections.abc import Sequence

from msgspec import Struct

from svc_tui.core.catalog import COLLECTIONS, Collection
from svc_tui.core.jsontext import Json, Number
from svc_tui.core.records import Page, Place, Record
from svc_tui.core.references import Held, target_of


class ReferringRecords(Struct, frozen=True):
    """Records of a collection that name the record in `field`: `count` of the `held` ones.

    `whole` says whether the service was asked, and `count` is of all there are.
    """

    collection: Collection
    field: str
    count: int
    held: int
    whole: bool = False


def find_referrers(
    place: Place, held: Held, collections: Sequence[Collection] = COLLECTIONS
) -> tuple[tuple[ReferringRecords, ...], tuple[Collection, ...]]:
    """What of the records held could point at `place`, field by field, and the collections that were looked through."""
    referrers: list[ReferringRecords] = []
    looked: list[Collection] = []
    for collection, records in held:
        counts: dict[str, int] = {}
        number = 0
        for record in records:
            number += 1
            for name in record.fields:
                if name in counts or _is_reference_to(name, place, collections):
                    counts[name] = counts.get(name, 0) + refers_to(record, name, place)
        if number:
            looked.append(collection)
        referrers += [ReferringRecords(collection, name, count, number) for name, count in counts.items()]
    return tuple(referrers), tuple(looked)


def count_by_service(pointers: ReferringRecords, place: Place, page: Page) -> ReferringRecords:
    """The count as a list tells it that the service was asked to choose by the field; as it was where it did not.

    A service that ignores what it does not know answers with records that name others.
    """
    if not all(refers_to(record, pointers.field, place) for record in page.records):
        return pointers
    total = 0 if not page.records else page.total
    return (
        pointers if total is None else ReferringRecords(pointers.collection, pointers.field, total, pointers.held, True)
    )


def refers_to(record: Record, field: str, place: Place) -> bool:
    """Whether the field holds the id of `place`, alone or in a list."""
    return place.record_id in _texts(record.fields.get(field))


def _is_reference_to(name: str, place: Place, collections: Sequence[Collection]) -> bool:
    target = target_of(name, tuple(collections))
    return target is not None and target.key == place.collection.key


def _texts(value: Json) -> Sequence[str]:
    match value:
        case str():
            return (value,)
        case Number():
            return (value.text,)
        case list():
            return [item for item in value if isinstance(item, str)]
        case _:
            return ()
