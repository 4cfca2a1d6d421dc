"""Preferences: where they come from, which of them wins, and what is said of a mistake."""

import stat
from pathlib import Path

import pytest
import tomli_w

from svc_tui.config.effective_settings import EffectiveSetting, of_preferences
from svc_tui.config.errors import ConfigError
from svc_tui.config.paths import Locations
from svc_tui.config.preferences.palettes import read_palettes
from svc_tui.config.preferences.preferences import FilePreferences, last_profile
from svc_tui.core.settings import Preferences
from svc_tui.core.values import replace
from svc_tui.core.views import ChosenColumn, RememberedView, Sort, View
from svc_tui.session.memory import LastPosition, SavedChoices
from svc_tui.session.pane_layout import PaneSizes

THEMES = "svc-contrast, svc-dark, svc-ember, svc-forest, svc-ink, svc-light, svc-light-contrast, svc-safe, svc-sand"
KEYS = (
    "default_profile, done_notice, hints, history_bodies, history_limit, keys, live_unlock_minutes, mask_fields, "
    "mouse, reader, theme"
)
LIMIT = "a whole number from 0 (no history) to 100000"
MASK = 'a list of fields, such as ["operator", "assay.lab.name"]'


def configure(where: Locations, text: str | bytes) -> Path:
    """Write `config.toml`."""
    where.config_file.parent.mkdir(exist_ok=True)
    where.config_file.write_bytes(text.encode() if isinstance(text, str) else text)
    where.config_file.chmod(0o644)
    return where.config_file


def test_without_files_the_defaults_hold(where: Locations) -> None:
    found = FilePreferences(where)
    assert found.preferences == Preferences()
    assert found.notices == ()
    assert not where.state_directory.exists()


def test_the_file_is_read(where: Locations) -> None:
    configure(
        where,
        'default_profile = "sandbox"\ntheme = "svc-light"\nlive_unlock_minutes = 5\nmask_fields = ["operator"]\n'
        'history_limit = 20\nhistory_bodies = true\nmouse = false\ndone_notice = "bell"\nhints = false\n'
        "reader = true\n"
        '[keys]\n"record.edit" = "e,f2"\n',
    )
    found = FilePreferences(where)
    assert found.preferences == Preferences(
        "svc-light", {"record.edit": "e,f2"}, 5, ("operator",), 20, True, False, "bell", hints=False, reader=True
    )
    assert found.notices == ()
    assert found.config.values["default_profile"] == "sandbox"
    assert found.config.place("default_profile") == f"{where.config_file}:1"


def test_a_byte_order_mark_before_the_files_is_skipped(where: Locations) -> None:
    configure(where, '\ufefftheme = "svc-light"\nhistory_limit = 20\n')
    where.state_directory.mkdir(parents=True, exist_ok=True)
    where.state_file.write_text('\ufeffprofile = "mine"\n')
    found = FilePreferences(where)
    assert (found.preferences.theme, found.preferences.history_limit, found.notices) == ("svc-light", 20, ())
    assert last_profile(where) == "mine"


def test_an_option_beats_what_was_chosen_which_beats_the_file(where: Locations) -> None:
    configure(where, 'theme = "svc-light"')
    FilePreferences(where).remember_theme("svc-safe")
    assert FilePreferences(where).preferences.theme == "svc-safe"
    assert FilePreferences(where, theme="svc-contrast").preferences.theme == "svc-contrast"


def test_pane_sizes_are_kept_and_go_when_all_is_as_usual_again(where: Locations) -> None:
    store = FilePreferences(where)
    store.remember_theme("svc-light")
    store.remember_panes(PaneSizes(sidebar=41, beside=1 / 3, folded=True))
    assert store.memory.panes.sidebar == 41
    assert FilePreferences(where).memory.panes == PaneSizes(sidebar=41, beside=0.3333, folded=True)
    store.remember_panes(PaneSizes(below=0.5))
    assert FilePreferences(where).memory.panes == PaneSizes(below=0.5)
    store.remember_panes(PaneSizes())
    assert where.state_file.read_text() == 'theme = "svc-light"\n'


@pytest.mark.parametrize(
    ("written", "left_out"),
    [
        ("panes = 7", "panes"),
        ('[panes]\nsidebar = "wide"', "panes.sidebar"),
        ("[panes]\nsidebar = -3", "panes.sidebar"),
        ("[panes]\nsidebar = true", "panes.sidebar"),
        ("[panes]\nbeside = 1.5\nbelow = nan", "panes.beside, panes.below"),
        ("[panes]\nbeside = 1", "panes.beside"),
        ('[panes]\nfolded = "yes"', "panes.folded"),
    ],
)
def test_pane_sizes_that_make_no_sense_are_left_out_with_a_word(where: Locations, written: str, left_out: str) -> None:
    where.state_directory.mkdir()
    where.state_file.write_text(written)
    found = FilePreferences(where)
    assert found.memory.panes == PaneSizes()
    assert found.notices == (f"{where.state_file}: {left_out}: not valid, so it is ignored",)


