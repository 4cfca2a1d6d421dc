"""Values that a spreadsheet may have cut by itself: a time without its clock or seconds, a number that was rounded."""

from datetime import datetime
from decimal import Decimal

from svc_tui.domain.corrections.correction import Cell
from svc_tui.domain.data.times import parse_time
from svc_tui.domain.model.absent import Absent
from svc_tui.domain.model.jsontext import Json, Number


def loss_words(cell: Cell, old: Json | Absent, new: Json) -> str:
    """What a spreadsheet may have taken from the old value to make the new one, in a sentence; "" for nothing."""
    if isinstance(new, str) and isinstance(old, str):
        return _time_loss(cell, old, new)
    if isinstance(new, Number) and isinstance(old, Number) and _is_rounded(old, new):
        return f"{new} is {old} with fewer digits. A spreadsheet may have rounded it."
    return ""


def _time_loss(cell: Cell, old: str, new: str) -> str:
    was, now = parse_time(old), parse_time(new)
    if was is None or now is None or was == now:
        return ""
    if ":" in old and ":" not in cell.text:
        return f"{cell.text} has no time of day and would become {new}."
    if now == _to_the_minute(was):
        return f"{new} is {old} without the seconds. A spreadsheet may have removed them."
    return ""


def _to_the_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def _is_rounded(old: Number, new: Number) -> bool:
    """Whether the new number is the old one rounded to the digits that it has after its point."""
    was, now = old.decimal, new.decimal
    if was is None or now is None or was == now:
        return False
    lost, kept = _digits_after_point(was), _digits_after_point(now)
    return kept < lost and abs(was - now) * 2 <= Decimal(1).scaleb(-kept)


def _digits_after_point(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
