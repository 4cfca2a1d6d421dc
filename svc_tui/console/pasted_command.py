"""A pasted command for curl or for `svc-tui request`, read as a request. Nothing is expanded and nothing is run.

Quoting of POSIX shells, of Windows' cmd (`^`) and of PowerShell (a backquote at the end of a line) is understood. What
curl does by itself follows its manual page. Credentials are left out: requests use those of the profile.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from urllib.parse import quote, urlsplit

from msgspec import Struct, field

from svc_tui.console.request_form import RequestForm, compose_request
from svc_tui.console.shell_words import ShellSyntaxError, Word, split_words
from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.core.credentials import PREFIXES
from svc_tui.core.jsontext import JsonError, loads
from svc_tui.core.values import replace
from svc_tui.service.errors import RequestRefused
from svc_tui.service.headers import carries_identity, is_token
from svc_tui.service.routes import target_of
from svc_tui.service.signing import SIGNATURE_HEADER, TIMESTAMP_HEADER, ForeignSignature

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
"""Code points that text programs put in the place of characters with a meaning for shells."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

_BROWSER_HEADERS = re.compile(
    r"sec-.*|origin|referer|user-agent|accept-(?:encoding|language)|priority|dnt|pragma|cache-control"
)

_OWN_IDENTITY = "contains credentials; only the key of the profile is used. Remove it"
_BODY_FROM_COMMAND = "the body comes from another command; save it to a file and use @FILE"
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
    """A command that can't be read as a request; the message says why and quotes no value."""


def is_command(text: str) -> bool:
    """Return whether the text begins with `curl` or `svc-tui request`, or is a line that `console.copy_as` writes."""
    return _COMMAND_START.match(text) is not None or _copied_command(text) is not None


def read_command(text: str, base_url: str) -> RequestForm:
    """Return the request that the command makes; its `note` says what was left out. Raises PastedCommandError.

    Only path and query of the URL count: requests go to the service at `base_url` and nowhere else.
    """
    start, copied = _COMMAND_START.match(text), _copied_command(text)
    if start is None and copied is None:
        raise PastedCommandError("not a curl or svc-tui request command")
    if any(prefix in word for prefix in PREFIXES for word in _words_without_headers(text)):
        raise PastedCommandError("the URL or the body contains an API key; remove it")
    if copied is not None:
        words, body = copied
        return _read_curl(words[1:], base_url, []) if words[0] == "curl" else _read_svc_tui(words[2:], [], body)
    assert start is not None
    words, notes = _command_words(text[start.end() :])
    return _read_curl(words, base_url, notes) if start[1] else _read_svc_tui(words, notes)


def _copied_command(text: str) -> tuple[list[str], str] | None:
    """Return the command of a line that `console.copy_as` writes, and its body; None for another line.

    The program that makes the headers is left out: they come from the profile.
    """
    start = _COPIED_START.match(text)
    try:
        words = [word.text for word in split_words(text[start.end() :])] if start else []
    except ShellSyntaxError:
        return None
    if "|" not in words:
        return None
    first, command = words[0], words[words.index("|") + 1 :]
    if command[:1] == ["curl"] and "@-" in command:
        body = "" if first == "python3" else first.removeprefix("body=").removesuffix(";")
        at = command.index("@-")
        return [body if word == "$body" else word for word in command[: at - 1] + command[at + 1 :]], body
    if command[:2] == ["svc-tui", "request"] and first == "printf" and len(words) > 2:
        return command, words[2]
    return None


def _words_without_headers(text: str) -> Iterator[str]:
    """Return the words of the command that are no headers, which are checked one by one."""
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
"""A command for Windows' cmd: it has an escaped quote outside of other quotes."""

_CMD_PART = re.compile(r'"[^"]*"?|\^(?:\r?\n(\r?\n)|\r?\n|(.))', re.DOTALL)
"""A quoted text of Windows' cmd, in which a caret has no meaning, or an escape by a caret."""


def _to_posix(text: str) -> str:
    """Return the command in the syntax of a POSIX shell."""
    if _CMD_QUOTED.match(text):
        return _CMD_PART.sub(_unescape_cmd, text)
    return re.sub(r"[ \t][`^][ \t]*\r?\n", " ", text)


def _unescape_cmd(part: re.Match[str]) -> str:
    if part[0].startswith('"'):
        return part[0]
    # Of two line breaks after a caret, the first continues the line and the second stays.
    return part[1] or part[2] or " "


