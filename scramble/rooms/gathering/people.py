"""The people in a room: who is its host, and what they vote for. Pure: the time comes with each call.

Who opens a room is its host. If the host is gone for `HOST_GONE_S`, the player who came next is, until who opened the
room is back. People are told apart by the holders of their seats, the SHA-256 of a browser's secret, so a browser has
one vote however many players it has, and the host is the host under any name.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

HOST_GONE_S: Final = 60.0  # longer than a reload, a tunnel, or a phone that was put away for a moment
MOST_REMEMBERED: Final = 1000  # people: of more than that, those who are gone for so long are forgotten
MOST_PLAYERS: Final = 100  # of one person, beside those who are here


class _Person:
    """One browser, or client: how often it is connected, as which players, and since when it is gone."""

    def __init__(self) -> None:
        self.players = Counter[str]()  # the latest at the end; those without a connection count 0
        self.watching = 0
        self.gone_at: float | None = None
        self.is_removed = False

    def add(self, player: str, connections: int) -> None:
        self.players[player] = self.players.pop(player, 0) + connections
        if len(self.players) > MOST_PLAYERS:
            gone = next((one for one, count in self.players.items() if not count and one != player), None)
            if gone is not None:
                del self.players[gone]

    @property
    def plays(self) -> bool:
        return self.players.total() > 0

    @property
    def is_here(self) -> bool:
        return self.plays or self.watching > 0


class People:
    """Everybody who was in a room since it woke. Mutable."""

    # AF: the people _all, in the order in which they came, but for some who are gone; the holder _opener has opened the
    #     room, and was gone since _began if it is not in _all. Those in _votes, if they are here, want a new game.
    # RI: gone_at is None exactly for those who are here.

    def __init__(self, opener: str, now: float) -> None:
        """Begin with nobody. `opener` is the holder that has opened the room; empty: nobody did."""
        self._opener: Final = opener
        self._began: Final = now
        self._all: Final[dict[str, _Person]] = {}
        self._votes: Final[set[str]] = set()

    def arrive(self, holder: str, player: str | None, now: float) -> None:
        """Count one more connection of that player; None: it watches."""
        if holder not in self._all and len(self._all) >= MOST_REMEMBERED:
            self._forget(now)
        person = self._all.setdefault(holder, _Person())
        person.gone_at = None
        if player is None:
            person.watching += 1
        else:
            person.add(player, 1)

    def note(self, holder: str, player: str, now: float) -> None:
        """Note that the holder plays as that player without a connection; of very many people not of all."""
        if holder not in self._all and len(self._all) >= MOST_REMEMBERED:
            self._forget(now)
            if len(self._all) >= MOST_REMEMBERED:
                return
        person = self._all.setdefault(holder, _Person())
        person.add(player, 0)
        if not person.is_here:
            person.gone_at = now

    def leave(self, holder: str, player: str | None, now: float) -> None:
        """Count one connection less."""
        person = self._all[holder]
        if player is None:
            person.watching -= 1
        else:
            person.players[player] -= 1
        if not person.is_here:
            person.gone_at = now
            if not person.players and holder != self._opener:
                del self._all[holder]  # it has only watched

    def _forget(self, now: float) -> None:
        """Forget the people who are gone for so long that they are not host any more."""
        for holder in [one for one in self._all if one != self._opener and not self._is_near(one, now)]:
            del self._all[holder]
            self._votes.discard(holder)

    def remove(self, holder: str) -> None:
        """Note that the holder does not play here any more: it is no host, and has no vote."""
        if holder in self._all:
            self._all[holder].is_removed = True
            self._votes.discard(holder)

    # --- the host ---

    def host(self, now: float) -> str | None:
        """Return the holder of the host, who may be gone for less than `HOST_GONE_S`; None if nobody is."""
        if self._opener and self._is_near(self._opener, now):
            return self._opener
        players = (holder for holder, one in self._all.items() if one.players and not one.is_removed)
        return next((holder for holder in players if self._is_near(holder, now)), None)

    def host_changes_at(self, now: float) -> float:
        """Return the time at which there is another host if nobody comes or goes; `math.inf` if there is none."""
        host = self.host(now)
        if host is None:
            return math.inf
        gone_at = self._gone_at(host)
        return math.inf if gone_at is None else gone_at + HOST_GONE_S

    def _is_near(self, holder: str, now: float) -> bool:
        gone_at = self._gone_at(holder)
        return gone_at is None or now < gone_at + HOST_GONE_S

    def _gone_at(self, holder: str) -> float | None:
        return self._all[holder].gone_at if holder in self._all else self._began

    # --- players ---

    def player_of(self, holder: str | None) -> str | None:
        """Return the player that the holder was connected as most lately, of those who still are if any are."""
        person = None if holder is None else self._all.get(holder)
        if person is None or not person.players:
            return None
        here = [player for player, count in person.players.items() if count]
        return (here or list(person.players))[-1]

    def players(self) -> list[str]:
        """Return the players who are here; of each holder those that came first, first."""
        here = (player for person in self._all.values() for player, count in person.players.items() if count)
        return list(dict.fromkeys(here))

    def players_of(self, holder: str) -> tuple[str, ...]:
        """Return all players that the holder was connected as."""
        return tuple(self._all[holder].players) if holder in self._all else ()

    def plays(self, holder: str, player: str) -> bool:
        """Return True if the holder is connected as that player."""
        return holder in self._all and self._all[holder].players[player] > 0

    def holder_of(self, player: str) -> str | None:
        """Return a holder that played as that player and was not removed, the first of several; None if nobody did."""
        people = ((holder, one) for holder, one in self._all.items() if not one.is_removed)
        return next((holder for holder, person in people if player in person.players), None)

    # --- votes ---

    def vote(self, holder: str, wanted: bool) -> None:
        """Note whether the holder, who plays, wants a new game."""
        if wanted:
            self._votes.add(holder)
        else:
            self._votes.discard(holder)

    def voters(self) -> tuple[str, ...]:
        """Return the players, one of each holder, who are here and want a new game."""
        return tuple(
            player
            for holder, person in self._all.items()
            if holder in self._votes and person.plays and (player := self.player_of(holder)) is not None
        )

    @property
    def needed(self) -> int:
        """The number of votes for a new game: more than half of those who play."""
        return sum(person.plays for person in self._all.values()) // 2 + 1

    def __str__(self) -> str:
        return f"here: {', '.join(holder[:8] for holder, one in self._all.items() if one.is_here) or 'nobody'}"
