"""A command that was pasted, for curl or for this program, read as a request; whatever carries identity stays out.

Quoting of POSIX shells (`$'…'` and continued lines too), of Windows' cmd (`^`) and of PowerShell (a backquote at the
end of a line) is understood. Nothing is expanded and nothing is run. What curl does by itself follows its manual page.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlsplit

from svc_tui.domain.console.request_form import RequestForm, compose_request
from svc_tui.domain.console.shell_words import ShellSyntaxError, Word, split_words
from svc_tui.domain.http.errors import RequestRefused
from svc_tui.domain.http.headers import carries_identity, is_token
from svc_tui.domain.http.routes import target_of
from svc_tui.domain.http.signing import SIGNATURE_HEADER, TIMESTAMP_HEADER, ForeignSignature
from svc_tui.domain.model.catalog import VERSION_PREFIX
from svc_tui.domain.model.credentials import PREFIXES
from svc_tui.domain.model.jsontext import JsonError, loads

_COMMAND_START = re.compile(r"\s*(?:[$%>#]\s+)?(?:\S*[/\\])?(?:(curl)(?:\.exe)?|svc-tui\s+request)\s+", re.IGNORECASE)
_COPIED_START = re.compile(r"\s*(?:[$%>#]\s+)?(?=body=|python3 -c |printf %s )")
_COMMAND_END = re.compile(r"[|;&]+|[0-9&]?>.*|<.*")
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})")
_TYPOGRAPHIC = {
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB), 'the quote "'),
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x201B), "the quote '"),
    **dict.fromkeys((0x2013, 0x2014), "- or --"),
    0x2212: "-",
}
"""Code points of signs that text programs put in the place of those that a shell knows."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_URLENCODED_HEADER = "Content-Type: application/x-www-form-urlencoded"

_BROWSER_HEADERS = re.compile(
    r"sec-.*|origin|referer|user-agent|accept-(?:encoding|language)|priority|dnt|pragma|cache-control"
)

_OWN_IDENTITY = "contains credentials; only the key of the profile is used. Remove it"
_SEVERAL_PARTS = "uploads multipart data, which the console does not support"
_REFUSED_OPTIONS = {
    **dict.fromkeys(
        ("-u", "--user", "--oauth2-bearer", "--aws-sigv4", "-E", "--cert", "--key", "--delegation"), _OWN_IDENTITY
    ),
    **dict.fromkeys(("-n", "--netrc", "--netrc-file", "--netrc-optional"), _OWN_IDENTITY),
    **dict.fromkeys(("--basic", "--digest", "--ntlm", "--negotiate", "--anyauth"), _OWN_IDENTITY),
    **dict.fromkeys(("-F", "--form", "--form-string"), _SEVERAL_PARTS),
    **dict.fromkeys(("-T", "--upload-file"), "uploads a file; use -X PUT --data-binary @FILE instead"),
    **dict.fromkeys(("-K", "--config"), "reads options from a file; write the options in the command"),
    **dict.fromkeys(("-:", "--next"), "sends several requests; paste one request at a time"),
    **dict.fromkeys(("-r", "--range"), "requests part of a response, which the console does not support"),
}


def _option_set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_CURL_VALUE_OPTIONS = _option_set(
    "-X --request -H --header -d --data --data-ascii --data-raw --data-binary --data-urlencode --json",
    "--url --url-query -b --cookie -c --cookie-jar -A --user-agent -e --referer",
    "-o --output -D --dump-header -w --write-out -m --max-time --connect-timeout --max-filesize --output-dir -C",
    "--retry --retry-delay --retry-max-time -x --proxy -U --proxy-user --noproxy --resolve --connect-to",
    "--cacert --capath --ciphers --tls-max --max-redirs --limit-rate -y -Y --interface --unix-socket",
    "--stderr --trace --trace-ascii",
)
_CURL_FLAGS = _option_set(
    "-G --get -I --head -s --silent -S --show-error -L --location --location-trusted -v --verbose -i --include",
    "--show-headers -k --insecure -f --fail --fail-with-body --compressed -g --globoff --path-as-is -N --no-buffer",
    "-O --remote-name -J -# --progress-bar --no-progress-meter --create-dirs -R -q --disable --raw",
    "--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 -0 -1 -2 -4 --ipv4 -6 --ipv6",
    "--tlsv1.2 --tlsv1.3 --ssl-reqd --ssl-no-revoke --no-keepalive --tcp-nodelay",
    "--retry-all-errors --retry-connrefused --post301 --post302",
)
_SVC_TUI_VALUE_OPTIONS = _option_set("-q --query -d --data -H --header --profile --config --theme")
_SVC_TUI_FLAGS = _option_set("-i --include --live --explain --read-only --reader --no-reader")


