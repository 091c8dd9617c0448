"""Access of the commands to the rooms of a cluster. A server keeps one link to the cluster as long as it runs.

Each command for the operator opens its own link and closes it at its end. A replay only reads. A command that lists,
closes or removes rooms joins the cluster for a moment, and serves nobody; the other processes keep their rooms.
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
    """Link this process to the cluster at an address, and serve its rooms during the block.

    Waits until Redis answers. Yields the rooms, and the secret of the cluster's bots. At the end, this process
    relinquishes its rooms, so that other processes continue them at once. Raises BadAddress, CannotLink and
    JournalError, each with a message of one line for the operator.
    """
    async with open_link(parse_address(address), patient=True) as link:
        await check_redis(link)
        opened = open_cluster_rooms(link, kinds=kinds, limits=limits, sleep_after=sleep_after, keep_s=keep_s)
        async with opened as rooms:
            yield rooms, await secret_of_bots(link)


READ_S: Final = 60.0  # limit for reading the whole game: a link waits without limit until Redis answers
OPERATE_S: Final = 30.0
COMPANY_S: Final = 0.5  # time in which the other processes report the visitors of their rooms


def read_room(address: RedisAddress, room: str, *, after: int = 0) -> Recording:
    """Return the game of a room, with only the commands after number `after`. The owner may continue the game.

    Blocks. Call it in any thread except the thread of a trio program. Raises CannotLink, and JournalError for a room
    that does not exist or is unreadable.
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
    """Back up a cluster to the file `to`, and append the backup to `made`. Raises CannotLink and BackupError."""
    async with open_link(address) as link:
        made.append(await back_up_cluster(link, to))


async def restore(address: RedisAddress, path: Path, games: list[int]) -> None:
    """Restore a backup, and append its number of games to `games`. Raises CannotLink and BackupError."""
    async with open_link(address) as link:
        games.append(await restore_cluster(link, path))


async def operate(address: RedisAddress, wanted: ControlRequest, answers: list[ControlAnswer]) -> None:
    """Execute an operator's request, and append the answer to `answers`.

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
