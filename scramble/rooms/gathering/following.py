"""A process's copy of the gathering in a room: presence, names, and the latest state.

    with Following(gathering, presence, start_soon, at_home=False) as following:
        await following.loaded()              # from now on the copy equals the gathering's published state

The owner of the gathering publishes changes. Each process in the room applies them to its own `Presence`, names and
state. A process requests a snapshot when it joins the room. The gathering's own process needs no snapshot: the
gathering begins without people. `Following` is called after each batch of changes, so it misses no change.

Safe under concurrency: state changes between two awaits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Final

import trio

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.changes import HISTORY_SIZE, Changes
from scramble.kernel.nursery import StartSoon
from scramble.kernel.owner import Owner
from scramble.players.presence import Presence
from scramble.rooms.gathering.messages import Came, GatheringState, Named, TakeGathering, Updated, Went
from scramble.rooms.gathering.names import note_names


class Following(AbstractContextManager["Following"]):
    """Follows the gathering during a block. Mutable."""

    # AF: if _loaded, `presence`, `names` and `state` equal the state that the owner _gathering had published before the
    #     position of _changes. Otherwise a task requests that state, unless the gathering runs _at_home. The state was
    #     received at the time _state_at; None: no state was received yet. _is_over: the block has ended. _renamed is
    #     called after changes of names and state.

    def __init__(
        self,
        gathering: Owner,
        presence: Presence,
        start_soon: StartSoon,
        *,
        at_home: bool,
        renamed: Callable[[], None] | None = None,
    ) -> None:
        """Start without data. `start_soon` runs the task that requests them; `at_home`: the gathering runs here.

        `renamed` is called after changes of names and state. It must neither wait nor raise.
        """
        self.presence: Final = presence
        self.names: Final[dict[str, str]] = {}  # display names by player, if they differ from the ID; read-only
        self.state: GatheringState | None = None
        self._state_at = 0.0
        self._gathering: Final = gathering
        self._start_soon: Final = start_soon
        self._changes: Changes = gathering.subscribe()
        self._at_home: Final = at_home and not self._changes.position  # after a change, people may be there
        self._watch: AbstractContextManager[None] | None = None
        self._loaded: Final = trio.Event()
        self._is_over = False
        self._renamed = renamed or _nothing

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
        """Stop following; the game no longer sees players."""
        if self._watch is not None:
            self._watch.__exit__(kind, error, trace)
            self._watch = None  # the watch refers to this object: the cycle would keep the room in memory
        self._renamed = _nothing  # as for the watch
        self._is_over = True
        self._loaded.set()
        self.presence.close()

    @property
    def is_loaded(self) -> bool:
        """True if `presence` has all people."""
        return self._loaded.is_set() and not self._is_over

    async def loaded(self) -> None:
        """Wait until `presence` has all people. Raises GameClosed at the end of the block."""
        await self._loaded.wait()
        if self._is_over:
            raise GameClosed("the room sleeps, or was closed")

    @property
    def may_all_in(self) -> float | None:
        """Seconds until a stand-in host gets all rights of a host; None: the host has them, or never gets them."""
        return None if self.state is None else self._seconds_until(self.state.may_all_in)

    @property
    def changes_in(self) -> float | None:
        """Seconds until the host, the host's rights or the voters change, if nobody arrives or leaves; None: never."""
        return None if self.state is None else self._seconds_until(self.state.changes_in)

    def _seconds_until(self, told: float | None) -> float | None:
        return None if told is None else max(0.0, self._state_at + told - trio.current_time())

    def _put(self, state: GatheringState) -> None:
        self.state, self._state_at = state, trio.current_time()
        self._renamed()

    def _catch_up(self) -> None:
        if not self.is_loaded:
            return
        for change in self._changes.pending():
            for event in change.events:
                match event:
                    case Came():
                        self.presence.arrive(event.player, bot=event.bot)
                    case Went():
                        self.presence.leave(event.player, bot=event.bot)
                    case Named():
                        note_names(self.names, event.names, early=event.early)
                        self._renamed()
                    case Updated():
                        self._put(event.state)

    async def _load(self) -> None:
        with suppress(GameStopped):  # the room ends
            whole, self._changes = await self._gathering.follow(TakeGathering())
            while self._changes.behind > HISTORY_SIZE:  # more changes have come than the history keeps
                whole, self._changes = await self._gathering.follow(TakeGathering())
            if not self._is_over:
                self.presence.adopt(whole.presence)
                note_names(self.names, whole.names)
                self._put(whole.state)
                self._loaded.set()
                self._catch_up()

    def __str__(self) -> str:
        return f"{self.presence}{'' if self.is_loaded else ', not all of them known yet'}"


def _nothing() -> None:
    pass
