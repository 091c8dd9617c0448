"""Rights of people who did not open a room: to act instead of an absent opener, and to vote for a new game.

Partitions:
- a stand-in: the next game and its settings; title, removal, closing; before and after the opener is long absent
- votes: of a player without a move; of one address under four names, against three people; of a class behind one
  address, of this machine
- two clients under one name, with open names: one after the other; the first is still connected, or not
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from scramble.front.rooms.app import RoomsConfig
from scramble.players.seats import hash_of
from scramble.rooms.gathering import people
from scramble.rooms.protocol import RoomOrder
from scramble.server.protection.middleware import Protection
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms
from tests.support.rooms.table import CARL, Table, acts, state, table, until_state
from tests.support.websocket import Tab

BOARD = "4x4\n" + "A\nB\nC\nD\nE\nF\nG\nH\n" * 2


async def test_a_stranger_takes_no_room_over_whose_opener_is_away_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "HOST_GONE_S", 0.0)
    async with table() as room:
        bob, carl = await room.tab("play/bob", BOB), await room.tab("play/carl", CARL)
        await until_state(bob, host="bob", hosting=True, acting=True)
        for act, values in (("rename", {"title": "mine"}), ("remove", {"player": "carl"}), ("close", {})):
            assert await room.refusal(act, BOB, **values) == (403, "stands-in"), act
            assert await room.refusal(act, CARL, **values) == (403, "not-the-host"), act
        answer = await room.served.get(f"/g/{room.name}/replace/bob/A/X", BOB)
        assert (answer.status_code, "once the host is away for 15 minutes" in answer.text) == (403, True)
        all_in = state(bob)["all_in"]
        assert isinstance(all_in, float)
        assert 0 < all_in <= people.OPENER_GONE_S
        assert (await room.do("settings", BOB, settings={"size": "4x4"})).status_code == 204
        assert (await room.do("again", BOB)).status_code == 201
        assert carl.closed is None


async def test_who_stands_in_may_do_all_once_the_opener_is_gone_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "HOST_GONE_S", 0.0)
    monkeypatch.setattr(people, "OPENER_GONE_S", 0.0)
    async with table() as room:
        bob, carl = await room.tab("play/bob", BOB), await room.tab("play/carl", CARL)
        await until_state(bob, hosting=True, acting=False, all_in=None)
        assert (await room.do("rename", BOB, title="mine")).status_code == 204
        assert await room.refusal("remove", BOB, player="ann") == (404, "no-such-player")
        assert (await room.do("remove", BOB, player="carl")).status_code == 204
        assert await carl.until_closed() == 4403
        assert (await room.do("close", BOB)).status_code == 204


class Street:
    """A room whose players come from several addresses."""

    def __init__(self, served: ServedRooms, name: str, nursery: trio.Nursery) -> None:
        self._served = served
        self._room = f"/g/{name}"
        self._nursery = nursery

    async def tab(self, player: str, address: str) -> Tab:
        """A tab of a player from that address."""
        tab = Tab(await self._served.socket(f"{self._room}/play/{player}", secret(player), **come_from(address)))
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.count("company") > 0)
        return tab

    async def moves(self, player: str, address: str, place: int) -> None:
        path = f"{self._room}/flip/{player}/{place // 4},{place % 4}"
        assert (await self._served.get(path, secret(player), **come_from(address))).status_code == 200

    async def opens(self, address: str) -> int:
        answer = await self._served.client.post("/rooms", json={"game": "memory"}, headers=come_from(address))
        return answer.status_code

    async def votes(self, player: str, address: str) -> tuple[int, object]:
        headers = bearer(secret(player)) | come_from(address)
        answer = await self._served.client.post(f"{self._room}/vote", headers=headers)
        return answer.status_code, answer.json()["code"] if answer.content else None


def secret(player: str) -> str:
    return f"{player}-0123456789abcdef"


def come_from(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


@asynccontextmanager
async def street(config: RoomsConfig = RoomsConfig()) -> AsyncIterator[Street]:  # noqa: B008  immutable
    protection = Protection(behind_proxy=True)
    async with serving_rooms(protection=protection, config=config) as served, trio.open_nursery() as nursery:
        record = await served.rooms.create("memory", {"board": BOARD}, RoomOrder(host=hash_of(ANN)))
        yield Street(served, record.name, nursery)
        nursery.cancel_scope.cancel()


async def test_four_names_of_one_address_do_not_outvote_three_people() -> None:
    async with street() as room:
        honest = {f"p{number}": f"203.0.113.{number}" for number in range(3)}
        names = [f"evil{number}" for number in range(4)]
        tabs = {player: await room.tab(player, address) for player, address in honest.items()}
        tabs |= {name: await room.tab(name, "198.51.100.1") for name in names}
        for place, player in enumerate(tabs):
            await room.moves(player, honest.get(player, "198.51.100.1"), place)
        for name in names:
            assert await room.votes(name, "198.51.100.1") == (204, None)
        await until_state(tabs["p0"], votes=names, counted=1, needed=3, successor=None)
        assert await room.votes("p0", honest["p0"]) == (204, None)
        await until_state(tabs["p0"], counted=2, successor=None)
        assert await room.votes("p1", honest["p1"]) == (204, None)
        await tabs["p2"].until(lambda: state(tabs["p2"])["successor"] is not None)


async def test_a_voted_game_counts_for_a_voter_and_not_for_a_stranger_who_came_later() -> None:
    async with street(RoomsConfig(rooms_per_minute=1)) as room:
        assert await room.opens("198.51.100.1") == 201
        assert await room.opens("198.51.100.1") == 429
        tabs = {f"p{number}": await room.tab(f"p{number}", f"203.0.113.{number}") for number in range(2)}
        for place, player in enumerate(tabs):
            await room.moves(player, f"203.0.113.{place}", place)
        assert await room.votes("p0", "203.0.113.0") == (204, None)
        await room.tab("evil", "198.51.100.1")
        await tabs["p1"].socket.aclose()
        await tabs["p0"].until(lambda: state(tabs["p0"])["successor"] is not None or tabs["p0"].count("refusal") > 0)
        assert tabs["p0"].count("refusal") == 0


async def test_a_vote_needs_a_move_and_counts_among_those_who_have_made_one() -> None:
    async with street() as room:
        tabs = {f"p{number}": await room.tab(f"p{number}", f"203.0.113.{number}") for number in range(5)}
        assert await room.votes("p0", "203.0.113.0") == (403, "not-moved")
        for place in range(3):
            await room.moves(f"p{place}", f"203.0.113.{place}", place)
        assert await room.votes("p3", "203.0.113.3") == (403, "not-moved")
        assert await room.votes("p0", "203.0.113.0") == (204, None)
        await until_state(tabs["p4"], votes=["p0"], counted=1, needed=2)
        await room.moves("p3", "203.0.113.3", 3)
        await room.moves("p4", "203.0.113.4", 4)
        assert await room.votes("p1", "203.0.113.1") == (204, None)
        await until_state(tabs["p4"], counted=2, needed=3, successor=None)


async def test_a_class_behind_one_address_has_a_vote_each() -> None:
    async with street() as room:
        tabs = {f"p{number}": await room.tab(f"p{number}", "203.0.113.1") for number in range(3)}
        for place, player in enumerate(tabs):
            await room.moves(player, "203.0.113.1", place)
        assert await room.votes("p0", "203.0.113.1") == (204, None)
        await until_state(tabs["p1"], counted=1, needed=2, successor=None)
        assert await room.votes("p1", "203.0.113.1") == (204, None)
        await tabs["p2"].until(lambda: state(tabs["p2"])["successor"] is not None)


async def played_as_bob(room: Table) -> tuple[Tab, Tab]:
    """Connect Bob as bob and then as robert, Carl as bob, and Ann as a witness. Return Bob's and Carl's tabs."""
    once = await room.tab("play/bob", BOB)
    bob = await room.tab("play/robert", BOB)
    await once.socket.leave()
    watcher = await room.tab("play/ann", ANN)
    await until_state(watcher, players=["robert", "ann"])
    return bob, await room.tab("play/bob", CARL)


async def test_where_names_are_open_who_has_the_name_now_is_removed_and_nobody_who_had_it() -> None:
    async with table(names="open") as room:
        robert, bob = await played_as_bob(room)
        assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert await bob.until_closed() == 4403
        assert robert.closed is None
        assert (await room.served.rooms.find(room.name)).expelled == (hash_of(CARL),)
        await until_state(robert, players=["robert", "ann"])
        assert acts(robert)[-1]["act"] == "remove"
