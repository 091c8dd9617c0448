"""The command `scramble serve`: a server of many games, which people and programs open."""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Final, get_args

import click
from platformdirs import user_data_path

from scramble.cli.commands import ARGUMENTS, CLUSTER_VARIABLE, SectionedCommand, require_cluster
from scramble.cli.config import OPTIONS, ServerConfig, take_config
from scramble.cli.limit_options import AT_LEAST_1
from scramble.cli.logging import logging_to_standard_error
from scramble.cli.process import HANDOVER_S, READY, SHUTDOWN_S, notify, tune_process
from scramble.cli.run import Announce, announce, open_front_ends, run_until_stopped, until_signal
from scramble.cli.worker import Worker
from scramble.cli.workers import run_workers
from scramble.front.games import failures, game_fronts
from scramble.front.options import PORT, SECONDS, number_of
from scramble.front.rooms.app import RoomsConfig, rooms_site, serve_rooms
from scramble.front.rooms.control import open_control
from scramble.front.rooms.held import MOST_HELD
from scramble.front.rooms.monitoring import add_rooms_monitoring
from scramble.front.rooms.room_orders import ROOMS_PER_MINUTE, TURN_CLOCKS, OpenRooms
from scramble.front.site import SiteConfig
from scramble.games.kind import GameKind
from scramble.logs import LogEntry
from scramble.resources import PUZZLES_FOLDER
from scramble.rooms.bothosts import BotLimits, hosted_bots
from scramble.rooms.demo import demo_games
from scramble.rooms.local import RoomLimits, open_rooms
from scramble.rooms.protocol import Rooms
from scramble.server.monitoring.service import Monitoring
from scramble.server.reach import reachable

logger = logging.getLogger(__name__)

TOKEN_VARIABLE: Final = "SCRAMBLE_TOKEN"
OPENER_TOKEN_BYTES: Final = 9  # of randomness: people copy it
DAY_S: Final = 86400.0
DAYS: Final = number_of("days", lambda value: value > 0, "above 0")
NOT_FOR_ROOMS: Final = frozenset({"journal", "journal_name", "seats"})
"""Options of all games that rooms have otherwise: each has a journal of its own, and seats unless it says no."""

ROOMS_OPTIONS: Final = tuple(option for option in OPTIONS if option.name not in NOT_FOR_ROOMS)


