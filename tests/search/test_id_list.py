"""Ids in what people paste: every way in which lists are written, and nothing that only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.search.id_list import MAX_IDS, ids_of, is_id_list, listed_words, on_one_line
from svc_tui.service.routes import parse_place

LOTS, TUNNELS = COLLECTIONS[0], COLLECTIONS[1]
THREE = ("lot-000001", "lot-000002", "lot-000003")

ids = st.lists(
    st.from_regex(r"[A-Za-z]{1,6}[-_.][0-9]{1,8}", fullmatch=True), min_size=1, max_size=30, unique=True
).map(tuple)


@pytest.mark.parametrize(
    "text",
    [
        "lot-000001\nlot-000002\nlot-000003",
        "\ufefflot-000001\r\nlot-000002\r\nlot-000003\r\n",
        "lot-000001\rlot-000002\rlot-000003",
        "lot-000001, lot-000002,lot-000003",
        "lot-000001\tlot-000002\tlot-000003",
        "lot-000001; lot-000002; lot-000003",
        "lot-000001 lot-000002  lot-000003",
        "lot-000001,\nlot-000002,\nlot-000003,\n",
        "id\nlot-000001\nlot-000002\nlot-000003",
        '"ID"\n"lot-000001"\n"lot-000002"\n"lot-000003"',
        "Lot\nlot-000001\nlot-000002\nlot-000003",
        "('lot-000001', 'lot-000002', 'lot-000003')",
        '["lot-000001", "lot-000002", "lot-000003"]',
        "- lot-000001\n* lot-000002\n- [ ] lot-000003",
        "`lot-000001`, `lot-000002` , `lot-000003`",
        "lot-000001\n\n\nlot-000002\nlot-000001\nlot-000003",
        "id\tname\tmassKg\nlot-000001\tGold 1\t12\nlot-000002\tGold 2\t7\nlot-000003\t\t",
        'name,lot_id,tunnelId\nx,lot-000001,tun-1\n"y, z",lot-000002,tun-2\nx,lot-000003,tun-3',
        "lot-000001\tGold\t12\nlot-000002\tGold ore\t7\nlot-000003\tSilver\t9",
        "| Lot ID | name |\n| lot-000001 | x |\n| lot-000002 | y |\n| lot-000003 | z |",
        '"lot-000001\nlot-000002\nlot-000003',
    ],
)
def test_a_list_however_it_is_written(text: str) -> None:
    words = listed_words(text, (LOTS.name,))
    assert words == THREE
    assert is_id_list(words)


@pytest.mark.parametrize(
    "text",
    [
        *("", "lots", "lots/lot-000001", "operations/lots ▹ late ones", "#4 500 000", "@live, @test", "lot 4711"),
        "lot-000001\nThanks, Bob",
        "svctui://sandbox@host/operations/lots/lot-000001",
    ],
)
def test_a_place_is_no_list(text: str) -> None:
    assert not is_id_list(listed_words(text, (LOTS.name,)))


def test_a_grid_of_ids_of_one_kind_is_all_of_them_and_of_several_kinds_its_first_column() -> None:
    assert listed_words("lot-1\tlot-22\nlot-3\tlot-4") == ("lot-1", "lot-22", "lot-3", "lot-4")
    assert listed_words("lot-1\ttun-22\nlot-3\ttun-4") == ("lot-1", "lot-3")
    uuids = ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "6fa459ea-ee8a-3ca4-894e-db77e160355e"]
    assert listed_words("{0}, {1}\n{1}, {0}".format(*uuids)) == tuple(uuids)


def test_a_line_takes_the_ids_or_the_first_line() -> None:
    assert on_one_line("id\nlot-1\nlot-2\n") == "lot-1, lot-2"
    assert on_one_line("\n  lots/lot-1 \nand so on") == "lots/lot-1"
    assert on_one_line('"a,1"\t"b,2"') == '"a,1", "b,2"'
    assert listed_words(on_one_line('"a,1"\t"b,2"')) == ("a,1", "b,2")
    assert on_one_line("") == ""


def test_of_too_many_a_line_takes_one_more_than_can_be_marked() -> None:
    line = on_one_line("\n".join(f"lot-{at}" for at in range(3 * MAX_IDS)))
    assert len(listed_words(line)) == MAX_IDS + 1


def test_links_places_and_paths_name_ids() -> None:
    words = ["lot-1", "lots/lot-2", "operations/lots/lot-3", "/v1/operations/lots/lot-4", "lot-1"]
    listed = ids_of(words, LOTS, parse_place)
    assert listed.ids == ("lot-1", "lot-2", "lot-3", "lot-4")
    assert listed.others == ()


def test_what_names_something_else_is_told_apart() -> None:
    words = [
        "lot-1",
        "operations/tunnels/tun-1",
        "/nowhere/at/all/x",
        "https://example.com/1",
        "a/b",
        "operations/lots",
    ]
    listed = ids_of(words, LOTS, parse_place)
    assert listed.ids == ("lot-1", "a/b")
    assert listed.others == (
        "operations/tunnels/tun-1",
        "/nowhere/at/all/x",
        "https://example.com/1",
        "operations/lots",
    )


def test_where_all_lead_to_one_other_collection_it_is_that_ones() -> None:
    listed = ids_of(["operations/tunnels/tun-1", "tunnels/tun-2"], LOTS, parse_place)
    assert (listed.collection, listed.ids, listed.others) == (TUNNELS, ("tun-1", "tun-2"), ())


@given(ids, st.sampled_from(["\n", "\r\n", ", ", ",", "\t", ";", " ", ",\n"]), st.sampled_from(['"', "'", ""]))
def test_any_ids_come_back_from_any_list(names: tuple[str, ...], between: str, quote: str) -> None:
    text = between.join(f"{quote}{name}{quote}" for name in names)
    assert listed_words(text) == names
    if len(names) > 1:
        assert is_id_list(names)
        assert listed_words(on_one_line(text)) == names


@given(ids.filter(lambda names: len(names) > 1), st.sampled_from(["id", "ID", "Lot ID", "lot_id", "lots", "uuid"]))
def test_a_header_is_none_of_them(names: tuple[str, ...], header: str) -> None:
    assert listed_words("\n".join((header, *names)), (LOTS.name,)) == names
    table = "\n".join((f"grade\t{header}", *(f"A\t{name}" for name in names)))
    assert listed_words(table, (LOTS.name,)) == names


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    words = listed_words(text)
    assert all(words)
    assert len(set(words)) == len(words)
    assert "\n" not in on_one_line(text)
    assert "\r" not in on_one_line(text)
    ids_of(words, LOTS, parse_place)