def _command_words(text: str) -> tuple[list[str], list[str]]:
    """Return the words up to the end of the command, and notes about what follows. Raises PastedCommandError."""
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
    """Return whether the word is a JSON object or array, or an option directly followed by one."""
    start = next((at for at, character in enumerate(word) if character in "{["), None)
    try:
        return start is not None and isinstance(loads(word[start:]), Mapping | Sequence)
    except JsonError:
        return False


class _Request(Struct):
    """The request read so far; `body` is in parts, each a text or `@` and the name of a file."""

    notes: list[str]
    method: str = ""
    query: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    signature: ForeignSignature = field(default_factory=ForeignSignature)
    credentials: list[str] = field(default_factory=list)
    """The names of headers with credentials, which are left out."""

    def add_header(self, text: str) -> None:
        """Add a header unless it contains credentials or is a browser's. Raises PastedCommandError."""
        name, colon, value = text.partition(":")
        if not colon and text.endswith(";"):
            name, colon, value = text[:-1], ":", " "
        name = name.strip()
        if not colon or not is_token(name):
            raise PastedCommandError("a header must have the form 'Name: value'")
        has_key = any(prefix in value for prefix in PREFIXES)
        if name.lower() == TIMESTAMP_HEADER:
            self.signature = replace(self.signature, timestamp=value.strip())
        elif name.lower() == SIGNATURE_HEADER:
            self.signature = replace(self.signature, signature=value.strip())
            self.add_note("The pasted signature is not sent. Press f9 to check it.")
        elif carries_identity(name) or (has_key and name.lower() != "idempotency-key"):
            self.omit_credentials(name)
        elif _BROWSER_HEADERS.fullmatch(name.lower()):
            self.add_note("Ignored browser headers.")
        elif value:
            self.headers.append(f"{name}: {value.strip()}")

    def omit_credentials(self, name: str) -> None:
        if name not in self.credentials:
            self.credentials.append(name)

    def add_note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def to_form(self, path: str, query: str, body: str) -> RequestForm:
        query = "&".join(filter(None, (query, *self.query)))
        if query and not _is_same_target(path, query):
            path, query = f"{path}?{query}", ""
        # An empty body is a body, too: -d '' makes a POST.
        method = self.method.upper() or ("POST" if self.body else "GET")
        form = RequestForm(method, path, query, "\n".join(self.headers), body)
        if body and not form.takes_body:
            self.add_note(f"{form.method} requests have no body.")
        if self.credentials:
            self.add_note(f"Removed headers with credentials: {', '.join(self.credentials)}.")
        signature = None if self.signature == ForeignSignature() else self.signature
        return replace(form, note=" ".join(self.notes), signature=signature)


def _read_curl(words: Sequence[str], base_url: str, notes: list[str]) -> RequestForm:
    request, urls, is_query, is_json = _Request(notes), list[str](), False, False
    for name, value in _parse_options(words, _CURL_VALUE_OPTIONS, _CURL_FLAGS):
        match name:
            case "" | "--url":
                urls.append(value)
            case "--url-query":
                request.query.append(_urlencode(value))
            case "-X" | "--request":
                if not is_token(value):
                    raise PastedCommandError("-X needs an HTTP method")
                request.method = value
            case "-H" | "--header":
                if value.startswith("@"):
                    request.add_note("Ignored headers from a file.")
                else:
                    request.add_header(value)
            case "-d" | "--data" | "--data-ascii" | "--data-binary" | "--json":
                is_json = is_json or name == "--json"
                if value == "@-":
                    raise PastedCommandError(_BODY_FROM_COMMAND)
                request.body.append(value)
            case "--data-raw":
                request.body.append(_literal_body(value))
            case "--data-urlencode":
                request.body.append(_literal_body(_urlencode(value)))
            case "-b" | "--cookie":
                request.omit_credentials("Cookie")
            case "-G" | "--get":
                request.method, is_query = request.method or "GET", True
            case "-I" | "--head":
                request.method = request.method or "HEAD"
    if not urls:
        raise PastedCommandError("the command has no URL")
    if len(urls) > 1:
        raise PastedCommandError("the command has several URLs; paste one request at a time")
    path, query = _path_and_query(urls[0], base_url, notes)
    if len(request.body) > 1 and any(part.startswith("@") for part in request.body):
        raise PastedCommandError("the body has several parts; use one file or one text")
    body = ("" if is_json else "&").join(request.body)
    if is_query:
        if body.startswith("@") and not body.startswith("@@"):
            raise PastedCommandError("-G reads the query from a file; write the query in the command")
        request.query.append(body.removeprefix("@"))
        return request.to_form(path, query, "")
    has_type = any(header.lower().startswith("content-type:") for header in request.headers)
    if body and not has_type and not is_json and not _is_json_like(body):
        request.headers.append("Content-Type: application/x-www-form-urlencoded")
    return request.to_form(path, query, body)


