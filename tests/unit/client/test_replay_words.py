"""The words of what happens beside a game, for replays.

Testing strategy. tests/system/browser/test_languages.py compares the catalogues with each other; here one of them is
compared with the words that the narrators say, and with the reference.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import scramble
from scramble.games.narration import Happened
from scramble.resources import CLIENT

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "replay.md"
PACKAGE = Path(scramble.__file__).parent


def test_every_event_of_a_replay_has_its_sentence_and_its_place_in_the_reference() -> None:
    events = set(get_args(Happened))
    catalogue = (CLIENT / "replay" / "moves" / "en.js").read_text(encoding="utf-8").partition("events: ")[2]
    assert set(re.findall(r'^    "?([a-z-]+)"?: \(', catalogue, re.MULTILINE)) == events
    reference = REFERENCE.read_text(encoding="utf-8").partition("Its `event` is")[2].partition("\n\n")[0]
    assert set(re.findall("`([a-z-]+)`", reference)) == events
    narrators = [
        file.read_text(encoding="utf-8") for file in (*PACKAGE.glob("*/narrator.py"), *PACKAGE.glob("replay/*.py"))
    ]
    unsaid = {event for event in events if not any(f'"{event}"' in text for text in narrators)}
    assert unsaid == set()
