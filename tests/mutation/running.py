"""Runs tests against mutants, each in a forked process: the working tree is never changed.

A mutant of a function's body gets its tests with everything imported and the function's code replaced. One of a
constant, a default or anything else that runs at import is imported in place of its module, from memory.
"""

import gc
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest

from tests.mutation.mutants import Mutant

ROOT = Path(__file__).parents[2]
Report = Callable[[Mutant, str, float], None]
"""Takes a mutant, "killed", "survived" or "timeout", and the seconds that took."""


@dataclass(slots=True)
class Baseline:
    """The tests without a mutant: seconds and executed lines of each, and the lines of the imports (test "")."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    libraries: list[str] = field(default_factory=list)

    def runs_at_import(self, mutant: Mutant) -> bool:
        """Return whether the mutant has to be there before its module is imported."""
        return mutant.runs_at_import or self._runs("", mutant)

    def tests_of(self, mutant: Mutant, paths: Sequence[str]) -> list[str]:
        """Return the tests in `paths` that run a line of the mutant, the fastest first; all of them for an import."""
        tests = [test for test in self.seconds if any(_is_in(test, path) for path in paths)]
        if not self.runs_at_import(mutant):
            tests = [test for test in tests if self._runs(test, mutant)]
        return sorted(tests, key=self.seconds.__getitem__)

    def _runs(self, test: str, mutant: Mutant) -> bool:
        return any(line in mutant.lines for line in self.lines.get(test, {}).get(mutant.path, ()))


def _is_in(test: str, path: str) -> bool:
    return test.startswith((f"{path}::", f"{path}/"))


class _Recorder:
    """A pytest plugin that notes which lines of some modules each test runs."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.baseline = Baseline()
        self._modules = {str(ROOT / module): module for module in modules}
        self._test = ""
        self._lines: dict[tuple[str, str], set[int]] = {}

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:
        """Trace the lines of a function in one of the modules."""
        module = self._modules.get(frame.f_code.co_filename)
        if module is None:
            return None

        def note(frame: FrameType, event: str, argument: object) -> Any:
            self._lines.setdefault((self._test, module), set()).add(frame.f_lineno)
            return note

        return note(frame, event, argument)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._test, started = item.nodeid, time.monotonic()
        result = yield
        self.baseline.seconds[item.nodeid] = time.monotonic() - started
        return result

    def save(self, path: Path) -> None:
        """Write the baseline to a file."""
        for (test, module), lines in self._lines.items():
            self.baseline.lines.setdefault(test, {})[module] = sorted(lines)
        libraries = [name for name in sys.modules if name.split(".")[0] not in ("svc_tui", "tests", "__main__")]
        path.write_text(json.dumps([self.baseline.seconds, self.baseline.lines, libraries]), encoding="utf-8")


def measure_baseline(modules: Sequence[str], paths: Sequence[str]) -> Baseline:
    """Run the tests in `paths` and note which lines of `modules` each runs; raises SystemExit if one fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def work() -> int:
            recorder = _Recorder(modules)
            threading.settrace(recorder.trace)
            sys.settrace(recorder.trace)
            status = _run_pytest(paths, recorder)
            recorder.save(folder / "report")
            return status

        _, status = os.waitpid(_fork(work, folder), 0)
        if status:
            raise SystemExit(f"The tests fail without a mutant:\n{(folder / 'output').read_text()[-4000:]}")
        return Baseline(*json.loads((folder / "report").read_text(encoding="utf-8")))


def run_mutants(
    mutants: Sequence[Mutant], tests: Mapping[str, Sequence[str]], baseline: Baseline, workers: int, report: Report
) -> None:
    """Run the tests of each mutant's module that run its line, until one fails; `report` is called with each result."""
    for name in baseline.libraries:
        if importlib.util.find_spec(name.split(".")[0]) is not None:
            importlib.import_module(name)
    queue = _Queue(tests, baseline, workers, report)
    run_from_import = partial(_run_from_import, baseline.seconds)
    queue.run([mutant for mutant in mutants if baseline.runs_at_import(mutant)], run_from_import)
    rest = [mutant for mutant in mutants if not baseline.runs_at_import(mutant)]
    if not rest:
        return
    runner = _Runner(queue, rest)
    paths = sorted({path for mutant in rest for path in tests[mutant.path]})
    standard = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as output:
        try:
            _redirect_output(output.fileno())
            _run_pytest(paths, runner)
        finally:
            _redirect_output(*standard)
        if not runner.is_done:
            output.seek(0)
            raise SystemExit(f"The tests can't be collected again:\n{output.read().decode()[-4000:]}")