def _read_svc_tui(words: Sequence[str], notes: list[str], stdin: str | None = None) -> RequestForm:
    request, arguments = _Request(notes), list[str]()
    for name, value in _parse_options(words, _SVC_TUI_VALUE_OPTIONS, _SVC_TUI_FLAGS):
        match name:
            case "":
                arguments.append(value)
            case "-q" | "--query":
                key, _, text = value.partition("=")
                request.query.append(f"{quote(key, safe='')}={quote(text, safe='')}")
            case "-H" | "--header":
                request.add_header(value)
            case "-d" | "--data":
                if value == "-" and stdin is None:
                    raise PastedCommandError(_BODY_FROM_COMMAND)
                request.body = [_literal_body(stdin or "") if value == "-" else value]
    if len(arguments) != 2:
        raise PastedCommandError("svc-tui request needs a method and a path")
    request.method = arguments[0]
    path, _, query = arguments[1].partition("?")
    return request.to_form(path, query, "".join(request.body))


def _parse_options(
    words: Sequence[str], with_value: Collection[str], flags: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield each option with its value, "" for a flag; other words have the name "". Raises PastedCommandError."""
    rest = iter(words)

    def takes_value(name: str) -> bool:
        if name in with_value:
            return True
        if name in _REFUSED_OPTIONS:
            raise PastedCommandError(f"{name} {_REFUSED_OPTIONS[name]}")
        if name not in flags:
            raise PastedCommandError(f"the option {name[:20]} is not supported; remove it")
        return False

    def next_word(name: str) -> str:
        word = next(rest, None)
        if word is None:
            raise PastedCommandError(f"the option {name} needs a value")
        return word

    for word in rest:
        if not word.startswith("-") or word == "-":
            yield "", word
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            if not takes_value(name):
                value = ""
            elif not equals:
                value = next_word(name)
            yield name, value
        else:
            # Several in one word, such as `-sSXPOST`.
            for at in range(1, len(word)):
                name = f"-{word[at]}"
                if takes_value(name):
                    yield name, word[at + 1 :] or next_word(name)
                    break
                yield name, ""


def _path_and_query(url: str, base_url: str, notes: list[str]) -> tuple[str, str]:
    """Return path and query of the URL, without the host and without the path of the base URL before `/v1`."""
    rest, base = url.partition("#")[0], urlsplit(base_url)
    if rest.startswith("$"):
        rest = _VARIABLE.sub("", rest, count=1)
    else:
        rest = _SCHEME.sub("", rest, count=1)
        host = re.split("[/?]", rest, maxsplit=1)[0]
        rest = rest.removeprefix(host)
        if "@" in host:
            raise PastedCommandError(f"the URL {_OWN_IDENTITY}")
        if host.lower() != base.netloc.lower() and not host.startswith("{"):
            # Before all others: users paste a command because of the service that it names.
            notes.insert(0, f"Ignored the host {host[:60]}: requests go to {base.netloc}.")
    path, _, query = rest.partition("?")
    if base.path and path.startswith(f"{base.path}{VERSION_PREFIX}/"):
        path = path.removeprefix(base.path)
    return path or "/", query


def _literal_body(text: str) -> str:
    """Return the text as the body of a form, where `@` begins the name of a file."""
    return f"@{text}" if text.startswith("@") else text


def _is_same_target(path: str, query: str) -> bool:
    """Return whether a form sends the query as the command does, which sends it unchanged."""
    pairs = compose_request(RequestForm("GET", path, query)).spec.query
    try:
        return target_of("/x", pairs) == target_of(f"/x?{query}")
    except RequestRefused:
        return False


def _urlencode(text: str) -> str:
    """Return the text as curl's `--data-urlencode` sends it. Raises PastedCommandError for a file."""
    name, equals, value = text.partition("=")
    if not equals:
        if "@" in text:
            raise PastedCommandError("--data-urlencode reads from a file; write the data in the command")
        return quote(text, safe="")
    return f"{name}={quote(value, safe='')}" if name else quote(value, safe="")


def _is_json_like(body: str) -> bool:
    if body.startswith("@") and not body.startswith("@@"):
        return True
    try:
        loads(body)
    except JsonError:
        return body.lstrip()[:1] in ("{", "[")
    return True
