"""A server of rooms on a disk that another program fills faster than the server measures it. Rooms wait, and none dies.

Partitions: a small tmpfs that is filled in the middle of moves; moves in the failing batch, after it, and after the
disk has space again. Skipped if no file system can be mounted.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.support import HANG_S
from tests.support.process import ServerProcess
from tests.support.smalldisk import SmallDisk, small_disk

DISK_BYTES = 40 * 2**20  # the reserve is 32 MiB
ROOMS = 4
ANN = {"Authorization": "Bearer 0123456789abcdef"}


@pytest.fixture(name="disk")
def _disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A small disk. Without permission to mount it, tests/unit/journal/test_full.py tests a file with a size limit."""
    with small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        yield disk


def refusal(client: httpx.Client, move: str) -> int:
    """Make a move until it fails. A move that times out may be the one in the failing batch: it has no answer yet."""
    status = 0
    while status < 500:
        with suppress(httpx.ReadTimeout):
            status = client.get(move, timeout=1.0).status_code
    return status


def test_no_room_dies_while_the_disk_is_filled_faster_than_it_is_measured(disk: SmallDisk) -> None:
    answers = Counter[int]()
    playing = threading.Barrier(ROOMS + 1)
    emptied = threading.Event()

    def play(address: str) -> None:
        for number in itertools.count():
            row, column = divmod(number % 400, 20)
            was_emptied = emptied.is_set()
            status = client.get(f"{address}/flip/ann/{row},{column}").status_code
            answers[status] += 1
            if number == 0:
                playing.wait(HANG_S)
            if was_emptied and status != 507:
                return

    with (
        ServerProcess("serve", "--data", str(disk.place / "rooms"), "--port", "0", "--log-format", "json") as server,
        httpx.Client(headers=ANN, timeout=HANG_S) as client,
    ):
        rooms: list[str] = []
        for _ in range(ROOMS):
            opened = client.post(f"{server.url}rooms", json={"game": "memory", "settings": {"size": "20x20"}})
            assert opened.status_code == 201, opened.text
            rooms.append(f"{server.url}g/{opened.headers['Location'].rpartition('/')[2]}")
        players = [threading.Thread(target=play, args=(room,)) for room in rooms]
        for player in players:
            player.start()
        playing.wait(HANG_S)
        disk.fill()
        for room in rooms:
            answers[refusal(client, f"{room}/flip/bob/19,19")] += 1  # it waits behind the failing move
        disk.empty()
        emptied.set()
        for player in players:
            player.join()
        assert answers.keys() <= {200, 409, 507}, answers
        for room in rooms:
            assert client.get(f"{room}/look/ann").status_code == 200
        assert "room-died" not in server.complaints
        assert "game-stopped" not in server.complaints
