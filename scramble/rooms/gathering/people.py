"""The people in a room: the host, and the votes. Pure: each call gets the time as an argument.

The opener of a room is its host. If the host is gone for `HOST_GONE_S`, the player who arrived next stands in until the
opener is back. The stand-in may begin the next game at once, and has all rights once the opener is gone for
`OPENER_GONE_S`. In a room without an opener the first player stands in permanently.

A *holder* identifies a person: it is the SHA-256 of a browser's secret, and holds the person's seats. So a browser has
one vote for all its players, and the host stays the host under another name. But one user may have many browsers. So
all browsers of one address have the same *account*, and share one vote. Only browsers that have made a move count. If
all browsers have one account, for instance a class behind its router, each browser has its own vote. A browser without
an account has its own vote, too. A browser that is gone for less than `AWAY_S` still counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from typing import Final, NamedTuple

from scramble.rooms.gathering.ballots import Ballots

AWAY_S: Final = 3.0  # longer than a page reload, and than the move of connections to another process
HOST_GONE_S: Final = 60.0  # longer than a page reload, a train's tunnel, or a short pause of a phone
OPENER_GONE_S: Final = 900.0  # after this time the opener has probably left permanently
MOST_REMEMBERED: Final = 1000  # beyond this number, people who are gone for HOST_GONE_S are forgotten
MOST_PLAYERS: Final = 100  # beyond this number, a person's players without connections are forgotten


class _Person:
    """One browser or client: its connections, its players, and the time of its departure."""

    def __init__(self) -> None:
        self.players = Counter[str]()  # by player, the number of connections (may be 0); the latest player is last
        self.played = dict[str, int]()  # by player, the number of the player's last arrival or play
        self.given = set[str]()  # players with seats that were moved to other devices
        self.account = ""  # the account of the latest connection
        self.watching = 0
        self.gone_at: float | None = None
        self.is_removed = False

    def add(self, player: str, connections: int, number: int) -> None:
        self.players[player] = self.players.pop(player, 0) + connections
        self.played[player] = number
        self.given.discard(player)
        if len(self.players) > MOST_PLAYERS:
            gone = next((one for one, count in self.players.items() if not count and one != player), None)
            if gone is not None:
                del self.players[gone], self.played[gone]
                self.given.discard(gone)

    @property
    def own(self) -> list[str]:
        """The connected players, and the past players that are not in `given`."""
        return [player for player, count in self.players.items() if count or player not in self.given]

    @property
    def plays(self) -> bool:
        return self.players.total() > 0

    @property
    def is_here(self) -> bool:
        return self.plays or self.watching > 0


class Voting(NamedTuple):
    """The host, and the times of changes. The times are valid until a person arrives or leaves; `math.inf`: never."""

    host: str | None  # the host's holder; None: no host
    changes_at: float  # time of the next change of the host, of the host's rights, or of the voters
    may_all_at: float  # time when a stand-in gets all rights of a host, if the opener stays away


class VoteCounts(NamedTuple):
    """The votes for a new game. `voters` has one player of each holder whose vote for a new game counts."""

    voters: tuple[str, ...]  # in the order of their votes
    votes: int
    needed: int  # necessary votes for a new game

    @property
    def is_agreed(self) -> bool:
        """True if enough players want a new game."""
        return self.votes >= self.needed


class People:
    """All people who were in a room since it woke. Mutable."""

    # AF: _all has the people by holder, in the order of arrival. Some people who are gone are missing. The holder
    #     _opener has opened the room; if it is not in _all, it is gone since _began. The holders in _votes want a new
    #     game. _moved has the players who have made a move. A vote counts while its holder is here as one of these
    #     players, and then until the holder's time in _until, which is in the order of times. _ballots has all holders
    #     whose votes count. _wanting has the holders among them who want a new game, and _voters has their players;
    #     both are outdated while _voters is None. _times counts arrivals and plays.
    # RI: gone_at is None exactly for the people who are here. At its last change, _moved had only players of _all.
    #     _until has only holders of _all who were not removed.

    def __init__(self, opener: str, now: float) -> None:
        """Begin without people. `opener` is the holder who has opened the room; empty: no opener."""
        self._opener: Final = opener
        self._began: Final = now
        self._all: Final[dict[str, _Person]] = {}
        self._votes: Final[dict[str, None]] = {}
        self._voters: tuple[str, ...] | None = ()
        self._wanting: tuple[str, ...] = ()
        self._ballots: Final = Ballots()
        self._moved: frozenset[str] = frozenset()
        self._until: Final[dict[str, float]] = {}
        self._times = 0

    def arrive(self, holder: str, player: str | None, now: float, account: str = "") -> None:
        """Count one more connection of that player, from that account; `player` None: a spectator's connection."""
        if holder not in self._all and len(self._all) >= MOST_REMEMBERED:
            self._forget(now)
        person = self._all.setdefault(holder, _Person())
        person.gone_at, person.account = None, account
        self._times += 1
        if player is None:
            person.watching += 1
        else:
            person.add(player, 1, self._times)
        self._recount(holder)

    def note(self, holder: str, player: str, now: float) -> None:
        """Note that the holder plays as that player without a connection. Ignored beyond `MOST_REMEMBERED` people."""
        if holder not in self._all and len(self._all) >= MOST_REMEMBERED:
            self._forget(now)
            if len(self._all) >= MOST_REMEMBERED:
                return
        person = self._all.setdefault(holder, _Person())
        self._times += 1
        person.add(player, 0, self._times)
        self._recount(holder)
        if not person.is_here:
            person.gone_at = now

    def leave(self, holder: str, player: str | None, now: float) -> None:
        """Count one connection less."""
        person = self._all[holder]
        plays = self._plays_on(person)
        if player is None:
            person.watching -= 1
        else:
            person.players[player] -= 1
        if plays and not self._plays_on(person):
            self._until[holder] = now + AWAY_S
        if not person.is_here:
            person.gone_at = now
            if not person.players and holder != self._opener:
                del self._all[holder]  # the holder has only watched
        self._recount(holder)

    def _forget(self, now: float) -> None:
        """Forget the people who are gone for `HOST_GONE_S`. They can no longer be the host."""
        for holder in [one for one in self._all if one != self._opener and not self._is_near(one, now)]:
            del self._all[holder]
            self._until.pop(holder, None)
            self._forget_vote(holder)

    def hand_over(self, player: str, holder: str, to: str) -> None:
        """Note that the seat of a player has moved to the holder `to`. This does not mark `to` as present."""
        if holder in self._all and player in self._all[holder].players:
            self._all[holder].given.add(player)
        if to in self._all:
            self._all[to].given.discard(player)
        self._voters = None

    def remove(self, holder: str) -> None:
        """Note that the holder no longer plays here. It cannot be the host, and has no vote."""
        if holder in self._all:
            self._all[holder].is_removed = True
            self._until.pop(holder, None)
            self._forget_vote(holder)

    # --- the host ---

    def standing(self, now: float) -> Voting:
        """Return the host, and the times of changes. The host may be gone for less than `HOST_GONE_S`."""
        host = self._host(now)
        voters_change_at = next(iter(self._until.values()), math.inf)
        may_all_at = now
        if host != self._opener:
            opener_gone_at = self._gone_at(self._opener) if self._opener else None
            may_all_at = math.inf if opener_gone_at is None else opener_gone_at + OPENER_GONE_S
        if host is None:
            return Voting(None, voters_change_at, may_all_at)
        gone_at = self._gone_at(host)
        changes_at = min(
            voters_change_at,
            math.inf if gone_at is None else gone_at + HOST_GONE_S,
            math.inf if may_all_at <= now else may_all_at,
        )
        return Voting(host, changes_at, may_all_at)

    def _host(self, now: float) -> str | None:
        if self._opener and self._is_near(self._opener, now):
            return self._opener
        near = (
            (holder, one)
            for holder, one in self._all.items()
            if (one.gone_at is None or now < one.gone_at + HOST_GONE_S) and not one.is_removed
        )
        return next((holder for holder, one in near if one.own), None)

    def _is_near(self, holder: str, now: float) -> bool:
        gone_at = self._gone_at(holder)
        return gone_at is None or now < gone_at + HOST_GONE_S

    def _gone_at(self, holder: str) -> float | None:
        return self._all[holder].gone_at if holder in self._all else self._began

    # --- players ---

    def player_of(self, holder: str | None) -> str | None:
        """Return the holder's latest player, preferably a connected one.

        Returns None if the holder has no player, or if other devices now have the seats of all its players.
        """
        person = None if holder is None else self._all.get(holder)
        if person is None or not person.own:
            return None
        here = [player for player, count in person.players.items() if count]
        return (here or person.own)[-1]

    def players_of(self, holder: str) -> tuple[str, ...]:
        """Return the holder's connected players, and its past players without a seat on another device."""
        return tuple(self._all[holder].own) if holder in self._all else ()

    def plays(self, holder: str, player: str) -> bool:
        """Return True if the holder is connected as that player."""
        return holder in self._all and self._all[holder].players[player] > 0

    def holder_of(self, player: str) -> str | None:
        """Return the holder of that player; None if the player has no holder.

        Prefers holders that are connected as the player, and then the latest holder. Ignores removed holders.
        """
        people = ((holder, one) for holder, one in self._all.items() if not one.is_removed and player in one.players)
        latest = max(people, key=lambda item: (item[1].players[player] > 0, item[1].played[player]), default=None)
        return None if latest is None else latest[0]

    # --- votes ---

    def note_moved(self, players: Iterable[str]) -> bool:
        """Add players who have made a move in this game. Return True if some are new.

        Players who are missing from a later call stay: moves are permanent, and a late list may be older than the list
        of another process. Only unknown players are dropped.
        """
        known = {player for person in self._all.values() for player in person.players}
        before, self._moved = self._moved, self._moved.union(players) & known
        if self._moved != before:
            for holder in self._all:
                self._recount(holder)
        return self._moved != before

    def may_vote(self, holder: str) -> bool:
        """Return True if the vote of the holder counts: it is here as a player with a move, or was within `AWAY_S`."""
        return holder in self._until or (holder in self._all and self._plays_on(self._all[holder]))

    def note_time(self, now: float) -> None:
        """Do not count the votes of holders who are gone for `AWAY_S`."""
        for holder, _ in list(takewhile(lambda item: item[1] <= now, self._until.items())):
            del self._until[holder]
            self._recount(holder)

    def _plays_on(self, person: _Person) -> bool:
        return not person.is_removed and any(count and one in self._moved for one, count in person.players.items())

    def _recount(self, holder: str) -> None:
        """Count the vote of a holder again, after a change of its connections or its vote."""
        if holder in self._votes:
            self._voters = None
        person = self._all.get(holder)
        if person is not None and self._plays_on(person):
            self._until.pop(holder, None)
        if person is not None and self.may_vote(holder):
            self._ballots.put(holder, person.account or holder, wanted=holder in self._votes)
        else:
            self._ballots.drop(holder)

    def vote(self, holder: str, wanted: bool) -> None:
        """Note the vote of a holder who has made a move: True for a new game."""
        self._forget_vote(holder)
        if wanted:
            self._votes[holder] = None
            self._recount(holder)

    def clear_votes(self) -> None:
        """Clear all votes for a new game."""
        for holder in tuple(self._votes):
            self._forget_vote(holder)

    def _forget_vote(self, holder: str) -> None:
        if holder in self._votes:
            del self._votes[holder]
            self._voters = None
        self._recount(holder)

    def tally(self) -> VoteCounts:
        """Return the votes for a new game, and the voters."""
        if self._voters is None:
            self._wanting = tuple(filter(self.may_vote, self._votes))
            players = map(self.player_of, self._wanting)
            self._voters = tuple(player for player in players if player is not None)
        return VoteCounts(self._voters, *self._ballots.result())

    def agreed(self) -> tuple[str, ...] | None:
        """Return the holders who want a new game; None if they are too few."""
        return self._wanting if self.tally().is_agreed else None

    def __str__(self) -> str:
        return f"here: {', '.join(holder[:8] for holder, one in self._all.items() if one.is_here) or 'nobody'}"
