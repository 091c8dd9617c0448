"""The network side of Memory Scramble: the options of `scramble memory`, the game, and its rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, get_args

import click
from quart_trio import QuartTrio

from scramble.errors import CallerError
from scramble.front.game_front import GameFront, GameSetup, MountedGame
from scramble.front.memory.front import Edition, MemoryFront, players_frame
from scramble.front.memory.http import make_app, make_bare_app
from scramble.front.memory.permissions import PermissionCheck, Permissions, Switch
from scramble.front.memory.turn_clock import TurnClock
from scramble.front.options import (
    FILE,
    PORT,
    SECONDS,
    Values,
    argument,
    flag,
    option,
    options_of,
    params_of,
    random_seed,
    unreadable,
)
from scramble.front.rooms.house import RoomHouse
from scramble.front.rooms.room_routes import AnotherRoom
from scramble.front.sections import Section
from scramble.front.site import SiteConfig
from scramble.front.web.client import Client
from scramble.front.web.websocket import Beside
from scramble.games.kind import GameKind
from scramble.journal import Journal
from scramble.memory import Board, open_game
from scramble.memory.game import HOLDING_S, Game
from scramble.memory.kind import MEMORY, memory_kind
from scramble.memory.random_board import new_board
from scramble.memory.room import MOST_CARDS
from scramble.resources import PACKAGED_BOARD
from scramble.rooms.protocol import Room


@dataclass(frozen=True, kw_only=True)
class MemoryOptions:
    """Options of `scramble memory`, without the options that all games share."""

    board: Path | None = argument("board", type=FILE)
    port: int = option("--port", 8080, type=PORT, help="The port to listen on; 0 selects any free port.", hosted=False)
    edition: Edition = option(
        "--edition",
        "2025",
        type=click.Choice(get_args(Edition)),
        help="The answer to a failed flip over HTTP: 409 and the reason (2025), or 200 and the board (2022).",
    )
    watch_timeout: float | None = option(
        "--watch-timeout",
        None,
        type=SECONDS,
        help="Answer a watch after this many seconds even if nothing changed.",
    )
    no_replace: bool = flag("--no-replace", help="Refuse to replace cards.", section=Section.PERMISSIONS)
    no_new: bool = flag("--no-new", help="Refuse to start a new game.", section=Section.PERMISSIONS)
    release_idle: float | None = option(
        "--release-idle",
        None,
        type=SECONDS,
        help="Release the cards of players who have been away for this many seconds.",
    )
    release_holding: float = option(
        "--release-holding",
        HOLDING_S,
        type=SECONDS,
        help="With --release-idle: release a card after this many seconds if another player waits for it.",
    )
    new_every: float | None = option(
        "--new-every",
        None,
        type=SECONDS,
        help="Refuse to start a new game within this many seconds after the last new game.",
        section=Section.PERMISSIONS,
    )


def set_up(values: Values) -> GameSetup:
    """Set up a game on the board in a file, or on a random board. Raises OperatorError for an invalid file."""
    options = options_of(MemoryOptions, values)
    given = _random_board() if options.board is None else read_board(options.board)
    switches: dict[Switch, bool] = {"replace": options.no_replace, "new": options.no_new}
    make = partial(
        make_app,
        edition=options.edition,
        watch_timeout=options.watch_timeout,
        off=frozenset(switch for switch, is_off in switches.items() if is_off),
        new_every=options.new_every,
    )

    @asynccontextmanager
    async def open_mounted(journal: Journal | None) -> AsyncIterator[MountedGame]:
        idle, holding = options.release_idle, options.release_holding
        async with open_game(given, journal=journal, release_idle=idle, release_holding=holding) as game:

            def make_site(site: SiteConfig, telnet_port: int | None, /) -> QuartTrio:
                return make(game, site=site)

            yield MountedGame(game, make_site, changes=game.changes)

    return GameSetup(open_mounted, {"http": options.port}, same_start=options.board is not None)


def _random_board() -> Board:
    """Make a small board: a game takes some minutes, and a new player understands it at once."""
    return Board.parse(new_board(4, 4, "emoji", random_seed()))


def read_board(path: Path) -> Board:
    """Read the board in a file. Raises OperatorError for an invalid file."""
    try:
        return Board.parse_from_file(path)
    except OSError as error:
        raise unreadable(path, error) from error


NOT_IN_ROOMS: Final[tuple[Switch, ...]] = ("new",)
"""Moves that rooms refuse: players open another room for a new game."""


def _another_room(_: Switch) -> CallerError:
    return AnotherRoom("in a room a new game is another room")


def room_app(house: RoomHouse) -> QuartTrio:
    """Make the application of all rooms. Blocks while it reads the pages."""
    site = house.site
    checks: Mapping[Switch, PermissionCheck] = {"replace": partial(house.require_host, "replace")}

    def make_front(room: Room) -> MemoryFront:
        assert isinstance(room.game, Game)
        permissions = Permissions(NOT_IN_ROOMS, site.protection.limits, refusal=_another_room, checks=checks)
        clock, gathering = TurnClock(room.game), house.gathering_of(room)

        def beside(player: str | None, client: Client, /) -> Sequence[Beside]:
            return (*gathering.beside(player, client), clock.follow)

        gathering.show_players(players_frame, room.game.free_in)
        return MemoryFront(room.game, permissions=permissions, traffic=site.traffic, beside=beside)

    return house.make_app(make_front, make_bare_app)


@dataclass(frozen=True, kw_only=True)
class MemoryRoomsOptions:
    """Options of `scramble serve` for rooms of this game."""

    max_cards: int = option(
        "--max-cards",
        MOST_CARDS,
        type=click.IntRange(2),
        metavar="N",
        help="Largest board of a Memory Scramble room, in cards.",
    )


def limit(values: Values, _folder: Path | None) -> GameKind:
    """Return the kind with boards of at most `--max-cards` cards."""
    return memory_kind(options_of(MemoryRoomsOptions, values).max_cards)


MEMORY_FRONT: Final = GameFront(
    kind=MEMORY,
    help="Serve Memory Scramble on BOARD, or on a random board of 4x4 emoji.",
    params=params_of(MemoryOptions),
    set_up=set_up,
    room_app=room_app,
    hosted=(str(PACKAGED_BOARD),),
    serve_params=params_of(MemoryRoomsOptions),
    limit=limit,
)
