"""The messages of Memory Scramble: commands of players, public events, and views as answers.

Rows and columns count from 0 at the top left, rows downwards and columns to the right. A player is an
ID matching `[A-Za-z0-9_]+`; a card is a non-empty string without white space. The front ends validate both
before they make a command. The rules validate them again, because embedding programs make commands, too.
"""

from __future__ import annotations

import msgspec

from scramble.errors import Refusal
from scramble.kernel.protocol import Command, Event, Query

# --- views: the answers to commands -----------------------------------------------------------------


class View(msgspec.Struct, frozen=True):
    """The board from one player's side: `text` is a BOARD_STATE of the handout, `version` its number of changes."""

    version: int
    text: str


class Flipped(View, frozen=True):
    """The board right after a successful flip, and the rule of the flip: 1-B, 1-C, 2-D or 2-E.

    (2-C turns up a face-down second card. The rule is then 2-D for a match, or 2-E.)
    """

    rule: str


class CardsMissing(msgspec.Struct, frozen=True):
    """The answer to a `CommitMap` if cards of the board are missing in its mapping."""

    cards: tuple[str, ...]


class NoCard(msgspec.Struct, frozen=True, tag_field="is", tag="none"):
    """A space whose card was removed; `by` is the player who took it."""

    by: str


class FaceDown(msgspec.Struct, frozen=True, tag_field="is", tag="down"):
    """A face-down card; the card itself is secret."""


class FaceUp(msgspec.Struct, frozen=True, tag_field="is", tag="up"):
    """A face-up card and the player who controls it; None if no player does."""

    card: str
    by: str | None


Cell = NoCard | FaceDown | FaceUp


class PlayerFigures(msgspec.Struct, frozen=True):
    """The figures of one player's memory. A *turn* is two cards (`scramble.memory.figures`).

    The player had `turns` turns, and `found` of them made a pair. `streak` is the largest number of pairs in a row
    without a miss. `memory` is the longest memory: the largest number of turns, of all players, from the turn that last
    showed a card to the turn in which this player turned it up as the second card of a pair. 1 is the very next turn;
    0: the second cards of all pairs were face up or unseen before.
    """

    turns: int = 0
    found: int = 0
    streak: int = 0
    memory: int = 0


class Snapshot(msgspec.Struct, frozen=True):
    """The public state of the game, for followers of its events.

    `cells` are in reading order: row by row from the top. `scores` maps the players who have flipped, in the order of
    their first flips, to the number of removed pairs. It has at most as many players as the game stores
    (`BoundScores`). `waiting` maps each waiting player to the awaited (row, column), longest wait first. `pairs_left`
    is the number of pairs of equal cards on the board, controlled or not.
    """

    version: int
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    scores: dict[str, int]
    waiting: dict[str, tuple[int, int]]
    pairs_left: int


# --- commands ---------------------------------------------------------------------------------------


class Look(Query[View], frozen=True):
    """Query for the current board, answered at once. Changes nothing and is not a move."""

    player: str


class Flip(Command[Flipped], frozen=True):
    """Turn over a first or second card, rules 1-A to 3-B. May wait (1-D); may fail with `FlipFailed`."""

    player: str
    row: int
    column: int


class Watch(Query[View], frozen=True):
    """Query for the board after the next change. Answered at once if the board's version is above `since`."""

    player: str
    since: int | None = None


class Relinquish(Command[View], frozen=True):
    """Relinquish every card that `player` controls, also a matched pair.

    The cards stay face up; the player's next first flip turns them down (3-B). Refused as invalid if the player
    controls no card. Clients do not send it: the server sends it for a player who has left (see
    `scramble.players.idle`).
    """

    player: str


class RelinquishAwaited(Command[View], frozen=True):
    """Relinquish the cards of `player` that another player waits for. The longest waiting player gets each card.

    If `player` keeps one card of a matched pair, it becomes the first card of `player`. Refused as invalid if no
    player waits for a card that `player` controls. It is a separate command, not an option of `Relinquish`. So an older
    version of scramble rejects a journal with this command, instead of replaying a different game.
    """

    player: str


class Release(Relinquish, frozen=True):
    """Like `Relinquish`, but refused as invalid for a matched pair of a finished game: the result is final.

    A game is finished if all pairs left are matched. The server sends this command today. It is a separate command,
    because journals of older versions have `Relinquish` and must replay as before.
    """


class ReleaseAwaited(RelinquishAwaited, frozen=True):
    """Like `RelinquishAwaited`, but refused as invalid for a matched pair of a finished game, like `Release`."""