class PastedCommandError(ValueError):
    """A command that can't become a request of this console; the message says why and quotes no value."""


def is_command(text: str) -> bool:
    """Whether the text begins as a command for curl or for `svc-tui request` does, or is one that was copied here."""
    return _COMMAND_START.match(text) is not None or _parse_copied_line(text) is not None


def read_command(text: str, base_url: str) -> RequestForm:
    """The request that the command makes; its `note` says what was left out. Raises PastedCommandError.

    The address counts from its path on: requests go to the service at `base_url` and nowhere else.
    """
    start, copied = _COMMAND_START.match(text), _parse_copied_line(text)
    if start is None and copied is None:
        raise PastedCommandError("not a curl or svc-tui request command")
    if any(prefix in part for prefix in PREFIXES for part in _words_without_headers(text)):
        raise PastedCommandError("the URL or the body contains an API key; remove it")
    if copied is not None:
        return copied.read(base_url)
    assert start is not None
    words, notes = _command_words(text[start.end() :])
    return _CurlParser(base_url, notes).read(words) if start[1] else _SvcTuiParser(notes).read(words)


@dataclass(frozen=True, slots=True)
class _CopiedLine:
    """A line that this program wrote: the command behind its pipe, and the body that is handed to it.

    What stands in front of the pipe makes the headers of identity, which the profile does here.
    """

    command: tuple[str, ...]
    body: str

    def read(self, base_url: str) -> RequestForm:
        """The request that the line makes."""
        if self.command[0] != "curl":
            return _SvcTuiParser([], self.body).read(self.command[2:])
        plain = [self.body if word == "$body" else word for word in self.command[1:]]
        at = plain.index("@-")
        return _CurlParser(base_url, []).read(plain[: at - 1] + plain[at + 1 :])


def _parse_copied_line(text: str) -> _CopiedLine | None:
    """The line, if it is one that this program writes for a request (`domain.console.command_lines`)."""
    start = _COPIED_START.match(text)
    try:
        plain = [word.text for word in split_words(text[start.end() :])] if start else []
    except ShellSyntaxError:
        return None
    if "|" not in plain:
        return None
    command = tuple(plain[plain.index("|") + 1 :])
    if command[:1] == ("curl",) and "@-" in command[1:]:
        return _CopiedLine(command, plain[0].removeprefix("body=").removesuffix(";") if plain[0] != "python3" else "")
    if command[:2] == ("svc-tui", "request") and plain[0] == "printf" and len(plain) > 2:
        return _CopiedLine(command, plain[2])
    return None


def _words_without_headers(text: str) -> Iterator[str]:
    """The command without its headers, which are looked at one by one."""
    try:
        words = [word.text for word in split_words(_to_posix(text))]
    except ShellSyntaxError:
        return
    before = ""
    for word in words:
        if before not in ("-H", "--header") and not word.startswith("-H"):
            yield word
        before = word


_CMD_QUOTED = re.compile(r"""(?:[^'"^]|'[^']*'|"(?:\\.|[^"\\])*"|\^(?!"))*+\^\"""", re.DOTALL)
"""A command for Windows' command line: it has an escaped quote outside of other quotes."""

_CMD_PART = re.compile(r'"[^"]*"?|\^(?:\r?\n(\r?\n)|\r?\n|(.))', re.DOTALL)
"""What Windows' command line reads in its own way: a quoted text, in which a caret is one, or an escape by a caret."""


