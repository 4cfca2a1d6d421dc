"""A terminal that is gone stops nobody who writes to it."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from svc_tui.ui.driver import LosableOutput


def test_what_is_written_to_a_terminal_that_is_gone_is_dropped_and_told_once() -> None:
    ours, its = os.openpty()
    told: list[bool] = []
    with LosableOutput(its, lambda: told.append(True)) as output:
        assert output.write(b"seen") == 4
        assert os.read(ours, 100) == b"seen"
        os.close(ours)
        assert output.write(b"lost") == 4
        assert output.write(b"lost too") == 8
    assert told == [True]
    os.close(its)


def test_everything_is_written_even_where_writing_does_not_block() -> None:
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    text = b"x" * 1_000_000
    with ThreadPoolExecutor(1) as pool, os.fdopen(reads, "rb") as reader, LosableOutput(writes, pytest.fail) as output:
        read = pool.submit(reader.read, len(text))
        assert output.write(text) == len(text)
        assert read.result() == text
    os.close(writes)
