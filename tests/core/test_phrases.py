"""Numbers of things in words."""

from svc_tui.core.phrases import counted


def test_one_thing_is_one_and_thousands_are_grouped() -> None:
    assert [counted(number, "record") for number in (0, 1, 1200)] == ["0 records", "1 record", "1,200 records"]
