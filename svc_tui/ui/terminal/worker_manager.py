"""Workers that leave nothing behind, also where one is ended before it began."""

from inspect import iscoroutine
from typing import Any

from textual.worker import Worker
from textual.worker_manager import WorkerManager


class ClosingWorkerManager(WorkerManager):
    """Textual's, except that work which was given up before its first step is closed.

    Python complains, on the terminal, of a coroutine that nobody ever awaited.
    """

    def _remove_worker(self, worker: Worker[Any]) -> None:
        super()._remove_worker(worker)
        if iscoroutine(worker._work):
            worker._work.close()
