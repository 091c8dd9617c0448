"""Monitoring of all rooms together: `/health` and `/metrics`.

    GET /health    the problems of this process, without crashed rooms
    GET /metrics   the metrics of a game, summed over all rooms of its kind, and the metrics of the rooms

The metrics have a label for the kind of game, but no label for the room. So the number of metrics does not depend on
the number of rooms. The metrics do not show a room's name, because only people with the room's link may know the name.

Safe under concurrency because it only reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from quart import Response
from quart_trio import QuartTrio

from scramble.errors import GameStopped
from scramble.kernel.problems import Problem
from scramble.rooms.protocol import RoomCounts, Rooms
from scramble.server.monitoring.health import add_health, problems_of
from scramble.server.monitoring.metrics import (
    about,
    by_label,
    exposition,
    make_registry,
    of_owners,
    of_problems,
    of_the_front_ends,
)
from scramble.server.traffic import Traffic

STATES: Final = ("open", "ended", "closed", "broken")


def add_rooms_monitoring(app: QuartTrio, rooms: Rooms, traffic: Traffic, *, metrics: bool = True) -> None:
    """Add `/health` for all rooms together to `app`, and with `metrics` also `/metrics`."""
    add_health(app, partial(problems_of_rooms, rooms))
    if not metrics:
        return

    @app.get("/metrics")
    async def all_metrics() -> Response:
        counts = None
        with suppress(GameStopped):
            counts = await rooms.counts()
        return exposition(make_registry(RoomsCollector(rooms, counts, traffic)))


async def problems_of_rooms(rooms: Rooms) -> Sequence[Problem]:
    """Return the problems of a server of rooms. Waits at most for a ping; a checkpoint."""
    return (*rooms.problems(), *await problems_of(rooms))


class RoomsCollector(Collector):
    """All metrics of a server of rooms at one moment."""

    # AF: the metrics of _rooms, of the register's _counts (None: the register has ended), and of the server's _traffic.

    def __init__(self, rooms: Rooms, counts: RoomCounts | None, traffic: Traffic) -> None:
        self._rooms: Final = rooms
        self._counts: Final = counts
        self._traffic: Final = traffic

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        yield from about("rooms")
        yield GaugeMetricFamily(
            "scramble_up", "1 while the server can open rooms, otherwise 0.", self._counts is not None
        )
        yield of_problems(self._rooms.problems())
        kinds = self._rooms.stats()
        yield from self._of_the_register()
        yield by_label(
            CounterMetricFamily("scramble_rooms_woken", "Opened rooms and woken rooms.", labels=("game",)),
            {name: kind.woken for name, kind in kinds.items()},
        )
        yield by_label(
            GaugeMetricFamily("scramble_rooms_awake", "Rooms with a running game.", labels=("game",)),
            {name: kind.awake for name, kind in kinds.items()},
        )
        yield from self._of_the_people(kinds)
        for figure in self._rooms.figures():
            family = CounterMetricFamily if figure.counter else GaugeMetricFamily
            yield family(f"scramble_{figure.name}", figure.about, figure.value)
        yield from of_owners({(name,): kind.owners for name, kind in sorted(kinds.items())}, ("game",))
        yield from of_the_front_ends(self._traffic)

    def _of_the_register(self) -> Iterator[Metric]:
        counts = self._counts
        states = {} if counts is None else {state: getattr(counts, state) for state in STATES}
        yield by_label(GaugeMetricFamily("scramble_rooms", "Rooms by state.", labels=("state",)), states)

    def _of_the_people(self, kinds: Iterable[str]) -> Iterator[Metric]:
        players, watching = Counter(dict.fromkeys(kinds, 0)), Counter(dict.fromkeys(kinds, 0))
        for room in self._rooms.awake():
            if not room.runs_here:
                continue  # another process counts the room
            record = room.record
            headcount = self._rooms.headcount(record.name)
            players[record.kind] += headcount.players
            watching[record.kind] += headcount.watching
        yield by_label(
            GaugeMetricFamily("scramble_players", "Connected players in all rooms.", labels=("game",)), players
        )
        yield by_label(
            GaugeMetricFamily("scramble_spectators", "Connected spectators in all rooms.", labels=("game",)),
            watching,
        )
