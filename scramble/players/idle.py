"""Time limits on holding: players who have left let go of all they hold, present ones of what others wait for.

In some games players hold things that others may need, such as cards. The rules have no clock, so the time is measured
here, beside the game. `ReleaseTimers` counts what each player is doing, and calls two functions for players who hold
things:

- `release`, to let go of everything, when the player was neither present nor had a request for `patience_s` seconds;
- `release_awaited`, to let go of what somebody waits for, when the player has taken nothing for `holding_s` seconds,
  and somebody has been waiting for `notice_s` seconds, in which the player can be warned. Presence does not reset this
  limit, nor do requests that take nothing: otherwise a player could hold a thing for ever.

It learns from the game's events who holds things and whether somebody waits for them, and the events may be late. So a
call may come when there is nothing to let go of any more; the command that it sends is then refused and changes
nothing. The other players cost two counter updates for each request. All share one timer, which runs only while
somebody is away who holds a thing, or somebody waits for one.

Safe under concurrency because all state changes between two awaits. The finding that a player has no request is
valid at the moment of the call: the functions must not wait, and their commands must precede all later requests.
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
    """The seconds until players must let go of what others wait for; `number` grows each time that this changes."""

    number: int
    seconds: dict[str, float]


class Ages(msgspec.Struct, frozen=True):
    """The seconds for which players have held things without taking one, were away, and were waited for."""

    held: dict[str, float]
    away: dict[str, float]
    awaited: dict[str, float]


class ReleaseTimers:
    """What players are doing, and since when they hold things. Mutable."""

    # AF: player p is present _present[p] times over, away if not in it; the players in _held hold things, the last of
    #     which they took at that time; those of them who are away have been so since the time in _away, longest first;
    #     somebody waits for a thing that each player in _awaited holds, since that time. What `due` returns has changed
    #     _number times. If it _runs, and as long as `start_soon` runs tasks, a task sleeps until
    #     _wake_at, or is about to look what is due.
    # RI: every count is positive; _away has only players in _held who are not in _present, all of them except those
    #     for whom `release` was just called, and its times do not decrease; _awaited has only players in _held.
    #     It _runs if any limit is set.

    def __init__(
        self,
        start_soon: StartSoon,
        patience_s: float,
        holding_s: float,
        release: Callable[[str], None],
        release_awaited: Callable[[str], None],
        notice_s: float = 0.0,
    ) -> None:
        """Begin with nobody. The limits are measured as long as `start_soon` runs tasks.

        `release` is called for players who were away for `patience_s` seconds, `release_awaited` for those who have
        held for `holding_s` seconds a thing that somebody has been waiting for, for `notice_s` seconds at least.
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
        """Note that `player` holds nothing any more."""
        self._held.pop(player, None)
        self._away.pop(player, None)
        self.set_awaited(player, False)

    def set_awaited(self, player: str, awaited: bool) -> None:
        """Note whether somebody waits for a thing that `player` holds. Ignored for players who hold nothing."""
        if not awaited:
            if self._awaited.pop(player, None) is not None:
                self._due_changed()
        elif player in self._held and player not in self._awaited:
            self._awaited[player] = trio.current_time()
            self._due_changed()
            self._schedule(self._due_at(player))

    def free_in(self, player: str) -> float | None:
        """Return the seconds until `player`, who is away, lets go of everything; None if that is not due."""
        since = self._away.get(player)
        return None if since is None else max(0.0, since + self._patience - trio.current_time())

    async def due(self, after: int = -1) -> DueRelease:
        """Return in how many seconds players must let go of what others wait for, if they take nothing until then.

        Waits until its number is above `after`. Players who may hold things for ever are not in it.
        """
        while self._number <= after:
            await self._news.park()
        now = trio.current_time()
        seconds = {player: max(0.0, self._due_at(player) - now) for player in self._awaited}
        return DueRelease(self._number, {player: left for player, left in seconds.items() if left < math.inf})

    def ages(self) -> Ages:
        """Return since when all of this is so, for the timers of the same game in another process."""
        now = trio.current_time()
        held, away, awaited = ({one: now - at for one, at in all_of_them.items()} for all_of_them in self._times())
        return Ages(held, away, awaited)

    def adopt(self, ages: Ages) -> None:
        """Take over the ages that the same game measures elsewhere, for players who hold, or are away, here too."""
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
        """Call `release` and `release_awaited` when it is time, until no limit is set."""
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
        """Make sure that a task runs, and does not sleep beyond `time`."""
        if not self._runs:
            self._runs = True
            self.start_soon(self._run)
        elif time < self._wake_at:
            self._sooner.unpark()

    def __str__(self) -> str:
        return f"present: {', '.join(sorted(self._present)) or 'nobody'}; away: {', '.join(self._away) or 'nobody'}"
