"""How the program runs in flow tests."""

import asyncio
import sys

import pytest


@pytest.fixture(autouse=True)
async def _as_the_program_runs() -> None:
    """The program's own tasks start eagerly where Python can do that; tests run them the same way."""
    if sys.version_info >= (3, 12):
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
