"""The network side of a kind of game as one value: its options, its routes, its line dialogue and its pages.

    MEMORY_FRONT = GameFront(kind=MEMORY, help="...", params=params_of(MemoryOptions), set_up=set_up,
                             room_app=room_app)

    setup = MEMORY_FRONT.set_up({"port": 0})                   the values of the options; reads files, starts nothing
    async with setup.open(journal) as mounted:                 the game runs: an owner task, and a journal if given
        app = mounted.make_app(site, None)                     its page, its protocol, and the common parts of a site
        await mounted.serve_lines(site, host=..., port=...)    its line dialogue, if it has one

`scramble.front.games` finds the values that are installed. There is one way to run, host and replay a game, and it uses
these values and the `GameKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias

import click
import trio
from quart_trio import QuartTrio

from scramble.front.options import Values
from scramble.front.rooms.house import RoomHouse
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.site import ServedGame, SiteConfig
from scramble.games.kind import GameKind
from scramble.journal import Journal
from scramble.kernel.changes import Changes
from scramble.rooms.turns import FairTurns
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


class LobbyRoutes(NamedTuple):
    """Routes of a game beside the rooms API, for instance to convert files of other programs."""

    add: Callable[[QuartTrio, FairTurns, Doorkeeper], None]
    bodies: Mapping[str, int]  # the longest body, in bytes, of those paths that take longer bodies than others


@dataclass(frozen=True)
class GameFront:
    """The network side of one kind of game."""

    kind: GameKind
    help: str  # of the command
    params: tuple[click.Parameter, ...]  # of the command, beside the options that all games share
    set_up: Callable[[Values], GameSetup]  # from those of `params`; raises OperatorError if one cannot be used
    room_app: Callable[[RoomHouse], QuartTrio]  # makes the application of all rooms; blocks while it reads pages
    hosted: tuple[str, ...] = ()  # default arguments under another ASGI server
    pages: Path | None = None  # the folder of the pages; None: client/NAME
    serve_params: tuple[click.Parameter, ...] = ()  # of `scramble serve`, beside the options that all games share
    limit: Callable[[Values, Path | None], GameKind] | None = None  # the kind, from their values
    lobby: LobbyRoutes | None = None

    def limited(self, values: Values, folder: Path | None) -> GameKind:
        """Return the kind for rooms of a server with these values of `serve_params`; `folder` keeps the rooms."""
        return self.kind if self.limit is None else self.limit(values, folder)
