"""Removal of players from a room, and other acts that depend on the client.

Partitions:
- the removed client: then hands the seat over; after a ticket was given; plays over HTTP with open names; waits for a
  card
- the host: plays over HTTP only
- the next game's settings: in the host's frames, in the others' frames
- the next game on a server with a token for the opening of rooms: begun by the host, by others, with the token; begun
  before, and closed or removed since then
"""

from __future__ import annotations

import threading
from typing import cast

import pytest
import segno
import trio

from scramble.front.rooms.app import RoomsConfig
from scramble.rooms.gathering import people
from tests.support.rooms.served import ANN, BOB, bearer
from tests.support.rooms.table import CARL, Table, acts, state, table, until_count, until_state


async def ticket(room: Table, secret: str, player: str) -> str:
    """Return a ticket for the seat of that player."""
    answer = await room.do("handover", secret, player=player, address="http://x/")
    return cast(str, answer.json()["link"]).partition("#seat=")[2]


async def flip(room: Table, player: str, place: str, secret: str | None) -> int:
    return (await room.served.get(f"/g/{room.name}/flip/{player}/{place}", secret)).status_code


async def test_a_removed_player_does_not_come_back_by_another_device() -> None:
    async with table() as room:
        await room.tab("play/ann", ANN)
        assert await flip(room, "bob", "0,0", BOB) == 200
        early = await ticket(room, BOB, "bob")
        assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert await room.refusal("handover", BOB, player="bob", address="http://x/") == (403, "player-removed")
        assert await room.refusal("seat", CARL, ticket=early) == (403, "player-removed")
        assert await flip(room, "bob", "0,1", CARL) == 403


async def test_where_names_are_open_a_player_over_http_is_removed_too() -> None:
    async with table(names="open") as room:
        assert await flip(room, "bob", "0,0", BOB) == 200
        assert await flip(room, "carl", "0,1", CARL) == 200
        assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert [await flip(room, name, "1,0", BOB) for name in ("bob", "robert")] == [403, 403]
        assert await flip(room, "carl", "1,0", CARL) == 200
        assert await flip(room, "dora", "1,1", None) == 200
        assert await room.refusal("remove", ANN, player="dora") == (404, "nobody-with-secret")


async def test_who_opened_a_room_is_its_host_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "HOST_GONE_S", 1e-9)
    async with table() as room:
        bob = await room.tab("play/bob", BOB)
        await until_state(bob, host="bob")
        assert await room.refusal("rename", CARL, title="mine") == (403, "not-the-host")
        assert (await room.do("rename", ANN, title="Monday")).status_code == 204
        await until_state(bob, title="Monday")


async def test_a_flip_that_waits_ends_with_the_removal_of_its_player() -> None:
    async with table() as room:
        await room.tab("play/ann", ANN)
        assert await flip(room, "ann", "0,0", ANN) == 200
        statuses = list[int]()
        async with trio.open_nursery() as nursery:

            async def wait_for_the_card() -> None:
                statuses.append(await flip(room, "bob", "0,0", BOB))

            nursery.start_soon(wait_for_the_card)
            watcher = await room.tab("view", CARL)
            await watcher.until(lambda: any(frame.get("waiting") for frame in watcher.frames))
            assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert statuses == [403]
        assert "up A" in (await room.served.get(f"/g/{room.name}/look/carl", CARL)).text


async def test_only_the_host_sees_what_the_next_game_hides() -> None:
    async with table() as room:
        ann, bob = await room.tab("play/ann", ANN), await room.tab("play/bob", BOB)
        board = "1x2\nX\nX\n"
        assert (await room.do("settings", ANN, settings={"board": board})).status_code == 204
        await until_state(ann, next={"board": board})
        await until_count(bob, "act", 1)
        await until_state(bob, next={})
        assert not any("X" in str(frame.get("next")) for frame in bob.frames)


