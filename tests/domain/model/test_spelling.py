"""The known word that somebody probably meant."""

import subprocess
import sys

import pytest

from svc_tui.domain.model.spelling import nearest_name

WORDS = ["theme", "keys", "record.edit", "Default"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [("thme", "theme"), ("THEME", "theme"), ("default", "Default"), ("recrd.edit", "record.edit"), ("zzz", None)],
)
def test_the_nearest_word_is_offered_as_it_is_spelled(word: str, meant: str | None) -> None:
    assert nearest_name(word, WORDS) == meant


def test_how_like_it_must_be_can_be_chosen() -> None:
    assert nearest_name("thm", ["theme"]) == "theme"
    assert nearest_name("thm", ["theme"], likeness=0.9) is None
    assert nearest_name("theme", []) is None


def test_nothing_is_loaded_until_there_is_a_mistake() -> None:
    program = "import sys, svc_tui.domain.model.spelling; print('difflib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
