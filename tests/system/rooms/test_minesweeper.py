"""Minesweeper in rooms, over real WebSockets.

Strategy:
- a boom: the player stays; its moves have no effect during the pause, on no connection of that name; other players move
- a chord: safe, with bombs, without effect
- the end: sent to players and to spectators; kept for later visitors, also after sleep; no move after it
- the clock: begins with the first dig, and continues from the latest move in a room that slept
- no guessing: opened over HTTP; refused with text and codes; frames show the start until it is dug, and a dig at
  another square has no effect; a hard bot solves the field without a bomb
- invalid frames change nothing
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import cast

import pytest
import trio
import trio.lowlevel

from scramble.bots.remote import play_at
from scramble.minesweeper.kind import minesweeper_kind
from tests.support.minesweeper.diggers import Tab
from tests.support.rooms.served import ANN, BOB, ServedRooms, bearer, serving_rooms
from tests.support.websocket import Frame

# Three bombs:  . . . 2 *
#               . . . 3 *
#               . . . 2 *
FIELD = {"field": "5 3\n0 0 0 0 1\n0 0 0 0 1\n0 0 0 0 1\n"}

SECRETS = {"ann": ANN, "bob": BOB}

PAUSE_MS = 3_600_000  # longer than a test on a slow machine
KINDS = {"minesweeper": minesweeper_kind(10_000, pause_ms=PAUSE_MS)}


class Table:
    """A room of Minesweeper, and tabs in it."""

    def __init__(self, served: ServedRooms, room: str, nursery: trio.Nursery) -> None:
        self.served = served
        self.room = room
        self._nursery = nursery

    async def join(self, name: str) -> Tab:
        tab = Tab(await self.served.socket(f"/g/{self.room}/play/{name}", SECRETS[name]))
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.mirror.you is not None)
        return tab

    async def watch(self) -> Tab:
        tab = Tab(await self.served.socket(f"/g/{self.room}/view"))
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.mirror.version >= 0)
        return tab


@asynccontextmanager
async def table(folder: Path | None = None, sleep_after: float = 60.0) -> AsyncIterator[Table]:
    """A room with the field FIELD."""
    async with (
        serving_rooms(kinds=KINDS, folder=folder, sleep_after=sleep_after) as served,
        trio.open_nursery() as nursery,
    ):
        record = await served.rooms.create("minesweeper", FIELD)
        yield Table(served, record.name, nursery)
        nursery.cancel_scope.cancel()


def events(tab: Tab, kind: str) -> list[Frame]:
    """Return all events of that kind in the frames so far."""
    changes = [frame for frame in tab.frames if frame["type"] == "change"]
    found = [event for frame in changes for event in cast(list[Frame], frame["events"])]
    return [event for event in found if event["is"] == kind]


def has_ended(tab: Tab) -> bool:
    return bool(events(tab, "ended"))


def start_of(tab: Tab) -> Frame:
    """Return the latest field frame."""
    return [frame for frame in tab.frames if frame["type"] == "field"][-1]


async def test_a_boom_costs_a_pause_of_the_name_and_nobody_has_to_rejoin() -> None:
    async with table() as game:
        ann, bob = await game.join("ann"), await game.join("bob")
        boom = await bob.move("dig", 4, 0)
        told = {"x": 4, "y": 0, "lost": False, "pause": PAUSE_MS}
        assert boom == {"type": "boom", "id": 1, "version": boom["version"], **told}
        for move in ("dig", "flag", "chord"):
            done = await bob.move(move, 0, 0)
            assert done["type"] == "done"
            assert 0 < cast(int, done["pause"]) <= PAUSE_MS
        again = await game.join("bob")
        assert cast(int, (await again.move("flag", 0, 0))["pause"]) > 0
        await bob.say({"type": "rejoin"})
        await bob.until(lambda: any(frame["type"] == "error" for frame in bob.frames))
        assert "pause" not in await ann.move("dig", 3, 0)
        frame = start_of(again)
        (exploded,) = events(ann, "exploded")
        assert exploded["tally"] == {"squares": 0, "flags": 0, "booms": 1, "points": -10}
        assert frame["pauses"] == {"bob": exploded["until"]}
        assert frame["scores"] == {"bob": -10}


async def test_chords_open_the_rest_around_a_number_or_do_nothing_or_hit_bombs() -> None:
    async with table() as game:
        ann, bob = await game.join("ann"), await game.join("bob")
        await ann.move("dig", 3, 1)
        version = (await ann.move("chord", 3, 1))["version"]
        for x, y in ((0, 0), (-1, 3), (10**30, 0)):
            assert (await ann.move("chord", x, y))["version"] == version
        for x, y in ((4, 0), (4, 1), (2, 0)):
            await ann.move("flag", x, y)
        boom = await ann.move("chord", 3, 1)
        assert (boom["type"], boom["x"], boom["y"], boom["booms"]) == ("boom", 4, 2, [[4, 2]])
        await bob.until(lambda: bool(events(bob, "chorded")))
        (chorded,) = events(bob, "chorded")
        assert chorded["booms"] == [[4, 2]]
        assert bob.mirror.lines == ["  F2F", "   2F", "   11"]


async def test_the_end_is_told_to_all_and_stays_and_nobody_moves_any_more(tmp_path: Path) -> None:
    async with table(folder=tmp_path, sleep_after=0.0) as game:
        ann, bob, viewer = await game.join("ann"), await game.join("bob"), await game.watch()
        await bob.move("flag", 3, 0)
        await ann.move("deflag", 3, 0)
        await ann.move("flag", 4, 0)
        await bob.move("dig", 3, 2)
        await ann.move("dig", 0, 0)
        for tab in (ann, bob, viewer):
            await tab.until(partial(has_ended, tab))
        (ended,) = events(viewer, "ended")
        end = cast(Frame, ended["end"])
        assert end["names"] == ["bob", "ann"]
        bob_, ann_ = chr(33), chr(34)
        assert end["owners"] == [5 * ann_, 4 * ann_ + " ", 3 * ann_ + bob_ + " "]
        assert end["tallies"] == {
            "bob": {"squares": 1, "flags": 0, "booms": 0, "points": 1},
            "ann": {"squares": 11, "flags": 1, "booms": 0, "points": 11},
        }
        assert end["wrong"] == [[3, 0, 1]]
        version = ann.mirror.version
        for move, x, y in (("dig", 4, 2), ("deflag", 4, 0), ("flag", 4, 2), ("chord", 3, 1)):
            done = await ann.move(move, x, y)
            assert (done["type"], done["version"]) == ("done", version)
        for tab in (ann, bob, viewer):
            await tab.socket.aclose()
        late = await game.watch()
        assert start_of(late)["end"] == end
        assert start_of(late)["left"] == 0
        record = await game.served.rooms.find(game.room)
        assert record.result is not None
        assert record.result.scores == {"ann": 11, "bob": 1}


async def test_the_clock_begins_with_the_first_dig_and_goes_on_after_sleep(tmp_path: Path) -> None:
    async with table(folder=tmp_path, sleep_after=0.0) as game:
        ann = await game.join("ann")
        assert "began" not in start_of(ann)
        await ann.move("flag", 4, 0)
        await ann.move("dig", 3, 0)
        await ann.move("dig", 3, 1)
        await ann.until(lambda: len(events(ann, "dug")) == 2)
        times = [cast(int, event["at"]) for event in events(ann, "dug")]
        assert times == sorted(times)
        await ann.socket.aclose()
        while any(room.record.name == game.room for room in game.served.rooms.awake()):
            await trio.lowlevel.checkpoint()
        ann = await game.join("ann")
        frame = start_of(ann)
        assert frame["began"] == times[0]
        assert cast(int, frame["now"]) >= times[1]
        assert "ended" not in frame


async def test_a_field_without_guessing_is_opened_over_http_begins_at_its_start_and_needs_no_boom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scramble.bots.remote.FRAME_S", 0.0)  # this field takes fewer frames than a burst has
    async with serving_rooms() as served, trio.open_nursery() as nursery:
        order = {"game": "minesweeper", "settings": {"preset": "beginner", "no_guessing": True}}
        opened = await served.client.post("/rooms", json=order, headers=bearer(ANN))
        assert opened.is_success
        game = Table(served, opened.json()["room"], nursery)
        ann = await game.join("ann")
        assert start_of(ann)["start"] == [4, 4]
        assert await ann.move("dig", 0, 0) == {"type": "done", "id": 1, "version": ann.mirror.version, "start": [4, 4]}
        assert await play_at(f"{served.address.url}g/{game.room}", "robbie", "hard", pace=0) == "0 bombs dug"
        await ann.until(lambda: bool(events(ann, "ended")))
        first = events(ann, "dug")[0]
        assert (first["x"], first["y"]) == (4, 4)
        nursery.cancel_scope.cancel()


async def test_a_field_that_is_too_hard_to_solve_is_refused_in_words_with_a_code() -> None:
    async with serving_rooms() as served:
        for settings, field, code in (
            ({"size": "40x40", "bombs": 100}, "no_guessing", "too-hard-to-solve"),
            ({"preset": "expert", "safe_start": False}, "safe_start", "excluded"),
            (FIELD, "no_guessing", "excluded"),
        ):
            order = {"game": "minesweeper", "settings": {**settings, "no_guessing": True}}
            refused = await served.client.post("/rooms", json=order, headers=bearer(ANN))
            assert refused.status_code == 400
            assert refused.json()["codes"][f"settings.{field}"]["code"] == code


async def test_chords_that_make_no_sense_change_nothing() -> None:
    async with table() as game:
        ann = await game.join("ann")
        version = ann.mirror.version
        bad: list[Frame] = [{"type": "chord"}, {"type": "chord", "x": 1.5, "y": 0}, {"type": "Chord", "x": 0, "y": 0}]
        for frame in bad:
            await ann.say(frame)
        assert (await ann.move("chord", 0, 0))["version"] == version
        assert sum(frame["type"] == "error" for frame in ann.frames) == len(bad)
