"""Maker of the journals beside this file: run by scramble as of commit 778a77c (journal format 1).

That version recorded all valid commands except queries, also commands without a change. To make the journals again,
copy this folder to the same place in a checkout of that commit and run there:

    python -m tests.unit.journal.old.make

All commands go through the API of an embedding program. The result is the same each time: commands are sequential, the
clock and the crossword's tokens count up, and random numbers have a seed.
"""

from __future__ import annotations

import gzip
import itertools
import random
import secrets
import sqlite3
import tempfile
from contextlib import AsyncExitStack, closing, suppress
from pathlib import Path
from typing import Literal

import msgspec
import trio

from scramble.crossword import Game, Limits, Puzzle, Session, open_lobby
from scramble.crossword.messages import ExpireGrace
from scramble.errors import GameClosed, Refusal
from scramble.journal import Journal
from scramble.journal.disk import Files
from scramble.memory import Board, open_game
from scramble.memory.game import Game as MemoryGame
from scramble.memory.messages import CommitMap, FaceUp, Flip, ListCards, NoCard, Relinquish
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.minesweeper.game import Game as MineGame
from scramble.players.seats import TakeSeat, hash_of
from tests.unit.journal.old.facts import PUZZLE, Facts, facts_of

HERE = Path(__file__).parent
LIVES = 3  # processes that played each game, one after another
LONG_NAME = "n" * 298  # and two digits
LONG_CARD = "猫" * 299  # and one digit
CONTROLS = "\x1b[31mred\x1b[0m\x07\x00\x9b"


