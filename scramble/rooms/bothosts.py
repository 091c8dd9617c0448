"""Bots in rooms: they sit down when somebody plays there, leave the first move to people, and keep no room awake.

    async with open_rooms(folder) as rooms, hosted_bots(rooms):
        ...

A bot has a seat like everybody else, which belongs to a secret of this server, so nobody else can play as the bot. The
secret is stored beside the rooms: after a restart each bot sits down in its old seat. A bug in a bot ends that bot,
with a traceback in the log, and neither its room nor another bot.

Safe under concurrency: a room gets its bots once each time it wakes, which `Room.attached` stores between two awaits.
"""

from __future__ import annotations

import hmac
import logging
import os
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import trio

from scramble.bots.names import FIRST_NAMES, bot_name, bot_title
from scramble.errors import DiskFull, GameStopped, Refusal
from scramble.games.bot import Level
from scramble.games.bot_seats import BotSeats
from scramble.games.settings import SEED_BITS
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.logs import LogEntry
from scramble.players.names import skeleton_of
from scramble.players.seats import ClaimSeat, SeatTaken, hash_of
from scramble.rooms.gathering.messages import SitDown
from scramble.rooms.protocol import Room, RoomRecord, Rooms

T = TypeVar("T")

logger = logging.getLogger(__name__)

SECRET_FILE: Final = "bots"  # in the folder of the rooms
BOT_SECRET_BYTES: Final = 32

FULL_S: Final = 5.0  # after a move was refused because the disk is full, until the bot tries again

MOST_BOT_NAMES_TRIED: Final = 20  # some may belong to people; all, if there are no more seats


class BotLimits(msgspec.Struct, frozen=True):
    """Limits on bots. At most `awake` bots of all rooms think about a move at once; more take turns."""

    in_room: int = 3
    awake: int = 50


class BotTable:
    """The bots of a room that is awake: `room.attached(BotTable)`."""

    def __init__(self, room: Room) -> None:
        self.seated = False  # somebody has played there since the room woke, so they were asked to sit down
        self.begun = False  # the first move was seen
        self.moved: Final = trio.lowlevel.ParkingLot()  # unparked when somebody comes or goes


class BotHosts:
    """The bots of all rooms. Made by `hosted_bots`."""

    # AF: in each room of _rooms that is awake and whose table is `seated`, its bots play. Those that think about a move
    #     have one of _places; those that wait for somebody have none, so idle rooms take no place from others. What
    #     the bots know counts as memory of their room, which `Supervision` limits.

    def __init__(self, rooms: Rooms, nursery: trio.Nursery, secret: bytes, limits: BotLimits, pace: float) -> None:
        self._rooms: Final = rooms
        self._nursery: Final = nursery
        self._secret: Final = secret
        self._limits: Final = limits
        self._pace: Final = pace
        self._places: Final = trio.Semaphore(limits.awake)

    @property
    def thinking(self) -> int:
        """Number of bots that think about a move."""
        return self._limits.awake - self._places.value

    async def follow_rooms(self) -> None:
        """Have bots sit down where somebody plays. Runs until cancelled."""
        movements = self._rooms.movements()
        self._look(None)
        async for names in movements:
            self._look(names)

    def _look(self, names: frozenset[str] | None) -> None:
        """Look at the rooms of these names, or at all that are awake."""
        for room in self._rooms.awake():
            record = room.record
            if not room.runs_here or not record.bots or (names is not None and record.name not in names):
                continue
            table = room.attached(BotTable)
            table.moved.unpark_all()
            if not table.seated and record.state == "open" and self._is_played(room):
                table.seated = True
                for number, bot in enumerate(record.bots[: self._most(record)]):
                    self._nursery.start_soon(self._host, room, number, bot.level)

    def _most(self, record: RoomRecord) -> int:
        """Return the number of bots that may play in a room."""
        most, bots = self._limits.in_room, self._bots(record)
        if bots is None:
            return 0
        return most if record.demo or bots.most is None else min(most, bots.most)

    def _bots(self, record: RoomRecord) -> BotSeats | None:
        return self._rooms.kinds[record.kind].bots

    def _is_played(self, room: Room) -> bool:
        """Return True if a person may be playing. With open names, no connection is needed: programs keep none."""
        record = room.record
        return record.demo or record.names == "open" or self._rooms.headcount(record.name).players > 0

    async def _host(self, room: Room, number: int, level: Level) -> None:
        """Have one bot play in a room until its game is over or the room falls asleep."""
        holder = self._holder(room, number)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._until_over, room, holder, nursery.cancel_scope)
                player = await _when_not_full(partial(_take_seat, room, holder, number))
                nursery.start_soon(_be_here, room, player)
                await _when_not_full(partial(self._play, room, player, level))
                nursery.cancel_scope.cancel()
        except* (GameStopped, Refusal) as left:
            logger.debug(LogEntry("bot-left", room=room.record.name, bot=number, reason=str(left.exceptions[0])))
        except* Exception as error:
            logger.error(LogEntry("bot-died", room=room.record.name, bot=number), exc_info=error)

    async def _until_over(self, room: Room, holder: str, bot: trio.CancelScope) -> None:
        """End a bot once its game is over, or it was removed. Raises GameStopped if the game stops before that."""
        record = room.record
        while record.state == "open" and holder not in record.expelled:
            record = await room.next_record(record)
        bots = self._bots(record)
        if record.state == "ended" and bots is not None:
            await trio.sleep(bots.stay_s)
        bot.cancel()

    def _holder(self, room: Room, number: int) -> str:
        """Return the holder of a bot's seat: its secret is known to nobody else, and stays the same after a restart."""
        return hash_of(hmac.digest(self._secret, f"{room.record.name} {number}".encode(), "sha256").hex())

    async def _play(self, room: Room, player: str, level: Level) -> None:
        bots = self._bots(room.record)
        assert bots is not None
        settings = await self._rooms.settings(room.record)
        turn, seed = partial(self._turn, room, bots), secrets.randbits(SEED_BITS)
        await bots.play(room.game, player, level, settings=settings, seed=seed, pace=self._pace, turn=turn)

    @asynccontextmanager
    async def _turn(self, room: Room, bots: BotSeats) -> AsyncIterator[None]:
        """A block in which a bot thinks about a move. Entering it waits until a bot may do so there.

        That is after the first move, while somebody plays there, and as soon as a place is free. Raises GameClosed and
        GameStopped if the game ends before the first move.
        """
        table = room.attached(BotTable)
        if not table.begun and not room.record.demo:
            await bots.begun(room.game)
            table.begun = True
        while True:
            while not self._is_played(room):
                await table.moved.park()
            async with self._places:
                if self._is_played(room):  # still, after the wait for a place
                    yield
                    return


