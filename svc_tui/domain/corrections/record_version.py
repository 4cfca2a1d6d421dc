"""What a record's fields were when it was exported, as one short text: it tells later which of them have changed since.

The text holds no value. For each path of the record, an object's and those inside it, it has eight characters: 24 bits
of a digest of the path and 24 of one of the value's plain form. As a set of these it needs no order, so columns may be
moved and removed, and a record exported as CSV and as JSON has the same text. What stood empty is not listed.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import blake2b

from svc_tui.domain.corrections.cell_text import cell_text, plain_form
from svc_tui.domain.corrections.correction import Cell
from svc_tui.domain.data.field_path import paths, value_at
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json

# Letters at both ends: nothing takes the text for a number, a date or a formula, or counts it up when filled down.
_BEGIN, _END = "v1:", ":v"
_NAME_LENGTH, _VALUE_LENGTH = 4, 4
_LENGTH = _NAME_LENGTH + _VALUE_LENGTH


class ExportedVersion:
    """How a record stood when it was exported."""

    def __init__(self, digests: frozenset[str]) -> None:
        self._digests = digests
        self._names = frozenset(digest[:_NAME_LENGTH] for digest in digests)

    @classmethod
    def parse(cls, text: str) -> "ExportedVersion":
        """The version that `version_of` wrote; raises ValueError for any other text, with a sentence."""
        digests = text.strip().removeprefix(_BEGIN).removesuffix(_END)
        if text.strip() != f"{_BEGIN}{digests}{_END}" or len(digests) % _LENGTH or ":" in digests:
            raise ValueError("_version was changed after the export. Export the record again or clear the cell.")
        return cls(frozenset(digests[at : at + _LENGTH] for at in range(0, len(digests), _LENGTH)))

    def holds(self, path: str, value: Json | Absent | Cell) -> bool:
        """Whether the field at `path` stood so: a value of the record, or a cell that is only what became of it.

        For the path of the id it tells whether the version is that of the record.
        """
        if isinstance(value, Cell):
            form = plain_form(value.text, decimal_comma=value.decimal_comma)
        else:
            form = plain_form(cell_text(value))
        return _digest(path, form) in self._digests if form else _name_digest(path) not in self._names


def version_of(fields: Mapping[str, Json]) -> str:
    """What `export --for-edit` writes beside a record."""
    forms = {path: plain_form(cell_text(value_at(fields, path))) for path in paths(fields)}
    return f"{_BEGIN}{''.join(sorted(_digest(path, form) for path, form in forms.items() if form))}{_END}"


def _digest(path: str, form: str) -> str:
    return _name_digest(path) + _short(form, _VALUE_LENGTH)


def _name_digest(path: str) -> str:
    return _short(path, _NAME_LENGTH)


def _short(text: str, length: int) -> str:
    digest = blake2b(text.encode("utf-8", "backslashreplace"), digest_size=6).digest()
    return urlsafe_b64encode(digest).decode()[:length]
