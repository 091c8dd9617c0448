"""The people in a room, as one process knows them: a `Presence` that follows the gathering's.

    with Following(gathering, presence, start_soon, at_home=False) as following:
        await following.loaded()              # from now on `presence` is what the gathering has published

The owner of the gathering publishes who comes and goes, and each process that is in the room does the same to its own
`Presence`; it asks for the whole state when it joins the room. Where the gathering runs, nothing is asked: it begins
with nobody. The gathering's owner, or the messages from it, call `Following` after each batch, so it misses nothing.

Safe under concurrency: everything changes between two awaits.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Final

import trio

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.changes import HISTORY_SIZE, Changes
from scramble.kernel.nursery import StartSoon
from scramble.kernel.owner import Owner
from scramble.players.presence import Presence
from scramble.rooms.gathering.messages import Came, TakePresence, Went


class Following(AbstractContextManager["Following"]):
    """What keeps the `Presence` of one process up to date during a block. Mutable."""

    # AF: `presence` is what the gathering behind _gathering had published before _changes, if it is _loaded; a task
    #     asks for the state otherwise, unless the gathering runs _at_home. _is_over: nothing is followed any more.

    def __init__(self, gathering: Owner, presence: Presence, start_soon: StartSoon, *, at_home: bool) -> None:
        """`start_soon` runs the task that asks for the state; `at_home`: the gathering runs in this process."""
        self.presence: Final = presence
        self._gathering: Final = gathering
        self._start_soon: Final = start_soon
        self._changes: Changes = gathering.subscribe()
        self._at_home: Final = at_home and not self._changes.position  # else somebody was there already
        self._watch: AbstractContextManager[None] | None = None
        self._loaded: Final = trio.Event()
        self._is_over = False

    def __enter__(self) -> Following:
        """Follow the gathering."""
        self._watch = self._changes.watched(self._catch_up)
        self._watch.__enter__()
        if self._at_home:
            self._loaded.set()
        else:
            self._start_soon(self._load)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Follow nobody any more; nobody is present in the game."""
        if self._watch is not None:
            self._watch.__exit__(kind, error, trace)
            self._watch = None  # it refers to this object: the room would stay in memory
        self._is_over = True
        self._loaded.set()
        self.presence.close()

    @property
    def is_loaded(self) -> bool:
        """True if `presence` has everybody."""
        return self._loaded.is_set() and not self._is_over

    async def loaded(self) -> None:
        """Wait until `presence` has everybody. Raises GameClosed at the end of the block."""
        await self._loaded.wait()
        if self._is_over:
            raise GameClosed("the room sleeps, or was closed")

    def _catch_up(self) -> None:
        if not self.is_loaded:
            return
        for change in self._changes.pending():
            for event in change.events:
                if isinstance(event, Came):
                    self.presence.arrive(event.player, bot=event.bot)
                elif isinstance(event, Went):
                    self.presence.leave(event.player, bot=event.bot)

    async def _load(self) -> None:
        with suppress(GameStopped):  # the room ends
            state, self._changes = await self._gathering.follow(TakePresence())
            while self._changes.behind > HISTORY_SIZE:  # more has changed since than is kept
                state, self._changes = await self._gathering.follow(TakePresence())
            if not self._is_over:
                self.presence.adopt(state)
                self._loaded.set()
                self._catch_up()

    def __str__(self) -> str:
        return f"{self.presence}{'' if self.is_loaded else ', not all of them known yet'}"
