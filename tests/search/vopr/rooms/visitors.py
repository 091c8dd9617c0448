"""Visitors of rooms: they enter, move, look and leave at random, in one life of the process after another."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec
import trio

from scramble.crossword import Game as CrosswordGame
from scramble.crossword.messages import Enter, Say, SessionEnded
from scramble.errors import GameClosed, GameStopped, Refusal
from scramble.games.room import RoomGame
from scramble.kernel.protocol import Command
from scramble.memory import messages as memory
from scramble.minesweeper import messages as minesweeper
from scramble.rooms.local import LocalRooms
from scramble.rooms.protocol import RoomAsleep, RoomClosed, RoomRemoved, RoomsFull
from scramble.rooms.store import DEATHS
from tests.search.vopr.checks import Wrong
from tests.search.vopr.rooms.judge import PLAYERS, Kept
from tests.search.vopr.rooms.options import SETTINGS

if TYPE_CHECKING:
    from tests.search.vopr.rooms.world import RoomsWorld

LONG_S: Final = 600.0  # simulated: visitors wait this long only for another visitor's card
WAITS_S: Final = 0.5  # the time that a visitor waits for a card
SQUARES: Final = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1))
LINES: Final = ("TRY 1 cat", "TRY 2 mat", "CHALLENGE 1 tab", "TRY 1 cot", "EXIT")


class Visitors:
    """All visitors of one life."""

    def __init__(self, world: RoomsWorld, rooms: LocalRooms) -> None:
        self._world: Final = world
        self._rooms: Final = rooms

    async def open_rooms(self) -> None:
        """Open the rooms with no answered opening."""
        for room in self._world.rooms:
            if not room.name:
                alone = {"alone": True} if room.is_alone else {}
                record = await self._rooms.create(room.kind, SETTINGS[room.kind] | alone)
                if self._world.alive:
                    room.name = record.name
                    self._world.note(f"{room} is {room.name}")

    async def visit(self, visits: int | None) -> None:
        """Visit rooms at random, `visits` times or until the end of this life."""
        rng = self._world.rng
        while visits is None or visits > 0:
            await trio.sleep(rng.random() * self._world.options.think_s)
            opened = [room for room in self._world.rooms if room.name]
            if opened:
                room = rng.choice(opened)
                if rng.random() < self._world.options.cut_rate:
                    with trio.move_on_after(rng.random() * 0.1):
                        await self._visit(room)
                else:
                    await self._visit(room)
            if visits is not None:
                visits -= 1

    async def close_and_remove(self) -> None:
        """Act as the host that closes a room, and as the operator that removes a room."""
        options, rooms = self._world.options, self._world.rooms
        await trio.sleep(self._world.rng.random())
        if options.closed is not None and (room := rooms[options.closed]).name and not room.closed:
            room.closing = True
            await self._rooms.close(room.name)
            room.closed = self._world.alive
            self._world.note(f"{room} is closed")
        if options.removed is not None and (room := rooms[options.removed]).name and not room.removed:
            room.removing = True
            with suppress(RoomRemoved):
                await self._rooms.remove(room.name)
            room.removed = self._world.alive
            self._world.note(f"{room} is removed")

    async def break_rules(self, strikes: int | None) -> None:
        """Trigger the bug `strikes` times, or until the room is closed."""
        room, died = self._world.rooms[-1], 0
        while died != strikes:
            await trio.sleep(self._world.rng.random() * 0.3)
            if not room.name:
                continue
            try:
                async with self._rooms.enter(room.name) as entered:
                    await entered.game.ask(minesweeper.Dig(0, 0))
            except RoomClosed:
                return
            except RoomsFull:
                self._require_crowd()
            except GameStopped:
                self._world.note(f"{room} has died")
                died += 1
                if died > DEATHS:
                    raise Wrong(f"{room} has died {died} times, and can be entered still") from None
            else:
                raise Wrong("the bug of the rules was answered")

    async def look_once(self, room: Kept) -> None:
        """Enter an open room, get an answer, and stay until the room's result is recorded."""
        async with self._rooms.enter(room.name) as entered:
            await self._act(entered.game, room, looks=True)
            await trio.sleep(10 * self._world.options.commit_s + 1)

    async def _visit(self, room: Kept) -> None:
        """Make one visit. Raises Wrong if it ends in an unexpected way."""
        rng, closed, removed = self._world.rng, room.closed, room.removed
        wake = rng.random() < 0.9
        try:
            with trio.move_on_after(LONG_S) as patience:
                async with self._rooms.enter(room.name, wake=wake) as entered:
                    if closed or removed:
                        raise Wrong(f"somebody has entered {room} after its end")
                    for _ in range(rng.choice((1, 1, 3))):
                        await self._act(entered.game, room, looks=rng.random() < 0.2)
            if patience.cancelled_caught and self._world.alive:
                raise Wrong(f"somebody waits in {room} for ever")
        except RoomsFull:
            self._require_crowd()
        except RoomAsleep:
            if wake:
                raise Wrong(f"{room} sleeps, though somebody has entered it") from None
        except RoomRemoved:
            self._require(room.removing, f"{room} is said to be removed")
        except RoomClosed:
            self._require(room.ending or room.kind == "faulty", f"{room} is said to be closed")
        except GameClosed:
            self._require(room.ending or not wake or room.kind == "faulty", f"{room} was closed under a visitor")
        except GameStopped:
            self._require(room.kind == "faulty", f"{room} has stopped under a visitor")
        except Refusal as refusal:
            raise Wrong(f"{room} refuses: {type(refusal).__name__}: {refusal}") from refusal

    def _require(self, expected: bool, otherwise: str) -> None:
        if self._world.alive and not expected:
            raise Wrong(otherwise)

    def _require_crowd(self) -> None:
        if self._world.options.awake > self._world.options.visitors + 1:
            raise Wrong("a visitor was refused, though more rooms may be awake than there are visitors")

    # --- one move ---

    async def _act(self, game: RoomGame, room: Kept, *, looks: bool) -> None:
        match room.kind:
            case "memory":
                await self._turn_cards(game, room, looks)
            case "crossword":
                await self._say(game, room, looks)
            case _:
                await self._dig(game, room, looks)

    async def _dig(self, game: RoomGame, room: Kept, looks: bool) -> None:
        rng = self._world.rng
        x, y = rng.choice(SQUARES[1:] if room.kind == "faulty" else SQUARES)
        known = room.floor
        if looks:
            view = await game.ask(minesweeper.Look())
            if self._world.alive:
                self._world.saw(room, known, view.version, "look", view.text)
                room.looks.append(("", view.version, view.text))
            return
        kinds = (minesweeper.Flag, minesweeper.Deflag, minesweeper.Dig, minesweeper.Chord)
        move = rng.choice(kinds[:2] if room.kind == "faulty" else kinds)(x, y)
        answer = await game.ask(move)
        if self._world.alive:
            self._world.saw(room, known, answer.version, str(move), answer.text)
            room.answers.append((msgspec.json.encode(move), msgspec.json.encode(answer)))

    async def _turn_cards(self, game: RoomGame, room: Kept, looks: bool) -> None:
        rng, known = self._world.rng, room.floor
        player = rng.choice(PLAYERS)
        if looks:
            view = await game.ask(memory.Look(player))
            if self._world.alive:
                self._world.saw(room, known, view.version, f"look of {player}", view.text)
                room.looks.append((player, view.version, view.text))
            return
        move: Command[memory.Flipped] = memory.Flip(player, rng.randrange(2), rng.randrange(2))
        with suppress(memory.FlipFailed, memory.AlreadyWaiting), trio.move_on_after(WAITS_S):
            answer = await game.ask(move)
            if self._world.alive:
                self._world.saw(room, known, answer.version, str(move), answer.text)
                room.answers.append((msgspec.json.encode(move), msgspec.json.encode(answer)))

    async def _say(self, game: RoomGame, room: Kept, looks: bool) -> None:
        rng = self._world.rng
        assert isinstance(game, CrosswordGame)
        if looks:
            await game.spectate()
            return
        player = rng.choice(PLAYERS[:1] if room.is_alone else PLAYERS[:2])
        with suppress(SessionEnded):
            async with game.session() as session:
                view = await session.enter(player)
                self._said(room, Enter(session.id, player))
                await trio.sleep(rng.random() * 0.1)
                if view.state == "PLAY":
                    line = rng.choice(LINES)
                    view = await session.say(line)
                    if view.error is None and view.state == "PLAY":
                        self._said(room, Say(session.id, line))

    def _said(self, room: Kept, command: Command[object]) -> None:
        if self._world.alive:
            self._world.note(f"{room}: {command}")
            room.said.append(msgspec.json.encode(command))
