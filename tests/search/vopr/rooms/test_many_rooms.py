"""The simulator with many rooms, seed by seed, and tests that it finds bugs.

Strategy. These tests run the first seeds; `make torture NAMES=rooms` runs many more. The simulator finds every planted
bug, and the seed alone reproduces a failure exactly. So a run without failures has meaning.

Partitions:
- seeds: they choose kinds of rooms, visitors, when rooms fall asleep, and how the process ends
- planted bugs: in falling asleep, waking, results, deaths; in the journals of all rooms (plants.py)
- a failure: its text has the seed and the options; the same in another process, with another hash seed
"""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.search.vopr.rooms.__main__ import main
from tests.search.vopr.rooms.options import ENDINGS, SETTINGS, derive
from tests.search.vopr.rooms.plants import PLANTS
from tests.search.vopr.rooms.simulator import SHORT, Figures, figures_of, first_seed_that_finds, trace
from tests.support.figures import report
from tests.support.hashseeds import outputs

FIRST = 12  # they include the seeds that find planted bugs
SOME = (0, 1)


def test_the_seeds_that_find_planted_bugs_find_none_in_the_shipped_code() -> None:
    total = Figures()
    for seed in range(FIRST):
        total.add(figures_of(seed))
    report("rooms", total.told())
    assert total.failures == []
    assert total.deaths > FIRST // 2
    assert total.answers > 20 * FIRST


@pytest.mark.parametrize("name", PLANTS)
def test_finds_a_planted_bug(name: str) -> None:
    seed = first_seed_that_finds(name)
    assert seed is not None, f"{SHORT} seeds did not find that {PLANTS[name].what}"


def test_a_failure_says_how_to_see_it_again_and_is_then_the_same() -> None:
    plant = PLANTS["departures-overlooked"]
    with plant.planted():
        first, again = trace(plant.found_by), trace(plant.found_by)
    assert first == again
    assert first[-1].startswith(f"seed {plant.found_by}: Wrong: nobody is there, but ")
    assert all(f"\n  {name} = " in first[-1] for name in derive(0).__struct_fields__)


def test_another_process_with_another_hash_seed_sees_exactly_the_same() -> None:
    program = (
        "import hashlib; from tests.search.vopr.rooms.simulator import trace;"
        f"print([hashlib.sha256(str(trace(seed)).encode()).hexdigest() for seed in {SOME}])"
    )
    assert len(outputs(program)) == 1
    assert len({tuple(trace(seed)) for seed in SOME}) == len(SOME)


def test_the_seeds_choose_all_kinds_and_all_endings() -> None:
    options = [derive(seed) for seed in range(SHORT)]
    assert {kind for option in options for kind in option.kinds} == SETTINGS.keys()
    assert {ending for option in options for ending in option.endings} == set(ENDINGS)
    assert {(option.closed, option.removed) for option in options} == {(None, None), (None, 1), (0, None), (0, 1)}


def test_the_command_line_runs_a_seed_and_its_exit_code_says_whether_all_was_well() -> None:
    well = CliRunner().invoke(main, ["--seed", "3", "--verbose"])
    assert well.exit_code == 0
    assert "no more faults" in well.output
    assert well.output.endswith("seed 3: all is well\n")
    failed = CliRunner().invoke(main, ["--seeds", "0:5", "--plant", "journal-left-open"])
    assert failed.exit_code == 1
    assert failed.output.endswith("seed 0: FAILED\n")
    assert len(CliRunner().invoke(main, ["--plants"]).output.splitlines()) == len(PLANTS)
