"""The network side of a small game: `plain_front` makes its command, its server and its rooms from the game's kind.

    RACE_FRONT = plain_front(
        RACE,
        Run | Rest,
        help="Serve a race to any number of players.",
        pages=Path(__file__).parent / "client",
        params=(click.Option(["--size"], help="Length of the track."),),
    )

The options of the command are settings of the kind: `--size 80` is the setting "size" of a room.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
from quart_trio import QuartTrio

from scramble.front.game_front import GameFront, GameSetup, MountedGame
from scramble.front.options import PORT, Values, option, options_of, params_of, random_seed
from scramble.front.plain.frames import MoveDecoder, players_frame
from scramble.front.plain.front import PlainFront, make_bare_app
from scramble.front.rooms.house import RoomHouse
from scramble.front.site import SiteConfig, add_site, site_door
from scramble.games.kind import GameKind
from scramble.games.plain import PlainGame
from scramble.games.room import RoomClocks
from scramble.games.settings import BadSettings
from scramble.journal import Journal
from scramble.rooms.protocol import Room


@dataclass(frozen=True, kw_only=True)
class PlainOptions:
    """Options of the command of each small game."""

    port: int = option("--port", 8080, type=PORT, help="The port to listen on; 0 selects any free port.", hosted=False)


def plain_front(
    kind: GameKind, moves: object, *, help: str, pages: Path, params: Sequence[click.Option] = ()
) -> GameFront:
    """Make the network side of a game. The rooms of its kind have `PlainGame`s.

    `moves` is the class of the commands that players may send, or the union of these classes. `pages` is the folder
    of the game's page. `params` are options for settings of the kind; a missing setting has its default.
    Raises TypeError if a class of commands has no field `player`.
    """
    decoder = MoveDecoder(moves)
    names = [param.name for param in params if param.name is not None]

    def set_up(values: Values) -> GameSetup:
        settings = {name: values[name] for name in names if values.get(name) is not None}
        try:
            setup = kind.set_up(kind.settle(settings, random_seed()))
        except BadSettings as bad:
            raise click.UsageError(str(bad)) from None

        @asynccontextmanager
        async def open_mounted(journal: Journal | None) -> AsyncIterator[MountedGame]:
            async with setup.open(journal, RoomClocks()) as opened:
                game = opened.game
                assert isinstance(game, PlainGame)
                yield MountedGame(game, partial(_make_app, kind, game, decoder), changes=game.changes)

        port = options_of(PlainOptions, values).port
        return GameSetup(open_mounted, {"http": port}, same_start=bool(settings))

    return GameFront(
        kind=kind,
        help=help,
        params=(*params, *params_of(PlainOptions)),
        set_up=set_up,
        room_app=partial(_room_app, decoder),
        pages=pages,
    )


def _make_app(
    kind: GameKind, game: PlainGame[object], decoder: MoveDecoder, site: SiteConfig, _telnet_port: int | None, /
) -> QuartTrio:
    """Make an ASGI application that serves one running game and its page."""
    front = PlainFront(kind.name, game, decoder, site.protection.limits, traffic=site.traffic)
    app = make_bare_app(site_door(front, game, site))
    add_site(app, kind.name, game, site)
    return app


def _room_app(decoder: MoveDecoder, house: RoomHouse) -> QuartTrio:
    """Make the application of all rooms. Blocks while it reads the pages."""
    site = house.site

    def make_front(room: Room) -> PlainFront:
        assert isinstance(room.game, PlainGame)
        gathering = house.gathering_of(room)
        gathering.show_players(players_frame, lambda _: None)
        return PlainFront(
            house.kind.name, room.game, decoder, site.protection.limits, traffic=site.traffic, beside=gathering.beside
        )

    return house.make_app(make_front, make_bare_app)
