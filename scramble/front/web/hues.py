"""Hues of the players at one table, as frames for those who look.

    hues = Hues(game.start_soon)
    beside = hues.beside("alice", client)               # of a connection: alice has her hue as long as it runs

`{"type": "hues", "hues": {"bob": 7}}` has all players whose hue is not the one that follows from the ID;
`scramble.players.hues` gives them out. Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from scramble.front.web.client import Client
from scramble.front.web.feed import Leave, Link
from scramble.front.web.notices import Notices
from scramble.front.web.websocket import Beside
from scramble.kernel.nursery import StartSoon
from scramble.players.hues import HueTable


class Hues(Notices):
    """The hues of the players at one table, and the connections that get them."""

    # AF: _table has the hues of the players who are here. They are the only value.
    # Safety from exposure: frames are strings.

    def __init__(self, start_soon: StartSoon) -> None:
        super().__init__(start_soon)
        self._table: Final = HueTable()

    def beside(self, player: str | None, _client: Client, /) -> Sequence[Beside]:
        """Return what gives a player a hue as long as the connection lasts, and sends the frames to the connection."""
        return (partial(self._join, player),)

    def frame(self, key: str, name: str | None) -> str:
        """Return the frame of the present hues."""
        return hues_frame(self._table.other)

    def _join(self, player: str | None, link: Link) -> Leave:
        if player is None:
            return self.follow(link)
        self._note(self._table.arrive(player))
        return partial(self._leave, player, self.follow(link))

    def _leave(self, player: str, leave: Leave) -> None:
        leave()
        self._note(self._table.leave(player))

    def _note(self, changed: bool) -> None:
        if changed:
            self.put_soon(HUES)

    def __str__(self) -> str:
        return str(self._table)


HUES: Final = "hues"  # the key of the value


def hues_frame(hues: Mapping[str, int]) -> str:
    """Encode the frame that says which players have another hue than the one that follows from the ID."""
    return msgspec.json.encode({"type": "hues", "hues": hues}).decode()
