"""What plans and runs are called: what they change, and of how many records."""

from svc_tui.domain.data.references import singular

NEW_RECORDS = "new records"
DELETION = "deletion"
CHANGES = "changes"
"""What is changed where it is no fields, or fields of some and something else of others."""


def field_words(names: tuple[str, ...]) -> str:
    """Fields in a few words: `grade`, `grade and massKg`, `grade and 2 other fields`."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} other fields"


def title_words(what: str, count: int, collection: str) -> str:
    """What is changed, of how many records: `grade of 340 lots`, `1 new lot`."""
    noun = singular(collection) if count == 1 else collection
    if what == NEW_RECORDS:
        return f"{count:,} new {noun}"
    return f"{what} {'in' if what == CHANGES else 'of'} {count:,} {noun}"
