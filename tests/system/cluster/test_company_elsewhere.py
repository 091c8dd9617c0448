"""The company in a room with people at two servers, over real sockets. The Redis between the servers is simulated.

Partitions:
- people are at: the server that runs the game, the other server, both
- all clients see: names, host, votes, acts, reactions, hues, present players, spectators
- an act: of the host at the other server; a removal of a player whose flip waits there; a removal that is only
  recorded; a seat that goes to a device there, also while the host removes its player here
- the next game: begun at both servers at once, by votes at both; refused at one of them
- a game: Memory Scramble, Minesweeper, a crossword; a player there leaves
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import pytest
import trio

from scramble.games.settings import BadSettings, FieldError
from scramble.players.hues import wish_of
from scramble.players.seats import hash_of
from scramble.rooms.bothosts import hosted_bots
from scramble.rooms.protocol import BotSetting, RoomOrder, RoomRecord
from tests.support.cluster.places import two_servers
from tests.support.crossword.driver import SIMPLE
from tests.support.minesweeper.diggers import Tab as Digging
from tests.support.rooms.openings import CountedOpenings
from tests.support.rooms.served import ANN, BOARD, BOB
from tests.support.rooms.table import CARL, Table, acts, of, state, until_count, until_state
from tests.support.websocket import Frame, Tab
from tests.system.rooms.test_crossword import until, view

NEVER_S = 1e6  # longer than every test
STEPS = 40  # checkpoints: a request comes before, at, or after another one


@asynccontextmanager
async def tables(
    kind: str = "memory", *, away_s: float = 20.0, **settings: object
) -> AsyncIterator[tuple[Table, Table]]:
    """Yield the tables of one room that Ann has opened: at the server that runs its game, and at the other server."""
    settings = settings or {"board": BOARD}
    async with two_servers(away_s=away_s) as (first, second), trio.open_nursery() as nursery:
        record = await first.rooms.create(kind, settings, RoomOrder(host=hash_of(ANN), title="Friday"))
        async with first.rooms.enter(record.name) as room:
            assert room.runs_here
            async with second.rooms.enter(record.name) as joined:
                assert not joined.runs_here
                yield Table(first, record.name, nursery), Table(second, record.name, nursery)
                nursery.cancel_scope.cancel()


def present(tab: Tab) -> object:
    """Return the present players in the latest frame."""
    return of(tab, "players")[-1]["players"]


async def test_all_see_each_other_wherever_they_are() -> None:
    async with tables() as (here, there):
        await there.do("names", BOB, name="Böb")
        ann, bob = await here.tab("play/ann", ANN), await there.tab("play/Bob", BOB)
        carl = await there.tab("view", CARL)
        for tab in (ann, bob, carl):
            await until_state(
                tab, players=["ann", "Bob"], names={"Bob": "Böb"}, host="ann", watching=1, needed=1, title="Friday"
            )
            await tab.until(lambda tab=tab: present(tab) == ["Bob", "ann"])  # type: ignore[misc]
        assert [state(tab)["hosting"] for tab in (ann, bob, carl)] == [True, False, False]
        assert (await there.do("react", BOB, emoji="👍")).status_code == 204
        for tab in (ann, bob, carl):
            await until_count(tab, "reaction", 1)
        await bob.socket.leave()
        await until_state(ann, players=["ann"])
        await ann.until(lambda: present(ann) == ["ann"])
        await ann.until(lambda: list(cast(dict[str, object], of(ann, "players")[-1]["left"])) == ["Bob"])


async def test_the_host_acts_from_anywhere_and_a_new_game_begins_once() -> None:
    async with tables() as (here, there):
        ann, bob = await there.tab("play/ann", ANN), await here.tab("play/bob", BOB)
        assert await here.refusal("rename", BOB, title="mine") == (403, "not-the-host")
        assert (await there.do("rename", ANN, title="Monday")).status_code == 204
        assert (await there.do("settings", ANN, settings={"size": "4x4"}, turn_clock="off")).status_code == 204
        for tab in (ann, bob):
            await until_state(tab, title="Monday", next={"size": "4x4"})
        begun: set[str] = set()

        async def begin(table: Table) -> None:
            begun.add((await table.do("again", ANN)).json()["room"])

        async with trio.open_nursery() as nursery:
            for table in (here, there):
                nursery.start_soon(begin, table)
        (successor,) = begun
        for tab in (ann, bob):
            await until_state(tab, successor=successor)
            await until_count(tab, "act", 3)
            assert [act["act"] for act in acts(tab)] == ["rename", "settings", "again"]
        record = await here.served.rooms.find(successor)
        assert (record.turn_s, record.title) == (None, "Monday")


async def test_settings_of_which_no_game_can_be_made_are_refused_alike_at_both_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def create(*_: object, **__: object) -> RoomRecord:
        raise BadSettings({"settings.no_guessing": FieldError.of("not-solvable-in-time", "not in 10 s", seconds=10)})

    refused = []
    async with tables() as (here, there):
        monkeypatch.setattr(here.served.rooms, "create", create)
        for table in (here, there):
            answer = await table.do("again", ANN)
            refused.append((answer.status_code, answer.json()))
    code = {"code": "not-solvable-in-time", "params": {"seconds": 10}}
    assert refused[0] == refused[1]
    assert (refused[0][0], refused[0][1]["codes"]) == (400, {"settings.no_guessing": code})


async def test_votes_count_wherever_they_are_given() -> None:
    async with tables() as (here, there):
        ann, bob = await here.tab("play/ann", ANN), await there.tab("play/bob", BOB)
        assert await there.refusal("vote", BOB) == (403, "not-moved")
        for table, name, secret, place in ((here, "ann", ANN, "0,0"), (there, "bob", BOB, "0,1")):
            await table.served.get(f"/g/{table.name}/flip/{name}/{place}", secret)
        opened = here.served.rooms.openings, there.served.rooms.openings = CountedOpenings(), CountedOpenings()
        assert (await there.do("vote", BOB)).status_code == 204
        await until_state(ann, votes=["bob"], counted=1, needed=2)
        assert (await here.do("vote", ANN)).status_code == 204
        for tab in (ann, bob):
            await tab.until(lambda tab=tab: state(tab)["successor"] is not None)  # type: ignore[misc]
            await until_count(tab, "act", 3)
        assert [len(openings.counted) for openings in opened] == [1, 0], "one process opens the room, and counts it"


async def test_who_is_removed_leaves_the_other_server_too_and_gets_no_card_there() -> None:
    async with tables() as (here, there):
        ann, bob = await here.tab("play/ann", ANN), await there.tab("play/bob", BOB)
        await here.served.get(f"/g/{here.name}/flip/ann/0,0", ANN)
        flip = {"type": "flip", "id": 1, "row": 0, "column": 0}
        await bob.say(flip)
        await bob.until(lambda: any(frame.get("outcome") == "waiting" for frame in of(bob, "flip")))
        assert (await here.do("remove", ANN, player="bob")).status_code == 204
        assert await bob.until_closed() == 4403
        for table in (here, there):
            answer = await table.served.get(f"/g/{here.name}/flip/bob/0,1", BOB)
            assert (answer.status_code, "removed you" in answer.text) == (403, True)
        await here.served.get(f"/g/{here.name}/flip/ann/1,0", ANN)  # no pair: both cards are free
        board = (await here.served.get(f"/g/{here.name}/look/ann", ANN)).text
        assert board.splitlines()[1] == "up A"
        await until_state(ann, players=["ann"])


async def test_who_is_removed_on_record_alone_leaves_both_servers() -> None:
    async with tables(away_s=NEVER_S) as (here, there):
        tabs = [await here.tab("play/bob", BOB), await there.tab("play/bob", BOB)]
        ann = await here.tab("play/ann", ANN)
        await here.served.get(f"/g/{here.name}/flip/bob/0,0", BOB)
        await there.served.rooms.expel(here.name, hash_of(BOB))
        for tab in tabs:
            assert await tab.until_closed() == 4403
        await here.served.get(f"/g/{here.name}/flip/ann/0,0", ANN)  # waits until the card is free
        await until_state(ann, players=["ann"])


async def test_a_seat_goes_to_a_device_at_the_other_server_and_both_know_it() -> None:
    async with tables() as (here, there):
        bob = await here.tab("play/bob", BOB)
        await here.served.get(f"/g/{here.name}/flip/bob/0,0", BOB)
        assert (await there.served.get(f"/g/{here.name}/flip/bob/0,1", BOB)).status_code == 200  # also there
        link = (await here.do("handover", BOB, player="bob", address="http://x/")).json()["link"]
        ticket = link.partition("#seat=")[2]
        assert (await there.do("seat", CARL, ticket=ticket)).json() == {"player": "bob", "name": "bob"}
        assert await bob.until_closed() == 4403
        assert (await here.do("seat", CARL, ticket=ticket)).json() == {"player": "bob", "name": "bob"}
        assert await here.refusal("seat", ANN, ticket=ticket) == (410, "no-such-ticket")
        for table in (here, there):
            path = f"/g/{here.name}/flip/bob/1,0"
            statuses = [(await table.served.get(path, secret)).status_code for secret in (BOB, CARL)]
            assert statuses[0] == 403
            assert statuses[1] in (200, 409)


async def test_who_is_removed_at_one_server_while_the_seat_goes_to_a_device_at_the_other_plays_on_neither() -> None:
    for step in range(-STEPS, STEPS, STEPS // 4):
        async with tables() as (here, there):
            await here.served.get(f"/g/{here.name}/flip/bob/0,0", BOB)
            link = (await there.do("handover", BOB, player="bob", address="http://x/")).json()["link"]
            statuses = list[int]()

            async def act(table: Table, wait: int, what: str, secret: str, **values: object) -> None:
                for _ in range(wait):
                    await trio.lowlevel.checkpoint()
                statuses.append((await table.do(what, secret, **values)).status_code)  # noqa: B023  ends in the block

            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(act, here, -step, "remove", ANN, player="bob"))
                nursery.start_soon(partial(act, there, step, "seat", CARL, ticket=link.partition("#seat=")[2]))
            assert sorted(statuses) in ([200, 204], [204, 403])
            for table in (here, there):
                for secret in (BOB, CARL):
                    assert (await table.served.get(f"/g/{here.name}/flip/bob/0,1", secret)).status_code == 403


async def test_a_server_over_which_somebody_has_only_looked_knows_that_a_seat_has_gone_to_another_device() -> None:
    async with tables() as (here, there):
        await here.served.get(f"/g/{here.name}/flip/bob/0,0", BOB)
        assert (await there.served.get(f"/g/{here.name}/look/bob", BOB)).status_code == 200
        link = (await here.do("handover", BOB, player="bob", address="http://x/")).json()["link"]
        assert (await here.do("seat", CARL, ticket=link.partition("#seat=")[2])).status_code == 200
        await there.served.get(f"/g/{here.name}/look/ann", ANN)  # the answer arrives after all earlier messages
        assert (await there.served.get(f"/g/{here.name}/flip/bob/0,1", BOB)).status_code == 403
        assert (await there.served.get(f"/g/{here.name}/flip/bob/0,1", CARL)).status_code == 200


async def test_two_who_wish_the_same_hue_have_different_ones_at_both_servers() -> None:
    async with tables() as (here, there):
        first = "p1"
        second = next(name for name in (f"p{n}" for n in range(2, 99)) if wish_of(name) == wish_of(first))
        ann = await here.tab(f"play/{first}", ANN)
        bob = await there.tab(f"play/{second}", BOB)
        for tab in (ann, bob):
            await until_count(tab, "hues", 1)
            assert cast(dict[str, int], of(tab, "hues")[0]["hues"]).keys() == {second}
        assert of(ann, "hues") == of(bob, "hues")


async def test_a_room_that_is_closed_closes_at_both_servers_after_the_last_words() -> None:
    async with tables() as (here, there):
        ann, bob = await there.tab("play/ann", ANN), await here.tab("play/bob", BOB)
        assert (await there.do("close", ANN)).status_code == 204
        for tab in (ann, bob):
            assert await tab.until_closed() == 4410
            assert [act["act"] for act in acts(tab)] == ["close"]


async def test_a_bot_plays_where_the_game_runs_and_is_seen_everywhere() -> None:
    async with two_servers() as (first, second), hosted_bots(first.rooms), trio.open_nursery() as nursery:
        record = await first.rooms.create(
            "memory", {"board": BOARD}, RoomOrder(host=hash_of(ANN), bots=(BotSetting("easy"),))
        )
        here, there = Table(first, record.name, nursery), Table(second, record.name, nursery)
        ann = await here.tab("play/ann", ANN)
        carl = await there.tab("view", CARL)
        for tab in (ann, carl):
            await tab.until(lambda tab=tab: len(cast(list[str], present(tab))) == 2)  # type: ignore[misc]
            await tab.until(lambda tab=tab: len(cast(list[str], state(tab)["players"])) == 2)  # type: ignore[misc]
            (name,) = cast(dict[str, str], state(tab)["names"])
            assert name.startswith("bot_")
        nursery.cancel_scope.cancel()


async def test_a_crossword_is_played_from_both_servers() -> None:
    async with two_servers() as (first, second):
        record = await first.rooms.create("crossword", {"source": SIMPLE}, RoomOrder(host=hash_of(ANN)))
        ann = await first.socket(f"/g/{record.name}/play/ann", ANN)
        bob = await second.socket(f"/g/{record.name}/play/bob", BOB)
        for player in (ann, bob):
            await until(player, "PLAY")
        await bob.send("TRY 1 cat")
        for player in (bob, ann):
            while not any(word["entered"] == "cat" and word["by"] == "bob" for word in words(await view(player))):
                pass


def words(frame: Frame) -> list[Frame]:
    """Return the words of the match in a view."""
    return cast(list[Frame], cast(Frame, frame["match"])["words"])


async def test_a_field_is_dug_from_both_servers() -> None:
    async with two_servers() as (first, second), trio.open_nursery() as nursery:
        record = await first.rooms.create("minesweeper", {"field": "3 2\n0 0 0\n0 0 1\n"}, RoomOrder(host=hash_of(ANN)))
        tabs = []
        for served, name, secret in ((first, "ann", ANN), (second, "bob", BOB)):
            tab = Digging(await served.socket(f"/g/{record.name}/play/{name}", secret))
            nursery.start_soon(tab.read_all)
            await tab.until(lambda tab=tab: tab.mirror.you is not None)  # type: ignore[misc]
            tabs.append(tab)
        ann, bob = tabs
        await ann.until(lambda: len(ann.mirror.players) == 2)
        await bob.move("dig", 0, 0)
        await bob.socket.leave()
        await ann.until(lambda: len(ann.mirror.players) == 1)
        assert ann.mirror.lines == bob.mirror.lines
        nursery.cancel_scope.cancel()
