"""Time limits on holding: absent players release everything, present players release awaited things.

In some games players hold things that other players may need, for example cards. The rules have no clock, so these
timers measure the time outside of the rules. `ReleaseTimers` tracks the players, and calls two functions for players
who hold things:

- `release`, to release everything, when the player was absent and had no request for `patience_s` seconds;
- `release_awaited`, to release awaited things, when the player has taken nothing for `holding_s` seconds, and another
  player has been waiting for `notice_s` seconds. During `notice_s` the player can be warned. Neither presence nor
  requests that take nothing reset this limit: otherwise a player could hold a thing forever.

The game's events report the holders of things, and the players who wait for these things. The events may be late. So a
function may be called for a player who no longer holds a thing. The rules then refuse its command, and nothing changes.
Players without things cost two counter updates for each request. All players share one timer. It runs only while an
absent player holds a thing, or a player waits for a held thing.

Safe under concurrency because all state changes between two awaits. A player's absence is certain only at the moment
of the call: the functions must not wait, and their commands must precede all later requests.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgspec
import trio

from scramble.kernel.nursery import StartSoon


class DueRelease(NamedTuple):
    """The seconds until players must release awaited things; `number` grows with each change of these times."""

    number: int
    seconds: dict[str, float]


class Ages(msgspec.Struct, frozen=True):
    """For each player, the seconds since the last take (`held`), of absence (`away`), and of another player's wait."""

    held: dict[str, float]
    away: dict[str, float]
    awaited: dict[str, float]