def _to_posix(text: str) -> str:
    """The command as a POSIX shell would have it."""
    if _CMD_QUOTED.match(text):
        return _CMD_PART.sub(_unescape_cmd, text)
    return re.sub(r"[ \t][`^][ \t]*\r?\n", " ", text)


def _unescape_cmd(part: re.Match[str]) -> str:
    if part[0].startswith('"'):
        return part[0]
    # Of a caret before two line ends one is left, the other continues the line.
    return part[1] or part[2] or " "


def _command_words(text: str) -> tuple[list[str], list[str]]:
    try:
        words = _split_command(_to_posix(text))
    except ShellSyntaxError as error:
        raise PastedCommandError(f"the command is not complete: {error.reason}") from None
    kept, notes = [], []
    for word in words:
        plain = _TYPOGRAPHIC.get(ord(word.text[0])) if word.text and word.bare[0] else None
        if plain is not None:
            raise PastedCommandError(f"{word.text[0]} is a typographic character; replace it with {plain}")
        if word.is_bare and _COMMAND_END.fullmatch(word.text):
            notes.append(f"Ignored everything after {word.text[:2]}.")
            break
        kept.append(word.text)
    return kept, notes


def _split_command(text: str) -> list[Word]:
    """Return the words of a command; `""` inside `"…"` is one quote where only that makes JSON.

    Raises ShellSyntaxError.
    """
    words = split_words(text)
    if '""' not in text:
        return words
    try:
        windows = split_words(text, doubled_quotes=True)
    except ShellSyntaxError:
        return words
    if len(windows) != len(words):
        return words
    return [
        other if _ends_with_json(other.text) and not _ends_with_json(word.text) else word
        for word, other in zip(words, windows, strict=True)
    ]


def _ends_with_json(word: str) -> bool:
    """Whether a word is a JSON object or array, or an option with one behind it."""
    start = next((at for at, character in enumerate(word) if character in "{["), None)
    try:
        return start is not None and isinstance(loads(word[start:]), Mapping | Sequence)
    except JsonError:
        return False


@dataclass
class _CommandParser:
    """Takes the words of one command; `body` is in parts, each a text or `@` and a file."""

    notes: list[str]
    method: str = ""
    addresses: list[str] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    signature: ForeignSignature = field(default_factory=ForeignSignature)
    credentials: list[str] = field(default_factory=list)
    """The names of the headers that identify somebody, which are left out."""

    def options(
        self, words: Sequence[str], with_value: Iterable[str], flags: Iterable[str]
    ) -> Iterator[tuple[str, str]]:
        """Yield each option with its value ("" for a flag), each other word as named ""; raises PastedCommandError."""
        rest = iter(words)
        for word in rest:
            if not word.startswith("-") or word == "-":
                yield "", word
            elif word.startswith("--"):
                name, equals, value = word.partition("=")
                self.known(name, with_value, flags)
                takes = name in with_value
                yield name, value if takes and equals else self.next(rest, name) if takes else ""
            else:
                yield from self.short(word, rest, with_value, flags)

    def short(
        self, word: str, rest: Iterator[str], with_value: Iterable[str], flags: Iterable[str]
    ) -> Iterator[tuple[str, str]]:
        """The options of a word such as `-sSXPOST`."""
        for at in range(1, len(word)):
            name = f"-{word[at]}"
            self.known(name, with_value, flags)
            if name in with_value:
                yield name, word[at + 1 :] or self.next(rest, name)
                return
            yield name, ""

    def known(self, name: str, with_value: Iterable[str], flags: Iterable[str]) -> None:
        if name in _REFUSED_OPTIONS and name not in with_value:
            raise PastedCommandError(f"{name} {_REFUSED_OPTIONS[name]}")
        if name not in with_value and name not in flags:
            raise PastedCommandError(f"the option {name[:20]} is not supported; remove it")

    def next(self, rest: Iterator[str], name: str) -> str:
        value = next(rest, None)
        if value is None:
            raise PastedCommandError(f"the option {name} needs a value")
        return value

    def header(self, text: str) -> None:
        """Take a header; those of identity and of a browser are left out with a word."""
        name, colon, value = text.partition(":")
        if not colon and text.endswith(";"):
            name, colon, value = text[:-1], ":", " "
        name = name.strip()
        if not colon or not is_token(name):
            raise PastedCommandError("a header must have the form 'Name: value'")
        keyed = any(prefix in value for prefix in PREFIXES)
        if name.lower() == TIMESTAMP_HEADER:
            self.signature = replace(self.signature, timestamp=value.strip())
        elif name.lower() == SIGNATURE_HEADER:
            self.signature = replace(self.signature, signature=value.strip())
            self.note("The pasted signature is not sent. Press f9 to check it.")
        elif carries_identity(name) or (keyed and name.lower() != "idempotency-key"):
            self.leave_out_credentials(name)
        elif _BROWSER_HEADERS.fullmatch(name.lower()):
            self.note("Ignored browser headers.")
        elif value:
            self.headers.append(f"{name}: {value.strip()}")

    def leave_out_credentials(self, name: str) -> None:
        """Remember the name of a header with credentials, once."""
        if name not in self.credentials:
            self.credentials.append(name)

    def note(self, words: str) -> None:
        """Say something once."""
        if words not in self.notes:
            self.notes.append(words)

    def form(self, path: str, query: str, body: str) -> RequestForm:
        """The form of what was taken."""
        asks = "&".join(filter(None, (query, *self.query)))
        if asks and not _same_target(path, asks):
            path, asks = f"{path}?{asks}", ""
        form = RequestForm(
            # An empty body is one too: -d '' makes a POST.
            self.method.upper() or ("POST" if self.body else "GET"),
            path,
            asks,
            "\n".join(self.headers),
            body,
        )
        if body and not form.takes_body:
            self.note(f"{form.method} requests have no body.")
        if self.credentials:
            self.note(f"Removed headers with credentials: {', '.join(self.credentials)}.")
        signature = None if self.signature == ForeignSignature() else self.signature
        return replace(form, note=" ".join(self.notes), signature=signature)


