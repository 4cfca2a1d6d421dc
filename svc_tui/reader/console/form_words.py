"""A request that the user writes, as it may be heard: no key, no secret, nothing personal while that is hidden."""

from collections.abc import Iterator
from dataclasses import replace

from svc_tui.domain.app.masking import domain_of
from svc_tui.domain.console.blanks import value_form
from svc_tui.domain.console.request_form import RequestForm
from svc_tui.domain.console.request_line import format_line
from svc_tui.domain.data.bodies import size_text
from svc_tui.domain.data.visible_text import visible
from svc_tui.domain.http.redact import mask_keys, mask_text
from svc_tui.domain.http.routes import expand_path
from svc_tui.domain.session.privacy_mask import PrivacyMask
from svc_tui.reader.talk import Talk

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
        yield f"Query: {safe_words(seen.query, talk)}"
    for line in seen.headers.splitlines():
        yield f"Header {safe_words(line, talk)}"
    if seen.takes_body and seen.body:
        cut = f" … cut, {size_text(len(seen.body.encode(errors='replace')))} in all"
        body = seen.body[:_MAX_BODY_CHARACTERS]
        first, *others = body.split("\n")
        yield f"Body: {safe_words(first, talk)}"
        for line in others:
            yield safe_words(line, talk)
        if body != seen.body:
            yield cut
    if asked := asked_words(form):
        yield f"It {asked}."


def asked_words(form: RequestForm) -> str:
    """What values the request asks for, "" for none."""
    lines = value_form(form).lines
    names = [f"{visible(line.name)}{f' as {line.takes}' if line.takes else ''}" for line in lines]
    return f"asks for {', '.join(names)}" if names else ""


def _seen(form: RequestForm, talk: Talk) -> RequestForm:
    """The form without what is personal, while that is hidden."""
    mask = talk.mask
    if not mask.on:
        return form
    domain = domain_of(expand_path(form.path.strip(), tuple(talk.session.collections)))
    path, mark, asked = form.path.partition("?")
    body = mask.mask.body(form.body.encode(errors="replace"), domain).decode(errors="replace")
    return replace(
        form,
        path=path + mark + _seen_query(asked, mask, domain),
        query=_seen_query(form.query, mask, domain),
        body=body,
    )


def _seen_query(query: str, mask: PrivacyMask, domain: str) -> str:
    pairs = [pair.partition("=") for pair in "&".join(query.splitlines()).split("&") if pair]
    return "&".join(f"{name}{equals}{mask.mask.pair(name, value, domain)}" for name, equals, value in pairs)
