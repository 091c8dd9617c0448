"""The command `scramble bot`: a bot that joins a game on any server."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import click
import trio

from scramble.bots.names import FIRST_NAMES, bot_name
from scramble.bots.remote import play_at, taught_minds
from scramble.cli.commands import INTERRUPTED, SectionedCommand
from scramble.front.options import FILE, random_seed
from scramble.games.bot import LEVELS, Level
from scramble.games.remote_bot import NameRefused
from scramble.games.table import game_kinds
from scramble.kernel.nursery import cancel, open_side_nursery

MOST_SEATS_TRIED = 5  # in a room, the room's own bots may have the first names


def player_name(text: str) -> str:
    """Parse a player's name. This function is the type of an option."""
    if re.fullmatch(r"[A-Za-z0-9_]{1,64}", text) is None:
        raise click.BadParameter("a name consists of letters A to Z or a to z, digits and _")
    return text


def lesson_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option for lesson files of each game whose bots learn from files."""
    lessons = [kind.bots.lessons for kind in game_kinds().values() if kind.bots is not None]
    for option, help in {lesson.option: lesson.help for lesson in lessons if lesson is not None}.items():
        command = click.option(f"--{option}", multiple=True, type=FILE, help=help)(command)
    return command


@click.command("bot", cls=SectionedCommand)
@click.argument("url")
@click.option("--level", default="medium", show_default=True, type=click.Choice(LEVELS), help="How well the bot plays.")
@click.option("--name", type=player_name, help="The bot's name.  [default: a name such as bot_Ada]")
@click.option(
    "--pace",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0, 1000),
    help="Length of the pauses, relative to a human player: 2 doubles them; 0 plays as fast as servers allow.",
)
@lesson_options
@click.option("--seed", type=int, help="Repeat the bot's choices.")
def bot_command(
    url: str, level: Level, name: str | None, pace: float, seed: int | None, **files: tuple[Path, ...]
) -> None:
    """Let a bot join the game at the page URL and play it to its end. The page may be a single game or a room."""
    seed = random_seed() if seed is None else seed
    minds = taught_minds(files)
    play = partial(play_at, url, level=level, minds=minds, seed=seed, pace=pace, announce=click.echo)

    async def play_as_somebody() -> None:
        first = seed % len(FIRST_NAMES)
        numbers = range(first, first + MOST_SEATS_TRIED)
        names = [bot_name(number=number) for number in numbers] if name is None else [name]
        for player in names:
            try:
                click.echo(f"{player}: {await play(player)}")
                return
            except NameRefused:
                if player == names[-1]:
                    raise

    try:
        interrupted = trio.run(_until_interrupted, play_as_somebody)
    except KeyboardInterrupt:  # the bot did not handle SIGINT yet
        interrupted = True
    if interrupted:
        sys.exit(INTERRUPTED)


async def _until_interrupted(play: Callable[[], Awaitable[None]]) -> bool:
    """Play to the end, or until SIGINT; return True for SIGINT.

    This avoids KeyboardInterrupt: Python may raise it anywhere, even in a place where a library ignores it.
    """
    with trio.open_signal_receiver(signal.SIGINT) as signals, trio.CancelScope() as playing:

        async def listen() -> None:
            await anext(aiter(signals))
            playing.cancel()

        async with open_side_nursery(cancel) as nursery:
            nursery.start_soon(listen)
            await play()
    return playing.cancelled_caught
