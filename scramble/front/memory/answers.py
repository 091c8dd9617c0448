"""Answers of Memory Scramble's text protocol to what is asked for most, whichever way a request comes.

`scramble.front.memory.http` has the paths, for Quart and for the short way past it; both ask here and answer alike.

Safe under concurrency: it has no state; every request asks the game's owner task.
"""

from __future__ import annotations

from math import inf
from typing import Final

import trio

from scramble.errors import Refusal
from scramble.front.memory.front import CurrentMemory
from scramble.memory.messages import Flip, FlipFailed, Look, View, Watch
from scramble.memory.text import parse_player, parse_spot, parse_version
from scramble.server.http.shortway import Answer

CANNOT_FLIP: Final = "cannot flip this card"


class TextProtocol:
    """The answers of the game at hand. Each method raises a ScrambleError for what is answered with its words."""

    def __init__(self, current: CurrentMemory) -> None:
        """`current` returns the front of the game that the request at hand is for."""
        self._current: Final = current

    def player_of(self, text: str) -> str:
        """Parse a player's name, which has a limit on this server. Raises InvalidCommand."""
        return self._current().permissions.limits.checked_name(parse_player(text))

    async def look(self, player: str) -> Answer:
        """Return the board."""
        return board(await self._current().game.ask(Look(self.player_of(player))))

    async def flip(self, player: str, spot: str, parked: trio.Event | None) -> Answer:
        """Return the board after the flip. Waits while another player controls the card; `parked` is set then."""
        front, command = self._current(), Flip(self.player_of(player), *parse_spot(spot))
        try:
            return board(await front.game.ask(command, parked=parked))
        except FlipFailed as failure:
            if front.edition == "2022":
                return board(failure.view)
            return Answer(failure.status, f"{CANNOT_FLIP}: {failure}\n", _etag(failure.view))
        except Refusal as refusal:
            return Answer(refusal.status, f"{CANNOT_FLIP}: {refusal}\n")

    async def watch(self, player: str, since: str | None, parked: trio.Event | None) -> Answer:
        """Return the board after the next change, or after the time limit as it is; `parked` is set meanwhile."""
        front = self._current()
        command = Watch(self.player_of(player), None if since is None else parse_version(since))
        timeout = inf if front.watch_timeout is None else front.watch_timeout
        with front.watches.place(command.player), trio.move_on_after(timeout):
            return board(await front.game.ask(command, parked=parked))
        return board(await front.game.ask(Look(command.player)))


def board(view: View) -> Answer:
    """Return the answer that is a board."""
    return Answer(200, view.text, _etag(view))


def _etag(view: View) -> dict[str, str]:
    return {"ETag": f'"{view.version}"'}
