"""Rooms of a cluster, as commands reach them: those of a server as long as it runs, by the one link of its process.

Those for the operator have a link of their own for as long as one takes. A replay only reads. What lists, closes or
removes rooms is a process of the cluster for a moment, that serves nobody; the others keep what they own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import trio

from scramble.cli.places import FOR_EVER_S
from scramble.cluster.address import RedisAddress, parse_address
from scramble.cluster.backup import ClusterBackup, back_up_cluster
from scramble.cluster.checks import check_redis
from scramble.cluster.link import open_link
from scramble.cluster.log import read_log
from scramble.cluster.protocol import LinkLost
from scramble.cluster.restoring import restore_cluster
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms, secret_of_bots
from scramble.cluster.scripts import FORMAT_KEY
from scramble.errors import GameMoved, JournalError
from scramble.front.rooms.control import ControlAnswer, ControlFailed, ControlRequest, carry_out
from scramble.games.kind import GameKind
from scramble.journal import Recording
from scramble.rooms.rooms_base import RoomLimits


@asynccontextmanager
async def open_served(
    address: str, *, kinds: Mapping[str, GameKind], limits: RoomLimits, sleep_after: float, keep_s: float
) -> AsyncIterator[tuple[ClusterRooms, bytes]]:
    """Link this process to the cluster of that address, and serve its rooms during the block.

    Waits for a Redis that is away. Yields the rooms, and the secret of the cluster's bots. In the end what this process
    owns is given up, so that others go on with it at once. Raises BadAddress, CannotLink and JournalError, each in one
    line for the operator.
    """
    async with open_link(parse_address(address), patient=True) as link:
        await check_redis(link)
        opened = open_cluster_rooms(link, kinds=kinds, limits=limits, sleep_after=sleep_after, keep_s=keep_s)
        async with opened as rooms:
            yield rooms, await secret_of_bots(link)


READ_S: Final = 60.0  # for the whole game: a link waits for a Redis that is away for ever
OPERATE_S: Final = 30.0
COMPANY_S: Final = 0.5  # in which the other processes say who is in their rooms


def read_room(address: RedisAddress, room: str, *, after: int = 0) -> Recording:
    """Return the game of a room, of whose commands only those after number `after`; its owner may play on.

    Blocks, in any thread but that of a trio program. Raises CannotLink, and JournalError if there is no such room, or
    if it cannot be read.
    """
    return trio.run(partial(_read, address, room, after))


async def _read(address: RedisAddress, room: str, after: int) -> Recording:
    with trio.move_on_after(READ_S):
        async with open_link(address) as link:
            try:
                return await read_log(link, room, after=after)
            except LinkLost as lost:
                raise JournalError(f"room {room} cannot be read: {lost}") from None
    raise JournalError(f"room {room} cannot be read: Redis has not answered for {READ_S:g} s")


async def back_up(address: RedisAddress, to: Path, made: list[ClusterBackup]) -> None:
    """Back up a cluster to the file `to`, and append what was made to `made`. Raises CannotLink and BackupError."""
    async with open_link(address) as link:
        made.append(await back_up_cluster(link, to))


async def restore(address: RedisAddress, path: Path, games: list[int]) -> None:
    """Restore a backup, and append how many games it has to `games`. Raises CannotLink and BackupError."""
    async with open_link(address) as link:
        games.append(await restore_cluster(link, path))


async def operate(address: RedisAddress, wanted: ControlRequest, answers: list[ControlAnswer]) -> None:
    """Do what an operator wants, and append the answer to `answers`.

    Raises CannotLink, and ControlFailed if there is no answer within `OPERATE_S`.
    """
    with trio.move_on_after(OPERATE_S):
        try:
            async with open_link(address) as link:
                if not await link.call("EXISTS", FORMAT_KEY):
                    raise ControlFailed(f"there are no rooms in {address}")
                await check_redis(link)
                async with open_cluster_rooms(
                    link, limits=RoomLimits(unentered_s=FOR_EVER_S), keep_s=FOR_EVER_S
                ) as rooms:
                    if wanted.action == "list":
                        await trio.sleep(COMPANY_S)
                    answers.append(await carry_out(rooms, wanted))
            return
        except GameMoved as moved:
            raise ControlFailed(str(moved)) from None
    raise ControlFailed(f"the cluster at {address} has not answered for {OPERATE_S:g} s")
