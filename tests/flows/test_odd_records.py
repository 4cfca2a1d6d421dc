"""Records that nobody should send, and that somebody sends: they are shown as they are, and hide nothing else."""

import json
from pathlib import Path

from tests.client.raw_service import CannedReply, ReceivedRequest, reply
from tests.flows.stand_in import browser_on

TWICE = b'{"id": "lot-000001", "grade": "A", "grade": "B"}'
TWO = b'{"items": [%s, {"id": "lot-000002", "grade": "C"}], "meta": {"total": 2}}' % TWICE


def one(came: ReceivedRequest) -> CannedReply:
    """The record whose name stands twice."""
    return reply(200, TWICE)


async def test_a_name_that_stands_twice_hides_no_page_and_that_record_is_not_edited(tmp_path: Path) -> None:
    async with browser_on(one, tmp_path, TWO) as (user, _):
        await user.sees(r"lot-000002")
        await user.press("enter")
        await user.sees(r"grade +A")
        await user.sees(r"grade \(2\) +B")
        await user.press("e")
        await user.sees(r"lot-000001 can't be edited")
        await user.sees(r"the field grade twice")


async def test_thousands_of_columns_are_listed_as_far_as_they_can_be_read(tmp_path: Path) -> None:
    record = {"id": "lot-000001", **{f"field{number}": number for number in range(5_000)}}
    listing = json.dumps({"items": [record], "meta": {"total": 1}}).encode()
    async with browser_on(one, tmp_path, listing) as (user, _):
        await user.sees(r"lot-000001")
        await user.press("o")
        await user.sees(r"first 500 listed; / to filter")
        await user.press("slash", *"field4999")
        await user.sees(r"field4999")
        await user.loses(r"the first 500 listed")


async def test_a_record_without_an_id_says_that_nothing_can_reference_it(tmp_path: Path) -> None:
    listing = b'{"items": [{"grade": "A"}, {"id": "lot-000002", "grade": "C"}], "meta": {"total": 2}}'
    async with browser_on(one, tmp_path, listing) as (user, _):
        await user.sees(r"lot-000002")
        await user.press("R")
        await user.sees(r"No references: the record has no id\.")
