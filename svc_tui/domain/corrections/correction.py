"""What one row of a file asks for, before anybody looked at the record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from svc_tui.domain.model.absent import ABSENT, Absent
from svc_tui.domain.model.jsontext import Json


class CorrectionFileError(ValueError):
    """A file that can't be read as corrections; the message is one sentence: where, what is wrong, what to do."""


class RowAction(StrEnum):
    """What is to be done with a record; the values are those of a column `_action`."""

    UPDATE = "update"
    CREATE = "create"
    DELETE = "delete"


class DecimalMark(StrEnum):
    """The character before the decimals of a number; the values are those of `plan --decimal`."""

    COMMA = "comma"
    POINT = "point"


class NumberCertainty(Enum):
    """How certain it is which number a cell means."""

    ASSUMED = "read like the other numbers in the table"
    AMBIGUOUS = "its point or comma may separate thousands"
    CHOSEN = "decimal separator set by the user"


class TypedNumber(str):
    """The text of a cell that a spreadsheet holds as a number: its point is a decimal point."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ValueWords:
    """How values are written in a file: the words for null and for the empty text, since an empty cell leaves the field
    alone, and the decimal mark, None where the cells are to tell.
    """

    null: str = "(null)"
    empty: str = "(empty)"
    decimal: DecimalMark | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """The text in a cell of a table, which has no type: `7` may be a number or a text.

    `decimal_comma`: numbers are read with a decimal comma (`23,9`). `meaning` is null or "" where the text is one of
    the `ValueWords`, else absent.
    """

    text: str
    decimal_comma: bool = False
    meaning: Json | Absent = ABSENT
    certainty: NumberCertainty = NumberCertainty.ASSUMED


@dataclass(frozen=True, slots=True)
class Correction:
    """What a row asks for: `values` by the path of a field (`grade`, `assay.auPpm`); the others are left alone.

    `number` is the row's in its file as people count: that of a spreadsheet's row, where the column names stand in
    row 1; the item of a JSON array, from 1; the line of JSON Lines. `record_id` is "" for a new record; an id that the
    row of a new record gives is one of its values. `version` is what `export --for-edit` wrote beside the record, ""
    where nothing is known of it.
    """

    number: int
    action: RowAction
    record_id: str
    values: Mapping[str, Json | Cell] = field(default_factory=dict)
    version: str = ""


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a file asks for; `name` is the file's, `digest` the SHA-256 of its bytes in hex.

    `fields` are the paths of its columns; `notices` say how it was read, each a sentence without its capital and full
    stop. `path` is where the file lies, "" for stdin.
    """

    name: str
    digest: str
    rows: tuple[Correction, ...]
    fields: tuple[str, ...]
    notices: tuple[str, ...] = ()
    path: str = ""
