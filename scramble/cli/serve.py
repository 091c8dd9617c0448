"""The command `scramble serve`: a server of many games. People and programs open the games."""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, get_args

import click

from scramble.cli.commands import ARGUMENTS, SectionedCommand
from scramble.cli.config import ROOMS_OPTIONS, ServerConfig, config_of
from scramble.cli.limit_options import AT_LEAST_1
from scramble.cli.logging import logging_to_standard_error
from scramble.cli.places import CLUSTER_VARIABLE, FolderOptions, default_folder, require_cluster
from scramble.cli.process import HANDOVER_S, READY, SHUTDOWN_S, notify, tune_process
from scramble.cli.run import Announce, announce, open_front_ends, run_until_stopped, until_signal
from scramble.cli.worker import Worker
from scramble.cli.workers import run_workers
from scramble.front.games import failures, game_fronts
from scramble.front.options import PORT, SECONDS, Values, flag, number_of, option, options_of, params_of
from scramble.front.rooms.app import RoomsConfig, rooms_site, serve_rooms
from scramble.front.rooms.control import open_control
from scramble.front.rooms.held import MOST_HELD
from scramble.front.rooms.monitoring import add_rooms_monitoring
from scramble.front.rooms.room_orders import ROOMS_PER_MINUTE, TURN_CLOCKS, OpenRooms
from scramble.front.sections import Section
from scramble.front.site import SiteConfig
from scramble.games.kind import GameKind
from scramble.logs import LogEntry
from scramble.rooms.bothosts import BotLimits, hosted_bots
from scramble.rooms.demo import demo_games
from scramble.rooms.local import RoomLimits, open_rooms
from scramble.rooms.protocol import Rooms
from scramble.server.monitoring.service import Monitoring
from scramble.server.reach import reachable

logger = logging.getLogger(__name__)

TOKEN_VARIABLE: Final = "SCRAMBLE_TOKEN"
OPENER_TOKEN_BYTES: Final = 9  # random bytes; few, because people copy the token
DAY_S: Final = 86400.0
DAYS: Final = number_of("days", lambda value: value > 0, "above 0")

BYTES: Final[Mapping[str, int]] = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def size(text: str) -> int:
    """Parse a number of bytes: digits, and optionally K, M, G or T for thousands, millions and so on."""
    match = re.fullmatch(r"([0-9]{1,15})([KMGT]?)B?", text.upper())
    if match is None or int(match[1]) == 0:
        raise click.BadParameter(f"{text!a} is not a size such as 500M: a number above 0, and K, M, G or T")
    return int(match[1]) * BYTES[match[2]]


ROOM_LIMITS: Final = RoomLimits()
BOT_LIMITS: Final = BotLimits()


