"""A server that keeps Memory Scramble in a journal is killed again and again while a crowd plays, and loses nothing.

Each life of the server ends by SIGKILL at a random moment under load; the next one starts with the same journal on the
same port. At the end three things must be so:

- the history over all lives is explained by one order of the rules, in which what had been acknowledged before a kill
  comes before it, and what was open at that moment has happened or not, but never happens later (`checker`);
- that includes that versions never go back: an answer from the past is explained by nothing;
- the journal's commands, applied to the naive model, give every answer that anybody has had (`journalled`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from scramble.journal import read_recording
from scramble.memory.boardfile import format_board_file
from tests.history.calls import History
from tests.history.checker import Verdict
from tests.history.journalled import Journalled, explain
from tests.history.play import Board, Crowd, judge, look, names, play, players
from tests.history.players import MemoryHistory
from tests.history.server import SCRAMBLE, Server, serving

WITHOUT_END = 1_000_000  # moves of each player: only the kill ends them
LAST_MOVES = 10  # of each player after the last kill
BLINK_S = 0.003  # some commits take that long: a kill comes at any moment of one


@dataclass(frozen=True)
class Survived:
    """What was found out."""

    history: MemoryHistory
    verdict: Verdict
    journalled: Journalled


def survive(
    kills: int, board: Board, crowd: Crowd, seed: str, *, program: Sequence[str] = SCRAMBLE, between: int = 100
) -> Survived:
    """Kill a server so many times, each after up to `between` answers. Raises AssertionError if anything is lost."""
    history: MemoryHistory = History()
    dice = random.Random(seed)
    with TemporaryDirectory() as folder:
        file, journal = Path(folder) / "board.txt", Path(folder) / "game.db"
        file.write_text(format_board_file(board.rows, board.columns, board.cards), encoding="utf-8")
        port = 0
        for life in range(kills + 1):
            arguments = ("memory", str(file), "--port", str(port), "--journal", str(journal))
            with serving(*arguments, program=program) as server:
                port = server.port
                after = dice.randrange(between) if life < kills else None
                trio.run(_live, server, board, crowd, history, f"{seed} {life}", after)
        return Survived(history, judge(history, board), explain(read_recording(journal).records, history, board.spec))


async def _live(
    server: Server, board: Board, crowd: Crowd, history: MemoryHistory, seed: str, after: int | None
) -> None:
    """One life of the server, to be killed after so many answers, or not at all."""
    assert await look(server, names(crowd), history)
    if after is None:
        await play(server, board, replace(crowd, moves=LAST_MOVES), history, seed)
        return
    async with trio.open_nursery() as nursery:
        for player in players(board, crowd, history, seed):
            nursery.start_soon(player.play, server.host, server.port, WITHOUT_END)
        await _answers(history, after)
        await trio.sleep(random.Random(seed).random() * BLINK_S)
        server.kill()
    await server.died()
    history.kill()


async def _answers(history: MemoryHistory, count: int) -> None:
    """Wait for so many more answers."""
    enough, reached = history.answered + count, trio.Event()

    def tell() -> None:
        if history.answered >= enough:
            reached.set()

    history.on_answer = tell
    tell()
    await reached.wait()
