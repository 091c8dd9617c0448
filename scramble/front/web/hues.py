"""Hues of the players at one table, as frames for those who look.

    hues = Hues()
    beside = hues.beside("alice", client)               # of a connection: alice has her hue as long as it runs

`{"type": "hues", "hues": {"bob": 7}}` has all players whose hue is not the one that follows from the ID;
`scramble.kernel.hues` gives them out. Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import msgspec

from scramble.front.web.client import Client
from scramble.front.web.rounds import Rounds
from scramble.front.web.websocket import Beside, Leave, Link
from scramble.kernel.hues import HueTable

PAUSE_S: Final = 0.1  # between two frames to one connection


class Hues:
    """The hues of the players at one table, and those who are told of them."""

    # AF: _table has the hues of the players who are here, and _frame encodes it. Connections get that in _rounds.
    # Safety from exposure: frames are strings.

    def __init__(self) -> None:
        self._table: Final = HueTable()
        self._frame = NO_HUES
        self._rounds: Final = Rounds(lambda: self._frame, lambda *_: PAUSE_S, known=NO_HUES)

    @contextmanager
    def here(self, player: str) -> Iterator[None]:
        """Count one more connection of `player` during the block."""
        self._note(self._table.arrive(player))
        try:
            yield
        finally:
            self._note(self._table.leave(player))

    def of(self, player: str) -> int:
        """Return the hue of a player."""
        return self._table.of(player)

    def beside(self, player: str | None, _client: Client, /) -> Sequence[Beside]:
        """Return what sends the frames to a connection of that player, or of somebody who watches."""
        return (partial(self._join, player),)

    def _join(self, player: str | None, link: Link) -> Leave:
        leave = self._rounds.join(link)
        if player is None:
            return leave
        self._note(self._table.arrive(player))
        return partial(self._leave, player, leave)

    def _leave(self, player: str, leave: Leave) -> None:
        leave()
        self._note(self._table.leave(player))

    def _note(self, changed: bool) -> None:
        if changed:
            self._frame = hues_frame(self._table.other)
            self._rounds.tell()

    def __str__(self) -> str:
        return str(self._table)


def hues_frame(hues: Mapping[str, int]) -> str:
    """Encode the frame that says which players have another hue than the one that follows from the ID."""
    return msgspec.json.encode({"type": "hues", "hues": hues}).decode()


NO_HUES: Final = hues_frame({})
"""The frame that says that all have the hue that follows from the ID: nobody needs it at first."""
