"""Connected players of a field: their numbers, their names, and the places of their last moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from scramble.minesweeper.messages import Place, Player

_NAME: Final = re.compile(r"[A-Za-z0-9_]+")


class ConnectedPlayers:
    """The currently connected players. Mutable."""

    # AF: the players of _players, by number, in the order of their connections; the next player gets `next_number`.
    # RI: each key is the number of its player: positive, below `next_number`, and above the previous key; each name is
    #     a word, or "telnet" and the number.
    # Safety from exposure: methods return only immutable players.

    __slots__ = ("_players", "next_number")

    def __init__(self, players: Sequence[Player] = (), next_number: int = 1) -> None:
        """Begin with these players, in the order of their numbers. Raises ValueError for an invalid name."""
        if not all(map(_is_named, players)):
            raise ValueError("not the state of a field: a player has an invalid name")
        self._players: Final = {player.id: player for player in players}
        self.next_number = next_number

    def copy(self) -> ConnectedPlayers:
        """Return an independent copy."""
        return ConnectedPlayers(self.all, self.next_number)

    @property
    def all(self) -> tuple[Player, ...]:
        """All players, in the order of their connections."""
        return tuple(self._players.values())

    def find(self, number: int) -> Player | None:
        """Return the connected player with this number; None if no connected player has this number."""
        return self._players.get(number)

    def name(self, number: int | None) -> str | None:
        """Return the name of the connected player with this number; for None return None."""
        return None if number is None else self._players[number].name

    def connect(self, name: str | None) -> Player:
        """Add a player with a valid name (see `is_name`). For None, make a name from the player's number."""
        number = self.next_number
        self.next_number += 1
        player = self._players[number] = Player(number, f"telnet {number}" if name is None else name)
        return player

    def disconnect(self, number: int) -> bool:
        """Remove a player; return False if no player has this number."""
        return self._players.pop(number, None) is not None

    def put(self, number: int, place: Place) -> None:
        """Store the place of a player's last move."""
        self._players[number] = Player(number, self._players[number].name, place)

    def check_rep(self, columns: int, rows: int) -> None:
        """Check the invariant, and that the last moves of all players are within `columns` and `rows`."""
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
    """Return True if a player can connect with this name."""
    return _NAME.fullmatch(text) is not None


def _is_named(player: Player) -> bool:
    """Return True if the name of the player is valid."""
    return is_name(player.name) or player.name == f"telnet {player.id}"