class DataSize(click.ParamType[int]):
    """A number of bytes: digits, and K, M, G or T for thousands, millions and so on."""

    name = "size"
    BYTES: ClassVar[Mapping[str, int]] = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. Fails with a click.BadParameter."""
        match = re.fullmatch(r"([0-9]{1,15})([KMGT]?)B?", str(value).upper())
        if match is None or int(match[1]) == 0:
            self.fail(f"{value!a} is no size: a number above 0 and K, M, G or T, such as 500M", param, ctx)
        return int(match[1]) * self.BYTES[match[2]]


DATA_SIZE: Final = DataSize()

ROOM_LIMITS: Final = RoomLimits()
BOT_LIMITS: Final = BotLimits()

FOLDER_OPTION: Final = click.Option(
    ["--data"],
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the rooms in this folder. Default: a folder of the user's data.",
)

PARAMS: Final = (
    click.Option(
        ["--port"], default=8080, show_default=True, type=PORT, help="The port to listen on; 0 selects any free port."
    ),
    click.Option(
        ["--workers"],
        type=AT_LEAST_1,
        metavar="N",
        help="Serve the port by so many processes, which share the rooms of --cluster.",
    ),
    click.Option(
        ["--open-rooms"],
        default="anybody",
        show_default=True,
        type=click.Choice(get_args(OpenRooms)),
        help="Who may open rooms: anybody, clients on this machine, or who has the token that is printed at the start.",
    ),
    click.Option(
        ["--turn-clock"],
        default="45",
        show_default=True,
        type=click.Choice(["off", *map(str, TURN_CLOCKS)]),
        help="Seconds for which a player may hold what others wait for, in rooms that do not choose it.",
    ),
    FOLDER_OPTION,
    click.Option(
        ["--cluster"],
        envvar=CLUSTER_VARIABLE,
        metavar="URL",
        help="Serve rooms together with other processes, through the Redis or Valkey server at that address, such as"
        f" redis://HOST:6379/0; with a password, better in the variable {CLUSTER_VARIABLE}.",
    ),
    click.Option(["--in-memory"], is_flag=True, help="Keep nothing: all rooms are lost when the server ends."),
    click.Option(
        ["--demo"],
        is_flag=True,
        help="Have a room of each game in which bots play, and play again, to look at; in a cluster one in all.",
    ),
    click.Option(
        ["--sleep-after"],
        default="60",
        show_default=True,
        type=SECONDS,
        help="Let a room fall asleep when nobody has been in it for so long.",
    ),
    click.Option(
        ["--keep-days"],
        default="30",
        show_default=True,
        type=DAYS,
        help="Remove rooms so many days after the end of their game, or after the last visit if it does not end.",
    ),
    click.Option(
        ["--max-rooms"],
        default=ROOM_LIMITS.rooms,
        show_default=True,
        type=AT_LEAST_1,
        metavar="N",
        help="Rooms in all, those that ended included.",
    ),
    click.Option(
        ["--max-awake"],
        default=ROOM_LIMITS.awake,
        show_default=True,
        type=AT_LEAST_1,
        metavar="N",
        help="Rooms that are not asleep.",
    ),
    click.Option(
        ["--max-awake-memory"],
        type=DATA_SIZE,
        default="1G",
        metavar="SIZE",
        show_default=True,
        help="Memory that rooms which are not asleep may take in one process, by an estimate, such as 500M.",
    ),
    click.Option(
        ["--max-boards"],
        type=DATA_SIZE,
        default="1G",
        metavar="SIZE",
        show_default=True,
        help="What the boards, fields and puzzles that people bring may take in the folder, in all.",
    ),
    click.Option(
        ["--max-data"],
        type=DATA_SIZE,
        metavar="SIZE",
        show_default="what the disk has, but for a reserve of 32 MB",
        help="What the files of all rooms may take, such as 500M or 20G; when they take more, moves are refused.",
    ),
    click.Option(
        ["--rooms-per-minute"],
        type=AT_LEAST_1,
        metavar="N",
        show_default=f"{ROOMS_PER_MINUTE}; from this machine, any number",
        help="Rooms that one address may open a minute.",
    ),
    click.Option(
        ["--max-rooms-by-address"],
        type=AT_LEAST_1,
        metavar="N",
        show_default=f"a tenth of --max-rooms, at most {MOST_HELD}; from this machine, any number",
        help="Open rooms that one address has opened; an IPv6 network of 48 bits has four times as many.",
    ),
    click.Option(
        ["--max-bots"],
        default=BOT_LIMITS.in_room,
        show_default=True,
        type=click.IntRange(0),
        metavar="N",
        help="Bots in one room.",
    ),
    click.Option(
        ["--max-bots-awake"],
        default=BOT_LIMITS.awake,
        show_default=True,
        type=AT_LEAST_1,
        metavar="N",
        help="Bots that think about a move at once, in all rooms; more take turns.",
    ),
)


def serve_params() -> tuple[click.Parameter, ...]:
    """Return all parameters of the command: its own, those of the games, and those of all servers."""
    games = (param for front in game_fronts().values() for param in front.serve_params)
    return (*PARAMS, *games, *ROOMS_OPTIONS)


@dataclass(frozen=True)
class ServeConfig:
    """Configuration of a server of rooms, beside that of all servers."""

    port: int
    folder: Path | None  # that keeps the rooms; None: nothing does
    sleep_s: float  # after which a room falls asleep that nobody is in
    keep_s: float  # for which rooms are kept whose game is over, or that nobody enters
    limits: RoomLimits
    bots: BotLimits
    kinds: Mapping[str, GameKind]
    rooms: RoomsConfig
    demo: bool = False  # games of bots alone
    cluster: str | None = None  # the address of the Redis that keeps the rooms, instead of a folder


def default_folder() -> Path:
    """Return the folder that keeps the rooms of this user if none is given."""
    return user_data_path("scramble", appauthor=False) / "rooms"


def puzzles_folder(data: Path | None) -> Path:
    """Return the folder of the crosswords that a server whose rooms are in the folder `data` offers, too."""
    return (data or default_folder()) / PUZZLES_FOLDER


def _serve(**values: object) -> None:
    context = click.get_current_context()
    worker = context.find_object(Worker)
    config = take_config(values)
    by_default = values.get("data") is None and not values.get("in_memory") and values.get("cluster") is None
    setup = take_setup(values)
    workers = values["workers"]
    if workers is not None and setup.cluster is None:
        raise click.UsageError("--workers needs --cluster: processes share rooms through a Redis server")
    with logging_to_standard_error(config.log_format, config.log_level, None if worker is None else worker.number):
        for failure in failures():
            logger.warning(LogEntry("game-not-loaded", reason=failure))
        if worker is None and isinstance(workers, int):
            sys.exit(run_workers(workers, config.host, setup.port, ("serve", *context.meta[ARGUMENTS])))
        run_until_stopped(partial(run_rooms, setup, config, announce, say_folder=by_default, worker=worker))


serve_command: Final = SectionedCommand(
    "serve",
    callback=_serve,
    params=list(serve_params()),
    help="Serve many games at once: people open them in the browser, and send their friends a link.",
)


def take_setup(values: Mapping[str, object]) -> ServeConfig:
    """Return the configuration that the values of `PARAMS` are. Raises click.UsageError."""
    make: Callable[..., ServeConfig] = ServeConfig  # the options have validated the types
    if values["in_memory"] and values["data"] is not None:
        raise click.UsageError("--data and --in-memory do not go together")
    cluster = values.get("cluster")
    if cluster is not None:
        _require_no_folder(values)
        require_cluster()
        if values["open_rooms"] == "token" and not os.environ.get(TOKEN_VARIABLE):
            raise click.UsageError(
                f"--open-rooms token in a cluster needs {TOKEN_VARIABLE}, the same for all processes"
            )
    data = values["data"]
    folder = None if values["in_memory"] else data if isinstance(data, Path) else default_folder()
    return make(
        port=values.get("port", 0),  # another program's server has its own
        folder=None if values["in_memory"] or cluster is not None else values["data"] or default_folder(),
        sleep_s=values["sleep_after"],
        keep_s=_number(values["keep_days"]) * DAY_S,
        limits=_limits(
            rooms=values["max_rooms"],
            awake=values["max_awake"],
            awake_bytes=values["max_awake_memory"],
            boards_bytes=values["max_boards"],
            data_bytes=values["max_data"],
        ),
        bots=_bot_limits(in_room=values["max_bots"], awake=values["max_bots_awake"]),
        demo=values["demo"],
        cluster=cluster,
        kinds={name: front.limited(values, folder) for name, front in game_fronts().items()},
        rooms=_rooms_config(
            open_rooms=values["open_rooms"],
            token=os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(OPENER_TOKEN_BYTES),
            rooms_per_minute=values["rooms_per_minute"],
            rooms_by_address=values["max_rooms_by_address"],
            most_rooms=values["max_rooms"],
            most_bots=values["max_bots"],
            turn_s=None if values["turn_clock"] == "off" else _number(values["turn_clock"]),
        ),
    )


def _require_no_folder(values: Mapping[str, object]) -> None:
    """Raise click.UsageError for options that say where this process keeps rooms, which a cluster does."""
    for name, option in (("data", "--data"), ("in_memory", "--in-memory"), ("max_data", "--max-data")):
        if values[name]:
            raise click.UsageError(f"--cluster and {option} do not go together")


# The options have validated the types.
_limits: Final[Callable[..., RoomLimits]] = RoomLimits
_bot_limits: Final[Callable[..., BotLimits]] = BotLimits
_rooms_config: Final[Callable[..., RoomsConfig]] = RoomsConfig


def _number(value: object) -> float:
    return float(str(value))


@asynccontextmanager
async def open_served_rooms(setup: ServeConfig) -> AsyncIterator[Rooms]:
    """Open the rooms with their bots, and for their operator's commands, for the length of a block.

    Raises FolderError, and JournalError if the register of the rooms cannot be used; of a cluster, what `open_served`
    of `scramble.cli.clustered` raises.
    """
    if setup.cluster is not None:
        from scramble.cli.clustered import open_served  # without a cluster nothing of it is imported

        served = open_served(
            setup.cluster, kinds=setup.kinds, limits=setup.limits, sleep_after=setup.sleep_s, keep_s=setup.keep_s
        )
        async with (
            served as (shared, secret),
            hosted_bots(shared, secret=secret, limits=setup.bots) as bots,
            demo_games(shared, bots) if setup.demo else nullcontext(),
        ):
            yield shared
        return
    opened = open_rooms(
        setup.folder,
        kinds=setup.kinds,
        limits=setup.limits,
        sleep_after=setup.sleep_s,
        keep_s=setup.keep_s,
    )
    async with (
        opened as rooms,
        hosted_bots(rooms, setup.folder, limits=setup.bots) as bots,
        nullcontext() if setup.folder is None else open_control(rooms, setup.folder),
        demo_games(rooms, bots) if setup.demo else nullcontext(),
    ):
        yield rooms


async def run_rooms(
    setup: ServeConfig, config: ServerConfig, announce: Announce, *, say_folder: bool, worker: Worker | None = None
) -> None:
    """Serve rooms until SIGINT or SIGTERM; parked requests then get 503 at once.

    Announces the addresses when the server listens on all of them, and with `say_folder` the folder of the rooms. A
    `worker` serves the port that is everybody's; its metrics have a port of its own, the one given and those after it.
    Raises CannotListen, FolderError, and JournalError if the register of the rooms cannot be used, each possibly in an
    exception group.
    """
    metrics = config.metrics
    if worker is not None and isinstance(metrics, int) and metrics:
        metrics += worker.number - 1
    monitoring = Monitoring("rooms", config.host, metrics)
    site = rooms_site(SiteConfig(config.protection, monitoring.traffic, monitoring.on_the_games_port), setup.rooms)
    async with (
        until_signal(SHUTDOWN_S if setup.cluster is None else HANDOVER_S) as stopped,
        open_front_ends() as (nursery, _, closed),
        open_served_rooms(setup) as rooms,
    ):
        serve = partial(serve_rooms, rooms, config.host, setup.port, config=setup.rooms, site=site)
        serve = partial(serve, listener=None if worker is None else worker.listener)
        address = await nursery.start(partial(serve, stop=closed.wait))
        add = partial(add_rooms_monitoring, rooms=rooms, traffic=monitoring.traffic)
        await monitoring.serve_apart(nursery, add, closed.wait)
        tune_process()
        for place in reachable(address):
            announce(f"Scramble: {place.url}")
        if setup.rooms.open_rooms == "token":
            announce(f"Rooms are opened with the token {setup.rooms.token}")
        if say_folder:
            announce(f"The games are kept in {setup.folder}")
        monitoring.report("http", address)
        notify(READY)
        await stopped()
