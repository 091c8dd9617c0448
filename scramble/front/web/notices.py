"""Events and values for many connections, with or without the changes of a game.

    notices = Notices(game.start_soon)
    leave = notices.follow(link)                    # a connection follows, and gets all values
    notices.publish('{"type":"reaction",...}')      # an event: current followers get it once
    notices.put("held", '{"type":"held",...}')      # a value: current followers get it now, new followers on arrival
    notices.put_soon("players")                     # a value that changes often: sends `frame("players", ...)` later

An event is sent once: a later connection does not get it. A value has only a latest frame: a slow reader does not get
older frames. `put_soon` waits between two frames of a value: many changes in a pause become one frame for each
connection. The pause grows with the number of connections and with the length of their frames.

The task that waits for the end of a pause runs in the nursery of the notices' game or room.

Safe under concurrency: all state changes between two awaits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Final, NamedTuple

import trio

from scramble.front.web.feed import NEW, Feed, Follower, encoded
from scramble.kernel.nursery import StartSoon
from scramble.server.http.direct_write import Outlet, write_to_all

NOTICE_PAUSE_S: Final = 0.1
"""The least pause between two frames of a value. A new connection gets its first frame at once. After a restart all
clients reconnect in the same moment: without a pause, n clients would cause n * n frames."""

FRAMES_PER_S: Final = 1000
"""Limit for all connections together. With more than a hundred connections the pauses grow. When a thousand clients
connect, ten frames a second with their names would take more time than the connections themselves."""

BYTES_PER_S: Final = 10_000_000
"""Limit for all connections together. A frame with the longest allowed names has 50 kB."""

MOST_EVENTS: Final = 64  # kept events; a connection that is further behind misses the older events


class _Notice(NamedTuple):
    number: int
    key: str | None  # the key of a value; None: an event
    text: str | None  # the frame; None: `Notices.frame` makes the frame


class Notices(Feed):
    """Events and values, and their followers. Mutable."""

    # AF: _notices has the current values and the latest events by their numbers, in order. _numbers has the numbers of
    #     the values, by key. _events has the numbers of the events. There were _end notices so far. _next_at has the
    #     time at which a value may be sent again. Tasks wait to send the values in _due. The last write of a value had
    #     _bytes bytes (0: not yet written).
    # RI: _events has at most MOST_EVENTS numbers. Each value in _due is in _next_at.
    # Safety from exposure: frames are strings.

    def __init__(self, start_soon: StartSoon) -> None:
        """Begin without notices. `start_soon` runs the tasks that wait for the end of a pause."""
        super().__init__()
        self._notices: Final[dict[int, _Notice]] = {}
        self._numbers: Final[dict[str, int]] = {}
        self._events: Final[list[int]] = []
        self._end = 0
        self._next_at: Final[dict[str, float]] = {}
        self._due: Final[set[str]] = set()
        self._bytes = 0
        self._start_soon: Final = start_soon

    # --- for subclasses ---

    def frame(self, key: str, name: str | None) -> str:
        """Return the current frame of the value `key` for followers under the name `name`."""
        raise NotImplementedError

    def own(self, key: str) -> Collection[str]:
        """Return the names of followers with a private frame for `key`. The default is no names."""
        return ()

    # --- events and values ---

    def publish(self, frame: str) -> None:
        """Send an event to all followers. Does not wait."""
        self._events.append(self._add(None, frame))
        if len(self._events) > MOST_EVENTS:
            del self._notices[self._events.pop(0)]
        self.tell()

    def put(self, key: str, frame: str | None = None) -> None:
        """Send a value to all current and later followers. Does not wait.

        Without `frame`, `self.frame` makes the frame when the value is sent.
        """
        if key in self._numbers:
            del self._notices[self._numbers[key]]
        self._numbers[key] = self._add(key, frame)
        self._bytes = 0
        self.tell()

    def put_soon(self, key: str) -> None:
        """Send a changed value: at once, or after the pause since its last frame. Does not wait."""
        if not self._followers:
            self.put(key)
        elif key not in self._due:
            if trio.current_time() >= self._next_at.get(key, -math.inf):
                self._put_in_turn(key)
                return
            self._due.add(key)
            self._start_soon(partial(self._put_later, key))

    def pause_s(self) -> float:
        """Return the seconds from a frame that was sent just now to the next frame of the same value."""
        connections = self.connections
        return max(NOTICE_PAUSE_S, connections / FRAMES_PER_S, connections * self._bytes / BYTES_PER_S)

    def _put_in_turn(self, key: str) -> None:
        self.put(key)
        self._next_at[key] = trio.current_time() + self.pause_s()

    async def _put_later(self, key: str) -> None:
        await trio.sleep_until(self._next_at[key])
        self._due.remove(key)
        self._put_in_turn(key)

    def _add(self, key: str | None, frame: str | None) -> int:
        number = self._end
        self._end += 1
        self._notices[number] = _Notice(number, key, frame)
        return number

    # --- as a feed ---

    @property
    def end(self) -> int:
        """The number of the next notice."""
        return self._end

    def take(self, follower: Follower) -> Sequence[str] | None:
        """Return the next notice for a follower. A new follower gets the events since its arrival, then all values."""
        if follower.position == NEW:
            return self.all_for(follower)
        missed = [*self._from(follower.position)]
        if not missed:
            return ()
        follower.position = missed[-1].number + 1
        return (self._text(missed[-1], follower.name),)

    def all_for(self, follower: Follower, *, but: str = "") -> list[str]:
        """Return the events since a new follower's arrival, and all values except the value `but`.

        Advances the follower's position.
        """
        follower.position = self._end
        events = [self._notices[number] for number in self._events if number >= follower.got]
        values = [self._notices[number] for key, number in self._numbers.items() if key != but]
        return [self._text(notice, follower.name) for notice in (*events, *values)]

    def write(self, first: int) -> Collection[Outlet]:
        """Write the notices with numbers from `first` to all followers that are up to date."""
        notices = [*self._from(first)]
        notices.reverse()
        own = {name for notice in notices if notice.key is not None for name in self.own(notice.key)}
        named = {outlet: one for outlet, one in self._ready.items() if one.name in own} if own else {}
        others = [outlet for outlet in self._ready if outlet not in named] if named else self._ready
        data = encoded([self._text(notice, None) for notice in notices]) if others else b""
        if notices[-1].key is not None:
            self._bytes = len(data)
        left = write_to_all(others, data)
        for outlet, follower in named.items():
            left += write_to_all((outlet,), encoded([self._text(notice, follower.name) for notice in notices]))
        return left

    def _from(self, position: int) -> Iterator[_Notice]:
        """Return the notices with numbers from `position`, latest first."""
        return takewhile(lambda notice: notice.number >= position, reversed(self._notices.values()))

    def _text(self, notice: _Notice, name: str | None) -> str:
        return self.frame(notice.key or "", name) if notice.text is None else notice.text

    def __str__(self) -> str:
        return f"{self._end} notices, {super().__str__()}"
