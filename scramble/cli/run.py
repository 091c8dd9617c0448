"""The main functions of servers: run a game, its front ends and its monitoring until SIGINT or SIGTERM.

A clean shutdown depends on the order of the nurseries. The game is opened inside the nurseries of its front ends. So
the front ends end after the game, even if a bug or a full disk ends the game, and every waiting client gets an answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

import click
import trio

from scramble.cli.config import ServerConfig
from scramble.cli.process import READY, SHUTDOWN_S, notify, shutdown_signal, tune_process
from scramble.errors import OperatorError, leaves
from scramble.front.game_front import GameFront, GameSetup, Transport
from scramble.front.games import game_pages
from scramble.front.replay.archive import Archive, Read
from scramble.front.replay.http import serve_replay
from scramble.front.site import SiteConfig, serve_site
from scramble.games.table import narrators
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.server.listening import Address
from scramble.server.monitoring.service import Monitoring
from scramble.server.reach import reachable

Announce = Callable[[str], None]


def announce(line: str) -> None:
    """Print one line to standard output. click flushes it, so that a parent process can read it at once."""
    click.echo(line)


def run_until_stopped(main: Callable[[], Coroutine[object, object, None]]) -> None:
    """Run a server's main function until it ends. If OperatorErrors end it, raises the first, without a group."""
    first: BaseException | None = None
    try:
        trio.run(main)
    except* OperatorError as group:
        first = leaves(group)[0]
    except* KeyboardInterrupt:  # the server did not handle signals yet
        pass
    if first is not None:
        raise first


@asynccontextmanager
async def until_signal(within_s: float = SHUTDOWN_S) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Yield a function that waits for SIGINT or SIGTERM. A signal before the call of the function cancels the block.

    So a server that is still starting stops at once: opening a long journal may take a minute.
    """
    async with shutdown_signal(within_s) as stopped, open_side_nursery(cancel) as nursery:
        signalled, waiting = trio.Event(), trio.Event()
        with trio.CancelScope() as starting:

            async def listen() -> None:
                await stopped()
                signalled.set()
                if not waiting.is_set():
                    starting.cancel()

            async def wait() -> None:
                waiting.set()
                await signalled.wait()

            nursery.start_soon(listen)
            yield wait


class FrontEnds(NamedTuple):
    """Nurseries of front ends: tasks in `nursery` end when `closed` is set, tasks in `lines` are cancelled."""

    nursery: trio.Nursery
    lines: trio.Nursery
    closed: trio.Event


@asynccontextmanager
async def open_front_ends() -> AsyncIterator[FrontEnds]:
    """Open nurseries for the front ends of a game. The end of the block, even by an exception, ends the front ends.

    The caller opens the game inside the block. An exception of the block is raised after the front ends have ended.
    """
    closed = trio.Event()
    async with open_side_nursery(cancel) as lines, open_side_nursery(lambda _: closed.set()) as nursery:
        yield FrontEnds(nursery, lines, closed)


async def run_game(front: GameFront, setup: GameSetup, config: ServerConfig, announce: Announce) -> None:
    """Serve a game until SIGINT or SIGTERM. Waiting requests then get 503 at once.

    A signal also stops the opening of a journal. If the journal already contains the game, that game continues.
    Announces the addresses when the server listens on all of them. Raises CannotListen if an address cannot be bound,
    JournalError if the journal is unusable, and JournalFailed if writing to the journal fails. Each error may be in an
    exception group.
    """
    journal = config.journal_of(same_start=setup.same_start)
    if journal is not None and setup.check_journal is not None:
        await trio.to_thread.run_sync(setup.check_journal, journal)
    monitoring = Monitoring(front.kind.name, config.options.host, config.options.metrics)
    archive = None if journal is None else Archive(journal.read, narrators=narrators())
    site = SiteConfig(config.protection, monitoring.traffic, monitoring.on_the_games_port, game_pages(), archive)
    async with (
        until_signal() as stopped,
        open_front_ends() as (nursery, lines, closed),
        setup.open(journal) as mounted,
    ):
        listening: dict[Transport, Address] = {}
        if mounted.serve_lines is not None and "telnet" in setup.ports:
            serve_lines = partial(mounted.serve_lines, site, host=config.options.host, port=setup.ports["telnet"])
            listening["telnet"] = await lines.start(serve_lines)
        if "http" in setup.ports:
            telnet = listening.get("telnet")
            app = mounted.make_app(site, None if telnet is None else telnet.port)
            serve = partial(serve_site, app, site, host=config.options.host, port=setup.ports["http"], stop=closed.wait)
            listening["http"] = await nursery.start(serve)
        changes = None if mounted.changes is None else mounted.changes()
        await monitoring.start(nursery, mounted.game, changes, closed.wait)
        tune_process()
        for transport in setup.ports:
            for place in reachable(listening[transport]):
                announce(
                    f"{front.kind.title}: {place.url if transport == 'http' else f'telnet {place.host} {place.port}'}"
                )
        for transport in setup.ports:
            monitoring.report(transport, listening[transport])
        notify(READY)
        await stopped()


async def run_replay(read: Read, *, host: str, port: int, host_names: Sequence[str], announce: Announce) -> None:
    """Serve the replay of a game until SIGINT or SIGTERM. Raises CannotListen, in an exception group."""
    async with shutdown_signal() as stopped, trio.open_nursery() as nursery:
        closed = trio.Event()
        archive = Archive(read, narrators=narrators())
        serve = partial(serve_replay, archive, host_names=host_names, pages=game_pages(), stop=closed.wait)
        address = await nursery.start(partial(serve, host=host, port=port))
        tune_process()
        for place in reachable(address):
            announce(f"Replay: {place.url}")
        notify(READY)
        await stopped()
        closed.set()