class Replace(Command[View], frozen=True):
    """Replace every card equal to `old` by `new`, in one step. Face and control stay unchanged."""

    player: str
    old: str
    new: str


class ListCards(Query[tuple[str, ...]], frozen=True):
    """Query for the distinct cards on the board, face up or down, in reading order. Answered at once.

    The first half of a map.
    """


class CommitMap(Command[View | CardsMissing], frozen=True):
    """Replace every card by `mapping[card]`, in one step. If `mapping` lacks cards, answer with these cards instead."""

    player: str
    mapping: dict[str, str]


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Query for the public state, answered at once."""


class TakeFigures(Query[dict[str, PlayerFigures] | None], frozen=True):
    """Query for the figures of each player with a score, answered at once; None if the game's beginning is unknown.

    The beginning is unknown if a started game was restored. A replay of its journal has the figures.
    """


class NewGame(Command[View], frozen=True):
    """Start a new game with the first cards, shuffled by `seed`. Waiting flips fail; scores go back to 0.

    The command has the seed, a whole number of at most 64 bits, because rules have no randomness.
    """

    player: str
    seed: int


class BoundScores(Command[None], frozen=True):
    """Store the scores of at most `most` players from now on; forget players with the fewest pairs first.

    Clients do not send it: `open_game` sends it to a game that was begun without a bound.
    """

    most: int


# --- events, all public -----------------------------------------------------------------------------


class SpaceEvent(Event, frozen=True):
    """An event at the space (row, column)."""

    row: int
    column: int


class TurnedUp(SpaceEvent, frozen=True):
    """A face-down card turned face up (1-B, 2-C)."""

    card: str


class TurnedDown(SpaceEvent, frozen=True):
    """A face-up card turned face down (3-B)."""


class Removed(SpaceEvent, frozen=True):
    """`player` removed a card of a matching pair from the board (3-A), and no longer controls it."""

    player: str
    card: str


class Replaced(SpaceEvent, frozen=True):
    """A card was replaced by a different one. `card` is the new card if it is face up; None if it is secret.

    `player` is the controlling player, if any.
    """

    card: str | None
    player: str | None


class Took(SpaceEvent, frozen=True):
    """`player` now controls this face-up card (1-B, 1-C, 2-D)."""

    player: str
    card: str


class Relinquished(SpaceEvent, frozen=True):
    """`player` no longer controls this card; it stays face up (2-A, 2-B, 2-E, or because the player left).

    If a player was waiting, a `Took` follows in the same change: followers never see the card free.
    """

    player: str
    card: str


class Waiting(SpaceEvent, frozen=True):
    """`player`'s flip waits for this card (1-D)."""

    player: str


class Withdrawn(SpaceEvent, frozen=True):
    """`player` no longer waits for this card: the flip was cancelled, the player left, or the card was removed."""

    player: str


class Joined(Event, frozen=True):
    """`player` flipped for the first time, and has a score of 0 from now on."""

    player: str


class Forgotten(Event, frozen=True):
    """`player` no longer has a score, because too many players have one. The player's next flip begins again with 0."""

    player: str


class ScoreCount(Event, frozen=True):
    """`scores` players have a score now. Accompanies `Joined` if more players have a score than a frame names."""

    scores: int


class Scored(Event, frozen=True):
    """`player` has now removed `pairs` pairs; `pairs_left` pairs are still on the board."""

    player: str
    pairs: int
    pairs_left: int


class CardsReplaced(Event, frozen=True):
    """`player` has replaced the cards of the `Replaced` events in this change."""

    player: str


class PairsLeft(Event, frozen=True):
    """A replacement has changed the number of pairs on the board."""

    pairs_left: int


class Restarted(Event, frozen=True):
    """A new game has begun: every card is face down, every score 0. Followers need a new snapshot."""

    player: str


# --- refusals ---------------------------------------------------------------------------------------


class FlipFailed(Refusal):
    """A flip that failed by `rule`, which is "1-A", "2-A" or "2-B". `reason` is the reason in words.

    `view` is the board right after the failure, from the player's side.
    """

    code = "flip-failed"

    def __init__(self, rule: str, reason: str, view: View) -> None:
        self.rule = rule
        self.reason = reason
        self.view = view
        super().__init__(f"{reason} (rule {rule})")


class AlreadyWaiting(Refusal):
    """A flip by a player whose previous flip is still waiting. Nothing has changed."""

    code = "already-waiting"


class GameRestarted(Refusal):
    """A waiting flip was refused because a player started a new game."""

    code = "restarted"
