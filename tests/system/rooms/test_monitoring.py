"""Health and metrics of many rooms together.

Partitions:
- a room is open, awake, asleep, ended; of different kinds
- the rooms are open, or closed
- metrics are on, off, requested with a foreign host name
"""

from __future__ import annotations

import re

from prometheus_client.parser import text_string_to_metric_families
from quart_trio import QuartTrio

from scramble.front.rooms.monitoring import add_rooms_monitoring
from scramble.rooms.local import open_rooms
from scramble.server.http.errors import add_refusals
from scramble.server.traffic import Traffic
from tests.support.process import ROOT
from tests.support.rooms.served import ANN, serving_rooms

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    """Return the values of all metrics."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((name, frozenset(labels.items())))


async def test_metrics_are_of_all_rooms_of_a_kind_together_and_none_goes_down_when_a_room_sleeps() -> None:
    async with serving_rooms(sleep_after=0.0) as served:
        app = QuartTrio("monitoring")
        add_rooms_monitoring(app, served.rooms, served.site.traffic)

        async def scrape() -> Samples:
            return samples(await (await app.test_client().get("/metrics")).get_data(as_text=True))

        names = [(await served.memory()).name for _ in range(3)]
        sockets = [await served.socket(f"/g/{name}/play/ann", ANN) for name in names[:2]]
        sockets.append(await served.socket(f"/g/{names[1]}/view"))
        for socket in sockets:
            await socket.receive()
        assert (await served.get(f"/g/{names[0]}/flip/ann/0,0", ANN)).status_code == 200
        awake = await scrape()
        assert value(awake, "scramble_up") == 1
        assert value(awake, "scramble_rooms", state="open") == 3
        assert value(awake, "scramble_rooms_awake", game="memory") == 2
        assert value(awake, "scramble_players", game="memory") == 2
        assert value(awake, "scramble_spectators", game="memory") == 1
        assert value(awake, "scramble_commands_total", game="memory", kind="Flip", outcome="answered") == 1
        movements = served.rooms.movements()
        for socket in sockets:
            await socket.leave()
        while served.rooms.awake():
            await anext(movements)
        asleep = await scrape()
        assert value(asleep, "scramble_rooms_awake", game="memory") == 0
        assert value(asleep, "scramble_followers", game="memory") == 0
        counters = {key: number for key, number in awake.items() if key[0].endswith(("_total", "_count", "_bucket"))}
        gone_down = {key for key, number in counters.items() if asleep.get(key, 0) < number}
        assert not gone_down
        assert not [name for name in names for key in asleep if name in str(key)]


async def test_rooms_are_healthy_while_they_are_open() -> None:
    async with open_rooms() as rooms:
        app = QuartTrio("monitoring")
        add_rooms_monitoring(app, rooms, Traffic())
        client = app.test_client()
        assert await (await client.get("/health")).get_json() == {"live": True, "ready": True}
    ended = await client.get("/health")
    health = await ended.get_json()
    assert (ended.status_code, health["ready"], health["problems"][0]["code"]) == (503, False, "stopping")
    assert value(samples(await (await client.get("/metrics")).get_data(as_text=True)), "scramble_up") == 0


async def test_the_reference_has_all_metrics_of_rooms_and_no_others() -> None:
    own, common = (  # the tests of clusters check the metrics of a cluster
        set(
            re.findall(
                r"^\| `(scramble_(?!cluster_)\w+)", (ROOT / "docs" / "reference" / page).read_text(), re.MULTILINE
            )
        )
        for page in ("games-in-rooms.md", "metrics-and-logs.md")
    )
    async with open_rooms() as rooms:
        app = QuartTrio("monitoring")
        add_rooms_monitoring(app, rooms, Traffic())
        text = await (await app.test_client().get("/metrics")).get_data(as_text=True)
    families = [family for family in text_string_to_metric_families(text) if family.name.startswith("scramble")]
    told = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    assert told == own | common - {"scramble_game_version"}


async def test_metrics_can_be_switched_off() -> None:
    async with open_rooms() as rooms:
        app = QuartTrio("monitoring")
        add_refusals(app)
        add_rooms_monitoring(app, rooms, Traffic(), metrics=False)
        assert (await app.test_client().get("/metrics")).status_code == 404
