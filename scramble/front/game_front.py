"""The network side of one kind of game: its options, its routes, its line dialogue and its pages.

    MEMORY_FRONT = GameFront(kind=MEMORY, help="...", params=params_of(MemoryOptions), set_up=set_up,
                             room_app=room_app)

    setup = MEMORY_FRONT.set_up({"port": 0})                   # reads the options and files, starts nothing
    async with setup.open(journal) as mounted:                 # runs the game, with a journal if `journal` is not None
        app = mounted.make_app(site, None)                     # the page, the protocol, the common parts of a site
        await mounted.serve_lines(site, host=..., port=...)    # the line dialogue, unless `serve_lines` is None

`scramble.front.games` finds the installed `GameFront`s. The commands that run, host and replay games use only a game's
`GameFront` and `GameKind`, and are the same for all games.
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
        """Make the application. `telnet_port` is the telnet port of the same game; None: telnet does not serve it."""


class ServeLines(Protocol):
    """The game's dialogue over telnet."""

    async def __call__(self, site: SiteConfig, *, host: str, port: int, task_status: trio.TaskStatus[Address]) -> None:
        """Serve the dialogue until cancelled. `nursery.start` returns the `Address`. Raises CannotListen."""


@dataclass(frozen=True)
class MountedGame:
    """A running game. Its front ends are not started yet."""

    game: ServedGame
    make_app: MakeApp
    serve_lines: ServeLines | None = None  # None: the game has no line dialogue
    changes: Callable[[], Changes] | None = None  # the moves for the log; None: the game publishes no moves


@dataclass(frozen=True)
class GameSetup:
    """A game of one kind, set up from its options but not running yet."""

    open: Callable[[Journal | None], AbstractAsyncContextManager[MountedGame]]
    ports: Mapping[Transport, int]  # the port of each transport, in the order of announcement; 0: any free port
    same_start: bool = False  # the journal's game must have the same initial state as this game
    check_journal: Callable[[Journal], None] | None = None  # further checks of the journal; blocks, raises JournalError


class LobbyRoutes(NamedTuple):
    """Routes of a game besides the rooms API, for example a route that converts files of other programs."""

    add: Callable[[QuartTrio, FairTurns, Doorkeeper], None]
    bodies: Mapping[str, int]  # path -> limit of the body in bytes, if larger than the usual limit


@dataclass(frozen=True)
class GameFront:
    """The network side of one kind of game."""

    kind: GameKind
    help: str  # the help of the command
    params: tuple[click.Parameter, ...]  # the command's parameters, without the options that all games share
    set_up: Callable[[Values], GameSetup]  # sets up a game from the values of `params`; raises OperatorError
    room_app: Callable[[RoomHouse], QuartTrio]  # makes the application of all rooms; blocks while it reads pages
    hosted: tuple[str, ...] = ()  # the command's default arguments under another ASGI server
    pages: Path | None = None  # the folder of the pages; None: client/NAME
    serve_params: tuple[click.Parameter, ...] = ()  # this game's parameters of `scramble serve`
    limit: Callable[[Values, Path | None], GameKind] | None = None  # makes the kind; see `limited`
    lobby: LobbyRoutes | None = None

    def limited(self, values: Values, folder: Path | None) -> GameKind:
        """Return the kind for a server's rooms. `values` are values of `serve_params`. The rooms are in `folder`."""
        return self.kind if self.limit is None else self.limit(values, folder)
