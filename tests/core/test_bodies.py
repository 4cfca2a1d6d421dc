"""Bodies for reading: JSON, text in its own encoding, binary in hex, and what must be said beside them."""

import gzip

import pytest

from svc_tui.core.bodies import (
    ReadableBody,
    bytes_in_row,
    file_ending,
    hex_dump,
    make_readable,
    preview_bytes,
    size_text,
)
from svc_tui.core.requests import Answer


def answer(body: bytes, content_type: str = "", *, capped: bool = False) -> Answer:
    headers = (("Content-Type", content_type),) if content_type else ()
    return Answer(200, "OK", headers, body, capped)


def test_json_is_indented_and_keeps_every_digit() -> None:
    assert make_readable(answer(b'{"mass":1.500}', "application/json; charset=utf-8")) == ReadableBody(
        '{\n  "mass": 1.500\n}', json=True
    )
    assert make_readable(answer(b" [1]")).json
    assert make_readable(answer(b'{"type":"x"}', "application/problem+json")).json


def test_what_claims_to_be_json_and_is_not_is_shown_as_it_came() -> None:
    assert make_readable(answer(b'{"a":1,"a":2}', "application/json")) == ReadableBody(
        '{"a":1,"a":2}', note='not valid JSON: an object has the property "a" more than once'
    )


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"<h1>Bad Gateway</h1>", "text/html", "<h1>Bad Gateway</h1>"),
        ("naïve".encode("latin-1"), "text/plain; charset=iso-8859-1", "naïve"),
        ("矿".encode(), "text/plain; charset=no-such", "矿"),
        (b"\xef\xbb\xbfplain", "", "plain"),
        (b"\x1b[31mred", "text/plain", "\x1b[31mred"),
    ],
)
def test_text_is_shown_as_text(body: bytes, content_type: str, text: str) -> None:
    page = "a web page" if content_type == "text/html" else ""
    assert make_readable(answer(body, content_type)) == ReadableBody(text, note=page)


def test_binary_is_shown_by_its_first_bytes() -> None:
    body = gzip.compress(bytes(range(256)) * 8, mtime=0)
    shown = make_readable(answer(body, "application/octet-stream"))
    assert shown.text.startswith("00000000  1f 8b 08")
    assert shown.note.startswith("binary, application/octet-stream, ")
    assert hex_dump(b"Lot\x00") == "00000000  4c 6f 74 00" + " " * 36 + "  Lot."


def test_the_first_bytes_of_any_body_can_be_read() -> None:
    assert preview_bytes(b"{}") == "00000000  7b 7d" + " " * 44 + "{}"
    lines = preview_bytes(b"x" * 5000).split("\n")
    assert (len(lines), lines[-1]) == (257, "… and 904 more bytes, 5,000 in total")
    assert preview_bytes(b"") == ""


@pytest.mark.parametrize(("cells", "count"), [(200, 16), (75, 16), (74, 8), (43, 8), (42, 4), (27, 4), (5, 4)])
def test_a_line_of_a_dump_has_as_many_bytes_as_there_is_room_for(cells: int, count: int) -> None:
    assert bytes_in_row(cells) == count
    widest = max(len(line) for line in preview_bytes(bytes(64), count).split("\n"))
    assert widest <= max(cells, 27)


@pytest.mark.parametrize(
    ("body", "content_type", "ending"),
    [
        (b"{}", "application/json; charset=utf-8", "json"),
        (b"{}", "application/problem+json", "json"),
        (b"\x89PNG", "image/png", "png"),
        (b"<p>", "text/html", "html"),
        (b" [1]", "", "json"),
        (b"words", "text/plain", "txt"),
        (b"\x00\xff", "application/octet-stream", "bin"),
    ],
)
def test_a_file_is_named_after_what_the_body_is(body: bytes, content_type: str, ending: str) -> None:
    assert file_ending(answer(body, content_type)) == ending


def test_empty_and_cut_off_bodies_are_said_so() -> None:
    assert make_readable(answer(b"")).note == "the body is empty"
    cut = make_readable(answer(b'{"items": [{"name": "\xe7', "application/json", capped=True))
    assert cut.note == "cut off after 22 B; the rest was not loaded"
    assert cut.text.startswith('{"items"')


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 B"), (982, "982 B"), (1234, "1.2 kB"), (999_949, "999.9 kB"), (10_000_000, "10.0 MB")]
)
def test_sizes_for_people(count: int, words: str) -> None:
    assert size_text(count) == words