class Clock(Files):
    """The disk of this machine, with another clock, which advances by a quarter of a second at each reading."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def now(self) -> float:
        self.time += 0.25
        return self.time


CLOCK = Clock()


# --- Memory Scramble ----------------------------------------------------------------------------------


async def play_memory(path: Path, name: str = "game", *, players: int = 1100, flips: int = 60, size: int = 6) -> None:
    """Play with many newcomers, then with few players, and use all other commands. Each life does the same."""
    chance = random.Random(1)
    cards = "".join(f"c{number // 2}\n" for number in range(size * size))
    board = Board.parse(f"{size}x{size}\n{cards}")
    for life in range(LIVES):
        async with trio.open_nursery() as nursery, open_game(board, journal=Journal(path, name, disk=CLOCK)) as game:
            await take_seat(game, f"seated{life}")
            names = [f"{LONG_NAME}{life}{number}" for number in range(3)] + [
                f"p{n}" for n in range(life, players, LIVES)
            ]
            for number, player in enumerate(names):
                if number % 20 == 10:
                    await game.new_game(player, chance.randrange(2**64))
                await flip(game, player, chance.choice(await spaces(game, "free")))
                if number % 2:
                    await flip(game, player, chance.choice(await spaces(game, "free")))
                else:
                    await game.ask(Relinquish(player))
            for number in range(flips):
                await flip_anywhere(game, chance, f"q{chance.randrange(8)}")
                if number % 25 == 24:
                    await game.new_game("ann", chance.randrange(2**64))
            await replace_cards(game, life)
            (at,) = (await spaces(game, "free"))[:1]
            await flip(game, "holder", at)
            waiting = trio.Event()
            nursery.start_soon(wait_for_a_card, game, f"waiter{life}", at, waiting)  # until the game is closed
            await waiting.wait()


async def take_seat(game: MemoryGame | MineGame | Game, player: str) -> None:
    """Take a seat; then try again, and with another holder. Both tries change nothing."""
    await game.ask(TakeSeat(player, hash_of("hers")))
    await game.ask(TakeSeat(player, hash_of("hers")))
    with suppress(Refusal):
        await game.ask(TakeSeat(player, hash_of("his")))


async def spaces(game: MemoryGame, kind: Literal["free", "held", "gone"]) -> list[tuple[int, int]]:
    """Return the places with a free card, with a controlled card, or without a card."""
    found = []
    snapshot = await game.snapshot()
    for index, cell in enumerate(snapshot.cells):
        held = isinstance(cell, FaceUp) and cell.by is not None
        if kind == ("gone" if isinstance(cell, NoCard) else "held" if held else "free"):
            found.append(divmod(index, snapshot.columns))
    return found


async def flip(game: MemoryGame, player: str, at: tuple[int, int]) -> None:
    with suppress(Refusal):
        await game.flip(player, *at)


async def flip_anywhere(game: MemoryGame, chance: random.Random, player: str) -> None:
    """Flip a card that is free, held or gone. If the flip waits, try another card, which is refused, and give up."""
    kinds: tuple[Literal["free", "held", "gone"], ...] = ("free", "held", "gone")
    found = await spaces(game, *chance.choices(kinds, (8, 3, 1))) or [(0, 0)]
    waiting = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for_a_card, game, player, chance.choice(found), waiting)
        await waiting.wait()
        if player in (await game.snapshot()).waiting:
            await flip(game, player, (0, 0))
        nursery.cancel_scope.cancel()


async def wait_for_a_card(game: MemoryGame, player: str, at: tuple[int, int], waiting: trio.Event) -> None:
    """Flip; set `waiting` as soon as the flip waits, or has ended."""
    with suppress(Refusal, GameClosed):
        await game.ask(Flip(player, *at), parked=waiting)
    waiting.set()


async def replace_cards(game: MemoryGame, life: int) -> None:
    """Replace cards by long ones, and by ones with control characters; also replace and map without a change."""
    cards = await game.ask(ListCards())
    await game.replace("ann", cards[0], f"{LONG_CARD}{life}")
    await game.replace("ann", cards[1], f"{CONTROLS}{life}")
    await game.replace("ann", "no-such-card", "x" * 300)
    await game.replace("ann", cards[2], cards[2])
    await game.ask(CommitMap("ann", {cards[3]: "half-a-map"}))

    async def translate(card: str) -> str:
        return f"{card}\x01" if card == cards[4] else card

    await game.map("ann", translate)


# --- Multiplayer Minesweeper --------------------------------------------------------------------------


async def play_minesweeper(path: Path, name: str = "game", *, moves: int = 720, size: int = 40) -> None:
    """Let players come and go; make moves with and without a player. Many moves have no effect."""
    chance = random.Random(2)
    field = Field.random(size, size, seed=2)
    for life in range(LIVES):
        async with AsyncExitStack() as stack:
            game = await stack.enter_async_context(open_field(field, journal=Journal(path, name, disk=CLOCK)))
            await take_seat(game, f"seated{life}")
            names = [f"{LONG_NAME}{life}0", None, f"seated{life}", "bob"]
            players = [(await stack.enter_async_context(game.connect(name))).player for name in names]
            for number in range(moves):
                move = chance.choices((game.dig, game.flag, game.deflag), (2, 3, 2))[0]
                if number % 50 == 49:  # outside of the field
                    await move(-1, 10**20, chance.choice(players))
                else:
                    await move(chance.randrange(size), chance.randrange(size), chance.choice((*players, None)))
            async with game.connect("guest") as guest:
                await game.dig(life, life, guest.player)


# --- Crossword Extravaganza ---------------------------------------------------------------------------


async def play_crossword(path: Path, name: str = "game", *, rounds: int = 55) -> None:
    """Play matches that are won, given up, taken back and lost, with all kinds of refused lines."""
    puzzles = [Puzzle.parse(PUZZLE, id="mini")]
    tokens: dict[str, str] = {}
    for life in range(LIVES):
        async with open_lobby(
            puzzles, grace=3600, limits=Limits(8, 3), journal=Journal(path, name, disk=CLOCK)
        ) as lobby:
            await take_seat(lobby, f"seated{life}")
            if life:
                await come_back(lobby, tokens)
            for number in range(rounds):
                await one_match(lobby, f"m{life}_{number}", number % 3)
            async with lobby.session() as ann, lobby.session() as bob:
                for session, player in ((ann, "stays1"), (bob, "stays2")):
                    view = await session.say(player)
                    tokens[player] = view.token or tokens[player]
                await begin(ann, bob, f"last{life}")
                await ann.say("TRY 1 cat")  # after this, both players lose the connection
            if life == LIVES - 1:
                await lobby.ask(ExpireGrace(bob.id))


async def come_back(lobby: Game, tokens: dict[str, str]) -> None:
    """Let two players return to their match of the previous process, and leave it."""
    async with lobby.session() as ann, lobby.session() as bob:
        await ann.say("stays1 and-a-wrong-token")
        await ann.say(f"stays1 {tokens['stays1']}")
        await bob.say(f"stays2 {tokens['stays2']}")
        await bob.say("CHALLENGE 1 cut")
        for session in (ann, ann, bob):
            await session.say("EXIT")


async def begin(ann: Session, bob: Session, match: str) -> None:
    await ann.say(f'NEW {match} mini "{"d" * 190} 猫"')
    await bob.say(f"PLAY {match}")


async def one_match(lobby: Game, match: str, way: int) -> None:
    async with lobby.session() as ann, lobby.session() as bob:
        await ann.say("ann")
        await bob.say("ann")  # refused
        await bob.say("bob")
        await ann.say("x" * 4000)  # refused
        await ann.say(f'NEW {match} no-such-puzzle "x"')  # refused
        await ann.say(f'NEW {match} mini "taken back"')
        await ann.say("EXIT")
        await begin(ann, bob, match)
        await ann.say("TRY 1 cot")
        await ann.say("TRY 1 cot")  # accepted, and changes nothing on the board
        await bob.say("TRY 1 cat")  # refused
        await bob.say("TRY 2 mat")  # refused: it does not fit the crossing word
        await bob.say("CHALLENGE 1 cat")
        await bob.say("\x1b[2J")  # refused
        if way == 0:
            await ann.say("TRY 2 mat")  # the last word of the puzzle
        elif way == 1:
            await bob.say("EXIT")
        for session in (ann, bob):
            await session.say("NEW MATCH")  # refused during the match
            await session.say("EXIT")


# --- the files ----------------------------------------------------------------------------------------


async def make(folder: Path) -> None:
    numbers = itertools.count(1)
    secrets.token_urlsafe = lambda nbytes=None: f"token-{next(numbers)}"
    await play_memory(folder / "memory.db")
    await play_minesweeper(folder / "minesweeper.db")
    await play_crossword(folder / "crossword.db")
    await play_memory(folder / "two-games.db", "cards", players=12, flips=10, size=4)
    await play_minesweeper(folder / "two-games.db", "mines", moves=10, size=5)


def main() -> None:
    names: dict[str, tuple[str | None, ...]] = {
        "memory": (None,),
        "minesweeper": (None,),
        "crossword": (None,),
        "two-games": ("cards", "mines"),
    }
    with tempfile.TemporaryDirectory() as folder:
        trio.run(make, Path(folder))
        facts: dict[str, Facts] = {}
        for stem, games in names.items():
            file = Path(folder, f"{stem}.db")
            with closing(sqlite3.connect(file)) as database:
                database.execute("VACUUM")
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for game in games:
                facts[f"{stem} {game or 'game'}"] = facts_of(file, game)
            (HERE / f"{stem}.db.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
    (HERE / "expected.json").write_bytes(msgspec.json.format(msgspec.json.encode(facts), indent=1) + b"\n")


if __name__ == "__main__":
    main()
