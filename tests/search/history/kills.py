"""A server that keeps its game in a journal is killed again and again while a crowd plays, and loses nothing.

Each life of the server ends by SIGKILL at a random moment under load; the next one starts with the same journal on the
same ports. At the end the history over all lives must be explained by one order of the rules, in which what had been
acknowledged before a kill comes before it, and what was open at that moment has happened or not, but never happens
later. That includes that versions never go back: an answer from the past is explained by nothing.
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

WITHOUT_END = 1_000_000  # moves of each player: only the kill ends them
LAST_MOVES = 20  # of each player after the last kill
BLINK_S = 0.003  # some commits take that long: a kill comes at any moment of one


@contextmanager
def serving(*arguments: str, program: Sequence[str] = SCRAMBLE, lines: int = 1) -> Iterator[ServerProcess]:
    """A server that is killed at the end; its rules do not check their representation, as when people play."""
    environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CHECK_REP"}
    with ServerProcess(*arguments, program=program, lines=lines, environment=environment) as server:
        try:
            yield server
        finally:
            server.kill()  # a mutant may not stop when it is asked to


class Plays(Protocol):
    """A player, who records what it does."""

    async def play(self, host: str, port: int, moves: int, /) -> None:
        """Make so many moves, or fewer if the server dies."""


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
    """Have a server live and be killed so many times, each after up to `between` answers, and then live once more.

    `arguments` makes its command line of the ports that it had before (none at first), of which it names as many as
    `lines` says; `players` makes the crowd of one life.
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
    """One life of the server, to be killed after so many answers."""
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
