"""The players who are connected to a field: their numbers, their names, and where each one has moved last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from scramble.minesweeper.messages import Place, Player

_NAME: Final = re.compile(r"[A-Za-z0-9_]+")


class ConnectedPlayers:
    """Those who are connected now. Mutable."""

    # AF: the players of _players, by number, in the order in which they connected; the next one gets `next_number`.
    # RI: each key is the number of its player, positive, below `next_number` and above the key before it; each name is
    #     a word, or "telnet" and the number.
    # Safety from exposure: only immutable players leave.

    __slots__ = ("_players", "next_number")

    def __init__(self, players: Sequence[Player] = (), next_number: int = 1) -> None:
        """Begin with these players, in the order of their numbers. Raises ValueError if one has an impossible name."""
        if not all(map(_is_named, players)):
            raise ValueError("not the state of a field: nobody can be called that")
        self._players: Final = {player.id: player for player in players}
        self.next_number = next_number

    def copy(self) -> ConnectedPlayers:
        """Return an independent copy."""
        return ConnectedPlayers(self.all, self.next_number)

    @property
    def all(self) -> tuple[Player, ...]:
        """All of them, in the order in which they connected."""
        return tuple(self._players.values())

    def find(self, number: int) -> Player | None:
        """Return the player of that number; None if nobody connected has it."""
        return self._players.get(number)

    def name(self, number: int | None) -> str | None:
        """Return the name of a player who is connected; None for none."""
        return None if number is None else self._players[number].name

    def connect(self, name: str | None) -> Player:
        """Add a player of that name, which `is_name`; None: one without a name of its own."""
        number = self.next_number
        self.next_number += 1
        player = self._players[number] = Player(number, f"telnet {number}" if name is None else name)
        return player

    def disconnect(self, number: int) -> bool:
        """Remove a player; return False if nobody has that number."""
        return self._players.pop(number, None) is not None

    def put(self, number: int, place: Place) -> None:
        """Note where a player has moved."""
        self._players[number] = Player(number, self._players[number].name, place)

    def check_rep(self, columns: int, rows: int) -> None:
        """Check the invariant, and that everybody has moved within so many columns and rows."""
        assert list(self._players) == sorted(self._players)
        for number, player in self._players.items():
            assert player.id == number
            assert 0 < number < self.next_number
            assert _is_named(player)
            assert player.at is None or (0 <= player.at[0] < columns and 0 <= player.at[1] < rows)

    def __len__(self) -> int:
        return len(self._players)

    def __contains__(self, number: object) -> bool:
        return number in self._players

    def __str__(self) -> str:
        return ", ".join(player.name for player in self.all) or "nobody"


def is_name(text: str) -> bool:
    """Return True if a player can connect by that name."""
    return _NAME.fullmatch(text) is not None


def _is_named(player: Player) -> bool:
    """Return True if the name of the player is possible."""
    return is_name(player.name) or player.name == f"telnet {player.id}"