@dataclass(frozen=True, kw_only=True)
class ServeOptions(FolderOptions):
    """Options of `scramble serve`, in addition to the options of the games and of all servers."""

    port: int = option("--port", 8080, type=PORT, help="The port to listen on; 0 selects any free port.", hosted=False)
    workers: int | None = option(
        "--workers",
        None,
        type=AT_LEAST_1,
        metavar="N",
        help="Number of processes that serve the port; they share the rooms of --cluster.",
        section=Section.MANY_PROCESSES,
        hosted=False,
    )
    open_rooms: OpenRooms = option(
        "--open-rooms",
        "anybody",
        type=click.Choice(get_args(OpenRooms)),
        help="Allow opening rooms: to anybody, to clients on this machine (local), or to owners of the token that the"
        " server prints at its start.",
        section=Section.PERMISSIONS,
    )
    turn_clock: str = option(
        "--turn-clock",
        "45",
        type=click.Choice(["off", *map(str, TURN_CLOCKS)]),
        help="Seconds for which a player may hold a thing that another player waits for; a room may choose this time.",
        section=Section.PERMISSIONS,
    )
    cluster: str | None = option(
        "--cluster",
        None,
        type=str,
        envvar=CLUSTER_VARIABLE,
        metavar="URL",
        help="Share the rooms with other processes through the Redis or Valkey server at this address, such as"
        f" redis://HOST:6379/0. Use the variable {CLUSTER_VARIABLE} for an address with a password.",
        section=Section.MANY_PROCESSES,
    )
    in_memory: bool = flag(
        "--in-memory",
        help="Do not store rooms: all rooms are lost when the server ends.",
        section=Section.KEEPING_ROOMS,
    )
    demo: bool = flag(
        "--demo",
        help="Open a public room of each game in which bots play again and again; a cluster has only one of each game.",
    )
    sleep_after: float = option(
        "--sleep-after",
        60.0,
        type=SECONDS,
        help="Time after which an empty room falls asleep: its memory is freed until the next visit.",
        section=Section.KEEPING_ROOMS,
    )
    keep_days: float = option(
        "--keep-days",
        30.0,
        type=DAYS,
        help="Days after which a room is removed: after the end of its game, or after the last visit to a game without"
        " an end.",
        section=Section.KEEPING_ROOMS,
    )
    max_rooms: int = option(
        "--max-rooms",
        ROOM_LIMITS.rooms,
        type=AT_LEAST_1,
        metavar="N",
        help="Rooms in all, including ended rooms.",
    )
    max_awake: int = option(
        "--max-awake", ROOM_LIMITS.awake, type=AT_LEAST_1, metavar="N", help="Rooms that are awake."
    )
    max_awake_memory: int = option(
        "--max-awake-memory",
        ROOM_LIMITS.awake_bytes,
        written="1G",
        type=size,
        metavar="SIZE",
        help="Estimated memory of all awake rooms in one process, such as 500M.",
    )
    max_boards: int = option(
        "--max-boards",
        ROOM_LIMITS.boards_bytes,
        written="1G",
        type=size,
        metavar="SIZE",
        help="Size of all boards, fields and puzzles of people in the folder.",
    )
    max_data: int | None = option(
        "--max-data",
        None,
        words="the disk, except 32 MB",
        type=size,
        metavar="SIZE",
        help="Size of the files of all rooms, such as 500M or 20G; beyond it, moves are refused.",
        section=Section.KEEPING_ROOMS,
    )
    rooms_per_minute: int | None = option(
        "--rooms-per-minute",
        None,
        words=f"{ROOMS_PER_MINUTE}; from this machine, any number",
        type=AT_LEAST_1,
        metavar="N",
        help="Rooms that one address may open in a minute.",
    )
    max_rooms_by_address: int | None = option(
        "--max-rooms-by-address",
        None,
        words=f"a tenth of --max-rooms, at most {MOST_HELD}; from this machine, any number",
        type=AT_LEAST_1,
        metavar="N",
        help="Open rooms of one address; an IPv6 network of 48 bits may have four times as many.",
    )
    max_bots: int = option(
        "--max-bots", BOT_LIMITS.in_room, type=click.IntRange(0), metavar="N", help="Bots in one room."
    )
    max_bots_awake: int = option(
        "--max-bots-awake",
        BOT_LIMITS.awake,
        type=AT_LEAST_1,
        metavar="N",
        help="Bots in all rooms that think about a move at the same time; further bots take turns.",
    )


def serve_params() -> tuple[click.Parameter, ...]:
    """Return all parameters of the command: its own parameters, and the parameters of the games and of all servers."""
    games = (param for front in game_fronts().values() for param in front.serve_params)
    return (*params_of(ServeOptions), *games, *ROOMS_OPTIONS)


@dataclass(frozen=True)
class ServeConfig:
    """Configuration of a server of rooms, in addition to `ServerConfig`."""

    port: int
    folder: Path | None  # the folder of the rooms; None: memory or a cluster
    sleep_s: float  # after which an empty room falls asleep
    keep_s: float  # for which a room is kept after the end of its game, or after its last visit
    limits: RoomLimits
    bots: BotLimits
    kinds: Mapping[str, GameKind]
    rooms: RoomsConfig
    demo: bool = False  # open games in which only bots play
    cluster: str | None = None  # the address of the Redis that stores the rooms


def _serve(**values: object) -> None:
    context = click.get_current_context()
    worker = context.find_object(Worker)
    options, config = options_of(ServeOptions, values), config_of(values)
    by_default = options.data is None and not options.in_memory and options.cluster is None
    setup = serve_config_of(values)
    if options.workers is not None and options.cluster is None:
        raise click.UsageError("--workers needs --cluster: processes share rooms through a Redis server")
    log_format, log_level = config.options.log_format, config.options.log_level
    with logging_to_standard_error(log_format, log_level, None if worker is None else worker.number):
        for failure in failures():
            logger.warning(LogEntry("game-not-loaded", reason=failure))
        if worker is None and options.workers is not None:
            host, arguments = config.options.host, ("serve", *context.meta[ARGUMENTS])
            sys.exit(run_workers(options.workers, host, options.port, arguments))
        run_until_stopped(partial(run_rooms, setup, config, announce, say_folder=by_default, worker=worker))


