"""A fault is told by its type and its place, never by what it says."""

from pathlib import Path

from svc_tui.ui.app.crash import Crash, crash_message, crash_of


def test_a_fault_is_its_type_and_where_it_arose_without_what_it_says() -> None:
    try:
        raise ZeroDivisionError("Cobalt doré 2")
    except ZeroDivisionError as error:
        fault = crash_of(error)
        line = error.__traceback__ and error.__traceback__.tb_lineno
    assert fault == Crash("ZeroDivisionError", f"test_crash.py:{line}")
    assert str(fault) == f"ZeroDivisionError at test_crash.py:{line}"


def test_a_fault_that_was_never_raised_has_no_place() -> None:
    assert str(crash_of(ZeroDivisionError("Cobalt"))) == "ZeroDivisionError"


def test_the_last_words_say_what_is_safe_where_the_log_is_and_what_to_do() -> None:
    assert crash_message(Crash("KeyError", "rows.py:7"), "Drafts are kept.", Path("/state/svc-tui.log")) == (
        "svc-tui: internal error (KeyError at rows.py:7). Drafts are kept.\n"
        "  Details are in the log: /state/svc-tui.log\n"
        "  To report it, run: svc-tui doctor --bundle FILE (without keys and secrets)"
    )
    assert crash_message(Crash("KeyError"), "", None) == (
        "svc-tui: internal error (KeyError).\n"
        "  To report it, run: svc-tui doctor --bundle FILE (without keys and secrets)"
    )