def test_a_pane_size_that_makes_no_sense_leaves_the_others(where: Locations) -> None:
    where.state_directory.mkdir()
    where.state_file.write_text("[panes]\nsidebar = 0\nbelow = 0.25\nfolded = false")
    found = FilePreferences(where)
    assert found.memory.panes == PaneSizes(below=0.25)
    assert found.notices == (f"{where.state_file}: panes.sidebar: not valid, so it is ignored",)


def test_a_choice_is_kept_for_the_user_alone_and_beside_nothing(where: Locations) -> None:
    store = FilePreferences(where)
    store.remember_theme("svc-light")
    store.remember_theme("svc-safe")
    assert [file.name for file in where.state_directory.iterdir()] == ["state.toml"]
    assert where.state_file.read_text() == 'theme = "svc-safe"\n'
    assert stat.S_IMODE(where.state_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(where.state_directory.stat().st_mode) == 0o700


def test_what_another_version_keeps_in_the_state_stays(where: Locations) -> None:
    where.state_directory.mkdir()
    where.state_file.write_text('place = "operations/lots"\ntheme = "svc-dark"\n')
    FilePreferences(where).remember_theme("svc-light")
    assert where.state_file.read_text() == 'place = "operations/lots"\ntheme = "svc-light"\n'


@pytest.mark.parametrize("text", ["theme = ", "\xff", "theme = 7", 'theme = "gone"'])
def test_a_state_that_cannot_be_used_stops_nobody(where: Locations, text: str) -> None:
    where.state_directory.mkdir()
    where.state_file.write_text(text, encoding="latin-1")
    assert FilePreferences(where).preferences == Preferences()


def test_a_damaged_state_is_set_aside_with_a_word(where: Locations) -> None:
    where.state_directory.mkdir()
    where.state_file.write_text("theme = ")
    (notice,) = FilePreferences(where).notices
    (kept,) = where.state_directory.iterdir()
    assert kept.name.startswith("state.toml.damaged-")
    assert kept.read_text() == "theme = "
    assert notice == (
        f"{where.state_file}:1: not valid TOML: a value is missing or not valid; text needs quotes; "
        f"it was renamed to {kept.name}, and a new file was created"
    )


@pytest.mark.parametrize("exists", [True, False], ids=["to a file", "to nothing yet"])
def test_a_link_to_the_state_stays_one(where: Locations, tmp_path: Path, exists: bool) -> None:
    kept = tmp_path / "dotfiles" / "svc-tui-state.toml"
    where.state_directory.mkdir()
    where.state_file.symlink_to(kept)
    if exists:
        kept.parent.mkdir()
        kept.write_text('theme = "svc-dark"\n')
    FilePreferences(where).remember_theme("svc-light")
    assert where.state_file.is_symlink()
    assert kept.read_text() == 'theme = "svc-light"\n'
    assert list(kept.parent.iterdir()) == [kept]


def test_a_damaged_state_behind_a_link_is_set_aside_and_the_link_stays(where: Locations, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "state.toml"
    kept.parent.mkdir()
    kept.write_text("theme = ")
    where.state_directory.mkdir()
    where.state_file.symlink_to(kept)
    found = FilePreferences(where)
    (aside,) = kept.parent.iterdir()
    assert str(aside) in found.notices[0]
    found.remember_theme("svc-light")
    assert where.state_file.is_symlink()
    assert kept.read_text() == 'theme = "svc-light"\n'


@pytest.mark.parametrize("target", ["state.toml", "."], ids=["a loop", "a directory"])
def test_a_state_that_cannot_be_read_is_never_written_over(where: Locations, target: str) -> None:
    where.state_directory.mkdir()
    where.state_file.symlink_to(target)
    found = FilePreferences(where)
    (notice,) = found.notices
    assert notice.startswith(f"{where.state_file} can't be read (")
    assert notice.endswith("); the saved settings are ignored")
    with pytest.raises(OSError, match="can't be read") as raised:
        found.remember_theme("svc-light")
    assert str(raised.value.strerror) == notice.removesuffix("; the saved settings are ignored")
    assert where.state_file.is_symlink()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('thme = "svc-dark"', f'unknown setting thme; allowed: {KEYS}; did you mean "theme"?'),
        ("api_key = 'x'", f"unknown setting api_key; allowed: {KEYS}"),
        ('theme = "svc-drak"', f'theme is "svc-drak"; allowed: {THEMES}; did you mean "svc-dark"?'),
        ('theme = "pink"', f'theme is "pink"; allowed: {THEMES}'),
        ('theme = ""', 'theme is ""; allowed: the name of a theme'),
        ("theme = ['svc-dark']", "theme is a list; allowed: the name of a theme"),
        ("default_profile = 7", "default_profile is 7; allowed: the name of a profile"),
        ("live_unlock_minutes = '10'", 'live_unlock_minutes is "10"; allowed: a whole number from 1 to 60'),
        ("live_unlock_minutes = 0", "live_unlock_minutes is 0; allowed: a whole number from 1 to 60"),
        ("live_unlock_minutes = 61", "live_unlock_minutes is 61; allowed: a whole number from 1 to 60"),
        ("live_unlock_minutes = 2.5", "live_unlock_minutes is 2.5; allowed: a whole number from 1 to 60"),
        ("live_unlock_minutes = true", "live_unlock_minutes is true; allowed: a whole number from 1 to 60"),
        (
            "live_unlock_minutes = 2026-11-20",
            "live_unlock_minutes is a date or a time; allowed: a whole number from 1 to 60",
        ),
        ("keys = 'e'", 'keys is "e"; allowed: a table of lines such as "record.edit" = "e"'),
        ('[keys]\n"record.edit" = 5', 'keys."record.edit" is 5; allowed: keys in quotes, such as "e"'),
        ("history_limit = -1", f"history_limit is -1; allowed: {LIMIT}"),
        ("history_limit = '9'", f'history_limit is "9"; allowed: {LIMIT}'),
        ("history_bodies = 1", "history_bodies is 1; allowed: true or false"),
        ("mouse = 'no'", 'mouse is "no"; allowed: true or false'),
        ("done_notice = 'beep'", 'done_notice is "beep"; allowed: "off", "bell" or "desktop"'),
        ("done_notice = true", 'done_notice is true; allowed: "off", "bell" or "desktop"'),
        ("hints = 'no'", 'hints is "no"; allowed: true or false'),
        ("mask_fields = 'operator'", f'mask_fields is "operator"; allowed: {MASK}'),
        ("mask_fields = ['operator', 3]", f"mask_fields is 3; allowed: {MASK}"),
        ("mask_fields = ['']", f'mask_fields is ""; allowed: {MASK}'),
        ("keys.record = { edit = 'e' }", 'keys.record is a table; allowed: keys in quotes, such as "e"'),
    ],
)
def test_a_mistake_names_file_line_key_what_was_found_and_what_is_allowed(
    where: Locations, text: str, message: str
) -> None:
    path = configure(where, f"# mine\n\n{text}")
    with pytest.raises(ConfigError) as caught:
        FilePreferences(where)
    assert str(caught.value) == f"{path}:{text.count(chr(10)) + 3}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theme = ", ":1: not valid TOML: a value is missing or not valid; text needs quotes"),
        ("theme = 'a'\ntheme = 'b'", ":2: not valid TOML: the setting is set twice"),
        (b"theme = '\xff'", " is not UTF-8 text (byte 10); save it as UTF-8"),
    ],
)
def test_text_that_is_not_toml_is_told_with_its_place(where: Locations, text: str | bytes, message: str) -> None:
    path = configure(where, text)
    with pytest.raises(ConfigError) as caught:
        FilePreferences(where)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize("text", ["theme = " + "[" * 5_000, "theme = " + "1" * 5_000])
