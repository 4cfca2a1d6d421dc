"""The files of settings that the guide shows are taken as they stand there."""

from pathlib import Path

import pytest

from svc_tui.config.paths import Locations
from svc_tui.config.preferences.preferences import FilePreferences
from svc_tui.config.profiles.profiles import Profiles
from svc_tui.ui.help.guide_pages import PAGES
from tests.guide_blocks import block, blocks

SNIPPETS = [(page.name, text) for page in PAGES for text in blocks(page.name, "toml") if text.startswith("# profiles/")]


def test_the_settings_of_the_page_are_right(tmp_path: Path) -> None:
    where = Locations(tmp_path / "config.toml", tmp_path)
    where.config_file.write_text(block("configuration", "toml", "# config.toml"), encoding="utf-8")
    where.config_file.chmod(0o600)
    files = FilePreferences(where)
    assert files.preferences.mask_fields == ("operator", "assay.lab.name")


@pytest.mark.parametrize(("page", "text"), SNIPPETS, ids=[page for page, _ in SNIPPETS])
def test_each_profile_of_the_guide_is_right(page: str, text: str, tmp_path: Path) -> None:
    named = Path(text.splitlines()[0].removeprefix("# "))
    file = tmp_path / named
    file.parent.mkdir()
    whole = text if "api_key" in text else f'api_key = {{ env = "KEY" }}\nbase_url = "https://api.example.com"\n{text}'
    file.write_text(whole, encoding="utf-8")
    file.chmod(0o600)
    stored = Profiles(Locations(tmp_path / "config.toml", tmp_path)).read(named.stem)
    assert stored is not None
