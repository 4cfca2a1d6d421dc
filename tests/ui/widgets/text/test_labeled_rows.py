"""Labels in one column, values wrapped within theirs."""

from textual.content import Content

from svc_tui.ui.widgets.text.labeled_rows import label_cells, label_rows


def test_a_long_value_is_wrapped_within_its_column_and_behind_its_sign() -> None:
    rows = [("note", Content("- wet\n+ wet and cold")), ("Request", Content("PATCH /v1/lots"))]
    assert label_rows(rows, label_cells(rows), 20).plain.splitlines() == [
        "note       - wet",
        "           + wet and",
        "             cold",
        "Request    PATCH",
        "           /v1/lots",
    ]


def test_the_column_of_labels_is_as_wide_as_the_longest_up_to_a_third_of_a_card() -> None:
    assert label_cells([]) == 11
    assert label_cells([("moisturePercent", Content())]) == 17
    assert label_cells([("m" * 90, Content())]) == 24