def _run_from_import(seconds: Mapping[str, float], mutant: Mutant, tests: Sequence[str]) -> int:
    """Run tests with the mutant imported in place of its module."""
    sys.meta_path.insert(0, _MutantFinder(mutant))
    status = _run_pytest(sorted({test.split("::")[0] for test in tests}), _Sorter(tests, seconds))
    return status or _check_types(mutant)


def _check_types(mutant: Mutant) -> int:
    """Return the exit status of mypy, which notices arguments of other types that no test has to notice again."""
    path = str(ROOT / mutant.path)
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as file:
        file.write(mutant.source)
        file.flush()
        options = ["--no-warn-unreachable", "--cache-dir", ".mypy_cache/mutation", "--shadow-file", path, file.name]
        return subprocess.run([sys.executable, "-m", "mypy", *options, path], cwd=ROOT, check=False).returncode


class _Limiter:
    """A pytest plugin that ends the process with SIGALRM when a test takes much longer than without a mutant."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self._seconds = seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        signal.setitimer(signal.ITIMER_REAL, _limit(self._seconds.get(item.nodeid, 0.0)))
        result = yield
        signal.setitimer(signal.ITIMER_REAL, 0)
        return result


def _limit(seconds: float) -> float:
    return 8 + 5 * seconds


class _Runner(_Limiter):
    """A pytest plugin that runs mutants of function bodies, in forks of a process that has collected the tests."""

    def __init__(self, queue: "_Queue", mutants: Sequence[Mutant]) -> None:
        super().__init__(queue.baseline.seconds)
        self.is_done = False
        self._queue = queue
        self._mutants = mutants
        self._functions: dict[tuple[str, str, int], list[FunctionType]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        paths = {str(ROOT / mutant.path) for mutant in self._mutants}
        gc.unfreeze()  # `tests/conftest.py` freezes what is loaded, which hides it from `get_objects`.
        for found in gc.get_objects():
            if isinstance(found, FunctionType) and (code := found.__code__).co_filename in paths:
                self._functions.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(found)
        gc.freeze()
        seconds = self._queue.baseline.seconds

        def run(mutant: Mutant, tests: Sequence[str]) -> int:
            self._replace_code(mutant)
            chosen = [items[test] for test in tests]
            is_typed = False
            for item, following in zip(chosen, [*chosen[1:], None], strict=False):
                if not is_typed and seconds[item.nodeid] > 1:
                    is_typed = True
                    if _check_types(mutant):
                        return 1
                try:
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                except (KeyboardInterrupt, pytest.exit.Exception):
                    return 1
                if session.shouldfail:
                    return 1
            return 0 if is_typed else _check_types(mutant)

        self._queue.run(self._mutants, run)
        self.is_done = True
        return True

    def _replace_code(self, mutant: Mutant) -> None:
        """Give the function around the mutant its code; the line where it begins is the same."""
        path = str(ROOT / mutant.path)
        codes = [compile(mutant.source, path, "exec", dont_inherit=True)]
        is_replaced = False
        while codes:
            code = codes.pop()
            codes.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
            if f"{mutant.function}.".startswith(f"{code.co_qualname}."):
                for function in self._functions.get((path, code.co_qualname, code.co_firstlineno), ()):
                    function.__code__ = code
                    is_replaced = True
        if not is_replaced:
            raise LookupError(f"{mutant.function} in {mutant.path} is not loaded")


class _Sorter(_Limiter):
    """A pytest plugin that runs tests in an order; those that a changed value names differently come last."""

    def __init__(self, tests: Sequence[str], seconds: Mapping[str, float]) -> None:
        super().__init__(seconds)
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._places.get(item.nodeid, len(self._places)))


class _MutantFinder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._name = mutant.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self._path = str(ROOT / mutant.path)
        self._code = compile(mutant.source, self._path, "exec", dont_inherit=True)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=_Loader(name, self._path, self._code))


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Queue:
    """Runs mutants in forked processes, `workers` at a time, and ends those that take too long."""

    def __init__(self, tests: Mapping[str, Sequence[str]], baseline: Baseline, workers: int, report: Report) -> None:
        self._tests = tests
        self.baseline = baseline
        self._workers = workers
        self._report = report

    def run(self, mutants: Sequence[Mutant], run: Callable[[Mutant, Sequence[str]], int]) -> None:
        """Call `run` with each mutant and its tests; its result is 0 where all pass."""
        running: dict[int, tuple[Mutant, float, float, Path]] = {}
        waiting = list(reversed(mutants))
        try:
            while waiting or running:
                while waiting and len(running) < self._workers:
                    mutant = waiting.pop()
                    tests = self.baseline.tests_of(mutant, self._tests[mutant.path])
                    folder = Path(tempfile.mkdtemp())
                    limit = 60 + _limit(sum(self.baseline.seconds[test] for test in tests))
                    pid = _fork(partial(run, mutant, tests), folder)
                    running[pid] = (mutant, time.monotonic(), limit, folder)
                time.sleep(0.01)
                for pid, (mutant, started, limit, folder) in list(running.items()):
                    seconds = time.monotonic() - started
                    ended, status = os.waitpid(pid, os.WNOHANG)
                    if not ended and seconds < limit:
                        continue
                    del running[pid]
                    _kill_group(pid)
                    if not ended:
                        os.waitpid(pid, 0)
                    elif os.waitstatus_to_exitcode(status) == _CRASH:
                        raise RuntimeError(f"{mutant.name}:\n{(folder / 'output').read_text()[-4000:]}")
                    shutil.rmtree(folder)
                    is_late = not ended or os.waitstatus_to_exitcode(status) == -signal.SIGALRM
                    self._report(mutant, "timeout" if is_late else "killed" if status else "survived", seconds)
        finally:
            for pid in running:
                _kill_group(pid)


_CRASH = 70


def _fork(work: Callable[[], int], folder: Path) -> int:
    """Start `work` in a forked process, its output and temporary files in `folder`; its result is the exit status."""
    pid = os.fork()
    if pid:
        with suppress(PermissionError):  # It has started another program already, in its own group.
            os.setpgid(pid, pid)
        return pid
    status = _CRASH
    try:
        os.setpgid(0, 0)
        sys.dont_write_bytecode = True
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        with (folder / "output").open("wb") as output:
            _redirect_output(output.fileno())
        status = work()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _redirect_output(output: int, errors: int | None = None) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(output, 1)
    os.dup2(output if errors is None else errors, 2)


def _kill_group(pid: int) -> None:
    """End a forked process and what its tests have left running."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _run_pytest(paths: Sequence[str], plugin: object) -> int:
    # Plain assertions: pytest warns of libraries that it can't rewrite because they are imported already.
    try:
        return int(pytest.main(["-xqs", "-n0", "-pno:cacheprovider", "--assert=plain", *paths], plugins=[plugin]))
    except pytest.PytestUnraisableExceptionWarning:
        # What a test has left open, such as a socket, is found as pytest ends.
        return int(pytest.ExitCode.TESTS_FAILED)
