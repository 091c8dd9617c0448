"""Small programs on the kernel and the games under schedules: the shipped code passes, and planted bugs are found.

`python -m tests.search.interleavings.medians` is the long form, with all bugs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scramble.testing import explore
from tests.search.interleavings.medians import found_in
from tests.search.interleavings.programs import PROGRAMS, Main
from tests.search.torture.matrix.bug import copied


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_no_schedule_makes_the_shipped_code_fail(program: Main) -> None:
    explore(program, schedules=100)
    explore(program, schedules=100, strategy="exhaustive")


def test_schedules_find_planted_bugs_of_the_kernel_and_the_games(tmp_path: Path) -> None:
    copy = copied(tmp_path, 0)
    for name in ("kernel-withdrawal-too-late", "crossword-result-for-nobody"):
        found = found_in(copy, name, [0])
        assert found.pct is not None, name
        assert found.random is not None, name
        assert found.exhaustive is not None, name
