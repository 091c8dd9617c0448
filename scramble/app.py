"""A game as an ASGI application, for people who run hypercorn themselves.

Settings are in the environment:

    SCRAMBLE_BOARD=boards/memory/animals.txt hypercorn -k trio 'scramble.app:create_app()'
    hypercorn -k trio 'scramble.app:create_app("minesweeper")'
    SCRAMBLE_DATA=games hypercorn -k trio 'scramble.app:create_app("rooms")'

Each option of the command that serves the game is a setting. The exceptions are the options for connections (addresses,
TLS, limits on their number and speed): hypercorn has its own settings for them. docs/how-to/behind-a-proxy.md lists all
settings.
"""

from __future__ import annotations

import os
from typing import Final

import click
import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.cli.config import OPTIONS, ServerConfig, config_of
from scramble.cli.serve import TOKEN_VARIABLE, ServeConfig, open_served_rooms, serve_config_of, serve_params
from scramble.errors import JournalError, OperatorError
from scramble.front.game_front import GameSetup
from scramble.front.games import game_fronts, game_pages
from scramble.front.replay.archive import Archive
from scramble.front.rooms.app import make_rooms_app, rooms_site
from scramble.front.sections import is_hosted
from scramble.front.site import SiteConfig
from scramble.games.table import narrators
from scramble.resources import PACKAGED_BOARD, PACKAGED_PUZZLES
from scramble.server.http.server import guarded
from scramble.server.traffic import observed

__all__ = ["PACKAGED_BOARD", "PACKAGED_PUZZLES", "BadSetting", "GameApp", "create_app"]

PREFIX: Final = "SCRAMBLE"

MANY_GAMES: Final = "rooms"

NO_LIFESPAN: Final = "scramble needs a server that supports the lifespan protocol, such as hypercorn"


class BadSetting(OperatorError):
    """An environment variable with an invalid value."""

    code = "bad-setting"


class GameApp:
    """An ASGI application with one game. The game runs from the startup to the shutdown of the ASGI lifespan."""

    def __init__(self, setup: GameSetup, config: ServerConfig) -> None:
        """Open no journal yet. Raises JournalError if the journal's name is invalid."""
        self._setup: Final = setup
        self._config: Final = config
        self._journal: Final = config.journal_of(same_start=setup.same_start)
        self._app: ASGIFramework | None = None

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Answer one request, or run the game during the lifespan."""
        if scope["type"] == "lifespan":
            config, setup, journal = self._config, self._setup, self._journal
            if journal is not None and setup.check_journal is not None:
                await trio.to_thread.run_sync(setup.check_journal, journal)
            archive = None if journal is None else Archive(journal.read, narrators=narrators())
            site = SiteConfig(
                config.protection, metrics=config.options.metrics == "on", pages=game_pages(), archive=archive
            )
            async with setup.open(journal) as mounted:
                self._app = observed(guarded(mounted.make_app(site, None), config.protection), site.traffic)
                await self._app(scope, receive, send)
        elif self._app is None:
            raise RuntimeError(NO_LIFESPAN)
        else:
            await self._app(scope, receive, send)


class RoomsApp:
    """An ASGI application with many games. The rooms are open from the startup to the shutdown of the lifespan."""

    def __init__(self, setup: ServeConfig, config: ServerConfig) -> None:
        """Open no folder yet."""
        self._setup: Final = setup
        self._config: Final = config
        self._app: ASGIFramework | None = None

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Answer one request, or keep the rooms open during the lifespan."""
        if scope["type"] == "lifespan":
            site = rooms_site(
                SiteConfig(self._config.protection, metrics=self._config.options.metrics == "on"), self._setup.rooms
            )
            async with open_served_rooms(self._setup) as rooms:
                app = make_rooms_app(rooms, site, self._setup.rooms)
                self._app = observed(guarded(app, site.protection), site.traffic)
                await self._app(scope, receive, send)
        elif self._app is None:
            raise RuntimeError(NO_LIFESPAN)
        else:
            await self._app(scope, receive, send)


def create_app(game: str = "memory") -> GameApp | RoomsApp:
    """Make an ASGI application for `hypercorn -k trio 'scramble.app:create_app()'`, with one worker.

    `game` is memory, minesweeper, crossword, or rooms for a server of many games. Settings come from the environment.
    For example, the option `--watch-timeout` of the command is `SCRAMBLE_WATCH_TIMEOUT`, and the argument BOARD is
    `SCRAMBLE_BOARD`. A flag is 1 or 0, several values are separated by spaces, and an empty variable counts as unset.
    Blocks while it reads files. Raises BadSetting with the name of the invalid setting.
    """
    front = game_fronts().get(game)
    if front is None and game != MANY_GAMES:
        raise BadSetting(f"{game!r} is not a game: {', '.join(game_fronts())}, {MANY_GAMES}")
    given = serve_params() if front is None else (*front.params, *OPTIONS)
    params = [param for param in given if is_hosted(param)]
    positional = [setting_of(param) for param in params if isinstance(param, click.Argument)]
    usual = () if front is None else front.hosted
    arguments = [value for value in map(os.environ.get, positional) if value] or list(usual)
    command = click.Command(PREFIX, params=params)
    try:
        values = command.make_context(PREFIX, ["--", *arguments], auto_envvar_prefix=PREFIX).params
        config = config_of(values)
        if isinstance(config.options.metrics, int):
            raise BadSetting(f"{PREFIX}_METRICS: on or off; under another server, metrics have no separate port")
        if front is not None:
            return GameApp(front.set_up(values), config)
        setup = serve_config_of(values)
        if setup.rooms.open_rooms == "token" and not os.environ.get(TOKEN_VARIABLE):
            raise BadSetting(f"{TOKEN_VARIABLE}: missing; clients need this token to open rooms")
        return RoomsApp(setup, config)
    except click.BadParameter as error:
        named = "" if error.param is None else f"{setting_of(error.param)}: "
        raise BadSetting(f"{named}{error.message}") from error
    except click.UsageError as error:
        raise BadSetting(error.message) from error
    except JournalError as error:
        raise BadSetting(f"{PREFIX}_JOURNAL_NAME: {error}") from error
    except BadSetting:
        raise
    except OperatorError as error:
        raise BadSetting(f"{' '.join(positional)}: {error}" if positional else str(error)) from error


def setting_of(param: click.Parameter) -> str:
    """Return the environment variable of the parameter."""
    return f"{PREFIX}_{param.name}".upper()
