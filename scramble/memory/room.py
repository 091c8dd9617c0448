"""Rooms of Memory Scramble: a board by size, theme and seed, or from the text of a board file.

The game is over as soon as all pairs are found. The last pairs are still on the board, face up. Each last pair counts
for its controlling player.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, cast

import msgspec
import trio

from scramble.errors import CallerError, GameClosed
from scramble.games.kind import BOT_BYTES, ROOM_BYTES
from scramble.games.room import Elsewhere, GameResult, OpenedRoom, RoomClocks, RoomGame, RoomSetup, until_event
from scramble.games.settings import FieldError, Fields, Size
from scramble.journal import Recorder
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner
from scramble.memory import Board, Game, PlayerFigures, Snapshot, open_game
from scramble.memory.boardfile import BoardFile, format_board_file, parse_board_file
from scramble.memory.game import join_game
from scramble.memory.messages import (
    FaceUp,
    PairsLeft,
    Release,
    Relinquished,
    Removed,
    Restarted,
    Scored,
    Took,
    TurnedUp,
)
from scramble.memory.random_board import THEMES, Theme, new_board

MOST_CARDS: Final = 10_000
"""Default limit of the cards on a board."""

DEFAULT_SIZE: Final = "6x6"
DEFAULT_THEME: Final = "animals"

DAILY_SIZE: Final = "4x5"
"""Size of a daily challenge: a person needs about a minute."""

SIZES: Final = ("4x4", "4x5", "6x5", "6x6", "8x6", "8x8", "10x10", "14x14", "20x20")
"""Sizes that a page offers. A game takes from a minute to a whole evening."""

CARD_BYTES: Final = 400
"""Memory of a card in an awake room: 330 bytes, measured with 100x100 cards, and some bytes for its frames."""

KNOWN_BYTES: Final = 600
"""Memory of a card in a bot: 570 bytes, measured with a bot that remembers 100x100 cards."""

SAMPLE: Final = 8  # number of example cards of a theme on a page


def settle(given: Mapping[str, object], seed: int, *, most_cards: int) -> dict[str, object]:
    """Return complete settings. Raises BadSettings."""
    fields = Fields(given, ("size", "theme", "seed", "board"))
    if "board" in fields:
        fields.alone("board", "size", "theme", "seed")
        found = fields.file("board", partial(parse_board_file, file="board"))
        if found is not None:
            _check_board(fields, found[1], most_cards)
        fields.done()
        return {"board": given["board"]}
    usual = DEFAULT_SIZE if DEFAULT_SIZE in sizes(most_cards) else sizes(most_cards)[-1]
    words = f"rows x columns, at least 1x2 and at most {most_cards:,} cards, an even number; for example 6x6"
    wrong = FieldError.of("bad-board-size", words, most=most_cards)
    rows, columns = fields.size(
        _size(usual), wrong, lambda rows, columns: 2 <= rows * columns <= most_cards and rows * columns % 2 == 0
    )
    theme = fields.choice("theme", DEFAULT_THEME, THEMES)
    seed = fields.seed(seed)
    fields.done()
    return {"size": f"{rows}x{columns}", "theme": theme, "seed": seed}


def _check_board(fields: Fields, board: BoardFile, most_cards: int) -> None:
    if len(board.cards) > most_cards:
        words = f"line 1: at most {most_cards:,} cards, and not {len(board.cards):,}"
        fields.refuse("board", "too-many-cards", words, most=most_cards, cards=len(board.cards))
    elif len(set(board.cards)) == len(board.cards):
        fields.refuse("board", "no-pair", "at least two equal cards: this board has no pair")


def again(settings: Mapping[str, object], seed: int) -> dict[str, object]:
    """Return the settings of another game: the same size and theme with `seed`, or the cards shuffled by `seed`."""
    if "board" not in settings:
        return {**settings, "seed": seed}
    board = parse_board_file(cast(str, settings["board"]))
    cards = list(board.cards)
    random.Random(seed).shuffle(cards)
    return {"board": format_board_file(board.rows, board.columns, cards)}


def daily(number: int, seed: int, *, most_cards: int) -> dict[str, object]:
    """Return the settings of a daily challenge: each day has the next theme, and another order of the cards."""
    there = sizes(most_cards)
    size = DAILY_SIZE if DAILY_SIZE in there else there[0]
    return {"size": size, "theme": tuple(THEMES)[number % len(THEMES)], "seed": seed}


def room_bytes(settings: Mapping[str, object]) -> int:
    """Return the estimated memory of an awake room, in bytes."""
    return ROOM_BYTES + CARD_BYTES * _cards(settings)


def bot_bytes(settings: Mapping[str, object]) -> int:
    """Return the estimated maximal memory of a bot in this room, in bytes."""
    return BOT_BYTES + KNOWN_BYTES * _cards(settings)


def _cards(settings: Mapping[str, object]) -> int:
    """Return the approximate number of cards."""
    if "board" in settings:
        return cast(str, settings["board"]).count("\n")
    return math.prod(_size(cast(str, settings["size"])))


def set_up(settings: Mapping[str, object]) -> RoomSetup:
    """Set up a room with complete settings. The same settings always make the same board."""
    text = settings.get("board")
    if text is None:
        rows, columns = _size(cast(str, settings["size"]))
        text = new_board(rows, columns, cast(Theme, settings["theme"]), cast(int, settings["seed"]))
    return RoomSetup(partial(_open_room, cast(str, text)), _join_room)


@asynccontextmanager
async def _open_room(text: str, journal: Recorder | None, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
    async with open_game(
        await trio.to_thread.run_sync(Board.parse, text, "board"),
        journal=journal,
        release_idle=clocks.away_s,
        release_holding=_turn_s(clocks),
        release_notice=clocks.notice_s,
    ) as game:
        elsewhere = Elsewhere(game.owner, game.elsewhere)
        yield OpenedRoom(game, partial(finished, game), elsewhere, game.present, partial(_release, game))


@asynccontextmanager
async def _join_room(owner: Owner, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
    async with join_game(
        owner,
        release_idle=clocks.away_s,
        release_holding=_turn_s(clocks),
        release_notice=clocks.notice_s,
    ) as game:
        yield OpenedRoom(game, partial(finished, game), present=game.present, release=partial(_release, game))


async def _release(game: Game, player: str) -> None:
    with suppress(CallerError):  # the player controls no card, or the last pair of a finished game
        await game.ask(Release(player))


def _turn_s(clocks: RoomClocks) -> float:
    return math.inf if clocks.turn_s is None else clocks.turn_s


def choices(*, most_cards: int) -> dict[str, object]:
    """Return the choices of a page: the themes, example cards and the number of cards of each theme, and the sizes."""
    return {
        "themes": list(THEMES),
        "samples": {theme: list(symbols[:: len(symbols) // SAMPLE][:SAMPLE]) for theme, symbols in THEMES.items()},
        "cards": {theme: len(symbols) for theme, symbols in THEMES.items()},
        "sizes": sizes(most_cards),
    }


def sizes(most_cards: int) -> list[str]:
    """Return the sizes that a page offers, in order: at least one size, each with at most `most_cards` cards."""
    return [size for size in SIZES if math.prod(_size(size)) <= most_cards] or [f"2x{most_cards // 2}"]


def _size(text: str) -> Size:
    rows, columns = map(int, text.split("x"))
    return rows, columns


# --- the end of a game -------------------------------------------------------------------------------


async def finished(game: Game) -> GameResult:
    """Wait until all pairs are found, and return the result. Raises GameClosed if the game ends before that."""
    while True:
        snapshot, changes = await game.follow()
        result = result_of(snapshot)
        if result is None:
            await _until_over(snapshot, changes)
            continue
        figures = await game.figures()
        if figures is None:
            return result
        if not changes.behind:  # no move since the snapshot, so snapshot and figures agree
            return with_figures(result, figures)


def result_of(snapshot: Snapshot) -> GameResult | None:
    """Return the result of a game in this state; None if the players have not found all pairs."""
    matched = [player for player, cards in _held(snapshot).items() if cards == 2]
    if snapshot.pairs_left > len(matched):
        return None
    scores = Counter(snapshot.scores)
    scores.update(matched)
    return GameResult.of(scores)


def with_figures(result: GameResult, figures: Mapping[str, PlayerFigures]) -> GameResult:
    """Return the result with the figures of its players."""
    named = {player: msgspec.structs.asdict(one) for player, one in figures.items() if player in result.scores}
    return msgspec.structs.replace(result, figures=named)


def _held(snapshot: Snapshot) -> Counter[str]:
    """Return the number of cards that each player controls: one card, or the two cards of a pair."""
    return Counter(cell.by for cell in snapshot.cells if isinstance(cell, FaceUp) and cell.by is not None)


async def _until_over(snapshot: Snapshot, changes: Changes) -> None:
    """Wait until all pairs seem to be found. Returns earlier after missed changes or a new game. Raises GameClosed."""
    held, left = _held(snapshot), snapshot.pairs_left
    async for change in changes:
        if change.missed:
            return
        for event in change.events:
            match event:
                case Took(player=player):
                    held[player] += 1
                case Relinquished(player=player) | Removed(player=player):
                    held[player] -= 1
                case Scored(pairs_left=left) | PairsLeft(pairs_left=left):
                    pass
                case Restarted():
                    return
        if left <= sum(cards == 2 for cards in held.values()):
            return
    raise GameClosed("the game was closed before it was over")


async def begun(game: RoomGame) -> None:
    """Wait until a player has turned a card over. Raises GameClosed, GameStopped."""
    assert isinstance(game, Game)
    table, changes = await game.follow()
    if not table.scores and not any(isinstance(cell, FaceUp) for cell in table.cells):
        await until_event(changes, TurnedUp)