def test_hostile_text_is_an_ordinary_mistake(where: Locations, text: str) -> None:
    configure(where, text)
    with pytest.raises(ConfigError, match="not valid TOML"):
        FilePreferences(where)


@pytest.mark.parametrize("mode", [0o622, 0o664, 0o666])
def test_a_file_that_others_can_write_is_refused_with_the_command_that_mends_it(where: Locations, mode: int) -> None:
    path = configure(where, 'theme = "svc-light"')
    path.chmod(mode)
    with pytest.raises(ConfigError) as caught:
        FilePreferences(where)
    assert str(caught.value) == f"{path} can be written by others; run: chmod go-w {path}"


def test_a_file_that_was_named_must_exist(where: Locations) -> None:
    with pytest.raises(ConfigError, match="does not exist; create it, or remove --config and SVC_TUI_CONFIG"):
        FilePreferences(replace(where, config_named=True))


def test_a_directory_in_the_place_of_the_file_is_told(where: Locations) -> None:
    where.config_file.mkdir(parents=True, mode=0o755)
    with pytest.raises(ConfigError, match="is not a regular file"):
        FilePreferences(where)


def test_a_theme_of_ones_own_can_be_put_on_and_a_damaged_one_is_told(where: Locations) -> None:
    where.themes_directory.mkdir(parents=True)
    sound = read_palettes()[0]
    (where.themes_directory / "mine.toml").write_text(
        tomli_w.dumps({**sound.roles(), "name": "mine", "title": "Mine", "dark": True})
    )
    (where.themes_directory / "mine.toml").chmod(0o644)
    damaged = where.themes_directory / "other.toml"
    damaged.write_text("name = 1")
    damaged.chmod(0o644)
    found = FilePreferences(where, theme="mine")
    assert found.preferences.theme == "mine"
    assert found.palettes()[-1].title == "Mine"
    assert len(found.notices) == 1
    assert found.notices[0].startswith(f"{damaged}: missing title, dark, background")


