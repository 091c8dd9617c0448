"""The simulator: the shipped servers under every kind of fault, seed by seed, and tests that it finds bugs.

Strategy. `python -m tests.search.vopr` runs any seed or many seeds: see `--help`. `make torture` runs many. These tests
run the first twenty seeds, and a seed for each planted bug that is known to find it. The simulator finds every planted
bug, and the seed alone reproduces a failure exactly. So a run without failures has meaning.

Partitions:
- seeds: they choose the game; for a planted bug, the bug's game
- planted bugs: in the kernel, the journal, recovery, the rules, the front ends (tests/search/vopr/plants.py)
- a failure: its text has the seed and the options; the same twice, in another process, with another hash seed
- options: all games and all endings occur; the same seed gives the same options; the caller chooses the game
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor

import pytest

from tests.search.vopr.options import ENDINGS, GAMES, GameName, derive
from tests.search.vopr.plants import PLANTS, first_seed_that_finds
from tests.search.vopr.simulator import SHORT, Figures, figures_of, run_seed, trace, workers
from tests.support.figures import report
from tests.support.hashseeds import outputs

FIRST = 20
FINDERS = {(plant.found_by[0], plant.game) for plant in PLANTS.values()}
SEEDS: list[tuple[int, GameName | None]] = sorted({*((seed, None) for seed in range(FIRST)), *FINDERS}, key=str)
SOME = (0, 1, 2, 3, 4, 5)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with workers(os.cpu_count() or 1) as pool:
        yield pool


@pytest.fixture(scope="module")
def found(pool: ProcessPoolExecutor) -> dict[str, Future[int | None]]:
    """The first seed that finds each planted bug."""
    return {name: pool.submit(first_seed_that_finds, name) for name in PLANTS}


def test_the_seeds_that_find_planted_bugs_find_none_in_the_shipped_code(pool: ProcessPoolExecutor) -> None:
    total = Figures()
    for figures in pool.map(figures_of, *zip(*SEEDS, strict=True), chunksize=5):
        total.add(figures)
    report("vopr", total.told())
    assert total.failures == []
    assert total.seeds == len(SEEDS)
    assert total.deaths > len(SEEDS) // 2
    assert total.lives_failed > 0
    assert total.answers > 20 * len(SEEDS)


@pytest.mark.parametrize("name", PLANTS)
def test_finds_a_planted_bug(name: str, found: dict[str, Future[int | None]]) -> None:
    seed = found[name].result()
    assert seed is not None, f"{SHORT} seeds did not find that {PLANTS[name].what}"


def test_a_failure_says_how_to_see_it_again_and_is_then_the_same() -> None:
    plant = PLANTS["replies-before-the-commit"]
    with plant.planted():
        seed = next(seed for seed in plant.found_by if trace(seed, "memory")[-1].startswith("seed "))
        first, again = trace(seed, "memory"), trace(seed, "memory")
    assert first == again
    assert first[-1].startswith(f"seed {seed}: Wrong: ")
    assert all(f"\n  {name} = " in first[-1] for name in derive(seed).__struct_fields__)
    run_seed(seed, "memory")  # without the bug the seed passes


def test_another_process_with_another_hash_seed_sees_exactly_the_same() -> None:
    program = f"from tests.search.vopr.simulator import fingerprint; print(fingerprint({SOME}))"
    assert len(outputs(program)) == 1
    assert {derive(seed).game for seed in SOME} == set(GAMES)


def test_different_seeds_are_different_worlds() -> None:
    assert len({tuple(trace(seed)) for seed in SOME}) == len(SOME)


def test_the_seeds_choose_all_games_and_all_endings() -> None:
    options = [derive(seed) for seed in range(FIRST)]
    assert {option.game for option in options} == set(GAMES)
    assert {ending for option in options for ending in option.endings} == set(ENDINGS)
    assert derive(7) == derive(7)
    assert derive(7, "crossword").game == "crossword"
