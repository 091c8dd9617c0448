"""The simulator's command line: one seed, many seeds, a planted bug; the exit code shows the result."""

from __future__ import annotations

import re

from click.testing import CliRunner

from tests.search.vopr.__main__ import main
from tests.search.vopr.plants import PLANTS


def test_one_seed_that_is_well() -> None:
    result = CliRunner().invoke(main, ["--seed", "3", "--game", "minesweeper"])
    assert result.exit_code == 0
    assert result.output == "seed 3 (minesweeper): all is well\n"


def test_all_that_happens_in_one_seed() -> None:
    result = CliRunner().invoke(main, ["--seed", "3", "--game", "memory", "--verbose"])
    assert result.exit_code == 0
    assert "life 0 begins" in result.output
    assert "no more faults" in result.output


def test_many_seeds_and_their_figures() -> None:
    result = CliRunner().invoke(main, ["--seeds", "10:13"])
    assert result.exit_code == 0
    assert result.output.startswith("3 seeds in ")
    assert "0 failed" in result.output


def test_a_seed_that_fails() -> None:
    bug = ["--plant", "no-sync", "--game", "minesweeper"]
    result = CliRunner().invoke(main, ["--seeds", "0:8", *bug])
    assert result.exit_code == 1
    assert "  game = 'minesweeper'" in result.output
    failed = re.search(r"seed (\d+): Wrong: ", result.output)
    assert failed
    one = CliRunner().invoke(main, ["--seed", failed[1], *bug])
    assert one.exit_code == 1
    assert one.output.endswith(f"seed {failed[1]} (minesweeper): FAILED\n")


def test_the_list_of_bugs_that_can_be_planted() -> None:
    result = CliRunner().invoke(main, ["--plants"])
    assert result.exit_code == 0
    assert len(result.output.splitlines()) == len(PLANTS)
