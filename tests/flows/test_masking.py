"""Sharing a screen: personal data is hidden everywhere, in what leaves too, and nothing masked is ever sent."""

import re
from pathlib import Path

from svc_tui.core.jsontext import loads
from svc_tui.core.kinds import MASKED
from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import chosen

WORKERS = "workforce/workers"
WORKER = "wrk-0001"


def worker(service: RunningService) -> dict[str, object]:
    record = loads(service.record(WORKERS, WORKER) or "")
    assert isinstance(record, dict)
    return dict(record)


def personal(service: RunningService) -> list[str]:
    """What of the first worker must not be seen."""
    found = worker(service)
    return [str(found[name]) for name in ("name", "phone", "email")]


async def masked(user: User) -> None:
    await user.press("ctrl+o")
    await user.sees(r"MASKED")


def shows_none_of(user: User, texts: list[str]) -> bool:
    return not any(text in user.text for text in texts)


async def to_field(user: User, field: str) -> None:
    await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
    await user.press("home")
    for _ in range(40):
        if user.app.main.workspace.selection.field == field:
            return
        await user.press("j")
    raise AssertionError(f"no field {field}")


async def test_the_table_hides_names_phones_and_addresses_and_shows_them_again(
    service: RunningService, tmp_path: Path
) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place="workers", size=(200, 40)) as user:
        await user.sees(re.escape(texts[0]))
        await masked(user)
        await user.sees(rf"{WORKER} +{MASKED}")
        assert shows_none_of(user, texts)
        assert str(worker(service)["role"]) in user.text
        await user.press("ctrl+o")
        await user.loses(r"MASKED")
        await user.sees(re.escape(texts[0]))


async def test_the_record_its_json_and_its_title_hide_them_too(service: RunningService, tmp_path: Path) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        # The table may show the address before the record is there.
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.sees(re.escape(texts[2]))
        await masked(user)
        await user.loses(re.escape(texts[2]))
        assert shows_none_of(user, texts)
        await user.press("right_curly_bracket")
        await user.sees(rf'"email": "{MASKED}"')
        assert shows_none_of(user, texts)


async def test_a_lots_name_is_no_persons(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"Silver ore 1")
        await masked(user)
        await user.sees(r"Silver ore 1")


async def test_what_is_copied_is_masked_and_says_so(service: RunningService, tmp_path: Path) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        await user.until(lambda: user.app.main.workspace.panes.in_record, "no record is in focus")
        await user.sees(re.escape(texts[2]))
        await masked(user)
        await user.press("y")
        await user.sees(r"record as JSON")
        await user.press("j")
        await user.until(lambda: "Personal data is masked." in user.app.main.reports[-1].body, "it does not say so")
        copied = user.app.clipboard
        assert MASKED in copied
        assert not any(text in copied for text in texts)
        await to_field(user, "email")
        await user.press("c")
        await user.until(lambda: user.app.clipboard == MASKED, "the value was copied as it is")


async def test_an_export_is_masked_and_says_so(service: RunningService, tmp_path: Path) -> None:
    texts = personal(service)
    file = tmp_path / "workers.csv"
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(WORKER)
        await masked(user)
        await user.press("ctrl+e")
        await user.sees(r"Export workers")
        await user.press("tab", "tab", "ctrl+u")
        await user.types(str(file))
        await user.press("enter")
        await user.sees(r"Exported")
        await user.until(lambda: any(report.title == "Exported" for report in user.app.main.reports), "not told")
        assert "Personal data is masked." in user.app.main.reports[-1].body
    text = file.read_text()
    assert WORKER in text
    assert MASKED in text
    assert not any(found in text for found in texts)


async def test_the_consoles_answers_are_masked_those_that_came_before_too(
    service: RunningService, tmp_path: Path
) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place="lots") as user:
        await user.sees(r"lot-000001")
        await user.press("4")
        await user.sees(r"╭─ Console ")
        await user.press("ctrl+u")
        await user.types(f"/{WORKERS}/{WORKER}")
        await user.press("ctrl+j")
        await user.sees(re.escape(texts[2]))
        await masked(user)
        await user.sees(rf'"email": "{MASKED}"')
        assert shows_none_of(user, texts)


