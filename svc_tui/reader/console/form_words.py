"""A request that the user writes, as it may be heard: no key, no secret, nothing personal while that is hidden."""

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from svc_tui.console.request_form import RequestForm, encode_query_text, value_form
from svc_tui.console.request_line import format_line
from svc_tui.core.bodies import size_text
from svc_tui.core.jsontext import JsonError, dumps, loads, same_json
from svc_tui.core.phrases import capitalize_first
from svc_tui.core.values import replace
from svc_tui.core.visible_text import visible
from svc_tui.reader.talk import Talk
from svc_tui.service.redact import mask_json, mask_keys, mask_text
from svc_tui.service.routes import expand_path
from svc_tui.session.masking import domain_of

_MAX_BODY_CHARACTERS = 4_000
"""Characters of a body that are read out; how large it is, is said."""


def safe_words(text: str, talk: Talk) -> str:
    """A text from outside on one line, without keys and secrets."""
    return visible(mask_text(mask_keys(text), talk.session.gateway.secrets))


def form_line(form: RequestForm, talk: Talk) -> str:
    """The line that writes the request."""
    return safe_words(format_line(_seen(form, talk)), talk)


def form_head(form: RequestForm, talk: Talk) -> str:
    """Its method and path alone."""
    seen = _seen(form, talk)
    return safe_words(f"{seen.method} {seen.path}", talk)


def form_lines(form: RequestForm, talk: Talk) -> Iterator[str]:
    """The request part by part, then what it asks for."""
    seen = _seen(form, talk)
    yield f"Request: {form_head(form, talk)}"
    if seen.query:
        yield f"Query: {safe_words('&'.join(seen.query.splitlines()), talk)}"
    for line in seen.headers.splitlines():
        yield f"Header {safe_words(line, talk)}"
    if seen.takes_body and seen.body:
        cut = f" … shortened, {size_text(len(form.body.encode(errors='replace')))} in total"
        body = seen.body[:_MAX_BODY_CHARACTERS]
        first, *others = body.split("\n")
        yield f"Body: {safe_words(first, talk)}"
        for line in others:
            yield safe_words(line, talk)
        if body != seen.body:
            yield cut
    if asked := asked_words(form):
        yield f"{capitalize_first(asked)}."


def asked_words(form: RequestForm) -> str:
    """What values the request asks for, "" for none."""
    lines = value_form(form).lines
    names = [f"{visible(line.name)}{f' as {line.takes}' if line.takes else ''}" for line in lines]
    return f"asks for {', '.join(names)}" if names else ""


def holds_secret_part(form: RequestForm, talk: Talk) -> bool:
    """Whether a key or a secret is in one of its parts, however the line that writes it quotes it."""
    return _without_secrets(form, talk) != form


def _seen(form: RequestForm, talk: Talk) -> RequestForm:
    """The form without keys and secrets, and without what is personal, while that is hidden.

    Before it is written as a line: quoted, a secret is spelled in another way.
    """
    form, mask = _without_secrets(form, talk), talk.mask
    if not mask.on:
        return form
    domain = domain_of(expand_path(form.path.strip(), tuple(talk.session.collections)))
    path, mark, asked = form.path.partition("?")
    body = mask.mask.body(form.body.encode(errors="replace"), domain).decode(errors="replace")

    def pair(name: str, value: str) -> tuple[str, str]:
        return name, mask.mask.pair(name, value, domain)

    return replace(
        form,
        path=path + mark + _map_pairs(asked, pair),
        query=_map_pairs(form.query, pair),
        body=body,
    )


def _without_secrets(form: RequestForm, talk: Talk) -> RequestForm:
    secrets = talk.session.gateway.secrets

    def pair(name: str, value: str) -> tuple[str, str]:
        return _clean(name, secrets), _clean(value, secrets)

    path, mark, asked = form.path.partition("?")
    return replace(
        form,
        method=_clean(form.method, secrets),
        path=_clean_encoded(path, secrets) + mark + _map_pairs(asked, pair),
        query=_map_pairs(form.query, pair),
        headers="\n".join(_clean(line, secrets) for line in form.headers.split("\n")),
        body=_clean_body(form.body, secrets),
    )


def _clean(text: str, secrets: Sequence[str]) -> str:
    return mask_keys(mask_text(text, secrets))


def _clean_encoded(text: str, secrets: Sequence[str]) -> str:
    """The text, percent-encoded wherever that was, decoded where a secret was in it."""
    plain = unquote(text)
    clean = _clean(plain, secrets)
    return text if clean == plain else clean


def _clean_body(body: str, secrets: Sequence[str]) -> str:
    try:
        value = loads(body)
    except JsonError:
        return _clean(body, secrets)
    clean = mask_json(value, secrets)
    return body if same_json(clean, value) else dumps(clean)


def _map_pairs(query: str, change: Callable[[str, str], tuple[str, str]]) -> str:
    """The query with each decoded pair as `change` has it; what it leaves alone stays as it is written."""
    return "\n".join("&".join(_map_pair(pair, change) for pair in line.split("&")) for line in query.split("\n"))


def _map_pair(pair: str, change: Callable[[str, str], tuple[str, str]]) -> str:
    written, equals, value = pair.partition("=")
    # As the console reads it: what begins a query is none of the first name.
    before = unquote(written.strip().removeprefix("?")), unquote(value)
    after = change(*before)
    if after == before:
        return pair
    return f"{encode_query_text(after[0], '%&=?{}')}{equals}{encode_query_text(after[1], '%&{}')}"
