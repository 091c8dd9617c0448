"""Bot for Crossword Extravaganza: a trio program that uses only the game's embedding API.

    async with open_lobby(puzzles) as lobby, trio.open_nursery() as nursery:
        nursery.start_soon(partial(play_crossword, lobby, "bot_Ada", "medium", answers=answers_of(puzzles)))

The bot sees the views of its session, as every player does, and its `answers`. On another server it plays with the
frames of docs/reference/crossword.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from scramble.crossword import Game, MatchView, Puzzle, Result, Session, SessionEnded, SessionView, room
from scramble.crossword.bot_mind import CrosswordMind, WordKey, answers_of
from scramble.crossword.messages import MatchListing, PuzzleListing, SessionId, State
from scramble.crossword.puzzle_folder import packaged
from scramble.errors import CannotRead, GameClosed, InvalidCommand
from scramble.games.bot import AT_ONCE, Level, MakeMind, Mind, Table, Turn
from scramble.games.bot_seats import BotSeats, Lessons
from scramble.games.remote_bot import FrameHead, NameRefused, RemoteSeats, RemoteTable
from scramble.games.room import RoomGame


class CrosswordTable(Table):
    """A session of a running game. The mind does not see WAIT, because no move is possible there."""

    mind: CrosswordMind

    def __init__(self, session: Session, mind: CrosswordMind) -> None:
        super().__init__(mind)
        self._session: Final = session

    async def enter(self, name: str) -> None:
        """Begin to play under this name. Waits while the bot's match waits for its second player."""
        # in a lobby of one match, the bot returns to its place from before a restart
        session = self._session
        view = await (session.enter(name) if session.is_of_one_match else session.say(name))
        if view.state == "START":
            raise InvalidCommand(view.error or view.message)
        await self._after_waiting(view)

    async def look(self) -> None:
        """Show the mind the current view."""
        self.mind.begin(await self._session.look())

    async def catch_up(self) -> None:
        """Show the mind the current view."""
        await self.look()

    async def wait(self) -> None:
        """Wait for the next view."""
        self.mind.begin(await self._session.next_view())

    async def move(self, line: object, /) -> None:
        """Send a command line, and show the answer to the mind. Waits while the match waits for a second player."""
        assert isinstance(line, str)
        self.mind.begin(await self._after_waiting(await self._session.say(line)))

    async def _after_waiting(self, view: SessionView) -> SessionView:
        while view.state == "WAIT":
            view = await self._session.next_view()
        return view


@asynccontextmanager
async def open_table(game: RoomGame, name: str, mind: Mind, /) -> AsyncIterator[Table]:
    """Open a session. An `OpenTable`; raises GameClosed if the session ends."""
    assert isinstance(game, Game)
    assert isinstance(mind, CrosswordMind)
    try:
        async with game.session() as session:
            table = CrosswordTable(session, mind)
            await table.enter(name)
            yield table
    except SessionEnded as ended:
        raise GameClosed(str(ended)) from ended


class _View(msgspec.Struct, frozen=True):
    state: State
    player: str | None = None
    message: str = ""
    error: str | None = None
    token: str | None = None
    puzzles: tuple[PuzzleListing, ...] = ()
    matches: tuple[MatchListing, ...] = ()
    match: msgspec.Raw = msgspec.Raw(b"null")
    result: Result | None = None

    def as_seen(self) -> SessionView:
        """Return the view for the mind: without its number, and without the header of a waiting match."""
        match = msgspec.json.decode(self.match, type=MatchView) if self.state == "PLAY" else None
        return SessionView(
            session=SessionId(0),
            number=0,
            state=self.state,
            player=self.player,
            message=self.message,
            error=self.error,
            puzzles=self.puzzles,
            matches=self.matches,
            match=match,
            result=self.result,
        )


class RemoteCrosswordTable(RemoteTable):
    """A session of Crossword Extravaganza."""

    # AF: _view is the latest frame; with _token the player _name comes back to a match.

    mind: CrosswordMind

    def __init__(self, name: str, mind: Mind) -> None:
        assert isinstance(mind, CrosswordMind)
        super().__init__(mind)
        self._name: Final = name
        self._view = _View("START")
        self._token: str | None = None

    def show(self, head: FrameHead, text: str) -> bool:
        """Show a view to the mind."""
        if not head.state:
            return False
        self._view = msgspec.json.decode(text, type=_View)
        self._token = self._view.token or self._token
        self.mind.begin(self._view.as_seen())
        self.begun = True
        return True

    async def look(self) -> None:
        """Begin to play. Waits while the bot's match waits for its second player. Raises NameRefused."""
        await super().look()
        while self._view.state == "START":
            if self._view.error is not None:
                raise NameRefused(self._view.error)
            await self.move(self._name if self._token is None else f"{self._name} {self._token}")
        await self._after_waiting()

    async def move(self, line: object, /) -> None:
        """Send a command line, and wait for the answer. Waits while the bot's match waits for its second player."""
        assert isinstance(line, str)
        await self.catch_up()
        await self.send(line)
        await self.wait()
        await self._after_waiting()

    async def _after_waiting(self) -> None:
        await self.until(lambda: self._view.state != "WAIT")


def _knowing(puzzles: Iterable[Puzzle]) -> MakeMind:
    return partial(CrosswordMind, answers=answers_of(puzzles))


def _read(path: Path) -> Puzzle:
    """Read a puzzle file. Raises PuzzleFileError or CannotRead."""
    try:
        return Puzzle.parse_from_file(path)
    except OSError as error:
        raise CannotRead(f"{path} cannot be read: {error.strerror or error}") from None


BOTS: Final = BotSeats(
    CrosswordMind,
    room.begun,
    open_table,
    remote=RemoteSeats(lambda head: bool(head.state) and not head.type, RemoteCrosswordTable),
    lessons=Lessons(
        "puzzle",
        "Puzzle file: the bot may know its words, too. May be repeated. The bot may always know the packaged puzzles.",
        of_files=lambda paths: _knowing([*packaged().values(), *map(_read, paths)]),
        of_settings=lambda settings: _knowing([room.puzzle_of(settings)]),
    ),
    most=1,  # a match has two places, and one place is for a person
)


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
    """Play one match as the player `name`, to its end.

    The bot joins the first waiting match. If no match waits, the bot makes a match. `answers` are the words that the
    bot can know, from `answers_of`. The bot thinks about each move in a block of `turn`.

    Returns the result of the match; None if the session ends or the game is closed before. Raises InvalidCommand for a
    name that is invalid or in use, LobbyFull, MatchFull, MatchOver, ValueError for a negative pace, and GameStopped if
    the game stops because of a bug.
    """
    minds = partial(CrosswordMind, answers=answers)
    mind = await BOTS.play(game, name, level, minds=minds, seed=seed, pace=pace, turn=turn)
    assert isinstance(mind, CrosswordMind)
    return mind.view.result
