"""Modules of the pages that need no page: Node runs the files `*.test.js` in this folder.

Skipped without Node 20 or later; the tests of the pages in a Chromium run without Node.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support import PROGRAM_S

HERE: Final = Path(__file__).parent
OLDEST_NODE: Final = 20


def lacks_node() -> str | None:
    """Return why these tests cannot run, or None."""
    if shutil.which("node") is None:
        return "Node is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    number = re.match(r"v(\d+)", version)
    return None if number and int(number[1]) >= OLDEST_NODE else f"Node {OLDEST_NODE} is required, this is {version}"


REASON: Final = lacks_node()


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
@pytest.mark.parametrize("file", sorted(file.name for file in HERE.glob("*.test.js")))
def test_a_module_of_the_pages(file: str) -> None:
    # `node --test` would start a second process for the file.
    command = ["node", "--test-reporter=tap", str(HERE / file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("^# pass 0$", done.stdout, re.MULTILINE) is None, "no test has run"
