"""Long recordings on a 20x20 board, and a viewer's walk through a recording.

    python -m tests.system.browser.replay.long FILE MOVES      make a recording

The recording is made in its own process, without the representation checks that tests switch on. With the checks it
takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import expect

from tests.support.figures import Figures
from tests.support.process import ServerProcess
from tests.support.replay.files import write
from tests.support.replay.tape import random_memory
from tests.system.browser.conftest import chromium
from tests.system.browser.replay.viewer import Viewer

SHORT, LONG = 10_000, 100_000  # moves
UNCHECKED: Final = {"SCRAMBLE_CHECK_REP": "0"}
PAGES: Final = 20  # in a recording: the moves of PageUp and PageDown
PATIENCE_MS: Final = 120_000  # ends a page that hangs; it does not judge a slow page


def make(path: Path, moves: int) -> Path:
    """Make the recording in another process."""
    program = [sys.executable, "-m", "tests.system.browser.replay.long", str(path), str(moves)]
    subprocess.run(program, check=True, env=os.environ | UNCHECKED)
    return path


def look_through(viewer: Viewer, moves: int) -> int:
    """Go to both ends, and drag along the whole chart. Return the page's number of requests. Raises AssertionError."""
    expect(viewer.page.locator("#count")).to_contain_text(f"move {moves} / {moves}", timeout=PATIENCE_MS)
    viewer.is_at(moves)
    asked = len(viewer.asked)
    viewer.press("Home")
    viewer.is_at(0)
    viewer.press("PageDown")
    viewer.is_at(moves // PAGES)
    expect(viewer.now).to_contain_text("player")
    box = viewer.page.locator("#chart").bounding_box()
    assert box is not None
    viewer.page.mouse.move(box["x"] + 1, box["y"] + 10)
    viewer.page.mouse.down()
    for step in range(1, 101):
        viewer.page.mouse.move(box["x"] + box["width"] * step / 101, box["y"] + 10)
    viewer.page.mouse.up()
    expect(viewer.page.locator("html")).not_to_have_attribute("data-fetching", "")
    assert viewer.wrong == []
    return len(viewer.asked) - asked


def torture(long: bool) -> Figures:
    """Look through a recording. Raises AssertionError if its page requests a piece twice, or has an error."""
    moves = LONG if long else SHORT
    with TemporaryDirectory() as folder:
        path = make(Path(folder) / "game.db", moves)
        with ServerProcess("replay", str(path), "--http-port", "0") as server, chromium() as browser:
            asked = look_through(Viewer(browser.new_page(), server.url), moves)
    assert asked <= most_pieces(moves), "a piece was requested twice"
    return {"moves looked through": f"{moves:,}, in {asked} pieces"}


def most_pieces(moves: int) -> int:
    """The largest number of requests that fetch a whole recording."""
    return 3 * moves // 1000


if __name__ == "__main__":
    write(random_memory(int(sys.argv[2]), size=(20, 20), players=8), Path(sys.argv[1]))
