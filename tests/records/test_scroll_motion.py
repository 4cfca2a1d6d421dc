"""Paging and flinging told apart."""

from svc_tui.ui.table.page_loading import REST_SECONDS, ScrollMotion

HEIGHT = 30


def flung(*moves: tuple[int, float]) -> list[bool]:
    """Whether the view is flung after each move: its first row then, and when."""
    motion, seen = ScrollMotion(), []
    for first, now in moves:
        motion = motion.moved(first, HEIGHT, now)
        seen.append(motion.flung)
    return seen


def test_one_page_or_one_jump_is_no_fling() -> None:
    assert flung((30, 0.0)) == [False]
    assert flung((9_999_970, 0.0)) == [False]


def test_pages_at_the_pace_of_somebody_who_reads_are_no_fling() -> None:
    assert not any(flung(*((30 * step, REST_SECONDS * step) for step in range(1, 9))))


def test_pages_as_fast_as_keys_repeat_are_a_fling_until_it_rests() -> None:
    assert flung((30, 0.0), (60, 0.25 * REST_SECONDS), (90, 0.5 * REST_SECONDS), (120, 1.5 * REST_SECONDS)) == [
        False,
        True,
        True,
        False,
    ]


def test_rows_one_by_one_are_no_fling_however_fast() -> None:
    assert not any(flung(*((step, step / 100) for step in range(1, 200))))


def test_a_last_small_step_of_a_fling_is_part_of_it() -> None:
    assert flung((30, 0.0), (60, 0.25 * REST_SECONDS), (62, 0.5 * REST_SECONDS), (63, 1.25 * REST_SECONDS)) == [
        False,
        True,
        True,
        False,
    ]


def test_a_fling_has_the_speed_of_its_last_jumps() -> None:
    motion = ScrollMotion().moved(30, HEIGHT, 5.0)
    assert motion.speed == 0
    motion = motion.moved(60, HEIGHT, 5.05)
    assert round(motion.speed) == 600
    motion = motion.moved(0, HEIGHT, 5.1)
    assert round(motion.speed) == -1200
    assert motion.moved(30, HEIGHT, 5.1 + REST_SECONDS).speed == 0


def test_it_rests_when_its_last_jump_is_a_while_ago() -> None:
    motion = ScrollMotion().moved(30, HEIGHT, 5.0)
    assert not motion.rests(5.0 + REST_SECONDS / 2)
    assert motion.rests(5.0 + REST_SECONDS)
