"""The commands `scramble rooms`: list, close or remove the rooms in a folder or in a cluster.

The commands work with and without a running server.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click

from scramble.cli.logging import logging_to_standard_error
from scramble.cli.places import CLUSTER_OPTION, FOLDER_OPTION, FOR_EVER_S, RoomsPlace, default_folder, require_cluster
from scramble.cli.run import run_until_stopped
from scramble.front.options import Values, options_of
from scramble.front.rooms.control import ControlAnswer, ControlFailed, ControlRequest, ask_server, carry_out
from scramble.plaintext import harmless
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.local import RoomLimits, open_rooms


@click.group("rooms", no_args_is_help=False)
def rooms_commands() -> None:
    """List, close or remove the rooms of a server. The server may run."""


@rooms_commands.command("list", short_help="List all rooms.")
def list_command(**values: object) -> None:
    """List all rooms, newest first: name, game, state, people, time of opening, title."""
    rooms = _operate(_place(values), ControlRequest("list")).rooms
    name_width = max((len(room.room) for room in rooms), default=0)
    game_width = max((len(room.game) for room in rooms), default=0)
    for room in rooms:
        opened = time.strftime("%Y-%m-%d %H:%M", time.localtime(room.opened))
        who = "public" if room.public else "by link"
        place = f"{room.room:<{name_width}}  {room.game:<{game_width}}  {room.state:<6}  {who:<7}"
        click.echo(f"{place}  {room.players} playing, {room.watching} watching  {opened}  {harmless(room.title)}")


@rooms_commands.command("close", short_help="Close a room permanently.")
@click.argument("name")
def close_command(name: str, **values: object) -> None:
    """Close the room NAME permanently. All people in it are notified, and nobody can enter it again."""
    _operate(_place(values), ControlRequest("close", name))


@rooms_commands.command("remove", short_help="Remove a room and its file.")
@click.argument("name")
def remove_command(name: str, **values: object) -> None:
    """Remove the room NAME and its game."""
    _operate(_place(values), ControlRequest("remove", name))


for _command in (list_command, close_command, remove_command):
    _command.params += [FOLDER_OPTION, CLUSTER_OPTION]


def _place(values: Values) -> RoomsPlace:
    place = options_of(RoomsPlace, values)
    if place.data is not None and place.cluster is not None:
        raise click.UsageError("--data and --cluster exclude each other")
    return place


def _operate(place: RoomsPlace, wanted: ControlRequest) -> ControlAnswer:
    """Execute a request. Raises ControlFailed, and the errors of `open_rooms` and `operate`."""
    if place.cluster is None:
        answer = _operate_on_folder(default_folder() if place.data is None else place.data, wanted)
    else:
        require_cluster()
        from scramble.cli.clustered import operate  # only a cluster needs Redis
        from scramble.cluster.address import parse_address

        answers: list[ControlAnswer] = []
        with logging_to_standard_error("text", "error"):  # warnings about weaker guarantees are for servers
            run_until_stopped(partial(operate, parse_address(place.cluster), wanted, answers))
        (answer,) = answers
    if answer.error is not None:
        raise ControlFailed(answer.error)
    return answer


def _operate_on_folder(folder: Path, wanted: ControlRequest) -> ControlAnswer:
    """Execute a request: in the server if it runs, otherwise in this process."""
    if not RoomsFolder(folder).register.is_file():
        raise ControlFailed(f"there are no rooms in {folder}")
    answer = ask_server(folder, wanted)
    if answer is None:
        answers: list[ControlAnswer] = []
        run_until_stopped(partial(_operate_here, folder, wanted, answers))
        (answer,) = answers
    return answer


async def _operate_here(folder: Path, wanted: ControlRequest, answers: list[ControlAnswer]) -> None:
    async with open_rooms(folder, limits=RoomLimits(unentered_s=FOR_EVER_S), keep_s=FOR_EVER_S) as rooms:
        answers.append(await carry_out(rooms, wanted))
