"""What one row of a file asks for, before anybody looked at the record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from svc_tui.domain.model.jsontext import Json


class RowAction(StrEnum):
    """What is to be done with a record; the values are those of a column `_action`."""

    UPDATE = "update"
    CREATE = "create"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell of a table, which tells no kind of value: `7` may be a number or a text.

    `decimal_comma`: numbers of its table are written with a comma (`23,9`).
    """

    text: str
    decimal_comma: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """What a row asks for: `values` by the path of a field (`grade`, `assay.goldPpm`); the others are left alone.

    `number` is the row's in its file as people count: in a table the line of column names is 1, a list of JSON begins
    with 1. `record_id` is "" for a new record. `version` is what `export --for-edit` wrote beside the record, "" where
    nothing is known of it.
    """

    number: int
    action: RowAction
    record_id: str
    values: Mapping[str, Json | Cell] = field(default_factory=dict)
    version: str = ""


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a file asks for; `name` is the file's, `digest` the SHA-256 of its bytes in hex.

    `fields` are the paths of its columns, `notices` how it was read, a sentence each.
    """

    name: str
    digest: str
    rows: tuple[Correction, ...]
    fields: tuple[str, ...]
    notices: tuple[str, ...] = ()
