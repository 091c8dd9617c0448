"""The commands `scramble rooms` and `scramble backup`: what an operator does to the rooms in a folder.

Both work while a server uses the folder, and without one.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Final

import click

from scramble.cli.commands import SectionedCommand
from scramble.cli.run import run_until_stopped
from scramble.cli.serve import FOLDER_OPTION, default_folder
from scramble.front.rooms.control import ControlAnswer, ControlFailed, ControlRequest, ask_server, carry_out
from scramble.plaintext import harmless
from scramble.rooms.backup import back_up_rooms
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.local import open_rooms

FOR_EVER_S: Final = 1e10
"""How long rooms are kept while these commands look at them: it is the server that knows its `--keep-days`."""

INCOMPLETE: Final = 1  # the exit code of a backup in which files are missing


@click.group("rooms", no_args_is_help=False)
def rooms_commands() -> None:
    """List the rooms of a server, or close or remove one, also while the server runs."""


def _folder_option(command: click.Command) -> click.Command:
    command.params.append(FOLDER_OPTION)
    return command


@rooms_commands.command("list", short_help="List all rooms.")
def list_command(data: Path | None) -> None:
    """List all rooms, newest first: name, game, state, people, time of opening, title."""
    rooms = _operate(data, ControlRequest("list")).rooms
    name_width = max((len(room.room) for room in rooms), default=0)
    game_width = max((len(room.game) for room in rooms), default=0)
    for room in rooms:
        opened = time.strftime("%Y-%m-%d %H:%M", time.localtime(room.opened))
        who = "public" if room.public else "by link"
        place = f"{room.room:<{name_width}}  {room.game:<{game_width}}  {room.state:<6}  {who:<7}"
        click.echo(f"{place}  {room.players} playing, {room.watching} watching  {opened}  {harmless(room.title)}")


@rooms_commands.command("close", short_help="Close a room for good.")
@click.argument("name")
def close_command(name: str, data: Path | None) -> None:
    """Close the room NAME for good: all who are in it are told, and nobody enters it any more."""
    _operate(data, ControlRequest("close", name))


@rooms_commands.command("remove", short_help="Remove a room and its file.")
@click.argument("name")
def remove_command(name: str, data: Path | None) -> None:
    """Remove the room NAME, and its game from the disk."""
    _operate(data, ControlRequest("remove", name))


for _command in (list_command, close_command, remove_command):
    _folder_option(_command)


@click.command("backup", cls=SectionedCommand)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("to", type=click.Path(file_okay=False, path_type=Path))
def backup_command(folder: Path, to: Path) -> None:
    """Copy the rooms in DIR, which a server may be using, to the folder TO, which must be empty or not exist.

    To restore them, copy TO to where DIR was. The exit code is 1 if the file of a room could not be copied.
    """
    made = back_up_rooms(folder, to)
    click.echo(f"{made.rooms} game{'' if made.rooms == 1 else 's'} and the register are copied to {to}")
    for problem in made.problems:
        click.echo(harmless(problem), err=True)
    if made.problems:
        sys.exit(INCOMPLETE)


def _operate(data: Path | None, wanted: ControlRequest) -> ControlAnswer:
    """Do what is wanted, by the server if one runs. Raises ControlFailed, and what `open_rooms` raises."""
    folder = default_folder() if data is None else data
    if not RoomsFolder(folder).register.is_file():
        raise ControlFailed(f"there are no rooms in {folder}")
    answer = ask_server(folder, wanted)
    if answer is None:
        answers: list[ControlAnswer] = []
        run_until_stopped(partial(_operate_here, folder, wanted, answers))
        (answer,) = answers
    if answer.error is not None:
        raise ControlFailed(answer.error)
    return answer


async def _operate_here(folder: Path, wanted: ControlRequest, answers: list[ControlAnswer]) -> None:
    async with open_rooms(folder, keep_s=FOR_EVER_S) as rooms:
        answers.append(await carry_out(rooms, wanted))
