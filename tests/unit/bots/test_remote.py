"""Recognizing the game of a server by its frames.

Strategy: the first frames of each game; frames that all games send; frames that no game sends.
"""

from __future__ import annotations

import pytest

from scramble.bots.remote import kind_of
from scramble.games.remote_bot import RemoteError


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ('{"type": "board", "version": 0}', "memory"),
        ('{"type": "field", "version": 0}', "minesweeper"),
        ('{"state": "START", "player": null}', "crossword"),
        ('{"type": "players", "players": []}', None),
        ('{"type": "state", "kind": "a game that is not installed"}', None),
    ],
)
def test_the_kind_of_a_game_is_found_by_its_frames(frame: str, name: str | None) -> None:
    kind = kind_of(frame)
    assert (None if kind is None else kind.name) == name


@pytest.mark.parametrize("frame", ["hello", "[]", '{"type": 1}'])
def test_other_servers_are_refused(frame: str) -> None:
    with pytest.raises(RemoteError, match="does not have a known game"):
        kind_of(frame)
