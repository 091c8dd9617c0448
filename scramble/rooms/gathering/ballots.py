"""The count of votes for a new game. Pure.

    ballots = Ballots()
    ballots.put("holder", "account", wanted=True)     # again, when that is another vote, or account
    ballots.drop("holder")                            # who does not count any more
    votes, needed = ballots.result()

A change costs the same however many people vote: when a class comes back, everybody arrives at once.
"""

from __future__ import annotations

from typing import Final


class Ballots:
    """The votes of those who count, by their accounts. Mutable."""

    # AF: the holders in _put count, each with its account and whether it wants a new game. Of each account _members and
    #     _wanting have how many count, and how many of these want it; most of them do in `_agreeing` accounts.
    # RI: _members has no 0, and the accounts of _wanting.

    __slots__ = ("_agreeing", "_members", "_put", "_wanting")

    def __init__(self) -> None:
        self._put: Final[dict[str, tuple[str, bool]]] = {}
        self._members: Final[dict[str, int]] = {}
        self._wanting: Final[dict[str, int]] = {}
        self._agreeing = 0

    def put(self, holder: str, account: str, *, wanted: bool) -> None:
        """Note that a holder counts, for that account, and whether it wants a new game."""
        if self._put.get(holder) != (account, wanted):
            self.drop(holder)
            self._put[holder] = account, wanted
            self._add(account, 1, wanted)

    def drop(self, holder: str) -> None:
        """Note that a holder does not count."""
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
        """Return the votes for a new game, and how many of these it needs: of more than half.

        An account has one vote: what most of its holders want. If there is only one, its holders have one each.
        """
        if len(self._members) == 1:
            ((account, members),) = self._members.items()
            return self._wanting[account], members // 2 + 1
        return self._agreeing, len(self._members) // 2 + 1

    def __str__(self) -> str:
        return "{} of {}".format(*self.result())
