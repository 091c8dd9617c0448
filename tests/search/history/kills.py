"""A server with a journal is killed many times while a crowd plays. It must not lose anything.

Each life of the server ends by SIGKILL at a random moment under load. The next life uses the same journal and the same
ports. At the end one order of the rules must explain the history of all lives. Calls that were acknowledged before a
kill come before the kill. Calls that were open at the kill happened before it or never. So versions never go back: no
order explains an old answer.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import trio

from tests.support.history import History
from tests.support.process import SCRAMBLE, ServerProcess

Op = TypeVar("Op")
Out = TypeVar("Out")

WITHOUT_END = 1_000_000  # moves of each player: only the kill ends the play
LAST_MOVES = 20  # of each player after the last kill
BLINK_S = 0.003  # the length of some commits: a kill may come at any moment of a commit


@contextmanager
def serving(*arguments: str, program: Sequence[str] = SCRAMBLE, lines: int = 1) -> Iterator[ServerProcess]:
    """A server that is killed at the end. Its rules do not check their representation, as in production."""
    environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CHECK_REP"}
    with ServerProcess(*arguments, program=program, lines=lines, environment=environment) as server:
        try:
            yield server
        finally:
            server.kill()  # a mutant may ignore SIGTERM


class Plays(Protocol):
    """A player that records its actions."""

    async def play(self, host: str, port: int, moves: int, /) -> None:
        """Make this number of moves, or fewer if the server dies."""


def endure(
    kills: int,
    history: History[Op, Out],
    arguments: Callable[[Sequence[int]], Sequence[str]],
    players: Callable[[str], Iterable[Plays]],
    seed: str,
    *,
    program: Sequence[str] = SCRAMBLE,
    between: int = 100,
    lines: int = 1,
) -> None:
    """Start a server and kill it, `kills` times. Then let it run once more to the end.

    Each kill comes after up to `between` answers. `arguments` returns the command line for the ports of the life before
    (empty at first). The server prints the number of addresses in `lines`. `players` makes the crowd of one life.
    """
    dice = random.Random(seed)
    ports: Sequence[int] = ()
    for life in range(kills + 1):
        with serving(*arguments(ports), program=program, lines=lines) as server:
            ports = [address.port for address in server.addresses]
            crowd = players(f"{seed} {life}")
            if life < kills:
                trio.run(_to_death, server, crowd, history, dice.randrange(between), dice.random() * BLINK_S)
            else:
                trio.run(_in_peace, server, crowd)


async def _to_death(
    server: ServerProcess, players: Iterable[Plays], history: History[Op, Out], answers: int, blink_s: float
) -> None:
    """Run one life of the server, and kill the server after this number of answers."""
    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(player.play, *server.address, WITHOUT_END)
        enough, reached = history.answered + answers, trio.Event()

        def count() -> None:
            if history.answered >= enough:
                reached.set()

        history.on_answer = count
        count()
        await reached.wait()
        await trio.sleep(blink_s)
        server.kill()
    history.kill()


async def _in_peace(server: ServerProcess, players: Iterable[Plays]) -> None:
    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(player.play, *server.address, LAST_MOVES)


def journal_in(folder: str) -> Path:
    """The file that keeps the game."""
    return Path(folder) / "game.db"
