"""A request on one line, in the syntax of HTTPie: parsed into a form, and formatted from one.

`PATCH lots/lot-000001 priority=high massKg:=1.50 ?dry=1`: the method, the path, then in any order `name=text` and
`name:=JSON` for the fields of a JSON body, `name==value` or `?name=value` for the query, `Name:value` for a header,
`@file` for a body from a file. `=text` and `:=JSON` without a name are the whole body. Words are quoted as for a shell,
and a quoted character separates nothing: `"a:b"=1` sets the field `a:b`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from msgspec import Struct

from svc_tui.console.request_form import METHODS, KnownPath, RequestForm, complete_path, encode_query_text
from svc_tui.console.shell_words import ShellSyntaxError, Word, ansi_quote, split_words
from svc_tui.core.catalog import BLANK
from svc_tui.core.jsontext import Json, JsonError, dumps, loads
from svc_tui.core.values import replace
from svc_tui.service.headers import is_token

_METHOD = re.compile(r"[A-Z][A-Z0-9_-]*")
_SEPARATOR_CHARACTER = re.compile(r"[=:?@]")
_NEEDS_QUOTING = re.compile(r"[\s'\"\\$]")
_BARE_NAME = re.compile(r"[\w.-]+")
_MAX_SHOWN = 15
"""Characters that are shown of a text with an error."""
_SEPARATORS = (":=", "==", "=", ":")


class LineProblem(Struct, frozen=True):
    """Why a line can't be parsed; `column` counts from 1."""

    message: str
    column: int

    def __str__(self) -> str:
        return f"column {self.column}: {self.message}"


class ParsedLine(Struct, frozen=True):
    """The request that a line describes, and the first error in the line."""

    form: RequestForm
    problem: LineProblem | None = None


class UnsentRequest(Struct, frozen=True):
    """A request that was typed and not sent; `line` is the typed line where it can't be parsed, else "".

    `on_show`: the console was open when it was left.
    """

    form: RequestForm
    line: str = ""
    on_show: bool = False

    @property
    def text(self) -> str:
        """The request on one line."""
        return self.line or format_line(self.form)


def parse_line(text: str) -> ParsedLine:
    """Parse a line; the default method is GET, or POST if there is a body."""
    try:
        words = split_words(text)
    except ShellSyntaxError as error:
        return ParsedLine(RequestForm(), LineProblem(error.reason, error.column))
    method = ""
    if words and words[0].is_bare and _is_method(words[0].text):
        method = words.pop(0).text.upper()
    path = words.pop(0).text if words else ""
    items = _ItemParser()
    try:
        for word in words:
            items.add(word)
    except _LineRefused as refused:
        return ParsedLine(RequestForm(method or "GET", path), refused.problem)
    body = items.body
    form = RequestForm(
        method or ("POST" if body else "GET"), path, "&".join(items.query), "\n".join(items.headers), body
    )
    if body and not form.takes_body:
        message = f"{form.method} requests have no body; for a query parameter write name==value"
        return ParsedLine(form, LineProblem(message, items.body_column))
    return ParsedLine(form)


def format_line(form: RequestForm) -> str:
    """Return the line that `parse_line` reads as this form, without fields that are not complete."""
    if replace(form, note="") == RequestForm():
        return ""
    pieces = [form.method.strip().upper(), _quote(form.path.strip()) if form.path.strip() else ""]
    pieces += _query_items(form.query)
    pieces += _header_items(form.headers)
    if form.takes_body and form.body.strip():
        pieces += _body_items(form.body)
    return " ".join(pieces)


def compact_body(form: RequestForm) -> RequestForm:
    """Return the form with a JSON object as compact JSON, so that a line can contain it field by field."""
    value = _object_fields(form.body)
    return form if value is None else replace(form, body=dumps(value))


def complete_line(typed: str, paths: Sequence[KnownPath], names: Callable[[], Sequence[str]]) -> str | None:
    """Complete the last word of the line: a path, or the name of a field."""
    word = last_word(typed)
    if word is None:
        return None
    number, partial_value = word
    if number == 0:
        longer = complete_path(partial_value, parse_line(typed).form.method, paths)
    else:
        matches = (name for name in names() if name.startswith(partial_value) and _BARE_NAME.fullmatch(name))
        longer = next((f"{name}=" for name in matches), None)
    return None if longer is None else typed[: len(typed) - len(partial_value)] + longer


def last_word(text: str) -> tuple[int, str] | None:
    """Return the number of the word being typed, the path being 0, and its text; None if it is quoted."""
    try:
        words = split_words(text)
    except ShellSyntaxError:
        return None
    if not words or text[-1:].isspace():
        return None
    first = 1 if len(words) > 1 and _is_method(words[0].text) else 0
    last = words[-1]
    return (len(words) - 1 - first, last.text) if last.is_bare else None


def _is_method(text: str) -> bool:
    return text.upper() in (*METHODS, "OPTIONS") or _METHOD.fullmatch(text) is not None


class _LineRefused(Exception):
    def __init__(self, message: str, word: Word) -> None:
        super().__init__(message)
        self.problem = LineProblem(message, word.column)


