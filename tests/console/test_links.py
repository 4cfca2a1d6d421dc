"""Links: there and back, and refused where they lead elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.console.copy_as import copy_options
from svc_tui.console.links import link_to, parse_link
from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.credentials import Environment
from svc_tui.core.records import Place, Record
from svc_tui.service.routes import PlaceError

HOST = "api.example.com:8443"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda t: t not in (".", "..")))
def test_a_link_leads_back_whatever_the_id(record_id: str) -> None:
    place = Place(COLLECTIONS[0], record_id)
    text = link_to(Environment.LIVE, HOST, place)
    assert text.isascii()
    assert parse_link(text, Environment.LIVE, HOST, COLLECTIONS) == place


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"svctui://sandbox@{HOST}/operations/lots", "SANDBOX at"),
        ("svctui://live@elsewhere/operations/lots", "at elsewhere, but the current profile is for LIVE at"),
        ("svctui://[", "not an svc-tui link"),
        ("svctui://live@[::1/operations/lots", "not an svc-tui link"),
        (f"svctui://live@{HOST}/operations/lots/%ED%A0%80", "not percent-encoded UTF-8"),
        (f"svctui://{HOST}/operations/lots", "not an svc-tui link"),
        (f"svctui://live@{HOST}/operations/lots?x=1", "not an svc-tui link"),
        (f"svctui://live@{HOST}/nowhere/at-all", "is not a collection"),
    ],
)
def test_links_that_lead_elsewhere_are_refused(text: str, words: str) -> None:
    with pytest.raises(PlaceError, match=words):
        parse_link(text, Environment.LIVE, HOST, COLLECTIONS)


@pytest.mark.parametrize("record_id", ["\ud800", "a\udfffb", ".", ".."])
def test_an_id_that_no_link_leads_to_is_copied_without_one(record_id: str) -> None:
    place = Place(COLLECTIONS[0], record_id)
    offered = copy_options(Environment.LIVE, HOST, place, Record({"id": record_id}))
    assert [copy.key for copy in offered] == ["i", "j", "c"]
    with pytest.raises(PlaceError):
        parse_link(link_to(Environment.LIVE, HOST, place), Environment.LIVE, HOST, COLLECTIONS)
