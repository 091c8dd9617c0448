"""A bot for Crossword Extravaganza: a trio program that uses nothing but the game's embedding API.

    async with open_lobby(puzzles) as lobby, trio.open_nursery() as nursery:
        nursery.start_soon(partial(play_crossword, lobby, "bot_Ada", "medium", answers=answers_of(puzzles)))

It sees what every player sees, the views of its session, and the answers that it is given.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import trio

from scramble.crossword import Game, MatchView, Result, Session, SessionEnded, SessionView
from scramble.crossword.bot_mind import CrosswordMind, WordKey, answers_of
from scramble.crossword.messages import MatchListing, PuzzleListing
from scramble.crossword.room import puzzle_of
from scramble.errors import GameClosed, InvalidCommand
from scramble.games.bot import AT_ONCE, Level, Thinking, Turn
from scramble.games.room import RoomGame

WORD_S: Final[Mapping[Level, tuple[float, float]]] = {"easy": (12.0, 25.0), "medium": (8.0, 16.0), "hard": (4.0, 9.0)}
"""The shortest and the longest time for a word: reading its clue, finding its place, typing."""

IDEA_S: Final = 40.0  # without any move, until a word that the bot did not know comes to mind


async def play_crossword(
    game: Game,
    name: str,
    level: Level = "medium",
    *,
    answers: Mapping[WordKey, str],
    seed: int = 0,
    pace: float = 1.0,
    turn: Turn = AT_ONCE,
) -> Result | None:
    """Play one match as the player `name`, to its end: the first that waits, else one that the bot makes.

    `answers` are the words that the bot can know, of `answers_of`; it thinks about each move in a block of `turn`.
    Returns the result of the match; None if the session ends or the game is closed before. Raises InvalidCommand for a
    name that is not valid or in use, LobbyFull, MatchFull, MatchOver, ValueError for a negative pace, and GameStopped
    if the game dies.
    """
    choices = random.Random(f"{seed} {name}")
    entrance = Entrance(choices)
    mind, thinking = CrosswordMind(name, level, answers, choices), Thinking(level, choices, pace, turn, WORD_S)
    with suppress(GameClosed, SessionEnded):
        async with game.session() as session:
            # in a lobby of one match the bot takes back the place that it had before a restart
            view = await (session.enter(name) if session.is_of_one_match else session.say(name))
            if view.state == "START":
                raise InvalidCommand(view.error or view.message)
            while view.state != "SHOW SCORE":
                view = await _go_on(session, view, mind, thinking, entrance)
            return view.result
    return None


async def _go_on(
    session: Session, view: SessionView, mind: CrosswordMind, thinking: Thinking, entrance: Entrance
) -> SessionView:
    """Do the next thing in that state, and return the view after it."""
    if view.state == "WAIT":
        return await session.next_view()
    error = view.error
    await thinking.think()
    view = await session.look()
    if view.state == "CHOOSE":
        return await session.say(entrance.line(error, view.matches, view.puzzles))
    if not isinstance(view.match, MatchView):
        return view
    line = mind.next_line(view.match)
    if line is not None:
        return await session.say(line)
    with trio.move_on_after(thinking.pause(IDEA_S)):
        return await session.next_view()
    if mind.have_idea():
        return view
    return await session.next_view()


class Entrance:
    """The way from CHOOSE into a match: the first that waits, else one that the bot makes.

    All bots name their matches alike, bots_1 and so on, so of two that choose at once only one makes a match: the other
    is refused, and then sees the match that waits.
    """

    def __init__(self, choices: random.Random) -> None:
        self._choices: Final = choices
        self._number = 1

    def line(
        self, error: str | None, matches: Sequence[MatchListing] | None, puzzles: Sequence[PuzzleListing] | None
    ) -> str:
        """Return the line to say; `error` is why the last one was refused, if it was."""
        if matches:
            return f"PLAY {matches[0].id}"
        self._number += error is not None
        puzzle = self._choices.choice([listing.id for listing in puzzles or ()])
        return f'NEW bots_{self._number} {puzzle} "A match with a bot"'


async def play_in_room(
    game: RoomGame, name: str, level: Level, /, *, settings: Mapping[str, object], seed: int, pace: float, turn: Turn
) -> None:
    """Play in a room, with the words of its puzzle. A `PlayBot`."""
    assert isinstance(game, Game)
    answers = answers_of([await trio.to_thread.run_sync(puzzle_of, settings)])
    await play_crossword(game, name, level, answers=answers, seed=seed, pace=pace, turn=turn)
