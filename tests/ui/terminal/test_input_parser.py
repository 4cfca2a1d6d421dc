"""A paste is a paste, however it is cut up on its way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from svc_tui.ui.terminal import input_parser
from svc_tui.ui.terminal.input_parser import InputParser, escape_seconds

START, END = "\x1b[200~", "\x1b[201~"


def heard(*reads: str) -> list[Message]:
    """What the parser makes of the reads."""
    parser = InputParser()
    return [message for read in reads for message in parser.feed(read)]


def keys(messages: list[Message]) -> list[str]:
    """The keys among them."""
    return [message.key for message in messages if isinstance(message, events.Key)]


def pastes(messages: list[Message]) -> list[str]:
    """The pasted texts among them."""
    return [message.text for message in messages if isinstance(message, events.Paste)]


@pytest.mark.parametrize(
    "text", ["\x1by", "TICKET\x1by", "a\x1b]4;@\x07b", "\x1b[A", "\x1b", "\x1b[20", "plain", "\x1bOP"]
)
def test_escapes_in_a_paste_press_no_keys(text: str) -> None:
    messages = heard(f"{START}{text}{END}x")
    assert keys(messages) == ["x"]
    assert pastes(messages) == [text.replace("\x1b", "")]


def test_keys_outside_a_paste_are_as_they_were() -> None:
    assert keys(heard("a\x1b[Ab")) == ["a", "up", "b"]


@given(
    st.lists(st.text(alphabet="ab\x1b[]y~201", max_size=8), min_size=1, max_size=4).filter(
        lambda texts: all(END not in text and START not in text for text in texts)
    ),
    st.data(),
)
def test_pastes_cut_anywhere_press_no_keys(texts: list[str], data: st.DataObject) -> None:
    stream = "".join(f"{START}{text}{END}" for text in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    reads = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True) if a < b]
    messages = heard(*reads, "x")
    assert keys(messages)[-1:] == ["x"]
    assert [key for key in keys(messages) if key != "x"] == []
    assert "".join(pastes(messages)) == "".join(texts).replace("\x1b", "")


@pytest.mark.parametrize(
    ("variables", "seconds"),
    [
        ({}, 0.025),
        ({"SSH_TTY": "/dev/pts/1"}, 0.1),
        ({"SSH_CONNECTION": "10.0.0.1"}, 0.1),
        ({"ESCDELAY": "7", "SSH_TTY": "/dev/pts/1"}, 0.007),
    ],
)
def test_esc_is_a_key_after_a_moment(
    variables: dict[str, str], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("textual._parser.get_time", lambda: now)
    monkeypatch.setattr(input_parser, "get_time", lambda: now)
    monkeypatch.setattr(input_parser, "environ", variables)
    monkeypatch.setattr("textual.constants.ESCAPE_DELAY", 0.007 if "ESCDELAY" in variables else 0.1)
    assert escape_seconds(variables) == seconds
    parser = InputParser()
    assert parser.seconds_to_tick(0.5) == 0.5
    assert not list(parser.feed("\x1b"))
    assert parser.seconds_to_tick(0.5) == pytest.approx(seconds)
    now += 0.9 * seconds
    assert not list(parser.tick())
    now += 0.2 * seconds
    assert parser.seconds_to_tick(0.5) == 0
    assert keys(list(parser.tick())) == ["escape"]
    assert parser.seconds_to_tick(0.5) == 0.5
    # A sequence that comes in two parts is one key, if the second is there in time.
    assert not list(parser.feed("\x1b"))
    now += 0.9 * seconds
    assert keys(list(parser.feed("[A"))) == ["up"]


def test_what_follows_a_mark_that_came_too_late_is_a_paste_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("textual._parser.get_time", lambda: now)
    parser = InputParser()
    assert not list(parser.feed(START[:3]))
    now += 1
    assert keys(list(parser.tick()))
    messages = list(parser.feed(f"{START[3:]}y{END}x"))
    assert keys(messages) == ["x"]
    assert pastes(messages) == ["y"]


def test_the_end_of_input_gives_back_what_was_held() -> None:
    parser = InputParser()
    assert not list(parser.feed(f"{START}abc\x1b[20"))
    assert not keys(list(parser.feed("")))


@pytest.mark.parametrize("half_mark", ["", "\x1b", "\x1b[201"])
def test_a_paste_that_is_never_closed_ends_after_two_seconds_without_a_byte(half_mark: str) -> None:
    parser = InputParser()
    assert not list(parser.feed(f"{START}half a p"))
    assert not [message for _ in range(20) for message in parser.tick()]
    assert not list(parser.feed(f"aste{half_mark}"))
    assert not [message for _ in range(20) for message in parser.tick()]
    assert pastes(list(parser.tick())) == ["half a paste" + half_mark.replace("\x1b", "")]
    # Keys are keys again, and the mark that comes late is nothing.
    assert keys(list(parser.feed(f"x{END}y"))) == ["x", "y"]
    assert pastes(list(parser.feed(f"{START}next{END}"))) == ["next"]