serve_command: Final = SectionedCommand(
    "serve",
    callback=_serve,
    params=list(serve_params()),
    help="Serve many games at once: people open them in the browser, and send their friends a link.",
)


def serve_config_of(values: Values) -> ServeConfig:
    """Return the configuration from the values of `serve_params`. Raises click.UsageError."""
    options = options_of(ServeOptions, values)
    if options.in_memory and options.data is not None:
        raise click.UsageError("--data and --in-memory exclude each other")
    if options.cluster is not None:
        _require_no_folder(options)
        require_cluster()
        if options.open_rooms == "token" and not os.environ.get(TOKEN_VARIABLE):
            raise click.UsageError(
                f"--open-rooms token in a cluster needs {TOKEN_VARIABLE}, with the same token for all processes"
            )
    folder = None if options.in_memory else options.data or default_folder()
    return ServeConfig(
        port=options.port,
        folder=None if options.cluster is not None else folder,
        sleep_s=options.sleep_after,
        keep_s=options.keep_days * DAY_S,
        limits=RoomLimits(
            rooms=options.max_rooms,
            awake=options.max_awake,
            awake_bytes=options.max_awake_memory,
            boards_bytes=options.max_boards,
            data_bytes=options.max_data,
        ),
        bots=BotLimits(in_room=options.max_bots, awake=options.max_bots_awake),
        demo=options.demo,
        cluster=options.cluster,
        kinds={name: front.limited(values, folder) for name, front in game_fronts().items()},
        rooms=RoomsConfig(
            open_rooms=options.open_rooms,
            token=os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(OPENER_TOKEN_BYTES),
            rooms_per_minute=options.rooms_per_minute,
            rooms_by_address=options.max_rooms_by_address,
            most_rooms=options.max_rooms,
            most_bots=options.max_bots,
            turn_s=None if options.turn_clock == "off" else float(options.turn_clock),
        ),
    )


def _require_no_folder(options: ServeOptions) -> None:
    """Raise click.UsageError for options about the folder of rooms: Redis stores the rooms of a cluster."""
    given = {"--data": options.data, "--in-memory": options.in_memory, "--max-data": options.max_data}
    for name, value in given.items():
        if value:
            raise click.UsageError(f"--cluster and {name} exclude each other")


@asynccontextmanager
async def open_served_rooms(setup: ServeConfig) -> AsyncIterator[Rooms]:
    """Open the rooms with their bots during a block. Accept the operator's commands for a folder of rooms.

    Raises FolderError, and JournalError if the register of the rooms is unusable. For a cluster, raises the errors of
    `scramble.cli.clustered.open_served`.
    """
    if setup.cluster is not None:
        from scramble.cli.clustered import open_served  # only a cluster needs Redis

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
    """Serve rooms until SIGINT or SIGTERM. Waiting requests then get 503 at once.

    Announces the addresses when the server listens on all of them, and with `say_folder` the folder of the rooms. A
    `worker` serves the shared socket. If the metrics have a separate port, worker 1 uses it, worker 2 uses the next
    port, and so on. Raises CannotListen, FolderError, and JournalError if the register of the rooms is unusable. Each
    error may be in an exception group.
    """
    metrics = config.options.metrics
    if worker is not None and isinstance(metrics, int) and metrics:
        metrics += worker.number - 1
    monitoring = Monitoring("rooms", config.options.host, metrics)
    site = rooms_site(SiteConfig(config.protection, monitoring.traffic, monitoring.on_the_games_port), setup.rooms)
    async with (
        until_signal(SHUTDOWN_S if setup.cluster is None else HANDOVER_S) as stopped,
        open_front_ends() as (nursery, _, closed),
        open_served_rooms(setup) as rooms,
    ):
        serve = partial(serve_rooms, rooms, config.options.host, setup.port, config=setup.rooms, site=site)
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