class _CurlParser(_CommandParser):
    def __init__(self, base_url: str, notes: list[str]) -> None:
        super().__init__(notes)
        self._base_url, self._separator = base_url, "&"
        self._asks = self._json = False

    def read(self, words: Sequence[str]) -> RequestForm:
        """The request that curl would make."""
        for name, value in self.options(words, _CURL_VALUE_OPTIONS, _CURL_FLAGS):
            self._take(name, value)
        if not self.addresses:
            raise PastedCommandError("the command has no URL")
        if len(self.addresses) > 1:
            raise PastedCommandError("the command has several URLs; paste one request at a time")
        path, query = self._addressed(self.addresses[0])
        body = self._whole()
        if self._asks:
            if body.startswith("@") and not body.startswith("@@"):
                raise PastedCommandError("-G reads the query from a file; write the query in the command")
            self.query.append(body.removeprefix("@"))
            body = ""
        named = any(header.lower().startswith("content-type:") for header in self.headers)
        if body and not named and not self._json and not _looks_like_json(body):
            self.headers.append(_URLENCODED_HEADER)
        return self.form(path, query, body)

    def _take(self, name: str, value: str) -> None:
        takers: dict[str, Callable[[str], None]] = {
            "": self.addresses.append,
            "--url": self.addresses.append,
            "--url-query": lambda text: self.query.append(_urlencode(text)),
            "-X": self._named,
            "--request": self._named,
            "-H": self._header,
            "--header": self._header,
            "-d": self._data,
            "--data": self._data,
            "--data-ascii": self._data,
            "--data-binary": self._data,
            "--data-raw": self._text,
            "--data-urlencode": lambda text: self._text(_urlencode(text)),
            "--json": self._json_data,
            "-b": lambda _: self.leave_out_credentials("Cookie"),
            "--cookie": lambda _: self.leave_out_credentials("Cookie"),
        }
        if name in takers:
            takers[name](value)
        elif name in ("-G", "--get"):
            self.method, self._asks = self.method or "GET", True
        elif name in ("-I", "--head"):
            self.method = self.method or "HEAD"

    def _named(self, method: str) -> None:
        if not is_token(method):
            raise PastedCommandError("-X needs an HTTP method")
        self.method = method

    def _header(self, text: str) -> None:
        if text.startswith("@"):
            self.note("Ignored headers from a file.")
        else:
            self.header(text)

    def _data(self, text: str) -> None:
        if text == "@-":
            raise PastedCommandError("the body comes from another command; save it to a file and use @FILE")
        if text.startswith("@"):
            self.body.append(text)
        else:
            self._text(text)

    def _text(self, text: str) -> None:
        self.body.append(_literal_body(text))

    def _json_data(self, text: str) -> None:
        self._json, self._separator = True, ""
        self._data(text)

    def _whole(self) -> str:
        if len(self.body) > 1 and any(part.startswith("@") for part in self.body):
            raise PastedCommandError("the body has several parts; use one file or one text")
        return self._separator.join(self.body)

    def _addressed(self, address: str) -> tuple[str, str]:
        """Path and query of the address, without the host and what the base URL has before `/v1`."""
        rest, _, _ = (
            _VARIABLE.sub("", address, count=1).partition("#") if address.startswith("$") else (address, "", "")
        )
        rest = rest.partition("#")[0]
        base = urlsplit(self._base_url)
        if not address.startswith("$"):
            host, slash, rest = _SCHEME.sub("", rest, count=1).partition("/")
            host, mark, query = host.partition("?")
            rest = f"{slash}{rest}{mark}{query}"
            if "@" in host:
                raise PastedCommandError(f"the URL {_OWN_IDENTITY}")
            if host.lower() != base.netloc.lower() and not host.startswith("{"):
                # Before all others: whoever pastes a command means the service that it names.
                self.notes.insert(0, f"Ignored the host {host[:60]}: requests go to {base.netloc}.")
        path, _, query = rest.partition("?")
        if base.path and path.startswith(f"{base.path}{VERSION_PREFIX}/"):
            path = path.removeprefix(base.path)
        return path or "/", query


