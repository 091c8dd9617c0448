"""The people in a room: who is its host, and what they vote for. Pure: the time comes with each call.

Who opens a room is its host. If the host is gone for `HOST_GONE_S`, the player who came next stands in, until who
opened the room is back: that one may go on with the next game, and after `OPENER_GONE_S` do all that a host may. In a
room that nobody opened the first player stands in for ever.

People are told apart by the holders of their seats, the SHA-256 of a browser's secret, so a browser has one vote
however many players it has, and the host is the host under any name. A person may have many browsers: so those of one
*account*, which stands for an address, have one vote together, of those who have made a move. Where all are of one
account, a class behind its router, for instance, each has a vote; so has everybody without an account.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from scramble.rooms.gathering.ballots import Ballots

HOST_GONE_S: Final = 60.0  # longer than a reload, a tunnel, or a phone that was put away for a moment
OPENER_GONE_S: Final = 900.0  # longer than a meal, or a meeting: a room whose opener has left it is somebody else's
MOST_REMEMBERED: Final = 1000  # people: of more than that, those who are gone for so long are forgotten
MOST_PLAYERS: Final = 100  # of one person, beside those who are here


class _Person:
    """One browser, or client: how often it is connected, as which players, and since when it is gone."""

    def __init__(self) -> None:
        self.players = Counter[str]()  # the latest at the end; those without a connection count 0
        self.played = dict[str, int]()  # the number of the time at which it came, or played, as that player
        self.given = set[str]()  # players whose seats it has given to other devices
        self.account = ""  # of its latest connection
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
        """The players that it is connected as, or was, but for those whose seats other devices have by now."""
        return [player for player, count in self.players.items() if count or player not in self.given]

    @property
    def plays(self) -> bool:
        return self.players.total() > 0

    @property
    def is_here(self) -> bool:
        return self.plays or self.watching > 0


class Voting(NamedTuple):
    """The holder who is host, None if nobody is, and until when, if nobody comes or goes; `math.inf`: for ever."""

    host: str | None
    changes_at: float  # then there is another host, or one who may do more
    may_all_at: float  # then the host may do all that a host may, if the opener stays away


class VoteCounts(NamedTuple):
    """The votes for a new game: the players, one of each holder, who are here, have moved and want it."""

    voters: tuple[str, ...]  # in the order in which they voted
    votes: int
    needed: int  # for a new game

    @property
    def is_agreed(self) -> bool:
        """True if enough players want a new game."""
        return self.votes >= self.needed


class People:
    """Everybody who was in a room since it woke. Mutable."""

    # AF: the people _all, in the order in which they came, but for some who are gone; the holder _opener has opened the
    #     room, and was gone since _began if it is not in _all. Those in _votes, if they are here, want a new game, and
    #     count if they are here as one of _moved, the players who have made a move. All who count are in _ballots;
    #     those of them who want a new game are _wanting, and their players _voters, if these are known. Somebody came
    #     or played _times times.
    # RI: gone_at is None exactly for those who are here; when _moved was noted last, it had players of _all only.

    def __init__(self, opener: str, now: float) -> None:
        """Begin with nobody. `opener` is the holder that has opened the room; empty: nobody did."""
        self._opener: Final = opener
        self._began: Final = now
        self._all: Final[dict[str, _Person]] = {}
        self._votes: Final[dict[str, None]] = {}
        self._voters: tuple[str, ...] | None = ()
        self._wanting: tuple[str, ...] = ()
        self._ballots: Final = Ballots()
        self._moved: frozenset[str] = frozenset()
        self._times = 0

    def arrive(self, holder: str, player: str | None, now: float, account: str = "") -> None:
        """Count one more connection of that player, from that account; None: it watches."""
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
        """Note that the holder plays as that player without a connection; of very many people not of all."""
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
        if player is None:
            person.watching -= 1
        else:
            person.players[player] -= 1
        if not person.is_here:
            person.gone_at = now
            if not person.players and holder != self._opener:
                del self._all[holder]  # it has only watched
        self._recount(holder)

    def _forget(self, now: float) -> None:
        """Forget the people who are gone for so long that they are not host any more."""
        for holder in [one for one in self._all if one != self._opener and not self._is_near(one, now)]:
            del self._all[holder]
            self._forget_vote(holder)

    def hand_over(self, player: str, holder: str, to: str) -> None:
        """Note that the seat of a player went from one holder to another, whose connections say that it is here."""
        if holder in self._all and player in self._all[holder].players:
            self._all[holder].given.add(player)
        if to in self._all:
            self._all[to].given.discard(player)
        self._voters = None

    def remove(self, holder: str) -> None:
        """Note that the holder does not play here any more: it is no host, and has no vote."""
        if holder in self._all:
            self._all[holder].is_removed = True
            self._forget_vote(holder)

    # --- the host ---

    def standing(self, now: float) -> Voting:
        """Return who is host, and for how long. The host may be gone for less than `HOST_GONE_S`."""
        host = self._host(now)
        may_all_at = now
        if host != self._opener:
            opener_gone_at = self._gone_at(self._opener) if self._opener else None
            may_all_at = math.inf if opener_gone_at is None else opener_gone_at + OPENER_GONE_S
        if host is None:
            return Voting(None, math.inf, may_all_at)
        gone_at = self._gone_at(host)
        changes_at = min(
            math.inf if gone_at is None else gone_at + HOST_GONE_S, math.inf if may_all_at <= now else may_all_at
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
        """Return the player that the holder was connected as most lately, of those who still are if any are.

        Returns None if the holder was no player, or if another device now has the seat of its player.
        """
        person = None if holder is None else self._all.get(holder)
        if person is None or not person.own:
            return None
        here = [player for player, count in person.players.items() if count]
        return (here or person.own)[-1]

    def players_of(self, holder: str) -> tuple[str, ...]:
        """Return all players that the holder was connected as, but for those whose seats other devices have by now."""
        return tuple(self._all[holder].own) if holder in self._all else ()

    def plays(self, holder: str, player: str) -> bool:
        """Return True if the holder is connected as that player."""
        return holder in self._all and self._all[holder].players[player] > 0

    def holder_of(self, player: str) -> str | None:
        """Return the holder who is that player: connected as it, or else the latest who played as it.

        Of several the one who came last; None if nobody did who was not removed.
        """
        people = ((holder, one) for holder, one in self._all.items() if not one.is_removed and player in one.players)
        latest = max(people, key=lambda item: (item[1].players[player] > 0, item[1].played[player]), default=None)
        return None if latest is None else latest[0]

    # --- votes ---

    def note_moved(self, players: Iterable[str]) -> bool:
        """Note that these players have made a move in this game, beside those of before. Return True if that is news.

        A list may come late, and be older than one of another process; and who has made a move has made it for good.
        """
        known = {player for person in self._all.values() for player in person.players}
        before, self._moved = self._moved, self._moved.union(players) & known
        if self._moved != before:
            for holder in self._all:
                self._recount(holder)
        return self._moved != before

    def has_moved(self, holder: str) -> bool:
        """Return True if the holder is here as a player who has made a move, and so may vote."""
        person = self._all.get(holder)
        return person is not None and self._counts(person)

    def _counts(self, person: _Person) -> bool:
        return not person.is_removed and any(count and one in self._moved for one, count in person.players.items())

    def _recount(self, holder: str) -> None:
        """Count the vote of a holder anew, whose connections, or vote, have changed."""
        if holder in self._votes:
            self._voters = None
        person = self._all.get(holder)
        if person is not None and self._counts(person):
            self._ballots.put(holder, person.account or holder, wanted=holder in self._votes)
        else:
            self._ballots.drop(holder)

    def vote(self, holder: str, wanted: bool) -> None:
        """Note whether the holder, who has made a move, wants a new game."""
        self._forget_vote(holder)
        if wanted:
            self._votes[holder] = None
            self._recount(holder)

    def clear_votes(self) -> None:
        """Note that nobody wants another new game yet."""
        for holder in tuple(self._votes):
            self._forget_vote(holder)

    def _forget_vote(self, holder: str) -> None:
        if holder in self._votes:
            del self._votes[holder]
            self._voters = None
        self._recount(holder)

    def tally(self) -> VoteCounts:
        """Return how many want a new game, and who."""
        if self._voters is None:
            self._wanting = tuple(filter(self.has_moved, self._votes))
            players = map(self.player_of, self._wanting)
            self._voters = tuple(player for player in players if player is not None)
        return VoteCounts(self._voters, *self._ballots.result())

    def agreed(self) -> tuple[str, ...] | None:
        """Return the holders who want a new game, if these are enough; None if not."""
        return self._wanting if self.tally().is_agreed else None

    def __str__(self) -> str:
        return f"here: {', '.join(holder[:8] for holder, one in self._all.items() if one.is_here) or 'nobody'}"
