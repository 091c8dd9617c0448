"""A game in numbers at `/metrics`, for Prometheus: docs/reference/metrics-and-logs.md explains each of them.

Nothing is counted here. A scrape reads what the owner task (`scramble.stats`) and the front ends (`traffic`) have
counted anyway, so that a game which nobody scrapes pays nothing for it. Each application has a registry of its own:
there is no global one in which two servers in one process would clash.

Safe under concurrency because it only reads, between two awaits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from typing import Final, TypeVar

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from quart import Response, request
from quart_trio import QuartTrio

from scramble.front.answers import NOT_KEPT
from scramble.front.health import Watched
from scramble.front.traffic import Traffic
from scramble.stats import Distribution, Stats

K = TypeVar("K", str, int)


class GameCollector(Collector):
    """All numbers of one game. Made for one registry."""

    # AF: the game behind the door _game, of the kind _kind, whose front ends count in _traffic.

    def __init__(self, kind: str, game: Watched, traffic: Traffic) -> None:
        self._kind: Final = kind
        self._game: Final = game
        self._traffic: Final = traffic

    def collect(self) -> Iterator[Metric]:
        """The numbers as they are now."""
        yield InfoMetricFamily(
            "scramble", "Which game this is, by which version.", {"game": self._kind, "version": _version()}
        )
        yield from _of_the_owner(self._game.stats())
        yield from _of_the_front_ends(self._traffic)

    def __str__(self) -> str:
        return f"numbers of {self._kind}"


def make_registry(kind: str, game: Watched, traffic: Traffic) -> CollectorRegistry:
    """A registry with all numbers of a game, and of the process."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(GameCollector(kind, game, traffic))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    return registry


def add_metrics(app: QuartTrio, kind: str, game: Watched, traffic: Traffic) -> None:
    """Add `/metrics` to `app`. `kind` is the game in one word."""
    registry = make_registry(kind, game, traffic)

    @app.get("/metrics")
    async def metrics() -> Response:
        encode, content_type = choose_encoder(request.headers.get("Accept", ""))
        return Response(encode(registry), 200, {"Content-Type": content_type, **NOT_KEPT})


def _of_the_owner(stats: Stats) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "scramble_up", "1 while the game takes commands, 0 once it has ended.", stats.stopped is None
    )
    yield GaugeMetricFamily("scramble_game_version", "The game's version: how many changes it has seen.", stats.version)

    commands = CounterMetricFamily(
        "scramble_commands", "Commands by kind, and what became of them.", labels=("kind", "outcome")
    )
    for (kind, outcome), count in sorted(stats.commands.items()):
        commands.add_metric((kind, outcome), count)
    yield commands

    parked = GaugeMetricFamily(
        "scramble_parked_requests", "Requests that wait for other players, by kind.", labels=("kind",)
    )
    for kind in sorted({kind for kind, _ in stats.commands} | stats.parked.keys()):
        parked.add_metric((kind,), stats.parked.get(kind, 0))
    yield parked

    yield GaugeMetricFamily("scramble_mailbox_commands", "Commands that are queued for the owner.", stats.queued)
    yield GaugeMetricFamily("scramble_followers", "Tasks that wait for the next change.", stats.followers)
    yield CounterMetricFamily(
        "scramble_changes_missed", "Changes that followers lost because they were too slow.", stats.missed
    )
    yield _histogram("scramble_batch_commands", "Commands that the owner applied in one go.", stats.batches)
    yield _histogram("scramble_commit_seconds", "What the journal took to make a batch safe.", stats.commits)
    yield CounterMetricFamily(
        "scramble_journal_commands", "Commands written to the journal, and safe.", stats.journalled
    )


def _of_the_front_ends(traffic: Traffic) -> Iterator[Metric]:
    yield _by_label(
        GaugeMetricFamily("scramble_connections", "Connections that are open.", labels=("transport",)), traffic.open
    )
    for name, words, counts in (
        ("scramble_connections_accepted", "Connections that were opened.", traffic.accepted),
        ("scramble_connections_turned_away", "Connections for which there was no room.", traffic.turned_away),
        (
            "scramble_slow_reader_drops",
            "Clients that fell behind: WebSockets sent the whole game instead of changes, other connections dropped.",
            traffic.fallen_behind,
        ),
    ):
        yield _by_label(CounterMetricFamily(name, words, labels=("transport",)), counts)
    yield _by_label(
        CounterMetricFamily("scramble_websockets_closed", "WebSockets closed, by code.", labels=("code",)),
        traffic.closed,
    )
    yield _by_label(
        CounterMetricFamily("scramble_http_responses", "Answers to HTTP requests, by status.", labels=("status",)),
        traffic.responses,
    )


F = TypeVar("F", GaugeMetricFamily, CounterMetricFamily)


def _by_label(family: F, counts: Mapping[K, int]) -> F:
    for label, count in sorted(counts.items()):
        family.add_metric((str(label),), count)
    return family


def _histogram(name: str, words: str, numbers: Distribution) -> HistogramMetricFamily:
    bounds = [*map(floatToGoString, numbers.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(numbers.counts), strict=True))
    return HistogramMetricFamily(name, words, buckets=buckets, sum_value=numbers.total)


def _version() -> str:
    try:
        return version("scramble")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "unknown"
