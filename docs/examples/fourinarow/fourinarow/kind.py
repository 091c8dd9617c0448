"""Four in a row as a kind of game: the settings of its rooms, its end, and its replays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from fourinarow.bot import FourMind
from fourinarow.rules import Board, Drop, Dropped, FourInARow, Look, Table, View, Waits, WaitsNoMore
from scramble.games.bot_seats import BotSeats
from scramble.games.kind import Demo, GameKind
from scramble.games.narration import Spot
from scramble.games.plain import Picture, has_begun, plain_narrator, plain_room
from scramble.games.remote_bot import plain_seats
from scramble.games.room import GameResult, RoomSetup
from scramble.games.settings import Fields
from scramble.games.told import English, Told, tell
from scramble.kernel.protocol import Event
from scramble.players.seats import SEAT_REQUESTS

SIZES: Final = ("6x7", "7x8", "8x9")  # rows x columns
RULES: Final = FourInARow(Table())
EVENTS: Final = Dropped | Waits | WaitsNoMore
CODES: Final[Mapping[type[Event], str]] = {Dropped: "dropped", Waits: "waits", WaitsNoMore: "waits-no-more"}
ENGLISH: Final = English(
    {
        "dropped": "{player} drops a disc into column {column}",
        "won": "{player} drops a disc into column {column}, and wins",
        "waits": "{player} waits to drop a disc into column {column}",
        "waits-no-more": "{player} no longer waits to drop a disc into column {column}",
    }
)


def settle(given: Mapping[str, object], _seed: int) -> dict[str, object]:
    """Return complete settings. Raises BadSettings."""
    fields = Fields(given, ("size",))
    size = fields.choice("size", SIZES[0], SIZES)
    fields.done()
    return {"size": size}


def set_up(settings: Mapping[str, object]) -> RoomSetup:
    """Set up a room with settled settings."""
    rows, columns = map(int, cast(str, settings["size"]).split("x"))
    return plain_room(FourInARow(Table(Board(rows, columns))), Look(), result_of)


def result_of(view: View) -> GameResult | None:
    """Return the result of a game in that state; None if the game is not over."""
    table = view.table
    return GameResult.of({one: int(one == table.winner) for one in table.players}) if table.is_over else None


def picture_of(view: View) -> Picture:
    """Return the board for a replay, from the top row to the bottom row."""
    board = view.table.board
    spots = [[Spot("down")] * board.columns for _ in range(board.rows)]
    for disc, column in enumerate(board.drops):
        row = board.rows - 1 - board.drops[:disc].count(column)
        spots[row][column] = Spot("ring" if disc % 2 else "disc", by=view.table.players[disc % 2])
    return spots


def told_of(event: Event) -> Told:
    """Return the code and the parameters of an event for a replay."""
    assert isinstance(event, Dropped | Waits | WaitsNoMore)
    code = "won" if isinstance(event, Dropped) and event.line else CODES[type(event)]
    return tell(code, player=event.player, column=event.column + 1)


FOURINAROW: Final = GameKind(
    name="fourinarow",
    title="Four in a row",
    restore=RULES.restore,
    narrator=plain_narrator(RULES, Look(), result_of, picture_of, told_of, ENGLISH),
    settle=settle,
    set_up=set_up,
    again=lambda settings, _seed: dict(settings),
    choices=lambda: {"sizes": SIZES},
    requests=Drop | Look | SEAT_REQUESTS,
    events=EVENTS,
    bots=BotSeats(FourMind, has_begun, remote=plain_seats("fourinarow", View, EVENTS), most=1),
    demo=Demo({}, ("medium", "hard")),
)
