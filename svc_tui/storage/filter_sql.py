"""Filters as SQL: conditions on the columns and texts of the record store."""

from datetime import timedelta
from typing import NamedTuple

from svc_tui.core.filters import Term, operand_text
from svc_tui.core.jsontext import JsonError, Number
from svc_tui.storage.sort_keys import EXACT, FLAG, NESTED, TEXT, TIME, Key, number_key, text_key, time_key, to_bytes

_COMPARISONS = frozenset({">", ">=", "<", "<="})


class Condition(NamedTuple):
    """A condition of SQL with its parameters."""

    sql: str
    values: tuple[float | bytes | str, ...] = ()


def term_condition(term: Term, table: str) -> Condition:
    """Return the condition of a term; `table` is the table of its column, or that of the texts."""
    condition = _positive_condition(term, table)
    # A comparison with a missing key is NULL in SQL; inverted it has to be true.
    return Condition(f"NOT ifnull(({condition.sql}), 0)", condition.values) if term.inverted else condition


def storable(text: str) -> str | bytes:
    """Return a text as SQLite can hold it: bytes if it has lone surrogates."""
    encoded = to_bytes(text)
    return text if encoded == text.encode("utf-8", "replace") else encoded


def _positive_condition(term: Term, table: str) -> Condition:
    if not term.field:
        return Condition(f"instr({table}.text, ?)", (to_bytes(term.value),))
    if not term.value:
        return Condition(f"{table}.key IS {'NOT ' if term.operator == '!=' else ''}NULL")
    if term.operator == ":":
        return Condition(f"instr(ifnull({table}.folded, lower({table}.value)), ?)", (storable(term.value),))
    if term.operator in _COMPARISONS:
        return _comparison(term, table)
    same = _equality(term, table)
    return same if term.operator == "=" else Condition(f"NOT ifnull(({same.sql}), 0)", same.values)


def _comparison(term: Term, table: str) -> Condition:
    """Compare with what is of the same kind: no text is greater than a number."""
    key, rest = _operand_key(term.value)
    if isinstance(key, bytes):
        condition = _key_comparison(term.operator, key, table)
    else:
        # Bytes come after every number.
        sql = f"({table}.key, {table}.rest) {term.operator} (?, ?) AND {table}.key < x''"
        condition = Condition(sql, (key or 0.0, rest))
    if term.moment is None:
        return condition
    moment = _key_comparison(term.operator, time_key(term.moment), table)
    return Condition(f"({condition.sql}) OR ({moment.sql})", (*condition.values, *moment.values))


def _key_comparison(operator: str, key: bytes, table: str) -> Condition:
    kind, next_kind = key[:1], bytes([key[0] + 1])
    sql = f"{table}.key {operator} ? AND {table}.key >= ? AND {table}.key < ?"
    return Condition(sql, (key, kind, next_kind))


def _equality(term: Term, table: str) -> Condition:
    """Compare numbers by value, a day with the times in it, all else by its text without case."""
    text = term.value
    keys = [TEXT + to_bytes(text)]
    if text in ("true", "false"):
        keys.append(FLAG + bytes([text == "true"]))
    sql, values = f"{table}.key IN ({', '.join('?' * len(keys))})", tuple[float | bytes | str, ...](keys)
    key, rest = _operand_key(text)
    if isinstance(key, float):
        sql, values = f"({sql} OR ({table}.key, {table}.rest) = (?, ?))", (*values, key, rest)
    elif isinstance(key, bytes) and key.startswith(TIME):
        # The same moment may be written in another zone; times are ASCII, which lower() casefolds.
        sql, values = f"({sql} OR {table}.key = ? AND lower({table}.value) = ?)", (*values, key, f'"{text}"')
    elif text[0] in "[{":
        nested = f"iif({table}.key >= ?, casefolds_to({table}.key, ?), 0)"
        sql, values = f"({sql} OR {nested})", (*values, NESTED, NESTED + to_bytes(text))
    if term.moment is not None:
        day = time_key(term.moment), time_key(term.moment + timedelta(days=1))
        sql, values = f"({sql} OR {table}.key >= ? AND {table}.key < ?)", (*values, *day)
    return Condition(sql, values)


def _operand_key(text: str) -> Key:
    """Return the key of what the user typed to compare with: a number or a time if it reads as one, else a text."""
    try:
        return number_key(Number(text).text)
    except JsonError:
        # A term's value is casefolded, a time is not.
        key = text_key(operand_text(text))
        return (key if key.startswith(TIME) else text_key(text)), EXACT