class ReleaseTimers:
    """The presence of players, and the times since which they hold things. Mutable."""

    # AF: player p is in _present[p] blocks of `present`, and absent if not in _present. _held has the time of each
    #     holder's last take. _away has the start of each absent holder's absence, the longest absence first. _awaited
    #     has the start of another player's wait for a holder's thing. The result of `due` has changed _number times.
    #     If _runs, and while `start_soon` runs tasks, a task sleeps until _wake_at, or is about to check the limits.
    # RI: every count is positive; _away has the players of _held who are not in _present, except players after a call
    #     of `release`, and its times do not decrease; _awaited has only players of _held. _runs is True if any limit
    #     is set.

    def __init__(
        self,
        start_soon: StartSoon,
        patience_s: float,
        holding_s: float,
        release: Callable[[str], None],
        release_awaited: Callable[[str], None],
        notice_s: float = 0.0,
    ) -> None:
        """Begin without players. The limits are measured while `start_soon` runs tasks.

        Calls `release` for players who were absent for `patience_s` seconds. Calls `release_awaited` for players who
        have taken nothing for `holding_s` seconds, if another player has waited for at least `notice_s` seconds.
        """
        self.start_soon: Final = start_soon
        self._notice: Final = notice_s
        self._patience: Final = patience_s
        self._holding: Final = holding_s
        self._release: Final = release
        self._release_awaited: Final = release_awaited
        self._present: Final[dict[str, int]] = {}
        self._held: Final[dict[str, float]] = {}
        self._away: Final[OrderedDict[str, float]] = OrderedDict()
        self._awaited: Final[dict[str, float]] = {}
        self._number = 0
        self._news: Final = trio.lowlevel.ParkingLot()
        self._runs = False
        self._wake_at = math.inf
        self._sooner: Final = trio.lowlevel.ParkingLot()

    # --- reports about players ----------------------------------------------------------------------

    @contextmanager
    def present(self, player: str) -> Iterator[None]:
        """Count `player` as present during the block; blocks of one player may overlap."""
        self._present[player] = self._present.get(player, 0) + 1
        self._away.pop(player, None)
        try:
            yield
        finally:
            self._present[player] -= 1
            if not self._present[player]:
                del self._present[player]
                self._leave(player)

    def hold(self, player: str) -> None:
        """Note that `player` has just taken a thing."""
        self._held[player] = trio.current_time()
        self._leave(player)
        if player in self._awaited:
            self._due_changed()
            self._schedule(self._due_at(player))

    def let_go(self, player: str) -> None:
        """Note that `player` holds no thing now."""
        self._held.pop(player, None)
        self._away.pop(player, None)
        self.set_awaited(player, False)

    def set_awaited(self, player: str, awaited: bool) -> None:
        """Set whether another player waits for a thing of `player`. Ignored for players who hold nothing."""
        if not awaited:
            if self._awaited.pop(player, None) is not None:
                self._due_changed()
        elif player in self._held and player not in self._awaited:
            self._awaited[player] = trio.current_time()
            self._due_changed()
            self._schedule(self._due_at(player))

    def free_in(self, player: str) -> float | None:
        """Return the seconds until the absent `player` releases everything; None if no limit is set."""
        since = self._away.get(player)
        return None if since is None else max(0.0, since + self._patience - trio.current_time())

    async def due(self, after: int = -1) -> DueRelease:
        """Return the seconds until players must release awaited things, if these players take nothing more.

        Waits until the number of the result is above `after`. The result omits players without a limit.
        """
        while self._number <= after:
            await self._news.park()
        now = trio.current_time()
        seconds = {player: max(0.0, self._due_at(player) - now) for player in self._awaited}
        return DueRelease(self._number, {player: left for player, left in seconds.items() if left < math.inf})

    def ages(self) -> Ages:
        """Return the ages of all states, for the timers of the same game in another process."""
        now = trio.current_time()
        held, away, awaited = ({one: now - at for one, at in all_of_them.items()} for all_of_them in self._times())
        return Ages(held, away, awaited)

    def adopt(self, ages: Ages) -> None:
        """Take over the ages from another process of the same game, for players with the same state here."""
        now = trio.current_time()
        for times, known in zip(self._times(), (ages.held, ages.away, ages.awaited), strict=True):
            times.update({one: now - known[one] for one in times if one in known})
        for one in sorted(self._away, key=self._away.__getitem__):
            self._away.move_to_end(one)
        self._due_changed()
        self._schedule(-math.inf)

    def _times(self) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        return self._held, self._away, self._awaited

    def _due_at(self, player: str) -> float:
        return max(self._held[player] + self._holding, self._awaited[player] + self._notice)

    def _due_changed(self) -> None:
        self._number += 1
        self._news.unpark_all()

    def _leave(self, player: str) -> None:
        if player in self._held and player not in self._present:
            self._away.pop(player, None)
            self._away[player] = trio.current_time()
            self._schedule(self._away[player] + self._patience)

    # --- calls when a time limit is over ------------------------------------------------------------

    async def _run(self) -> None:
        """Call `release` and `release_awaited` when they are due, until no limit is set."""
        while self._away or self._awaited:
            now = trio.current_time()
            gone = next(iter(self._away), None)
            slow = min(self._awaited, key=self._due_at, default=None)
            if gone is not None and self._away[gone] + self._patience <= now:
                del self._away[gone]
                self._release(gone)
                await trio.lowlevel.checkpoint()  # after a restart many limits may be over at once
            elif slow is not None and self._due_at(slow) <= now:
                self.set_awaited(slow, False)
                self._release_awaited(slow)
                await trio.lowlevel.checkpoint()
            else:
                gone_at = math.inf if gone is None else self._away[gone] + self._patience
                slow_at = math.inf if slow is None else self._due_at(slow)
                self._wake_at = min(gone_at, slow_at)
                with trio.move_on_at(self._wake_at):
                    await self._sooner.park()
        self._runs = False
        self._wake_at = math.inf

    def _schedule(self, time: float) -> None:
        """Ensure that a task runs, and does not sleep beyond `time`."""
        if not self._runs:
            self._runs = True
            self.start_soon(self._run)
        elif time < self._wake_at:
            self._sooner.unpark()

    def __str__(self) -> str:
        return f"present: {', '.join(sorted(self._present)) or 'nobody'}; away: {', '.join(self._away) or 'nobody'}"