def test_an_unknown_theme_as_an_option_is_told(where: Locations) -> None:
    with pytest.raises(ConfigError) as caught:
        FilePreferences(where, theme="svc-lihgt")
    assert str(caught.value) == f'--theme is "svc-lihgt"; allowed: {THEMES}; did you mean "svc-light"?'


def test_places_and_habits_come_back(where: Locations) -> None:
    narrow = View("grade:A", Sort("massKg", descending=True), (ChosenColumn("id", 12), ChosenColumn("assay.goldPpm")))
    asked = View(query=(("status", "open"), ("status", "closed")))
    store = FilePreferences(where)
    assert store.memory == SavedChoices()
    stay = LastPosition("/v1/operations/lots", 41, "grade", "lot-1")
    store.remember_place("env", stay)
    store.remember_habit("operations/lots", RememberedView(asked).with_view("heavy", narrow))
    store.remember_habit("finance/invoices", RememberedView(narrow))
    store.remember_theme("svc-light")
    found = FilePreferences(where)
    assert found.memory.places == {"env": stay}
    assert found.memory.habits == {
        "operations/lots": RememberedView(asked, {"heavy": narrow}),
        "finance/invoices": RememberedView(narrow),
    }
    assert found.preferences.theme == "svc-light"


def test_whether_a_search_loads_all_comes_back_for_each_profile(where: Locations) -> None:
    store = FilePreferences(where)
    store.remember_search_loading("work", on=True)
    store.remember_search_loading("home", on=False)
    assert FilePreferences(where).memory.searched == store.memory.searched == {"work": True, "home": False}


def test_tips_of_earlier_versions_are_a_setting_still(where: Locations) -> None:
    path = configure(where, "hints = false")
    assert [one for one in of_preferences(FilePreferences(where), None) if one.name == "hints"] == [
        EffectiveSetting("hints", "false", f"{path}:1")
    ]


def test_what_another_program_remembered_meanwhile_stays(where: Locations) -> None:
    one, other = FilePreferences(where), FilePreferences(where)
    one.remember_habit("operations/lots", RememberedView(View("a")))
    other.remember_habit("finance/invoices", RememberedView(View("b")))
    assert set(FilePreferences(where).memory.habits) == {"operations/lots", "finance/invoices"}


def test_a_memory_that_makes_no_sense_is_left_out(where: Locations) -> None:
    where.state_directory.mkdir()
    where.state_file.write_text(
        '[places]\nenv = 3\nother = {row = 3}\n[collections."operations/lots"]\nfilter = 1\nsort = {field = 2}\n'
        'columns = [{field = "id", width = -3}, {width = 4}, 7]\nquery = [{name = "a"}]\nviews = [{filter = "x"}]\n'
        '[hinted]\n"table.open" = "often"\n"table.filter" = true\n'
    )
    found = FilePreferences(where).memory
    assert found == SavedChoices({}, {"operations/lots": RememberedView(View(columns=(ChosenColumn("id"),)))})


def test_an_option_beats_what_the_file_says_of_the_reader(where: Locations) -> None:
    path = configure(where, "reader = true")
    found = FilePreferences(where)
    assert [one for one in of_preferences(found, None) if one.name == "reader"] == [
        EffectiveSetting("reader", "true", f"{path}:1")
    ]
    assert [one for one in of_preferences(found, None, reader=False) if one.name == "reader"] == [
        EffectiveSetting("reader", "false", "--reader or SVC_TUI_READER")
    ]
