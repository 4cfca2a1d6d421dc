"""`python -m tests.mutation`: checks that the tests notice a change to the code that keeps writes safe.

It changes one small thing in a module of `table.toml`, runs that module's tests, and tells which changes none of them
notices. Exit status 1: there are such changes, and the table does not accept them.
"""

import argparse
import os
import random
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

from tests.mutation.mutants import Mutant, find_mutants
from tests.mutation.running import ROOT, measure_baseline, run_mutants

TABLE = Path(__file__).with_name("table.toml")


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    modules = [module for module in table if not options.module or module in options.module]
    if unknown := set(options.module) - set(table):
        raise SystemExit(f"not in {TABLE.name}: {', '.join(sorted(unknown))}")
    accepted = {(module, name) for module in table for name in table[module].get("accepted", {})}
    mutants = [mutant for module in modules for mutant in find_mutants(ROOT / module, module)]
    if options.match:
        mutants = [mutant for mutant in mutants if options.match in mutant.name]
    if not options.whole and options.sample < len(mutants):
        mutants = random.Random(options.seed).sample(mutants, options.sample)
    if options.list:
        print(*(describe(mutant) for mutant in mutants), sep="\n")
        return 0
    tests = {module: table[module]["tests"] for module in modules}
    # The standard output of the tests goes elsewhere.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    started = time.monotonic()
    baseline = measure_baseline(modules, sorted({path for paths in tests.values() for path in paths}))
    seconds = time.monotonic() - started
    print(f"{len(baseline.seconds)} tests pass in {seconds:.0f} s; {len(mutants)} mutants", file=output)
    results: Counter[tuple[str, str]] = Counter()

    def report(mutant: Mutant, result: str, seconds: float) -> None:
        if result == "survived" and (mutant.path, mutant.name) in accepted:
            result = "accepted"
        results[mutant.path, result] += 1
        if result == "survived":
            print(describe(mutant), file=output)
        if options.verbose:
            print(f"{result} after {seconds:.1f} s: {mutant.path}: {mutant.name}", file=output)

    run_mutants(mutants, tests, baseline, options.workers, report)
    for module in modules:
        counts = (f"{results[module, kind]} {kind}" for kind in ("killed", "timeout", "accepted", "survived"))
        print(f"{module}: {', '.join(counts)}", file=output)
    print(f"{time.monotonic() - started:.0f} s", file=output)
    return int(any(result == "survived" for _, result in results))


def parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--module", action="append", default=[], metavar="PATH", help="only this module of the table")
    parser.add_argument("--match", default="", metavar="TEXT", help="only mutants with this text in function or change")
    parser.add_argument("--sample", type=int, default=50, metavar="N", help="so many mutants, by chance (default 50)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which of them (default 0)")
    parser.add_argument("--whole", action="store_true", help="all mutants")
    parser.add_argument("--list", action="store_true", help="list them without running a test")
    parser.add_argument("-n", dest="workers", type=int, default=2, metavar="N", help="so many at a time (default 2)")
    parser.add_argument("-v", dest="verbose", action="store_true", help="tell the fate of each")
    return parser.parse_args(arguments)


def describe(mutant: Mutant) -> str:
    """Format a mutant as the lines of a diff."""
    return f"{mutant.path}:{mutant.lines.start} {mutant.function}\n  - {mutant.old}\n  + {mutant.new}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
