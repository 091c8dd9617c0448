"""The examples for course staff, docs/examples/grading: adaptors for check50 and Gradescope.

Partitions: a server that keeps the handout, a server with a bug, a server that does not start
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support import HANG_S
from tests.support.process import ROOT

GRADING: Final = ROOT / "docs" / "examples" / "grading"
STUDENT: Final = ROOT / "tests" / "system" / "conform" / "student.py"


def environment(variant: str, **more: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "START": f"python student.py {{port}} {{board}} {variant}",
        "LEVEL": "alpha",
        **more,
    }


def check50(folder: Path, variant: str) -> dict[str, Any]:
    """Grade a submission; return the results by the name of their check."""
    shutil.copy(STUDENT, folder)
    done = subprocess.run(
        [sys.executable, "-m", "check50", "--dev", str(GRADING / "check50"), "--output", "json"],
        cwd=folder,
        env=environment(variant),
        capture_output=True,
        text=True,
        timeout=6 * HANG_S,
        check=False,
    )
    return {result["name"]: result for result in json.loads(done.stdout)["results"]}


def gradescope(root: Path, variant: str) -> dict[str, Any]:
    """Grade a submission; return results.json."""
    for folder in ("submission", "results"):
        (root / folder).mkdir(parents=True)
    shutil.copy(STUDENT, root / "submission")
    shutil.copytree(GRADING / "gradescope", root / "source")
    subprocess.run(
        [root / "source" / "run_autograder"],
        env=environment(variant, AUTOGRADER=str(root)),
        timeout=6 * HANG_S,
        check=True,
        capture_output=True,
    )
    return dict(json.loads((root / "results" / "results.json").read_text()))


def test_check50_shows_the_broken_rules(tmp_path: Path) -> None:
    results = check50(tmp_path, "3-B-twice")
    assert [name for name, result in results.items() if not result["passed"]] == ["next_play"]
    assert results["next_play"]["cause"]["rationale"].startswith("3-B.happens-once: ")
    assert results["next_play"]["log"][0].startswith("curl -i")


@pytest.mark.parametrize("adaptor", [check50, gradescope])
def test_a_server_that_does_not_start_has_no_points_and_the_reason(adaptor: Any, tmp_path: Path) -> None:
    results = adaptor(tmp_path, "no-such-variant")
    text = json.dumps(results)
    assert "The server ended with exit code 1." in text
    assert '"passed": true' not in text
    assert results.get("score", 0) == 0


def test_gradescope_gives_a_point_for_each_case_that_is_kept(tmp_path: Path) -> None:
    results = gradescope(tmp_path, "watch-misses-down")
    scores = {test["name"]: test["score"] for test in results["tests"]}
    assert scores["watch.sees-a-card-turn-down"] == 0
    assert scores["1-D.waits-while-controlled"] == 1
    assert {test["max_score"] for test in results["tests"]} == {1}
    assert results["output"].splitlines()[-1].endswith(" skipped")
