"""A kind of game as one value: everything that is needed to serve, host, keep, check and replay the game.

    MEMORY = GameKind(name="memory", title="Memory Scramble", params=(...), set_up=set_up, restore=..., narrator=...)

    setup = MEMORY.set_up(board=None, port=8080, ...)      the values of the options; reads files, starts nothing
    async with setup.open(journal) as mounted:             the game runs: an owner task, and a journal if one is given
        app = mounted.make_app(site, None)                 its page, its protocol, and the common parts of a site
        await mounted.serve_lines(site, host=..., port=...)     its line dialogue, if it has one

`scramble.front.games` lists the kinds. There is one way to run, host and replay a game, and it uses these values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import click
import trio
from quart_trio import QuartTrio

from scramble.front.site import ServedGame, SiteConfig
from scramble.journal import Journal
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Durable
from scramble.replay.games import NarratorFactory
from scramble.server.listening import Address

Transport: TypeAlias = Literal["http", "telnet"]


class MakeApp(Protocol):
    """The game's page and protocol as an ASGI application."""

    def __call__(self, site: SiteConfig, telnet_port: int | None, /) -> QuartTrio:
        """Make the application. `telnet_port` is the port at which telnet serves the same game, if it does."""


class ServeLines(Protocol):
    """The game's dialogue over telnet."""

    async def __call__(self, site: SiteConfig, *, host: str, port: int, task_status: trio.TaskStatus[Address]) -> None:
        """Serve it until cancelled. For `nursery.start`, which returns the `Address`. Raises CannotListen."""


@dataclass(frozen=True)
class MountedGame:
    """A running game with its front ends, which are not started yet."""

    game: ServedGame
    make_app: MakeApp
    serve_lines: ServeLines | None = None  # None: the game has no line dialogue
    changes: Callable[[], Changes] | None = None  # follows the moves for the log; None: the game does not publish them


@dataclass(frozen=True)
class GameSetup:
    """A game of one kind, set up from its options but not running yet."""

    open: Callable[[Journal | None], AbstractAsyncContextManager[MountedGame]]
    ports: Mapping[Transport, int]  # the port of each transport, in the order of announcement; 0: any free port
    same_start: bool = False  # a game in the journal must have begun in the same state as this one
    check_journal: Callable[[Journal], None] | None = None  # further checks; blocks, raises JournalError


@dataclass(frozen=True)
class GameKind:
    """One kind of game: its name, options, rules and front ends."""

    name: str  # one word: the command, the kind in journals and metrics, and the page's folder in client/
    title: str  # for people
    help: str  # of the command
    params: tuple[click.Parameter, ...]  # of the command, beside the options that all games share
    set_up: Callable[..., GameSetup]  # from the values of `params`; raises OperatorError if one cannot be used
    restore: Callable[[bytes], Durable]  # makes the rules from a state in a journal; raises ValueError
    narrator: NarratorFactory  # makes the narrator of a recording that begins with that state; raises ValueError
    hosted: tuple[str, ...] = ()  # default arguments under another ASGI server
