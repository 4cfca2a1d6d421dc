"""Saved requests are found by words of their name, method, path and note."""

import pytest

from svc_tui.console.request_form import RequestForm
from svc_tui.console.saved_requests import SavedRequest, find_requests

SPLIT = SavedRequest(
    "Split in two", RequestForm("POST", "/v1/operations/lots/{id}/split"), "As the lab wants it", "split"
)
OPEN = SavedRequest("Open lots", RequestForm("GET", "/v1/operations/lots", "status=open"), "", "open")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("split", ["Split in two"]),
        ("LOTS", ["Split in two", "Open lots"]),
        ("lab wants", ["Split in two"]),
        ('"wants lab"', []),
        ("lots get", ["Open lots"]),
        ("method:post", ["Split in two"]),
        ("lots !split", ["Open lots"]),
        ("status", []),
        ("massKg>3", []),
        ("", []),
        ("  ", []),
    ],
)
def test_all_words_stand_in_its_name_method_path_or_note(text: str, names: list[str]) -> None:
    assert [one.name for one in find_requests([SPLIT, OPEN], text)] == names
