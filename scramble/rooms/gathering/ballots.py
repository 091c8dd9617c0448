"""The count of votes for a new game. Pure.

    ballots = Ballots()
    ballots.put("holder", "account", wanted=True)     # repeat the call to change the vote or the account
    ballots.drop("holder")                            # the holder's vote no longer counts
    votes, needed = ballots.result()

The time of a change does not depend on the number of voters: a whole class may reconnect at once.
"""

from __future__ import annotations

from typing import Final


class Ballots:
    """The votes that count, by account. Mutable."""

    # AF: _put has the holders whose votes count, each with its account and its vote; True: the holder wants a new game.
    #     _members has the number of these holders by account. _wanting has the number of these holders who want a new
    #     game, by account. _agreeing is the number of accounts in which most holders want a new game.
    # RI: no number in _members is 0. _wanting has the same accounts.

    __slots__ = ("_agreeing", "_members", "_put", "_wanting")

    def __init__(self) -> None:
        self._put: Final[dict[str, tuple[str, bool]]] = {}
        self._members: Final[dict[str, int]] = {}
        self._wanting: Final[dict[str, int]] = {}
        self._agreeing = 0

    def put(self, holder: str, account: str, *, wanted: bool) -> None:
        """Count the vote of a holder, with its account."""
        if self._put.get(holder) != (account, wanted):
            self.drop(holder)
            self._put[holder] = account, wanted
            self._add(account, 1, wanted)

    def drop(self, holder: str) -> None:
        """Do not count the vote of a holder."""
        if holder in self._put:
            account, wanted = self._put.pop(holder)
            self._add(account, -1, wanted)

    def _add(self, account: str, number: int, wanted: bool) -> None:
        self._agreeing -= self._agrees(account)
        self._members[account] = self._members.get(account, 0) + number
        self._wanting[account] = self._wanting.get(account, 0) + number * wanted
        self._agreeing += self._agrees(account)
        if not self._members[account]:
            del self._members[account], self._wanting[account]

    def _agrees(self, account: str) -> bool:
        return 2 * self._wanting.get(account, 0) > self._members.get(account, 0)

    def result(self) -> tuple[int, int]:
        """Return the number of votes for a new game, and the necessary number: more than half of all votes.

        An account has one vote: the majority of its holders. If there is only one account, each of its holders has one
        vote.
        """
        if len(self._members) == 1:
            ((account, members),) = self._members.items()
            return self._wanting[account], members // 2 + 1
        return self._agreeing, len(self._members) // 2 + 1

    def __str__(self) -> str:
        return "{} of {}".format(*self.result())
