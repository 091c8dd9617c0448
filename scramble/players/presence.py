"""Presence: the players at one table, the watching connections, players who have left, and hues. Pure.

    here = Presence()
    here.arrive("alice")            # True: she was not here; each connection is counted
    here.arrive(None)               # one more connection watches
    here.leave("alice")             # True: it was her last connection, so she has left

A single game counts its connections with a `Presence` (`scramble.front.web.presence`). In a room, the gathering counts
the connections of all processes, and each process has a `Presence` that follows the gathering
(`scramble.rooms.gathering.following`). A `Presence` is the source for lists of players, counts, bots, and the timers
that release the things of absent players.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, TypeAlias

import msgspec

from scramble.players.hues import HueTable

MOST_LEFT: Final = 50
"""Number of remembered players who have left, the latest players. They may hold cards that other players wait for."""

Present: TypeAlias = Callable[[str], AbstractContextManager[None]]
"""Function that returns a context manager: a player counts as present in a game during its block."""


class PresenceState(msgspec.Struct, frozen=True):
    """The whole state of a `Presence`, except the number of connections of each player."""

    players: tuple[str, ...]  # in order of arrival
    bots: tuple[str, ...]
    watching: int
    left: tuple[str, ...]  # the latest last
    hues: dict[str, int]


class Presence:
    """The players at one table, and the watching connections. Mutable."""

    # AF: the people in _players and the bots in _bots are here, each with the given number of connections; `watching`
    #     connections watch. The players in _left were here, the last to leave at the end. Players who are here or in
    #     _left have hues. The set of players has changed `version` times. _present counts a player in the game; its
    #     block is entered for each player in _blocks. Each change calls the functions in _following.
    # RI: every count is positive; no player in _left is in _players or _bots; _left has at most MOST_LEFT; _blocks has
    #     exactly the players in _players, if _present is set and `close` was not called.

    def __init__(self, present: Present | None = None) -> None:
        """Begin without players. Each person, but not a bot, is in a block of `present(player)` while present."""
        self.version = 0
        self.watching = 0
        self.hues: Final = HueTable()
        self._players: Final[Counter[str]] = Counter()
        self._bots: Final[Counter[str]] = Counter()
        self._left: Final[OrderedDict[str, None]] = OrderedDict()
        self._present: Final = present
        self._blocks: Final[dict[str, AbstractContextManager[None]]] = {}
        self._following: Final[list[Callable[[], None]]] = []

    # --- who is here ---

    @property
    def players(self) -> tuple[str, ...]:
        """The players who are here, in order of arrival; bots last."""
        return tuple(dict.fromkeys((*self._players, *self._bots)))

    @property
    def people(self) -> int:
        """The number of players who are here, without bots."""
        return len(self._players)

    @property
    def left(self) -> tuple[str, ...]:
        """The players who have left, the latest last; at most `MOST_LEFT`."""
        return tuple(self._left)

    def is_here(self, player: str) -> bool:
        """Return True if the player is here, as a person or as a bot."""
        return player in self._players or player in self._bots

    def state(self) -> PresenceState:
        """Return the whole state."""
        return PresenceState(tuple(self._players), tuple(self._bots), self.watching, self.left, self.hues.other)

    def follow(self, moved: Callable[[], None]) -> None:
        """Call `moved` after each change. It must not raise."""
        self._following.append(moved)

    def unfollow(self, moved: Callable[[], None]) -> None:
        """Stop calling `moved`."""
        if moved in self._following:  # `close` was not called
            self._following.remove(moved)

    # --- changes ---

    def arrive(self, player: str | None, *, bot: bool = False) -> bool:
        """Count a new connection of a player; None: of a watcher. Return True if the players or `watching` change."""
        if player is None:
            self.watching += 1
        else:
            counted, is_new = self._bots if bot else self._players, not self.is_here(player)
            counted[player] += 1
            if counted[player] > 1:
                return False
            if is_new:
                self.hues.give(player, reversed(self._left))
                self._left.pop(player, None)
            if not bot:
                self._begin(player)
            self.version += 1
        self._tell()
        return True

    def leave(self, player: str | None, *, bot: bool = False) -> bool:
        """Remove a connection of a present player, or of a watcher. Return True like `arrive`."""
        counted = self._bots if bot else self._players
        assert counted[player] if player is not None else self.watching, "a connection that leaves was counted"
        if player is None:
            self.watching -= 1
        else:
            counted[player] -= 1
            if counted[player]:
                return False
            del counted[player]
            if not bot:
                self._end(player)
            if not self.is_here(player):
                self._note_left(player)
            self.version += 1
        self._tell()
        return True

    def adopt(self, state: PresenceState) -> None:
        """Take over the state of another `Presence`, with one connection for each player."""
        for player in self._players.keys() - set(state.players):
            self._end(player)
        for player in dict.fromkeys(state.players):
            if player not in self._players:
                self._begin(player)
        for kept in (self._players, self._bots, self._left):
            kept.clear()
        self._players.update(state.players)
        self._bots.update(state.bots)
        self._left.update(dict.fromkeys(state.left))
        self.watching = state.watching
        self.hues.adopt(self.players, state.left, state.hues)
        self.version += 1
        self._tell()

    def close(self) -> None:
        """End the presence of all players in the game, and drop the functions of `follow`, because the game ends."""
        self._following.clear()
        while self._blocks:
            self._end(next(iter(self._blocks)))

    def _note_left(self, player: str) -> None:
        self.hues.free(player)
        self._left[player] = None
        if len(self._left) > MOST_LEFT:
            self.hues.forget(self._left.popitem(last=False)[0])

    def _begin(self, player: str) -> None:
        if self._present is not None:
            block = self._blocks[player] = self._present(player)
            block.__enter__()

    def _end(self, player: str) -> None:
        block = self._blocks.pop(player, None)
        if block is not None:
            block.__exit__(None, None, None)

    def _tell(self) -> None:
        for moved in tuple(self._following):
            moved()

    def __str__(self) -> str:
        return f"here: {', '.join(sorted(self.players)) or 'nobody'}"
