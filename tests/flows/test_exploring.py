"""From the catalogue into the console, or into the form of a verification; blanks are asked for and filled in."""

import json
from pathlib import Path

import pytest

from svc_tui.sandbox.server.inprocess import RunningService
from tests.browser import User, browser
from tests.flows.steps import sent_from_console


async def catalogue(user: User, words: str) -> None:
    """Open the catalogue, and type words into its search."""
    await user.press("f2")
    await user.sees(r"╭─ API reference ")
    await user.types(words)


async def at_console(user: User) -> None:
    """Go to the console, nothing being read in the background any more."""
    await user.sees(r"lot-000001")
    await user.settled()
    await user.press("4")
    await user.sees(r"╭─ Console ")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_an_operation_goes_from_the_catalogue_into_the_console_and_out_with_its_values(
    service: RunningService, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with browser(service, tmp_path, size=size) as user:
        await user.sees(r"lot-000001")
        await catalogue(user, "split")
        await user.sees(r"POST /v1/operations/lots/\{id\}/split")
        await user.press("enter")
        await user.sees(r"╭─ Console ")
        await user.sees(r"fill in \{id\}")
        await user.press("ctrl+j")
        await user.sees(r"╭─ Values for POST ")
        await user.types("lot-000002")
        await user.press("enter")
        await user.types("two")
        await user.press("ctrl+s")
        await user.sees(r"parts is not in quotes, so it must be JSON")
        await user.press("ctrl+u")
        await user.types("2")
        await user.press("ctrl+s")
        await user.sees(r"Send this request")
        await user.press("y")
        await user.sees(r"✓ 201 ")
        last = service.attempts[-1]
        assert (last.method, last.target) == ("POST", "/v1/operations/lots/lot-000002/split")


async def test_a_collection_gives_its_list_and_the_fields_that_were_seen(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await catalogue(user, "operations lots")
        await user.sees(r"Known fields +id, ")
        await user.press("enter")
        await user.sees(r"╭─ Console ")
        await user.press("ctrl+j")
        await user.sees(r"✓ 200 OK")
        assert service.attempts[-1].target == "/v1/operations/lots?page=1&limit=50"


async def test_the_catalogue_opens_at_the_collection_that_one_looks_at(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path, place="incidents") as user:
        await user.sees(r"inc-\d+")
        await catalogue(user, "")
        await user.sees(r"safety / incidents")
        await user.sees(r"GET /v1/safety/incidents\?page=1&limit=50")
        await user.sees(r"Known fields +id, ")


async def test_the_verification_of_a_hash_chain_has_its_form_and_its_verdict(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path, size=(80, 24)) as user:
        await user.sees(r"lot-000001")
        await catalogue(user, "hash chain")
        await user.press("enter")
        await user.sees(r"╭─ .*Verify a hash chain")
        await user.sees(r"tunnelId")
        await user.types("tun-none")
        await user.press("ctrl+s")
        await user.sees(r"404")
        await user.press("ctrl+u")
        await user.types("tun-12")
        await user.press("ctrl+s")
        await user.sees(r"╭─ Hash chain of tun-12 ")
        await user.sees(r"The chain is valid\.")


async def test_the_catalogue_opens_from_the_console_and_closes_to_where_one_was(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots")
        await catalogue(user, "429")
        await user.sees(r"rate_limit_exceeded")
        await user.press("f2")
        await user.loses(r"╭─ API reference ")
        await user.types("/lot-000002")
        await user.sees(r"→/v1/operations/lots/lot-000002")


async def test_the_palette_and_the_help_lead_to_the_catalogue(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await user.press("question_mark")
        await user.sees(r"╭─ Keys")
        await user.types("look up the routes")
        await user.sees(r"F2|f2")
        await user.press("escape")
        await user.loses(r"╭─ Keys")
        await user.press("ctrl+p")
        await user.types("API reference")
        await user.sees(r"API reference +Go +f2")
        await user.press("enter")
        await user.sees(r"╭─ API reference ")


async def test_values_are_encoded_by_where_they_stand(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("GET lots/{id}/attachments q=={q}")
        await user.sees(r"fill in \{id\}")
        await user.press("ctrl+j")
        await user.sees(r"╭─ Values for GET ")
        await user.types("..")
        await user.press("enter")
        await user.types("a&b={x}/ü")
        await user.press("ctrl+s")
        await user.sees(r"an id can't be '\.\.'")
        before = len(service.attempts)
        await user.press("up", "ctrl+u")
        await user.types("a/b")
        await user.press("ctrl+s")
        await user.sees(r"[✓✕] \d{3} ")
        assert [attempt.target for attempt in service.attempts[before:]] == [
            "/v1/operations/lots/a%2Fb/attachments?q=a%26b%3D%7Bx%7D%2F%C3%BC"
        ]


async def test_what_is_put_into_a_body_is_text_and_asks_for_nothing_again(
    service: RunningService, tmp_path: Path
) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("PATCH lots/lot-000002 name={who}")
        await user.press("ctrl+j")
        await user.sees(r"╭─ Values for PATCH ")
        await user.types('"{who}"')
        await user.press("ctrl+s")
        await user.sees(r"Send this request")
        await user.press("y")
        await user.sees(r"✓ 200 OK")
        assert json.loads(service.record("operations/lots", "lot-000002") or "")["name"] == '"{who}"'
        before = len(service.attempts)
        await sent_from_console(user)
        await user.until(lambda: len(service.attempts) > before, "it was not sent again as it is")
        await user.settled()


async def test_a_form_that_is_left_sends_nothing_and_keeps_the_request(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await at_console(user)
        await user.types("DELETE lots/{id}")
        before = len(service.attempts)
        await user.press("ctrl+j")
        await user.sees(r"╭─ Values for DELETE ")
        await user.press("escape")
        await user.loses(r"╭─ Values for ")
        await user.sees(r"DELETE lots/\{id\}")
        assert len(service.attempts) == before


async def test_a_body_with_blanks_is_laid_out_by_ctrl_l(service: RunningService, tmp_path: Path) -> None:
    async with browser(service, tmp_path) as user:
        await user.sees(r"lot-000001")
        await catalogue(user, "split")
        await user.press("enter")
        await user.sees(r'\{"parts": \{parts\}\}')
        await user.press("ctrl+l")
        await user.sees(r'  "parts": \{parts\}')
