"""The number of examples that Hypothesis tries: few in `make test`, many in `make torture NAMES=models`.

Each torture tries different examples.

    TestGames.settings = settings(max_examples=examples(40))

The profiles are registered in tests/conftest.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.support.figures import Figures

ROOT: Final = Path(__file__).parents[2]
PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE", "ci")
MANY: Final = 50  # the profile `explore` tries this many times more examples

MODELS: Final = (
    "tests/search/models/test_memory.py",
    "tests/search/models/test_minesweeper.py",
    "tests/search/models/test_minesweeper_contest.py",
    "tests/search/models/test_crossword.py",
    "tests/search/models/test_register.py",
    "tests/search/interleavings/test_memory.py",
    "tests/search/interleavings/test_crossword.py",
    "tests/search/cluster/test_remote.py",
    "tests/search/rooms/test_rooms.py",
)
"""Tests that compare the rules with a model. The profile sets their number of examples."""


def examples(few: int) -> int:
    """Return the number of examples for the profile: `few` in `make test`."""
    return few * MANY if PROFILE == "explore" else few


def torture(long: bool) -> Figures:
    """Run the tests of MODELS. Raises CalledProcessError if one fails, after pytest printed the smallest example."""
    environment = os.environ | {"HYPOTHESIS_PROFILE": "explore" if long else "ci"}
    program = [sys.executable, "-m", "pytest", "-o", "faulthandler_timeout=0", *MODELS]  # the long form may take hours
    subprocess.run(program, check=True, env=environment, cwd=ROOT)
    return {
        "models that the rules agree with": f"{len(MODELS)}, with {MANY if long else 1} times the examples of make test"
    }