async def test_who_may_open_no_rooms_begins_no_next_game() -> None:
    config = RoomsConfig(open_rooms="token", token="sesame")
    for secret, token, status in ((BOB, "", 403), (BOB, "sesame", 201), (ANN, "", 201)):
        async with table("1x2\nA\nA\n", config=config) as room:
            bob = await room.tab("play/bob", BOB)
            for place in ("0,0", "0,1"):
                assert await flip(room, "bob", place, BOB) == 200
            await until_state(bob, state="ended")
            headers = bearer(secret) | ({"Scramble-Token": token} if token else {})
            answer = await room.served.client.post(f"/g/{room.name}/again", headers=headers)
            assert answer.status_code == status
            if status == 201:
                assert (await room.do("again", CARL)).headers["Location"] == answer.headers["Location"]
            else:
                assert answer.json()["code"] == "may-not-open"
                assert (await room.served.rooms.find(room.name)).successor is None


@pytest.mark.parametrize("end", ["close", "remove"])
async def test_a_next_game_that_cannot_be_entered_gives_nobody_the_right_to_another_one(end: str) -> None:
    async with table("1x2\nA\nA\n", config=RoomsConfig(open_rooms="token", token="sesame")) as room:
        bob, rooms = await room.tab("play/bob", BOB), room.served.rooms
        for place in ("0,0", "0,1"):
            assert await flip(room, "bob", place, BOB) == 200
        await until_state(bob, state="ended")
        begun = (await room.do("again", ANN)).json()["room"]
        await until_state(bob, successor=begun)
        assert (await room.do("again", BOB)).json()["room"] == begun
        await (rooms.close if end == "close" else rooms.remove)(begun)
        await until_state(bob, successor=None)
        assert (await room.served.get(f"/rooms/{room.name}")).json()["successor"] is None
        late = await room.tab("view", CARL)
        await until_state(late, successor=None)
        for _ in range(2):
            assert await room.refusal("again", BOB) == (403, "may-not-open")
        assert len(await rooms.list(hidden=True)) == (2 if end == "close" else 1)
        other = (await room.do("again", ANN)).json()["room"]
        assert other != begun
        for tab in (bob, late):
            await until_state(tab, successor=other)
            assert [act["room"] for act in acts(tab)][-1:] == [other]
        await rooms.rename(room.name, "Monday")
        await until_state(bob, title="Monday", successor=other)


async def test_votes_for_a_next_game_are_used_up_by_it() -> None:
    async with table() as room:
        bob = await room.tab("play/bob", BOB)
        assert await flip(room, "bob", "0,0", BOB) == 200
        assert (await room.do("vote", BOB)).status_code == 204
        await bob.until(lambda: state(bob)["successor"] is not None)
        await room.served.rooms.close(str(state(bob)["successor"]))
        await until_state(bob, successor=None, votes=[])
        await room.tab("view", CARL)
        assert len(await room.served.rooms.list(hidden=True)) == 2


async def test_a_server_without_space_leads_to_a_next_game_that_was_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table() as room:
        ann = await room.tab("play/ann", ANN)
        begun = await room.do("again", ANN)
        await until_state(ann, successor=begun.json()["room"])
        monkeypatch.setattr(room.served.rooms.space, "full", True)
        assert (await room.do("again", ANN)).headers["Location"] == begun.headers["Location"]


async def test_codes_are_drawn_once_and_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[threading.Thread]()
    make = segno.make

    def noting(*args: object, **kwargs: object) -> segno.QRCode:
        threads.append(threading.current_thread())
        return make(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(segno, "make", noting)
    async with table() as room:
        codes = [await room.served.get(f"/g/{room.name}/qr.svg") for _ in range(3)]
        assert {code.status_code for code in codes} == {200}
        assert len({code.content for code in codes}) == 1
        assert len(threads) == 1
        await room.do("names", BOB, name="bob")
        assert len(await ticket(room, BOB, "bob")) > 16
        assert len(threads) == 2
        assert threading.current_thread() not in threads
        long = f"http://{'x' * 100}/"
        assert await room.refusal("handover", BOB, player="bob", address=long) == (400, "bad-body")
