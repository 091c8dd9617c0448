"""Figures of a game, shown at its end: the memory of each player, counted from the public events. Pure.

A *turn* is two cards. It ends when the second card is turned up or makes a pair. A failed flip does not end a turn. A
second card that was already face up and does not match does not end a turn, either: players use this flip to relinquish
a first card.

The figures are not part of a game's state, because no rule depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from scramble.kernel.protocol import Event
from scramble.memory.messages import (
    Forgotten,
    Joined,
    PlayerFigures,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    Took,
    TurnedDown,
    TurnedUp,
)

_Place: TypeAlias = tuple[int, int]  # row, column


class _Player(msgspec.Struct):
    """Figures of a player until now. `row` is the number of pairs since the last miss.

    `since` is the number of turns of all players before the player's first flip.
    """

    since: int = 0
    row: int = 0
    turns: int = 0
    found: int = 0
    streak: int = 0
    memory: int = 0


class FigureCounts(msgspec.Struct):
    """Figures of a game until now. Mutable. Each event takes constant time."""

    # AF: the game of all events noted since its beginning. All players together had `turns` turns. `players` has each
    #     player with a score. `held` maps each player to the places of controlled cards. `seen` maps the place of each
    #     face-down card that was face up before to the number of turns before the card was turned down.
    # RI: no player controls more than two cards.

    turns: int = 0
    players: dict[str, _Player] = {}
    held: dict[str, list[_Place]] = {}
    seen: dict[_Place, int] = {}

    def note(self, events: Iterable[Event]) -> None:
        """Count all events of one command, in order."""
        turned: _Place | None = None  # turned up by this command, not yet controlled
        for event in events:
            # Compare types by identity, because a class pattern without a match takes ten times as long. All code of a
            # flip does this.
            if type(event) is TurnedUp:
                turned = event.row, event.column
            elif type(event) is Took:
                self._took(event.player, (event.row, event.column), was_down=turned == (event.row, event.column))
                turned = None
            elif type(event) is Relinquished:
                self._lost(event.player, (event.row, event.column))
                if turned is not None:  # the second card does not match (2-E)
                    self._missed(event.player)
                turned = None
            elif type(event) is Removed:
                self._lost(event.player, (event.row, event.column))
            elif type(event) is TurnedDown:
                self.seen[event.row, event.column] = self.turns
            elif type(event) is Replaced:
                self.seen.pop((event.row, event.column), None)  # no player has seen the new card
            elif type(event) is Joined:
                self.players[event.player] = _Player(since=self.turns)
            elif type(event) is Forgotten:
                self.players.pop(event.player, None)
            elif type(event) is Restarted:
                self.turns = 0
                self.players = {player: _Player() for player in self.players}
                self.held.clear()
                self.seen.clear()

    def _took(self, player: str, place: _Place, *, was_down: bool) -> None:
        held = self.held.setdefault(player, [])
        held.append(place)
        seen = self.seen.pop(place, None)
        if len(held) < 2:
            return
        tally = self.players.get(player)
        if tally is not None:
            tally.turns += 1
            tally.found += 1
            tally.row += 1
            tally.streak = max(tally.streak, tally.row)
            if was_down and seen is not None and seen >= tally.since:
                tally.memory = max(tally.memory, self.turns - seen + 1)
        self.turns += 1

    def _missed(self, player: str) -> None:
        self.turns += 1
        tally = self.players.get(player)
        if tally is not None:
            tally.turns += 1
            tally.row = 0

    def _lost(self, player: str, place: _Place) -> None:
        held = self.held.get(player, [])
        if place in held:
            held.remove(place)
        if not held:
            self.held.pop(player, None)

    def figures(self) -> dict[str, PlayerFigures]:
        """Return the figures of each player who has a score."""
        return {
            player: PlayerFigures(tally.turns, tally.found, tally.streak, tally.memory)
            for player, tally in self.players.items()
        }

    def copy(self) -> FigureCounts:
        """Return an independent copy."""
        return msgspec.msgpack.decode(msgspec.msgpack.encode(self), type=FigureCounts)
