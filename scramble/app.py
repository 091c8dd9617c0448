"""Which game, which board, which front ends: each `run_...` is one nursery with all of it, until told to stop.

`create_app`, from `hosted`, is for people who run hypercorn themselves:

    SCRAMBLE_BOARD=boards/memory/animals.txt hypercorn -k trio 'scramble.app:create_app()'
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import trio

from scramble.crossword import Puzzle, open_lobby
from scramble.errors import JournalError
from scramble.front.archive import Archive
from scramble.front.around import Around
from scramble.front.crossword_telnet import serve_crossword_telnet
from scramble.front.crossword_web import serve_crossword_http
from scramble.front.http import Edition, serve_http
from scramble.front.minesweeper_telnet import serve_telnet
from scramble.front.minesweeper_web import serve_minesweeper_http
from scramble.front.replay_web import serve_replay
from scramble.front.server import Address
from scramble.front.switches import Switch
from scramble.hosted import create_app as create_app
from scramble.journal import Journal, read_recording
from scramble.lookout import Lookout
from scramble.memory import Board, open_game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.nurseries import cancel, open_side_nursery
from scramble.process import settle_in, told_to_stop
from scramble.resources import BOARDS
from scramble.serving import Serving

PACKAGED_BOARD = BOARDS / "memory" / "perfect.txt"
PACKAGED_PUZZLES = BOARDS / "crossword"

Announce = Callable[[str], None]


def journal_of(serving: Serving, *, same_start: bool) -> Journal | None:
    """The journal that the options ask for. With `same_start` it must be that of a game that began as the one given.

    Raises JournalError if its name is none.
    """
    if serving.journal is None:
        return None
    return Journal(serving.journal, serving.journal_name, same_start=same_start)


def archive_of(serving: Serving) -> Archive | None:
    """The past of the game that is served, if it is kept in a journal."""
    return None if serving.journal is None else Archive(serving.journal, serving.journal_name)


class Fronts(NamedTuple):
    """Where front ends run: in `nursery` those that end when `closed` is set, in `lines` those that are cancelled."""

    nursery: trio.Nursery
    lines: trio.Nursery
    closed: trio.Event


@asynccontextmanager
async def front_ends() -> AsyncIterator[Fronts]:
    """Nurseries for what serves a game. When the block is left, in whatever way, they come to their end.

    The game is to be opened inside the block. So when it ends, even if by a bug or a full disk, the front ends are
    there for a moment longer, and all who wait are told. Then an exception of the block is raised.
    """
    closed = trio.Event()
    async with open_side_nursery(cancel) as lines, open_side_nursery(lambda _: closed.set()) as nursery:
        yield Fronts(nursery, lines, closed)


async def run_memory(
    board: Board,
    *,
    serving: Serving,
    port: int,
    edition: Edition,
    watch_timeout: float | None,
    announce: Announce,
    release_idle: float | None = None,
    same_start: bool = False,
    off: Collection[Switch] = (),
) -> None:
    """Serve Memory Scramble until SIGINT or SIGTERM; parked requests then get 503 at once.

    With a journal that has a game already, that one goes on; if it began on another board, and `same_start` is given,
    it is an error. What is `off` is refused. Raises BadCertificate for a certificate or key that cannot be used,
    CannotListen if the address cannot be bound, JournalError if the journal cannot be used and
    JournalFailed if it cannot be written any more, each perhaps in an exception group.
    """
    journal = journal_of(serving, same_start=same_start)
    opened = open_game(board, journal=journal, release_idle=release_idle)
    lookout = Lookout("memory", serving)
    around = Around(serving.protection(), lookout.traffic, lookout.beside, archive_of(serving))
    async with told_to_stop() as told, front_ends() as (nursery, _, closed), opened as game:
        serve = partial(serve_http, game, edition=edition, watch_timeout=watch_timeout, stop=closed.wait)
        serve = partial(serve, off=off, around=around)
        address = await nursery.start(partial(serve, host=serving.host, port=port))
        await lookout.start(nursery, game, game.changes(), closed.wait)
        settle_in()
        announce(f"Memory Scramble: {address.url}")
        lookout.report("http", address)
        await told()


async def run_minesweeper(
    field: Field,
    *,
    serving: Serving,
    port: int | None,
    http_port: int | None,
    debug: bool,
    announce: Announce,
    same_start: bool = False,
    same_size: bool = False,
) -> None:
    """Serve Minesweeper until SIGINT or SIGTERM: to telnet on `port`, and its page on `http_port`; None: not at all.

    Announces the addresses once all of them listen. With a journal that has a game already, that one goes on; if it
    began on another field, and `same_start` is given, it is an error; with `same_size`, if that field's size differs.
    Raises what `run_memory` does.
    """
    journal = journal_of(serving, same_start=same_start)
    if journal is not None and same_size:
        await trio.to_thread.run_sync(require_size, journal, field)
    opened = open_field(field, journal=journal)
    lookout = Lookout("minesweeper", serving)
    around = Around(serving.protection(), lookout.traffic, lookout.beside, archive_of(serving))
    async with told_to_stop() as told, front_ends() as (nursery, lines, closed), opened as game:
        listening: list[tuple[str, str, Address]] = []
        telnet: Address | None = None
        if port is not None:
            serve_lines = partial(serve_telnet, game, debug=debug, limits=serving.limits, traffic=lookout.traffic)
            telnet = await lines.start(partial(serve_lines, host=serving.host, port=port))
            listening.append((f"Minesweeper: telnet {telnet.host} {telnet.port}", "telnet", telnet))
        if http_port is not None:
            serve = partial(serve_minesweeper_http, game, debug=debug, telnet_port=telnet.port if telnet else None)
            serve = partial(serve, around=around, stop=closed.wait)
            address = await nursery.start(partial(serve, host=serving.host, port=http_port))
            listening.append((f"Minesweeper: {address.url}", "http", address))
        await lookout.start(nursery, game, game.changes(), closed.wait)
        settle_in()
        for line, transport, address in listening:
            announce(line)
            lookout.report(transport, address)
        await told()


def require_size(journal: Journal, field: Field) -> None:
    """See that the field on which the journal's game began, if there is one yet, is as large as `field`. Blocks.

    Raises JournalError if it is not.
    """
    try:
        recording = read_recording(journal.path, journal.name, after=sys.maxsize)
        first = Field.restore(recording.first)
    except (JournalError, ValueError):
        return  # there is none yet; or it cannot be used, and opening it says why
    if (first.columns, first.rows) != (field.columns, field.rows):
        raise JournalError(
            f"{journal.path}: {recording.name!r} is a game of {recording.kind} that began with"
            f" {first.columns} columns and {first.rows} rows, not {field.columns} and {field.rows}"
        )


async def run_crossword(
    puzzles: Sequence[Puzzle],
    *,
    serving: Serving,
    port: int,
    telnet_port: int,
    grace: float,
    announce: Announce,
    same_start: bool = False,
) -> None:
    """Serve Crossword Extravaganza until SIGINT or SIGTERM: its page on `port`, and to telnet on `telnet_port`.

    Announces the addresses once both listen. With a journal that has a lobby already, that one goes on; if it began
    with other puzzles, and `same_start` is given, it is an error. Raises what `run_memory` does.
    """
    opened = open_lobby(puzzles, grace=grace, journal=journal_of(serving, same_start=same_start))
    lookout = Lookout("crossword", serving)
    around = Around(serving.protection(), lookout.traffic, lookout.beside, archive_of(serving))
    async with told_to_stop() as told, front_ends() as (nursery, lines, closed), opened as lobby:
        serve_lines = partial(serve_crossword_telnet, lobby, server_limits=serving.limits, traffic=lookout.traffic)
        serve_lines = partial(serve_lines, seats=serving.seats)
        telnet = await lines.start(partial(serve_lines, host=serving.host, port=telnet_port))
        serve = partial(serve_crossword_http, lobby, telnet_port=telnet.port, stop=closed.wait)
        address = await nursery.start(partial(serve, around=around, host=serving.host, port=port))
        await lookout.start(nursery, lobby, None, closed.wait)
        settle_in()
        announce(f"Crossword Extravaganza: {address.url}")
        announce(f"Crossword Extravaganza: telnet {telnet.host} {telnet.port}")
        lookout.report("http", address)
        lookout.report("telnet", telnet)
        await told()


async def run_replay(file: Path, name: str, *, host: str, port: int, announce: Announce) -> None:
    """Serve the replay of a game in a journal until SIGINT or SIGTERM. Raises CannotListen, in an exception group."""
    async with told_to_stop() as told, trio.open_nursery() as nursery:
        closed = trio.Event()
        serve = partial(serve_replay, Archive(file, name), stop=closed.wait)
        address = await nursery.start(partial(serve, host=host, port=port))
        settle_in()
        announce(f"Replay: {address.url}")
        await told()
        closed.set()
