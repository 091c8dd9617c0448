"""`python -m tests.search.torture.matrix`: plant each bug in a copy of the checkout, and run suites of tests on it.

A suite runs until its first failure. By default a suite runs only on bugs that no cheaper suite has found; `--all`
fills the matrix. Results are lines of JSON in a file, so that a run can be stopped and continued. Remove the file after
a change of the code or the tests.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Final, NamedTuple

import click

from tests.search.torture.matrix.bug import Bug, copied, planted
from tests.search.torture.matrix.bugs import BUGS
from tests.search.torture.matrix.reach import Reach
from tests.search.torture.matrix.suites import SUITES, UNIT, can_find, folders_of
from tests.support.figures import Figures, lines
from tests.support.process import ROOT

RESULTS: Final = ROOT / "build" / "matrix.jsonl"
LIMIT_S: Final = 1500  # for one suite: a bug that makes tests hang counts as found
FIRST_FAILURE: Final = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Result(NamedTuple):
    """The result of one suite on one bug: `test` is the first test that failed, None if no test did."""

    bug: str
    suite: str
    test: str | None
    seconds: int


class Results:
    """The results so far, kept in a file."""

    def __init__(self, file: Path) -> None:
        self._file: Final = file
        lines = file.read_text().splitlines() if file.exists() else []
        self.of: Final = {
            (result.bug, result.suite): result for result in (Result(*json.loads(line)) for line in lines)
        }

    def add(self, result: Result) -> None:
        """Keep a result."""
        self.of[result.bug, result.suite] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as file:
            file.write(json.dumps(result) + "\n")

    def finders(self, bug: str) -> list[str]:
        """Return the suites that found the bug."""
        return [suite for suite in SUITES if (found := self.of.get((bug, suite))) is not None and found.test]


def run_suite(bug: Bug, suite: str, copy: Path, reached: Iterable[str]) -> Result:
    """Run one suite on one bug in that copy of the checkout. Blocks until its first failure, or its end.

    `reached`: run these tests instead, if there are tests.
    """
    folders = folders_of(suite, bug.path, copy)
    nearest = tuple(f"{folder}/" for folder in folders)
    tests = sorted(reached, key=lambda test: not test.startswith(nearest)) or folders
    if not tests:
        return Result(bug.name, suite, None, 0)
    command = [sys.executable, "-m", "pytest", "-x", "--tb=line", "--durations=0", "--durations-min=1000", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "TMPDIR": str(copy.parent / f"t{copy.name}")}
    Path(environment["TMPDIR"]).mkdir(exist_ok=True)
    began = monotonic()
    with planted(bug, copy):
        process = subprocess.Popen(
            command,
            cwd=copy,
            env=environment,
            text=True,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            printed, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            printed = "FAILED (time limit)"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    failed = FIRST_FAILURE.search(printed)
    test = failed[1] if failed else None if process.returncode in (0, 5) else f"exit code {process.returncode}"
    return Result(bug.name, suite, test, round(monotonic() - began))


def missing(results: Results, suite: str, bugs: Iterable[Bug], everything: bool) -> Iterator[Bug]:
    """Yield the bugs on which the suite has to run."""
    for bug in bugs:
        done = (bug.name, suite) in results.of or not can_find(suite, bug.path)
        if not done and (everything or not results.finders(bug.name)):
            yield bug


def fill(suites: Sequence[str], bugs: Sequence[Bug], everything: bool, jobs: int, file: Path) -> Results:
    """Run the missing suites on the bugs, `jobs` at the same time, and print each result. Blocks for hours."""
    results = Results(file)
    reach = Reach(file.with_name("matrix-reach"), ROOT, SUITES[UNIT]) if UNIT in suites else None
    # Short names: the path of a UNIX socket in the folder of a test has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="m") as parent, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(copied(Path(parent), number))

        def run(bug: Bug, suite: str) -> None:
            copy = copies.get()
            try:
                result = run_suite(bug, suite, copy, reach.tests(bug) if reach is not None and suite == UNIT else ())
            finally:
                copies.put(copy)
            results.add(result)
            print(f"{bug.name}, {suite}: {result.test or 'not found'} ({result.seconds} s)", flush=True)

        for suite in suites:
            for done in [pool.submit(run, bug, suite) for bug in missing(results, suite, bugs, everything)]:
                done.result()
    return results


def figures(results: Results) -> Figures:
    """Return the matrix: the bugs that each suite found, that it found first or alone, and that no suite found."""
    finders = {name: results.finders(name) for name in BUGS}
    matrix = {}
    for suite in SUITES:
        runs = [result for result in results.of.values() if result.suite == suite and result.bug in BUGS]
        found = [name for name in BUGS if suite in finders[name]]
        first = sum(finders[name][0] == suite for name in found)
        alone = sum(finders[name] == [suite] for name in found)
        seconds = sum(result.seconds for result in runs)
        matrix[suite] = f"ran on {len(runs)}, found {len(found)}, first {first}, alone {alone}; {seconds} s"
    unfound = [name for name in BUGS if not finders[name]]
    return {
        **matrix,
        "all suites": f"found {len(BUGS) - len(unfound)} of {len(BUGS)}",
        "not found": ", ".join(unfound) or "-",
    }


def torture(long: bool) -> Figures:
    """Fill the matrix. In the long form, each suite runs on each bug that it can find."""
    return figures(fill(list(SUITES), list(BUGS.values()), long, os.cpu_count() or 1, RESULTS))


@click.command()
@click.option("--suite", "suites", multiple=True, type=click.Choice(list(SUITES)), help="Only these suites.")
@click.option("--bug", "names", multiple=True, type=click.Choice(list(BUGS)), help="Only these bugs.")
@click.option("--all", "everything", is_flag=True, help="Run suites on bugs that a cheaper suite has found, too.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Number of suites at the same time.")
@click.option("--results", "file", default=RESULTS, type=click.Path(path_type=Path), help="Kept results; JSON lines.")
def main(suites: tuple[str, ...], names: tuple[str, ...], everything: bool, jobs: int, file: Path) -> None:
    """Fill the matrix of bugs and suites, and print it."""
    bugs = [BUGS[name] for name in names] or list(BUGS.values())
    print("\n".join(lines(figures(fill(suites or list(SUITES), bugs, everything, jobs, file)))))


if __name__ == "__main__":
    main()
