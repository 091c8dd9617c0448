"""Metrics of a game at `/metrics`, for Prometheus: docs/reference/metrics-and-logs.md explains each of them.

Nothing is counted here. A scrape reads the counters of the owner task (`scramble.kernel.stats`) and of the servers
(`traffic`), so metrics cost nothing without scrapes. Each application has its own registry: in a global registry, two
servers in one process would clash.

Safe under concurrency because it only reads, between two awaits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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

from scramble.build import commit, version
from scramble.kernel.problems import CODES, Problem
from scramble.kernel.stats import Distribution, Stats
from scramble.server.http.errors import NOT_KEPT
from scramble.server.monitoring.health import Watched
from scramble.server.traffic import Traffic

ANY_VERSION: Final = re.compile(r";\s*version=([^;]*)")
VERSION: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}")
"""The version of an exposition format."""

K = TypeVar("K", str, int)


class GameCollector(Collector):
    """All metrics of one game, for one registry."""

    # AF: the metrics of the game _game of kind _kind; its servers count in _traffic.

    def __init__(self, kind: str, game: Watched, traffic: Traffic) -> None:
        self._kind: Final = kind
        self._game: Final = game
        self._traffic: Final = traffic

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics with their current values."""
        stats = self._game.stats()
        yield from about(self._kind)
        yield GaugeMetricFamily(
            "scramble_up", "1 while the game takes commands, 0 once it has ended.", stats.stopped is None
        )
        yield GaugeMetricFamily(
            "scramble_game_version", "The game's version: the number of its changes.", stats.version
        )
        stopped = () if stats.stopped is None else (Problem("game-stopped", stats.stopped, down=True),)
        yield of_problems(stopped)
        yield from of_owners({(): stats})
        yield from of_the_front_ends(self._traffic)

    def __str__(self) -> str:
        return f"metrics of {self._kind}"


def about(kind: str) -> Iterator[Metric]:
    """Yield the metrics with the kind of game and the build of the program."""
    number = version()
    yield InfoMetricFamily("scramble", "The game, and the version of the program.", {"game": kind, "version": number})
    build = {"version": number, "commit": commit() or ""}
    yield InfoMetricFamily("scramble_build", "The version and the commit of the program.", build)


def make_registry(collector: Collector) -> CollectorRegistry:
    """Return a registry with the metrics of `collector` and of the process."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    return registry


def add_metrics(app: QuartTrio, kind: str, game: Watched, traffic: Traffic) -> None:
    """Add `/metrics` to `app`. `kind` is the game in one word."""
    registry = make_registry(GameCollector(kind, game, traffic))

    @app.get("/metrics")
    async def metrics() -> Response:
        return exposition(registry)


def exposition(registry: CollectorRegistry) -> Response:
    """Return the answer to the current request: the metrics in `registry`."""
    encode, content_type = choose_encoder(_understood(request.headers.get("Accept", "")))
    return Response(encode(registry), 200, {"Content-Type": content_type, **NOT_KEPT})


def _understood(accept: str) -> str:
    """Return an `Accept` header without invalid versions: `choose_encoder` fails at these."""
    return ",".join(item for item in accept.split(",") if all(map(VERSION.fullmatch, ANY_VERSION.findall(item))))


def of_problems(problems: Iterable[Problem]) -> Metric:
    """Return the metric of the problems."""
    found = {problem.code for problem in problems}
    family = GaugeMetricFamily("scramble_problem", "1 while there is this problem, by code.", labels=("code",))
    return by_label(family, {code: int(code in found) for code in CODES})


def of_owners(owners: Mapping[tuple[str, ...], Stats], labels: tuple[str, ...] = ()) -> Iterator[Metric]:
    """Yield the metrics of owners, with these `labels`; the keys of `owners` are the values of the labels."""
    commands = CounterMetricFamily(
        "scramble_commands", "Commands, by kind and outcome.", labels=(*labels, "kind", "outcome")
    )
    for values, stats in owners.items():
        for (kind, outcome), count in sorted(stats.commands.items()):
            commands.add_metric((*values, kind, outcome), count)
    yield commands

    parked = GaugeMetricFamily(
        "scramble_parked_requests", "Requests that wait for other players, by kind.", labels=(*labels, "kind")
    )
    for values, stats in owners.items():
        for kind in sorted({kind for kind, _ in stats.commands} | stats.parked.keys()):
            parked.add_metric((*values, kind), stats.parked.get(kind, 0))
    yield parked

    queued = GaugeMetricFamily("scramble_mailbox_commands", "Commands that are queued for the owner.", labels=labels)
    followers = GaugeMetricFamily("scramble_followers", "Tasks that wait for the next change.", labels=labels)
    missed = CounterMetricFamily(
        "scramble_changes_missed", "Changes that followers lost because they were too slow.", labels=labels
    )
    batches = HistogramMetricFamily(
        "scramble_batch_commands", "Commands that the owner applied in one batch.", labels=labels
    )
    commits = HistogramMetricFamily(
        "scramble_commit_seconds", "Time of the journal to write and sync a batch.", labels=labels
    )
    journalled = CounterMetricFamily(
        "scramble_journal_commands", "Commands written to the journal and synced.", labels=labels
    )
    moves = HistogramMetricFamily(
        "scramble_move_seconds",
        "Time from a request that may change the game to its answer; without requests that waited for other players.",
        labels=labels,
    )
    for values, stats in owners.items():
        _add_histogram(moves, values, stats.moves)
        queued.add_metric(values, stats.queued)
        followers.add_metric(values, stats.followers)
        missed.add_metric(values, stats.missed)
        _add_histogram(batches, values, stats.batches)
        _add_histogram(commits, values, stats.commits)
        journalled.add_metric(values, stats.journalled)
    yield from (queued, followers, missed, batches, commits, journalled, moves)


def of_the_front_ends(traffic: Traffic) -> Iterator[Metric]:
    """Yield the metrics of servers."""
    yield by_label(
        GaugeMetricFamily("scramble_connections", "Connections that are open.", labels=("transport",)), traffic.open
    )
    for name, words, counts in (
        ("scramble_connections_accepted", "Connections that were opened.", traffic.accepted),
        ("scramble_connections_turned_away", "Connections refused beyond a limit.", traffic.turned_away),
        (
            "scramble_slow_reader_drops",
            "Slow clients: a WebSocket gets the whole game instead of changes; another connection is dropped.",
            traffic.fallen_behind,
        ),
    ):
        yield by_label(CounterMetricFamily(name, words, labels=("transport",)), counts)
    yield by_label(
        CounterMetricFamily("scramble_websockets_closed", "WebSockets closed, by code.", labels=("code",)),
        traffic.closed,
    )
    yield by_label(
        CounterMetricFamily("scramble_http_responses", "Answers to HTTP requests, by status.", labels=("status",)),
        traffic.responses,
    )


F = TypeVar("F", GaugeMetricFamily, CounterMetricFamily)


def by_label(family: F, counts: Mapping[K, int]) -> F:
    """Return `family` with a metric for each of the `counts`; their keys are the values of the label."""
    for label, count in sorted(counts.items()):
        family.add_metric((str(label),), count)
    return family


def _add_histogram(family: HistogramMetricFamily, values: tuple[str, ...], numbers: Distribution) -> None:
    bounds = [*map(floatToGoString, numbers.bounds), "+Inf"]
    family.add_metric(values, list(zip(bounds, accumulate(numbers.counts), strict=True)), numbers.total)
