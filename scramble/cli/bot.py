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
from scramble.bots.remote import play_at
from scramble.cli.commands import INTERRUPTED, SectionedCommand
from scramble.crossword import Puzzle, load_puzzles
from scramble.crossword.bot_mind import answers_of
from scramble.errors import CannotRead
from scramble.front.options import FILE, random_seed
from scramble.games.bot import LEVELS, Level
from scramble.games.remote_bot import NameRefused
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.resources import PACKAGED_PUZZLES

MOST_SEATS_TRIED = 5  # the names of bots in a room may be taken by the room's own


def player_name(text: str) -> str:
    """Parse a player's name, as the type of an option."""
    if re.fullmatch(r"[A-Za-z0-9_]{1,64}", text) is None:
        raise click.BadParameter("a name is made of letters from A to Z or a to z, digits and _")
    return text


@click.command("bot", cls=SectionedCommand)
@click.argument("url")
@click.option("--level", default="medium", show_default=True, type=click.Choice(LEVELS), help="How well the bot plays.")
@click.option("--name", type=player_name, help="The bot's name.  [default: a name that says bot]")
@click.option(
    "--pace",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0, 1000),
    help="Times the pauses of a human player: 2 is half as fast, 0 as fast as servers allow.",
)
@click.option(
    "--puzzle",
    multiple=True,
    type=FILE,
    help="A puzzle whose words the bot may know, too; may be repeated. It may always know those of the packaged ones.",
)
@click.option("--seed", type=int, help="Repeat the bot's choices.")
def bot_command(
    url: str, level: Level, name: str | None, pace: float, puzzle: tuple[Path, ...], seed: int | None
) -> None:
    """Let a bot join the game whose page has the address URL, a single game or a room, and play it to its end."""
    puzzles = [*load_puzzles(PACKAGED_PUZZLES)[0], *map(_read, puzzle)]
    seed = random_seed() if seed is None else seed
    play = partial(play_at, url, level=level, answers=answers_of(puzzles), seed=seed, pace=pace, announce=click.echo)

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
    except KeyboardInterrupt:  # before that
        interrupted = True
    if interrupted:
        sys.exit(INTERRUPTED)


async def _until_interrupted(play: Callable[[], Awaitable[None]]) -> bool:
    """Play to the end, or until SIGINT; return True for SIGINT.

    A KeyboardInterrupt instead could be raised anywhere, also where a library drops it.
    """
    with trio.open_signal_receiver(signal.SIGINT) as signals, trio.CancelScope() as playing:

        async def listen() -> None:
            await anext(aiter(signals))
            playing.cancel()

        async with open_side_nursery(cancel) as nursery:
            nursery.start_soon(listen)
            await play()
    return playing.cancelled_caught


def _read(path: Path) -> Puzzle:
    """Read a puzzle file. Raises PuzzleFileError or CannotRead."""
    try:
        return Puzzle.parse_from_file(path)
    except OSError as error:
        raise CannotRead(f"{path} cannot be read: {error.strerror or error}") from None
