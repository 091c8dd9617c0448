"""`python -m tests.search.torture.matrix`: plant each bug in a copy of the checkout, and run suites of tests on it.

A suite runs until its first failure. By default a suite runs only on bugs that no cheaper suite has found; `--all`
fills the matrix. Results are lines of JSON in a file, so that a run can be stopped and continued.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Final, NamedTuple

import click

from tests.search.torture.matrix.bug import Bug, planted
from tests.search.torture.matrix.bugs import BUGS
from tests.search.torture.matrix.suites import SUITES, can_find, folders_of
from tests.support.process import ROOT

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


def run_suite(bug: Bug, suite: str, copy: Path) -> Result:
    """Run one suite on one bug in that copy of the checkout. Blocks until its first failure, or its end."""
    folders = folders_of(suite, bug.path, copy)
    command = [sys.executable, "-m", "pytest", "-x", "--tb=line", "--durations=0", "--durations-min=1000", *folders]
    environment = {**os.environ, "PYTHONPATH": str(copy), "TMPDIR": str(copy.parent / f"{copy.name}-tmp")}
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


def copied(parent: Path, number: int) -> Path:
    """Copy the files of the checkout that git knows."""
    copy = parent / f"copy{number}"
    copy.mkdir()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["cp", "--parents", "-t", copy, *files.decode().strip("\0").split("\0")], cwd=ROOT, check=True)
    subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
    return copy


def missing(
    results: Results, suites: Iterable[str], bugs: Iterable[Bug], everything: bool
) -> Iterator[tuple[Bug, str]]:
    """Yield the runs to do, one suite after another."""
    wanted = list(bugs)
    for suite in suites:
        for bug in wanted:
            done = (bug.name, suite) in results.of or not can_find(suite, bug.path)
            if not done and (everything or not results.finders(bug.name)):
                yield bug, suite


def table(results: Results) -> str:
    """Return the matrix as text: the bugs that each suite found, that it alone found, and that no suite found."""
    finders = {name: results.finders(name) for name in BUGS}
    lines = [f"{'suite':<16}{'runs':>6}{'found':>7}{'first':>7}{'alone':>7}{'seconds':>9}"]
    for suite in SUITES:
        runs = [result for result in results.of.values() if result.suite == suite and result.bug in BUGS]
        found = [name for name in BUGS if suite in finders[name]]
        first = sum(finders[name][0] == suite for name in found)
        alone = sum(finders[name] == [suite] for name in found)
        seconds = sum(result.seconds for result in runs)
        lines.append(f"{suite:<16}{len(runs):>6}{len(found):>7}{first:>7}{alone:>7}{seconds:>9}")
    unfound = [name for name in BUGS if not finders[name]]
    lines.append(f"{len(BUGS) - len(unfound)} of {len(BUGS)} bugs were found; not found: {', '.join(unfound) or '-'}")
    return "\n".join(lines)


@click.command()
@click.option("--suite", "suites", multiple=True, type=click.Choice(list(SUITES)), help="Only these suites.")
@click.option("--bug", "names", multiple=True, type=click.Choice(list(BUGS)), help="Only these bugs.")
@click.option("--all", "everything", is_flag=True, help="Run suites on bugs that a cheaper suite has found, too.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Number of suites at the same time.")
@click.option("--results", "file", default=ROOT / "build" / "matrix.jsonl", type=click.Path(path_type=Path))
def main(suites: tuple[str, ...], names: tuple[str, ...], everything: bool, jobs: int, file: Path) -> None:
    """Fill the matrix of bugs and suites, and print it."""
    results = Results(file)
    bugs = [BUGS[name] for name in names] or list(BUGS.values())
    with tempfile.TemporaryDirectory(prefix="matrix") as parent, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(copied(Path(parent), number))

        def run(bug: Bug, suite: str) -> None:
            copy = copies.get()
            try:
                result = run_suite(bug, suite, copy)
            finally:
                copies.put(copy)
            results.add(result)
            print(f"{bug.name}, {suite}: {result.test or 'not found'} ({result.seconds} s)", flush=True)

        for suite in suites or SUITES:
            for done in [pool.submit(run, *one) for one in missing(results, [suite], bugs, everything)]:
                done.result()
    print(table(results))


if __name__ == "__main__":
    main()
