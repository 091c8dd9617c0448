"""Bots in rooms: they take seats when a person plays, leave the first move to people, and keep no room awake.

    async with open_rooms(folder) as rooms, hosted_bots(rooms):
        ...

A bot has a seat like a person. The seat belongs to a secret of this server, so nobody else can play as the bot. The
secret is stored beside the rooms, so each bot gets its old seat after a restart. A bug in a bot ends only that bot, and
the log gets the traceback. The room and the other bots continue.

Safe under concurrency: a room gets its bots once each time it wakes. `Room.attached` notes this between two awaits.
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

FULL_S: Final = 5.0  # wait of a bot before it retries a move that a full disk has refused

MOST_BOT_NAMES_TRIED: Final = 20  # names may belong to people; without free seats every name is refused


class BotLimits(msgspec.Struct, frozen=True):
    """Limits on bots. At most `awake` bots of all rooms think about a move at once; the other bots wait."""

    in_room: int = 3
    awake: int = 50


class BotTable:
    """The bots of an awake room: `room.attached(BotTable)`."""

    def __init__(self, room: Room) -> None:
        self.seated = False  # True: a person has played since the room woke, so the bots were started
        self.begun = False  # True: the first move was made
        self.moved: Final = trio.lowlevel.ParkingLot()  # unparked when a person arrives or leaves


class BotHosts:
    """The bots of all rooms. Made by `hosted_bots`."""

    # AF: in each awake room of _rooms with a `seated` table, the room's bots play. A bot that thinks about a move has
    #     one of _places. A bot that waits for people has no place, so idle rooms take no place from others. The memory
    #     of a bot counts as memory of its room, and `Supervision` limits it.

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
        """Start the bots of each room in which a person plays. Runs until cancelled."""
        movements = self._rooms.movements()
        self._look(None)
        async for names in movements:
            self._look(names)

    def _look(self, names: frozenset[str] | None) -> None:
        """Start the bots of the rooms with these names, or of all awake rooms, if a person plays there."""
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
        """Return True if a person may be playing. In rooms with open names, programs may play without a connection."""
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
        """End a bot once its game is over, or the host removes it. Raises GameStopped if the game stops before that."""
        record = room.record
        while record.state == "open" and holder not in record.expelled:
            record = await room.next_record(record)
        bots = self._bots(record)
        if record.state == "ended" and bots is not None:
            await trio.sleep(bots.stay_s)
        bot.cancel()

    def _holder(self, room: Room, number: int) -> str:
        """Return the holder of a bot's seat. Its secret is private, and stays the same after a restart."""
        return hash_of(hmac.digest(self._secret, f"{room.record.name} {number}".encode(), "sha256").hex())

    async def _play(self, room: Room, player: str, level: Level) -> None:
        bots = self._bots(room.record)
        assert bots is not None
        settings = await self._rooms.settings(room.record)
        turn, seed = partial(self._turn, room, bots), secrets.randbits(SEED_BITS)
        await bots.play(room.game, player, level, settings=settings, seed=seed, pace=self._pace, turn=turn)

    @asynccontextmanager
    async def _turn(self, room: Room, bots: BotSeats) -> AsyncIterator[None]:
        """A block in which a bot thinks about a move.

        Entering waits for the first move, for a person who plays in the room, and for a free place. Raises GameClosed
        or GameStopped if the game ends before the first move.
        """
        table = room.attached(BotTable)
        if not table.begun and not room.record.demo:
            await bots.begun(room.game)
            table.begun = True
        while True:
            while not self._is_played(room):
                await table.moved.park()
            async with self._places:
                if self._is_played(room):  # people may have left during the wait for a place
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
    """Claim a seat for the bot, and return its player.

    The name is the same in all rooms of one host, unless a person here has that name. Raises SeatTaken if no name is
    free.
    """
    choices = random.Random(room.record.host or room.record.name)  # the bots of a series keep their names
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
        folder: the folder of the rooms; None if the rooms are not in a folder.
        secret: the secret to which the bots' seats belong; None: the secret in the folder, or a new one.
        limits: limits on bots.
        pace: factor on the bots' pauses. 1: like a human player; 2: half as fast; 0: without pauses.

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
    """Return the secret in that folder; create it if it is missing. Blocks."""
    path = folder / SECRET_FILE
    try:
        secret = path.read_bytes()
    except FileNotFoundError:
        secret = b""
    if len(secret) != BOT_SECRET_BYTES:  # a crash has cut it short, before any bot had a seat
        secret = secrets.token_bytes(BOT_SECRET_BYTES)
        fresh = path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secret)
        os.replace(fresh, path)
    return secret
