"""The user guide: every page is there, every link leads somewhere, and it opens where it fits."""

import re
import tomllib
from importlib.resources import files
from itertools import pairwise

import pytest
from textual.widgets import Markdown

from svc_tui.config.preferences.palettes import parse_palette, read_palettes
from svc_tui.service import errors
from svc_tui.ui.help.guide_pages import AREAS, PAGES, READING_ORDER, GuidePage, matching_pages, page_named, text_of
from svc_tui.ui.help.guide_screen import GuideScreen
from svc_tui.ui.keys.keymap import bindings, check_keymap
from svc_tui.ui.keys.shortcuts import area_of
from svc_tui.ui.widgets.text.scroll_text import ScrollText
from tests.guide_blocks import block
from tests.ui.stage import Stage, picture, until


def test_the_pages_are_those_on_the_disk() -> None:
    assert PAGES
    assert {f"{page.name}.md" for page in PAGES} == {file.name for file in (files("svc_tui") / "guide").iterdir()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_begins_with_its_title_and_its_links_lead_to_pages(page: GuidePage) -> None:
    text = text_of(page)
    assert text.startswith(f"# {page.title}\n")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert page_named(link) in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_table_of_a_page_has_as_many_cells_in_each_line(page: GuidePage) -> None:
    for line, after in pairwise(text_of(page).splitlines()):
        if line.startswith("|") and after.startswith("|"):
            assert after.count("|") - after.count("\\|") == line.count("|") - line.count("\\|"), after


def test_the_guide_knows_every_code_of_the_service_and_every_theme() -> None:
    codes = set(re.findall(r"\| `([a-z_]+)` \|", text_of(page_named("troubleshooting"))))
    assert codes == set(errors.ERRORS_BY_CODE)
    themes = set(re.findall(r"\| `(svc-[a-z-]+)` \|", text_of(page_named("configuration"))))
    assert themes == {palette.name for palette in read_palettes()}


def test_the_theme_and_the_keys_of_the_guide_can_be_used_as_they_stand() -> None:
    example = block("configuration", "toml", 'name = "dusk"')
    assert parse_palette("the guide", tomllib.loads(example)).title == "Dusk"
    keys = tomllib.loads(text_of(page_named("keys")).split("```toml\n")[1].split("```")[0])["keys"]
    assert check_keymap(keys).mistakes == ()


def test_a_name_that_no_page_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        page_named("https://example.com")


@pytest.mark.parametrize(
    ("area", "name"),
    [
        ("Console", "console"),
        ("Fields", "fixing"),
        ("Table", "browsing"),
        ("Search", "browsing"),
        ("Plan", "corrections"),
        ("Approval", "team"),
    ],
)
def test_it_opens_at_the_page_that_fits(area: str, name: str) -> None:
    assert matching_pages(area) == page_named(name)


async def test_pages_are_turned_scrolled_and_followed_by_their_links() -> None:
    app = Stage()
    async with app.run_test(size=(100, 24)) as pilot:
        app.push_screen(GuideScreen(page_named("setup")))
        await until(pilot, lambda: any("Guide · Set up" in line for line in picture(app)))
        await until(pilot, lambda: any("Try it without an API key" in line for line in picture(app)))
        await pilot.press("G")
        await until(pilot, lambda: any("A command that supplies a secret" in line for line in picture(app)))
        page = app.screen.query_one(Markdown)
        page.post_message(Markdown.LinkClicked(page, "fixing.md"))
        await until(pilot, lambda: any("Guide · Change records" in line for line in picture(app)))
        await pilot.press("right")
        await until(pilot, lambda: any("Guide · Correct records from a file" in line for line in picture(app)))
        await pilot.press("left", "left")
        await until(pilot, lambda: any("Guide · Find and read records" in line for line in picture(app)))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, GuideScreen))


async def test_the_reference_of_the_sandbox_is_reached_by_its_link_and_not_by_turning_pages() -> None:
    app = Stage()
    async with app.run_test(size=(100, 24)) as pilot:
        app.push_screen(GuideScreen(READING_ORDER[-1]))
        last = f"Guide · {READING_ORDER[-1].title}"
        await until(pilot, lambda: any(last in line for line in picture(app)))
        await pilot.press("right")
        assert any(last in line for line in picture(app))
        page = app.screen.query_one(Markdown)
        page.post_message(Markdown.LinkClicked(page, "testing-reference.md"))
        await until(pilot, lambda: any("Guide · The local sandbox, in full" in line for line in picture(app)))
        await pilot.press("left")
        await until(pilot, lambda: any(last in line for line in picture(app)))


async def test_beside_the_list_of_pages_the_keys_scroll_the_page() -> None:
    app = Stage()
    async with app.run_test(size=(120, 24)) as pilot:
        app.push_screen(GuideScreen(page_named("signing")))
        await until(pilot, lambda: any("The service refuses a signature" in line for line in picture(app)))
        page = app.screen.query_one(ScrollText)
        await pilot.press("down")
        await until(pilot, lambda: page.scroll_y == 1)
        await pilot.press("pagedown", "end")
        await until(pilot, lambda: page.scroll_y == page.max_scroll_y > 20)
        await pilot.press("pageup", "up", "home")
        await until(pilot, lambda: page.scroll_y == 0)
        assert any("Guide · Explain a signature" in line for line in picture(app))


async def test_at_eighty_columns_the_page_has_all_the_room() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(GuideScreen(page_named("signing")))
        await until(pilot, lambda: any("The service refuses a signature (401). The cause" in x for x in picture(app)))
        await pilot.press("end")
        await until(pilot, lambda: any("Correct the computer" in line for line in picture(app)))
        await pilot.press("home", "pagedown")
        await until(pilot, lambda: not any("The service refuses a signature" in line for line in picture(app)))


async def test_a_long_command_is_wrapped_and_not_cut() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(GuideScreen(page_named("team")))
        await until(pilot, lambda: any("Guide · Work in a team" in line for line in picture(app)))
        seen: set[str] = set()
        for _ in range(9):
            seen.update(line.strip(" │") for line in picture(app))
            await pilot.press("pagedown")
            await pilot.pause()
        text = text_of(page_named("team"))
        commands = [line for block in text.split("```")[1::2] for line in block.splitlines()[1:] if len(line) > 80]
        assert commands
        for command in commands:
            assert any(line and command.endswith(line) for line in seen), command


async def test_a_page_is_chosen_by_a_part_of_its_title() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(GuideScreen())
        await until(pilot, lambda: any("Guide · Contents" in line for line in picture(app)))
        await pilot.press("slash", *"signature", "enter")
        await until(pilot, lambda: any("Guide · Explain a signature" in line for line in picture(app)))
        await pilot.press("slash", "escape")
        await until(pilot, lambda: isinstance(app.screen, GuideScreen))
        assert any("Guide · Explain a signature" in line for line in picture(app))


def test_the_contents_lead_to_every_other_page_by_its_title() -> None:
    links = dict(re.findall(r"\[([^\]]+)\]\(([^)]+)\)", text_of(page_named("contents"))))
    assert links == {page.title: f"{page.name}.md" for page in PAGES if page.name != "contents"}


def test_every_area_that_has_a_page_is_one_of_the_program() -> None:
    known = {area_of(binding.id) for binding in bindings()}
    assert {area for areas in AREAS.values() for area in areas} - known == set()