class _ItemParser:
    """Parses the words after the path."""

    def __init__(self) -> None:
        self.query: list[str] = []
        self.headers: list[str] = []
        self.body_column = 0
        self._fields: dict[str, str] = {}
        self._whole = ""

    @property
    def body(self) -> str:
        """Return the text of the body, "" for none."""
        if not self._fields:
            return self._whole
        return "{" + ",".join(f"{dumps(name)}:{value}" for name, value in self._fields.items()) + "}"

    def add(self, word: Word) -> None:
        """Add a word. Raises _LineRefused."""
        name, separator, value = _split_item(word)
        if separator == "?":
            self.query.append(value)
        elif separator == "==":
            blank = BLANK.fullmatch(value)
            self.query.append(
                f"{encode_query_text(name, '%&=?{}')}={value if blank else encode_query_text(value, '%&{}')}"
            )
        elif separator == ":":
            self._header(name, value, word)
        elif separator == "@" or not name:
            self._body(name, value, separator, word)
        else:
            self._field(name, value, separator, word)

    def _header(self, name: str, value: str, word: Word) -> None:
        if not is_token(name):
            raise _LineRefused("a header must have the form Name:value", word)
        if "\n" in value or "\r" in value:
            raise _LineRefused(f"the header {name} contains a line break", word)
        self.headers.append(f"{name}: {value}")

    def _body(self, name: str, value: str, separator: str, word: Word) -> None:
        if self._whole or self._fields:
            raise _LineRefused("the body is set twice", word)
        if separator == "@" and not value:
            raise _LineRefused("@ needs a file name", word)
        if separator == ":=":
            _canonical_json(name, value, word)
        # In a form, `@` begins the name of a file, and `@@` a text that begins with `@`.
        self._whole = f"@{value}" if separator == "@" or value.startswith("@") else value
        self.body_column = word.column

    def _field(self, name: str, value: str, separator: str, word: Word) -> None:
        if self._whole:
            raise _LineRefused("the body is set twice", word)
        if name in self._fields:
            raise _LineRefused(f"the field {name} is set twice", word)
        self._fields[name] = _canonical_json(name, value, word) if separator == ":=" else dumps(value)
        self.body_column = self.body_column or word.column


def _canonical_json(name: str, text: str, word: Word) -> str:
    if BLANK.fullmatch(text):
        return text
    try:
        return dumps(loads(text))
    except JsonError as error:
        raise _LineRefused(_json_problem(name, text, error, word), word) from None


def _json_problem(name: str, text: str, error: JsonError, word: Word) -> str:
    """Return what is wrong with the JSON after `:=`, where, and what to write."""
    rest = text.split("\n")[error.line - 1][error.column - 1 :] if error.line else ""
    at = f" at {rest[:_MAX_SHOWN]}{'…' * (len(rest) > _MAX_SHOWN)}" if rest else ""
    problem = f"{name or 'the body'} is not valid JSON{at}: {error.reason}"
    if not text.startswith(("{", "[")):
        return f"{problem}. For text, write {name}="
    if not any(word.bare[-len(text) :]):
        return problem
    # An unquoted value has lost its double quotes, as in a shell. The solution comes first: the message may be cut off.
    brackets = "[…]" if text.startswith("[") else "{…}"
    return f"JSON needs single quotes here: {name}:='{brackets}'. Without them, {problem}"


def _split_item(word: Word) -> tuple[str, str, str]:
    """Return name, separator and value; a quoted separator counts only if there is no other."""
    for bare in (word.bare, (True,) * len(word.text)):
        if word.text[:1] in ("?", "@") and bare[0]:
            return "", word.text[0], word.text[1:]
        for at in range(len(word.text)):
            for separator in _SEPARATORS:
                until = at + len(separator)
                if word.text[at:until] == separator and all(bare[at:until]):
                    return word.text[:at], separator, word.text[until:]
    raise _LineRefused("write name=text, name:=JSON, name==value, Name:value or @file here", word)


def _query_items(query: str) -> Iterator[str]:
    for line in query.splitlines():
        for pair in line.strip().removeprefix("?").split("&"):
            name, _, value = pair.partition("=")
            if not pair:
                continue
            if name and BLANK.fullmatch(value) and not BLANK.search(unquote(name)):
                yield f"{_quote(unquote(name), _SEPARATOR_CHARACTER)}=={value}"
            elif not name or BLANK.search(unquote(name)) or BLANK.search(unquote(value)):
                yield _quote(f"?{pair}")
            else:
                yield f"{_quote(unquote(name), _SEPARATOR_CHARACTER)}=={_quote(unquote(value)) if value else ''}"


def _header_items(headers: str) -> Iterator[str]:
    for line in headers.splitlines():
        name, colon, value = (part.strip() for part in line.partition(":"))
        if colon and is_token(name):
            yield f"{_quote(name)}:{_quote_value(value)}"


def _body_items(body: str) -> Sequence[str]:
    if body.startswith("@@"):
        return [f"={_quote_value(body[1:])}"]
    if body.startswith("@"):
        return [f"@{_quote(body[1:].strip())}"]
    value = _object_fields(body)
    if value is not None and dumps(value) == body:
        return [_field_item(name, item) for name, item in value.items()]
    return [f"={_quote_value(body)}"]


def _field_item(name: str, value: Json) -> str:
    label = _quote(name, _SEPARATOR_CHARACTER)
    return f"{label}={_quote_value(value)}" if isinstance(value, str) else f"{label}:={_quote(dumps(value))}"


def _object_fields(body: str) -> dict[str, Json] | None:
    """Return the fields of a body that a line can contain one by one, or None."""
    try:
        value = loads(body)
        body.encode()
    except (JsonError, UnicodeEncodeError):
        return None
    if not isinstance(value, dict) or not value or "" in value:
        return None
    try:
        dumps(value).encode()
    except UnicodeEncodeError:
        return None
    return value


def _quote_value(text: str) -> str:
    """Return the text after `=` or `:` as one word, quoted if it begins with another `=`."""
    return _quote(text, re.compile("^=")) if text else ""


def _quote(text: str, more: re.Pattern[str] | None = None) -> str:
    """Return the text as one word, quoted if needed, or if `more` matches."""
    if not text.isprintable():
        return ansi_quote(text)
    if text and not _NEEDS_QUOTING.search(text) and not (more and more.search(text)):
        return text
    return "'" + text.replace("'", "'\\''") + "'"
