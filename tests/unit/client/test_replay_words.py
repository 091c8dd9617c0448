"""The words of what happens beside a game, for replays in other languages than English.

Testing strategy. tests/system/browser/test_languages.py compares the catalogues with each other; here one of them is
compared with the words that the narrators say, and with the reference.
"""

from __future__ import annotations

import re
from pathlib import Path

from scramble import replay
from scramble.resources import CLIENT

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "replay.md"


def test_every_event_of_a_replay_has_its_sentence_and_its_place_in_the_reference() -> None:
    catalogue = (CLIENT / "replay" / "moves" / "es.js").read_text(encoding="utf-8").partition("events: {")[2]
    events = set(re.findall(r'^    "?([a-z-]+)"?: \(', catalogue, re.MULTILINE))
    reference = REFERENCE.read_text(encoding="utf-8").partition("Its `event` is")[2].partition("\n\n")[0]
    assert set(re.findall("`([a-z-]+)`", reference)) == events
    narrators = [file.read_text(encoding="utf-8") for file in Path(replay.__file__).parent.glob("*.py")]
    unsaid = {event for event in events if not any(f'"{event}"' in text for text in narrators)}
    assert unsaid == set()