async def test_a_masked_field_is_shown_by_its_editor_only_after_a_question_and_sent_as_typed(
    service: RunningService, tmp_path: Path
) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        await user.sees(re.escape(texts[2]))
        await masked(user)
        await to_field(user, "email")
        await user.press("e")
        await user.sees(r"The editor shows it")
        assert shows_none_of(user, texts)
        await user.press("escape")
        await user.loses(r"The editor shows it")
        await user.press("e")
        await user.sees(r"The editor shows it")
        await user.press("y")
        await user.sees(re.escape(texts[2]))
        await user.press("ctrl+u")
        await user.types("anna@mine.example")
        await user.press("enter")
        await user.puts_away_notices()
        await user.sees(r"draft: 1 field")
        assert "anna@" not in user.text
        await user.press("ctrl+s")
        await user.sees(rf"Change {WORKER}")
        assert "anna@" not in user.text
        assert shows_none_of(user, texts)
        await user.press("y")
        await user.sees(r"Saved [a-z]+-")
        assert worker(service)["email"] == "anna@mine.example"
        await user.press("at")
        await user.sees(rf'email: "{MASKED}" → "{MASKED}"')
        assert shows_none_of(user, [*texts, "anna@"])


async def test_data_is_masked_while_the_first_record_is_being_opened(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="workers") as user:
        await user.sees(WORKER)
        main = user.app.main
        assert main.workspace.to_record()
        main.toggle_mask()
        record = main.workspace.panes.record
        assert record is not None
        assert not record.is_searching
        await user.sees(r"MASKED")
        await user.until(lambda: main.workspace.panes.in_record, "no record is in focus")


async def test_another_field_of_a_masked_record_is_edited_without_a_question_and_nothing_masked_is_sent(
    service: RunningService, tmp_path: Path
) -> None:
    before = worker(service)
    role = "driller" if before["role"] == "surveyor" else "surveyor"
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        await user.sees(WORKER)
        await masked(user)
        await to_field(user, "role")
        await user.press("e")
        await user.sees(r"⏎ Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types(role)
        await user.press("enter", "ctrl+s")
        await user.sees(rf"Change {WORKER}")
        await user.press("y")
        await user.sees(r"Saved [a-z]+-")
    after = worker(service)
    assert after["role"] == role
    assert {name for name in after if after[name] != before.get(name)} <= {"role", "updatedAt"}


async def test_a_summary_tells_nothing_of_a_masked_column(service: RunningService, tmp_path: Path) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place="workers", size=(160, 40)) as user:
        await user.sees(WORKER)
        await masked(user)
        while user.app.main.workspace.selection.path != "name":
            await user.press("l")
        await user.press("i")
        await user.sees(r"Summary · name")
        assert shows_none_of(user, texts)


async def test_a_copy_of_a_masked_record_is_shown_only_after_a_question(
    service: RunningService, tmp_path: Path
) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place="workers", size=(160, 40)) as user:
        await user.sees(re.escape(texts[0]))
        await masked(user)
        await user.press("x")
        await chosen(user, "Add a copy")
        await user.sees(r"The form shows it")
        assert shows_none_of(user, texts)
        await user.press("escape")
        await user.loses(r"The form shows it")
        assert "New record" not in user.text
        await user.press("x")
        await chosen(user, "Add a copy")
        await user.sees(r"The form shows it")
        await user.press("y")
        await user.sees(re.escape(texts[0]))


async def test_the_question_whether_to_throw_edits_away_shows_nothing_hidden(
    service: RunningService, tmp_path: Path
) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place=f"workers/{WORKER}", size=(160, 40)) as user:
        await user.sees(re.escape(texts[2]))
        await to_field(user, "email")
        await user.press("e")
        await user.sees(r"⏎ Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types("anna@mine.example")
        await user.press("enter")
        await user.sees(r"draft: 1 field")
        await masked(user)
        await user.press("ctrl+p")
        await user.types("Discard: draft")
        await user.sees(rf"draft of {WORKER}")
        await user.press("enter")
        await user.sees(rf"Discard the draft of {WORKER}")
        await user.sees(MASKED)
        assert shows_none_of(user, [*texts, "anna@"])


async def test_the_search_for_a_reference_shows_nothing_hidden(service: RunningService, tmp_path: Path) -> None:
    texts = personal(service)
    async with browser(service, tmp_path, place="lots/lot-000001", size=(160, 40)) as user:
        await user.sees(r"lot-000001")
        await masked(user)
        await to_field(user, "workerId")
        await user.press("e")
        await user.sees(r"(⏎|tab) Apply  esc Cancel")
        await user.press("ctrl+u")
        await user.types(WORKER)
        await user.sees(rf"{WORKER} +{MASKED}")
        assert shows_none_of(user, texts)