async def _be_here(room: Room, player: str) -> None:
    """Show the bot to everybody until it leaves."""
    await room.gathering.ask(SitDown(player, bot_title(player)))


async def _when_not_full(work: Callable[[], Awaitable[T]]) -> T:
    """Return the result of `work`. While the disk is full, try `work` again after `FULL_S` seconds."""
    while True:
        try:
            return await work()
        except Refusal as refused:
            if not (isinstance(refused, DiskFull) or isinstance(refused.__cause__, DiskFull)):
                raise
        await trio.sleep(FULL_S)


async def _take_seat(room: Room, holder: str, number: int) -> str:
    """Return the player as whom the bot plays: the same in all rooms of one host, unless a person here is called so.

    Raises SeatTaken if no name is free.
    """
    choices = random.Random(room.record.host or room.record.name)  # so the bots of a series keep their names
    taken, first = set[str](), (choices.randrange(len(FIRST_NAMES)) + number) % len(FIRST_NAMES)
    while True:
        player = bot_name(taken, first)
        title = bot_title(player)
        try:
            await room.game.ask(ClaimSeat(player, holder, title, skeleton_of(title)))
            return player
        except SeatTaken:
            taken.add(player)
            if len(taken) == MOST_BOT_NAMES_TRIED:
                raise


@asynccontextmanager
async def hosted_bots(
    rooms: Rooms,
    folder: Path | None = None,
    *,
    secret: bytes | None = None,
    limits: BotLimits | None = None,
    pace: float = 1.0,
) -> AsyncIterator[BotHosts]:
    """Let the bots of these rooms play during the block.

    Args:
        rooms: open for longer than the block.
        folder: where the rooms are stored; None if they are not stored, or elsewhere.
        secret: of the bots, by which they have their seats; None: that in the folder, or a new one.
        limits: of bots.
        pace: 1 is that of a human player, 2 half as fast, 0 as fast as the games answer.

    Raises:
        OSError: the folder cannot be read or written.
    """
    if secret is None and folder is not None:
        secret = await trio.to_thread.run_sync(_secret_of, folder)
    async with open_side_nursery(cancel) as nursery:
        hosts = BotHosts(rooms, nursery, secret or secrets.token_bytes(BOT_SECRET_BYTES), limits or BotLimits(), pace)
        nursery.start_soon(hosts.follow_rooms)
        yield hosts


def _secret_of(folder: Path) -> bytes:
    """Return the secret in that folder; make one if there is none. Blocks."""
    path = folder / SECRET_FILE
    try:
        secret = path.read_bytes()
    except FileNotFoundError:
        secret = b""
    if len(secret) != BOT_SECRET_BYTES:  # cut short by a crash, before any bot had a seat
        secret = secrets.token_bytes(BOT_SECRET_BYTES)
        fresh = path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secret)
        os.replace(fresh, path)
    return secret
