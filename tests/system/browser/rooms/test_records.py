"""My records in the lobby, in a real Chromium, served by a real `scramble serve`.

Testing strategy. Unit tests cover the store (tests/unit/client/records.test.js).

- the dialog with a stored game, on a phone and at a desk; the file goes to another browser, once and twice; a wrong
  file changes nothing; an audit checks the dialog: test_records_*
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import Visit

pytestmark = pytest.mark.browser

STORED: Final = {
    "version": 1,
    "games": [
        {
            "room": "a",
            "game": "memory",
            "board": "6x6",
            "outcome": "won",
            "at": 1,
            "values": {"seconds": 42, "turns": 30},
        },
        {
            "room": "b",
            "game": "memory",
            "board": "6x6",
            "outcome": "lost",
            "at": 2,
            "values": {"seconds": 50, "turns": 20},
        },
        {
            "room": "c",
            "game": "minesweeper",
            "board": "9x9, 10 💣 solo",
            "outcome": "solo",
            "at": 3,
            "values": {"seconds": 71},
        },
    ],
}


def test_records_move_to_another_browser_once_and_a_wrong_file_changes_nothing(visit: Visit, tmp_path: Path) -> None:
    ann, phone = visit(), visit("phone")
    ann.page.add_init_script(f"localStorage.setItem('scramble.records', {json.dumps(json.dumps(STORED))})")
    ann.to_lobby()
    ann.page.get_by_role("button", name="My records").click()
    mine = ann.page.get_by_role("dialog", name="My records")
    expect(mine).to_contain_text("2 games, 1 won")
    expect(mine).to_contain_text("42 s, 20 turns")
    audit(ann.page, "my records")
    with ann.page.expect_download() as download:
        mine.get_by_role("link", name="Save as a file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert json.loads(file.read_text()) == STORED

    phone.to_lobby()
    phone.page.get_by_role("button", name="My records").click()
    theirs = phone.page.get_by_role("dialog", name="My records")
    expect(theirs).to_contain_text("after your first game")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1, 2]")
    for chosen, words in ((wrong, "not a file with records"), (file, "3 games added"), (file, "0 games added")):
        theirs.locator("input[type=file]").set_input_files(chosen)
        expect(theirs.get_by_role("status")).to_contain_text(words)
        expect(theirs.get_by_role("heading", name="Memory Scramble")).to_have_count(int(chosen == file))
    audit(phone.page, "my records after an import")
