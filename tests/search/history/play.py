"""A play of Memory Scramble: many players at a real server process, and the history of their answers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from scramble.memory.boardfile import format_board_file
from tests.search.history.memory import seen_over_http
from tests.search.history.players import HttpPlayer, MemoryHistory, SocketPlayer, Style
from tests.search.history.wires import Http
from tests.support.history import History
from tests.support.linearizability import Verdict, check
from tests.support.memory.model import Look
from tests.support.memory.spec import MemorySpec
from tests.support.process import ServerProcess
from tests.support.websocket import Cut


@dataclass(frozen=True)
class Board:
    """The cards of a play, row by row from the top."""

    rows: int
    columns: int
    cards: tuple[str, ...]

    @property
    def spec(self) -> MemorySpec:
        """The specification that judges the play."""
        return MemorySpec(self.rows, self.columns, self.cards)


def lasting_board(seed: str, rows: int = 6, columns: int = 6) -> Board:
    """Some pairs, and as many cards without a mate. So the cards last longer than the moves of the players."""
    spots = rows * columns
    pairs = [f"{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: spots // 4]]
    cards = [*pairs, *pairs, *map(str, range(spots - 2 * len(pairs)))]
    random.Random(seed).shuffle(cards)
    return Board(rows, columns, tuple(cards))


@contextmanager
def board_file(board: Board) -> Iterator[Path]:
    """A file with the board. Its folder exists only during the block."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "board.txt"
        path.write_text(format_board_file(board.rows, board.columns, board.cards), encoding="utf-8")
        yield path


STYLE = Style()


@dataclass(frozen=True)
class Crowd:
    """The players over HTTP and over the WebSocket, the number of their moves, and their style.

    Two players share every second name, so that one name may have several requests at once.
    """

    http: int = 8
    sockets: int = 4
    moves: int = 100
    style: Style = STYLE


class Stopped(AssertionError):
    """The server or its game has stopped unexpectedly."""


def names(crowd: Crowd) -> list[str]:
    """The names of the crowd's players."""
    return [f"player{number}" for number in range(max(1, (crowd.http + crowd.sockets) * 2 // 3))]


def players(board: Board, crowd: Crowd, history: MemoryHistory, seed: str) -> Iterator[HttpPlayer | SocketPlayer]:
    """The players of the crowd, before their first move."""
    shared = names(crowd)
    for number in range(crowd.http + crowd.sockets):
        kind = HttpPlayer if number < crowd.http else SocketPlayer
        cards = (board.rows, board.columns, board.cards)
        yield kind(shared[number % len(shared)], cards, history, f"{seed} {number}", crowd.style)


async def play(server: ServerProcess, board: Board, crowd: Crowd, history: MemoryHistory, seed: str) -> None:
    """Let the crowd make all its moves. Then every player looks. Raises Stopped."""
    async with trio.open_nursery() as nursery:
        for player in players(board, crowd, history, seed):
            nursery.start_soon(player.play, *server.address, crowd.moves)
    if not await look(server, names(crowd), history):
        raise Stopped("the game does not answer any more")


async def look(server: ServerProcess, names: Sequence[str], history: MemoryHistory) -> bool:
    """Look under each name, and record the answer. Return True if all looks were answered."""
    try:
        wire = await Http.connect(*server.address)
    except Cut:
        return False
    try:
        for name in names:
            call = history.begin(Look(name))
            await wire.send("GET", f"/look/{name}")
            answer = await wire.receive()
            if answer.status != 200:
                return False
            history.end(call, seen_over_http(call.op, *answer))
    except Cut:
        return False
    finally:
        await wire.aclose()
    return True


def judge(history: MemoryHistory, board: Board) -> Verdict:
    """Judge the history by the rules. Raises NotExplained."""
    return check(history, board.spec)


def record(server: ServerProcess, board: Board, crowd: Crowd, seed: str) -> MemoryHistory:
    """Let the crowd play, and return its history."""
    history: MemoryHistory = History()
    trio.run(play, server, board, crowd, history, seed)
    return history