class _SvcTuiParser(_CommandParser):
    def __init__(self, notes: list[str], handed: str | None = None) -> None:
        super().__init__(notes)
        self._handed = handed

    def read(self, words: Sequence[str]) -> RequestForm:
        """The request that this program's own command would make."""
        plain: list[str] = []
        for name, value in self.options(words, _SVC_TUI_VALUE_OPTIONS, _SVC_TUI_FLAGS):
            if name == "":
                plain.append(value)
            elif name in ("-q", "--query"):
                name, _, text = value.partition("=")
                self.query.append(f"{quote(name, safe='')}={quote(text, safe='')}")
            elif name in ("-H", "--header"):
                self.header(value)
            elif name in ("-d", "--data"):
                if value == "-" and self._handed is None:
                    raise PastedCommandError("the body comes from another command; save it to a file and use @FILE")
                self.body = [_literal_body(self._handed or "") if value == "-" else value]
        if len(plain) != 2:
            raise PastedCommandError("svc-tui request needs a method and a path")
        self.method = plain[0]
        path, _, query = plain[1].partition("?")
        return self.form(path, query, "".join(self.body))


def _literal_body(text: str) -> str:
    """The text as the body of a form, where `@` begins the name of a file."""
    return f"@{text}" if text.startswith("@") else text


def _same_target(path: str, query: str) -> bool:
    """Whether the query, read into pairs and written again, is what the command would have sent."""
    pairs = compose_request(RequestForm("GET", path, query)).spec.query
    try:
        return target_of("/x", pairs) == target_of(f"/x?{query}")
    except RequestRefused:
        return False


def _urlencode(text: str) -> str:
    """The text as curl's `--data-urlencode` makes it; raises PastedCommandError for what is in a file."""
    name, equals, value = text.partition("=")
    if not equals:
        if "@" in text:
            raise PastedCommandError("--data-urlencode reads from a file; write the data in the command")
        return quote(text, safe="")
    return f"{name}={quote(value, safe='')}" if name else quote(value, safe="")


def _looks_like_json(body: str) -> bool:
    if body.startswith("@") and not body.startswith("@@"):
        return True
    try:
        loads(body)
    except JsonError:
        return body.lstrip()[:1] in ("{", "[")
    return True
