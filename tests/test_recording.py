"""The recording that the README opens with: what is in its file, and that the keys it shows still do what it shows."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.segment import Segment
from rich.style import Style

from screenshots.animated_svg import Frame, Look, Row, animated_svg, painted_row
from screenshots.recording import FIELD, NAME, RECORD, SCRIPT, SIZE, STILL, VALUE, frames_of, service_of_recording
from tests.flows.steps import stored_field

FOLDER = Path(__file__).parents[1] / "screenshots"
DRAWN = (FOLDER / f"{NAME}.svg").read_text(encoding="utf-8")
TOLD = (FOLDER / f"{NAME}.txt").read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"
PLAIN = Look("#ffffff", "#000000")


def frames(*texts: str) -> list[Frame]:
    """Frames of one row each, a second long."""
    return [Frame((((text, PLAIN),),), 1.0, "x", text) for text in texts]


def style_of(drawn: str) -> str:
    """The style sheet of a recording."""
    found = ElementTree.fromstring(drawn).find(f"{SVG}style")
    assert found is not None
    assert found.text is not None
    return found.text


def instants(drawn: str) -> set[str]:
    """When anything in a recording comes or goes, in per cent of the whole."""
    keyframes = re.findall(r"@keyframes [\w-]+\{((?:[\d.]+%\{[^}]*\})+)\}", style_of(drawn))
    return {share for steps in keyframes for share in re.findall(r"([\d.]+)%", steps)}


def text_of(rows: Sequence[Row]) -> str:
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


async def test_the_keys_of_the_recording_still_find_and_change_the_record(tmp_path: Path) -> None:
    with service_of_recording() as service:
        before = stored_field(service, FIELD, RECORD)
        played = await frames_of(service, tmp_path)
        assert before != VALUE
        assert stored_field(service, FIELD, RECORD) == VALUE
    assert len(played) == len(SCRIPT)
    assert {len(frame.rows) for frame in played} == {SIZE[1]}
    # Each key is seen to do something, and no two frames are the same.
    assert len({(frame.rows, frame.key, frame.words) for frame in played}) == len(played)
    assert all(one.rows != other.rows for one, other in pairwise(played))
    for words in (
        "operations / lots",
        "╭─ Search ",
        f"╭─ {RECORD} ",
        f"{FIELD}  ",
        "esc Cancel",
        "PATCH /v1/",
        f"Saved {RECORD}",
    ):
        assert any(words in text_of(frame.rows) for frame in played), words
    assert f"+ {VALUE}" in text_of(played[STILL].rows)
    # What is another at each start, the service's port, is shown as one that is always the same.
    assert {port for frame in played for port in re.findall(r":(\d{5})\b", text_of(frame.rows))} == {"40000"}


def test_the_recording_in_the_tree_has_a_frame_for_each_step_and_shows_the_change_where_nothing_moves() -> None:
    assert len(instants(DRAWN)) == len(SCRIPT)
    duration = re.search(r"animation:([\d.]+)s step-end infinite", style_of(DRAWN))
    assert duration is not None
    assert float(duration[1]) == pytest.approx(sum(step.seconds for step in SCRIPT))
    assert 10 <= float(duration[1]) <= 40
    assert "@media (prefers-reduced-motion:reduce){.f{animation:none!important}}" in style_of(DRAWN)
    assert len(TOLD.splitlines()) == SIZE[1]
    assert f"+ {VALUE}" in TOLD


def test_the_recording_is_small_runs_nothing_and_fetches_nothing() -> None:
    assert len(DRAWN.encode()) < 400_000
    root = ElementTree.fromstring(DRAWN)
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert names == {"svg", "title", "desc", "style", "defs", "g", "rect", "circle", "text", "path", "use"}
    assert [element.tag.removeprefix(SVG) for element in root][:2] == ["title", "desc"]
    attributes = [(name, value) for element in root.iter() for name, value in element.attrib.items()]
    assert [name for name, _ in attributes if name.lower().startswith("on")] == []
    drawn = {value for name, value in attributes if name == "id"}
    assert {value for name, value in attributes if name == "href"} <= {f"#{name}" for name in drawn}
    assert re.findall(r"https?:", DRAWN.replace('xmlns="http://www.w3.org/2000/svg"', "")) == []
    assert re.findall(r"url\(|@import|@font-face", style_of(DRAWN)) == []


def test_no_text_of_a_record_breaks_the_file() -> None:
    hostile = """</text><script>alert("1")</script>&amp;<!-- ]]> '\x00\x1b[2J\x0b\ud800\ufffe"""
    drawn = animated_svg(frames("before", hostile), 1, f"title {hostile}", hostile)
    root = ElementTree.fromstring(drawn)
    assert "script" not in drawn.replace("&lt;script", "").replace("&lt;/script", "")
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert any("</text><script>alert(" in text for text in texts)
    assert all(not re.search(r"[\x00\x1b\x0b]", text) for text in texts)


def test_a_row_that_stays_or_comes_again_is_drawn_once() -> None:
    drawn = animated_svg(frames("one", "two", "two", "one"), 0, "t", "d")
    root = ElementTree.fromstring(drawn)
    defs = root.find(f"{SVG}defs")
    assert defs is not None
    assert len(defs) == 2
    uses = [use.attrib for use in root.iter(f"{SVG}use")]
    assert [use["class"] for use in uses] == ["f f0-1 s", "f f1-3", "f f3-4"]
    assert "@keyframes f1-3{0%{visibility:hidden}25%{visibility:visible}75%{visibility:hidden}}" in style_of(drawn)


def test_letters_have_their_cells_and_lines_are_shapes() -> None:
    row: Row = (("│ a  bc 王x─", PLAIN),)
    drawn = animated_svg([Frame((row,), 1.0, "k", "w")], 0, "t", "d")
    texts = [(e.text, e.get("x"), e.get("textLength")) for e in ElementTree.fromstring(drawn).iterfind(f"{SVG}defs//*")]
    letters = [(text, x, length) for text, x, length in texts if text]
    assert letters == [("a", "20", None), ("bc", "50", "20"), ("王", "90", None), ("x", "100", None)]
    assert not any(line in drawn for line in "│─")


def test_a_painted_row_says_what_is_seen() -> None:
    row = [
        Segment("ab", Style.parse("bold #808080 on #000000")),
        Segment("cd", Style.parse("bold #808080 on #000000")),
        Segment("e", Style.parse("dim reverse #000000 on #ffffff")),
        Segment(" ", Style.parse("on #14171d")),
    ]
    assert painted_row(row, "12345 ") == (
        ("1234", Look("#808080", "#000000", bold=True)),
        ("5", Look("#808080", "#000000")),
        (" ", Look("#14171d", "#14171d")),
    )
