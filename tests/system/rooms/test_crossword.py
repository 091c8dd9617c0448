"""Rooms of Crossword Extravaganza over real sockets.

Partitions:
- a player's ID is typed in the session, or in the path; is the client's seat, is another client's, is free, is invalid;
  names are open
- the first player, the second, a third; a player who returns after a lost connection; a visitor after the match
- lines of the choice
- a spectator: before, during and after the match; moves; frames that a spectator gets and does not get
- the company: counted as players and as spectators, shown to each other, removed
- the end: the room's result and its replay
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scramble.players.seats import hash_of
from scramble.rooms.protocol import Headcount, Names, RoomOrder
from tests.support.crossword.driver import SIMPLE
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms
from tests.support.websocket import Closed, Frame, WebSocket

CYD = "cyd-0123456789abcdef"


class Match:
    """A room, and sockets of its clients."""

    def __init__(self, served: ServedRooms, name: str) -> None:
        self.served = served
        self.name = name

    async def socket(self, path: str, secret: str | None = None) -> WebSocket:
        return await self.served.socket(f"/g/{self.name}/{path}", secret)

    async def both(self) -> tuple[WebSocket, WebSocket]:
        """Return the sockets of Ann and Bob, in PLAY."""
        ann, bob = await self.socket("play/ann", ANN), await self.socket("play/bob", BOB)
        for player in (ann, bob):
            await until(player, "PLAY")
        return ann, bob


@asynccontextmanager
async def match(names: Names = "seats") -> AsyncIterator[Match]:
    async with serving_rooms() as served:
        record = await served.rooms.create("crossword", {"source": SIMPLE}, RoomOrder(names=names, host=hash_of(ANN)))
        yield Match(served, record.name)


async def view(socket: WebSocket) -> Frame:
    """Return the next view; skip the frames of the company."""
    while "state" not in (frame := await socket.receive()) or "type" in frame:
        pass
    return frame


async def until(socket: WebSocket, state: str) -> Frame:
    while (frame := await view(socket))["state"] != state:
        pass
    return frame


async def say(socket: WebSocket, line: str) -> Frame:
    await socket.send(line)
    return await view(socket)


async def ending(socket: WebSocket) -> tuple[int, str | None]:
    with pytest.raises(Closed) as closed:
        while True:
            await socket.receive()
    return closed.value.code, closed.value.reason


async def test_the_seat_gives_the_name_and_nobody_ever_chooses() -> None:
    async with match() as room:
        ann = await room.socket("play/ann", ANN)
        first = await view(ann)
        assert (first["state"], first["player"], first["error"]) == ("WAIT", "ann", None)
        bob = await room.socket("play", BOB)
        assert (await view(bob))["state"] == "START"
        assert "somebody else" in str((await say(bob, "ann"))["error"])
        second = await say(bob, "bob")
        assert (second["state"], second["player"]) == ("PLAY", "bob")
        assert (await view(ann))["state"] == "PLAY"
        for line in ('NEW m1 simple "so"', "PLAY one"):
            assert (await say(ann, line))["error"] == "Here is one match only, and no other one can be made or joined."
        assert room.served.rooms.headcount(room.name) == Headcount(players=2, host="ann")


async def test_a_seat_of_somebody_else_cannot_be_played_and_a_third_player_may_only_watch() -> None:
    async with match() as room:
        await room.both()
        assert await ending(await room.socket("play/ann", BOB)) == (4403, "seat-taken")
        cyd = await room.socket("play/cyd", CYD)
        refused = await view(cyd)
        assert (refused["state"], refused["error"]) == (
            "START",
            "The match has its two players already. You may watch it.",
        )
        assert await ending(cyd) == (4409, "match-full")
        typed = await room.socket("play", CYD)
        await view(typed)
        assert (await say(typed, "cyd"))["error"] == "The match has its two players already. You may watch it."
        assert await ending(await room.socket("play/c%20d", CYD)) == (4400, "invalid")


async def test_a_player_comes_back_by_the_seat_from_anywhere_without_a_token() -> None:
    async with match() as room:
        ann, bob = await room.both()
        await ann.aclose()
        assert (await view(bob))["missing"]
        again = await room.socket("play/ann", ANN)
        assert (await view(again))["state"] == "PLAY"
        assert "missing" not in await view(bob)
        typed = await room.socket("play", ANN)
        await view(typed)
        assert (await say(typed, "ann"))["state"] == "PLAY"
        assert (await ending(again))[0] == 4001


async def test_where_names_are_open_anybody_may_say_who_they_are() -> None:
    async with match("open") as room:
        ann = await room.socket("play/ann")
        assert (await view(ann))["state"] == "WAIT"
        other = await room.socket("play/ann")
        assert (await view(other))["state"] == "WAIT"
        assert (await ending(ann))[0] == 4001


async def test_a_spectator_sees_what_both_players_see_from_beginning_to_end() -> None:
    async with match() as room:
        spectator = await room.socket("view")
        before = await view(spectator)
        assert (before["state"], before["player"], sorted(before["match"])) == (  # type: ignore[call-overload]
            "WAIT",
            None,
            ["description", "id", "puzzle"],
        )
        ann, bob = await room.both()
        await until(spectator, "PLAY")
        assert room.served.rooms.headcount(room.name) == Headcount(players=2, watching=1, host="ann")
        mine = await say(ann, "TRY 1 cat")
        seen = await view(spectator)
        assert seen["match"] == mine["match"] == (await view(bob))["match"]
        await spectator.send("TRY 2 mat")
        error = await spectator.receive()
        while error["type"] != "error":
            error = await spectator.receive()
        assert error == {"type": "error", "reason": "spectators make no moves"}
        end = await say(bob, "TRY 2 mat")
        score = await until(spectator, "SHOW SCORE")
        assert score["result"] == end["result"]
        assert not {"token", "puzzles", "matches"} & (before.keys() | seen.keys() | score.keys())


async def test_the_end_of_the_match_is_the_end_of_the_room_and_its_replay_tells_it() -> None:
    async with match() as room:
        ann, bob = await room.both()
        await say(ann, "TRY 1 cat")
        async with room.served.rooms.enter(room.name) as inside:
            record = inside.record
            await say(bob, "EXIT")
            while record.state == "open":
                record = await inside.next_record(record)
        assert (record.state, record.result and record.result.winners) == ("ended", ("ann",))
        late = await room.socket("play/cyd", CYD)
        assert (await view(late))["error"] == "The match is over. You may look at its score."
        assert await ending(late) == (4409, "match-over")
        assert (await view(await room.socket("play/bob", BOB)))["state"] == "SHOW SCORE"
        assert (await room.served.get(f"/g/{room.name}/replay/data")).json()["kind"] == "crossword"
        replay = await room.served.get(f"/g/{room.name}/replay/data?from=1")
        assert '["waits",{"player":"ann"}]' in replay.text
        assert '["gave-up",{"player":"bob","match":"one"}]' in replay.text


async def test_who_is_removed_forfeits_the_match_and_may_watch() -> None:
    async with match() as room:
        ann, bob = await room.both()
        headers, removal = bearer(ANN), json.dumps({"player": "bob"})
        removed = await room.served.client.post(f"/g/{room.name}/remove", headers=headers, content=removal)
        assert removed.status_code == 204
        assert await ending(bob) == (4403, "player-removed")
        missing = await view(ann)
        assert "missing" in missing
        assert await ending(await room.socket("play/bob", BOB)) == (4403, "player-removed")
        assert (await view(await room.socket("view", BOB)))["state"] == "PLAY"


async def test_a_room_tells_its_page_the_time_to_come_back_and_has_no_telnet() -> None:
    async with match() as room:
        server = await room.served.get(f"/g/{room.name}/server")
        assert server.json() == {"grace": 300.0, "telnet": None}
