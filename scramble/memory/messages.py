"""Messages of Memory Scramble: commands of players, public events, and views as answers.

Rows and columns count from 0 at the top left, rows downwards and columns to the right. A player is an ID matching
`[A-Za-z0-9_]+`; a card is a non-empty string without white space. The front ends validate both before they make a
command. The rules validate both again, because embedding programs make commands, too.
"""

from __future__ import annotations

import msgspec

from scramble.errors import Refusal
from scramble.kernel.protocol import Command, Event, Query

# --- views: the answers to commands -----------------------------------------------------------------


class View(msgspec.Struct, frozen=True):
    """The board from one player's side: `text` is a BOARD_STATE of the handout, `version` the number of changes."""

    version: int
    text: str


class Flipped(View, frozen=True):
    """The board right after a successful flip, and the rule of the flip: 1-B, 1-C, 2-D or 2-E.

    For a face-down second card (2-C), the rule is 2-D if the cards match, and 2-E if they do not match.
    """

    rule: str


class CardsMissing(msgspec.Struct, frozen=True):
    """Answer to a `CommitMap` with a mapping that does not have all cards of the board: the missing cards."""

    cards: tuple[str, ...]


class NoCard(msgspec.Struct, frozen=True, tag_field="is", tag="none"):
    """A space whose card was removed; `by` is the player who took it."""

    by: str


class FaceDown(msgspec.Struct, frozen=True, tag_field="is", tag="down"):
    """A face-down card; the card itself is secret."""


class FaceUp(msgspec.Struct, frozen=True, tag_field="is", tag="up"):
    """A face-up card and the player who controls it; None if no player controls it."""

    card: str
    by: str | None


Cell = NoCard | FaceDown | FaceUp


class PlayerFigures(msgspec.Struct, frozen=True):
    """Figures of one player's memory. A *turn* is two cards (`scramble.memory.figures`).

    The player had `turns` turns; `found` turns made a pair. `streak` is the largest number of pairs in a row without a
    miss. `memory` is the longest memory, for the second cards of this player's pairs. It is the largest number of turns
    of all players from the last sight of the face-up card to the turn that turned the card up again. 1 is the next
    turn; 0: the second cards of all pairs were face up, or never seen before.
    """

    turns: int = 0
    found: int = 0
    streak: int = 0
    memory: int = 0


class Snapshot(msgspec.Struct, frozen=True):
    """Public state of the game, for followers of its events.

    `cells` are in reading order: row by row from the top. `scores` maps the players who have flipped, in the order of
    their first flips, to the number of removed pairs. The number of these players is limited (`BoundScores`).
    `waiting` maps each waiting player to the awaited (row, column), longest wait first. `pairs_left` is the number of
    pairs of equal cards on the board, controlled or not.
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
    controls no card. Clients do not send this command: the server sends it for a player who has left (see
    `scramble.players.idle`).
    """

    player: str


class RelinquishAwaited(Command[View], frozen=True):
    """Relinquish the cards of `player` that another player waits for. The longest waiting player gets each card.

    If `player` keeps one card of a matched pair, this card becomes the first card of `player`. Refused as invalid if no
    player waits for a card that `player` controls. This is a separate command, not an option of `Relinquish`. So an
    older version of scramble rejects a journal with this command, and does not replay a different game.
    """

    player: str


class Release(Relinquish, frozen=True):
    """`Relinquish`, but refused as invalid for a matched pair of a finished game, because the result is final.

    A game is finished if all pairs left are matched. The server now sends this command instead of `Relinquish`. It is a
    separate command, because journals of older versions have `Relinquish` and must replay as before.
    """


class ReleaseAwaited(RelinquishAwaited, frozen=True):
    """`RelinquishAwaited`, but refused as invalid for a matched pair of a finished game."""


class Replace(Command[View], frozen=True):
    """Replace every card equal to `old` by `new`, in one step. Face and control stay unchanged."""

    player: str
    old: str
    new: str


class ListCards(Query[tuple[str, ...]], frozen=True):
    """Query for the distinct cards on the board, face up or down, in reading order. Answered at once.

    This is the first step of `Game.map`; `CommitMap` is the second step.
    """


class CommitMap(Command[View | CardsMissing], frozen=True):
    """Replace every card by `mapping[card]`, in one step. If `mapping` lacks cards, only return these cards."""

    player: str
    mapping: dict[str, str]


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Query for the public state, answered at once."""


class TakeFigures(Query[dict[str, PlayerFigures] | None], frozen=True):
    """Query for the figures of each player with a score, answered at once; None if the game's beginning is unknown.

    The beginning is unknown if a started game was restored. Then a replay of its journal has the figures.
    """


class NewGame(Command[View], frozen=True):
    """Start a new game with the first cards, shuffled by `seed`. Waiting flips fail; scores go back to 0.

    The command has the seed, a whole number of at most 64 bits, because rules have no randomness.
    """

    player: str
    seed: int


class BoundScores(Command[None], frozen=True):
    """Store the scores of at most `most` players from now on; forget players with the fewest pairs first.

    Clients do not send this command: `open_game` sends it to a game that began without a limit.
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
    """A card was replaced by a different card. `card` is the new card if it is face up; None if it is secret.

    `player` is the controlling player; None if no player controls the card.
    """

    card: str | None
    player: str | None


class Took(SpaceEvent, frozen=True):
    """`player` now controls this face-up card (1-B, 1-C, 2-D)."""

    player: str
    card: str


class Relinquished(SpaceEvent, frozen=True):
    """`player` no longer controls this card; it stays face up (2-A, 2-B, 2-E, or because the player left).

    If a player waits for the card, a `Took` follows in the same change. So followers never see an awaited card free.
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
    """`player` no longer has a score, because too many players have a score. The next flip makes a new score of 0."""

    player: str


class ScoreCount(Event, frozen=True):
    """`scores` players have a score now. This event follows `Joined` if not all players with a score fit in a frame."""

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
    """A new game has begun: every card is face down, and every score is 0. Followers need a new snapshot."""

    player: str


# --- refusals ---------------------------------------------------------------------------------------


class FlipFailed(Refusal):
    """Failure of a flip by `rule`: "1-A", "2-A" or "2-B". `reason` is the reason in words.

    `view` is the board right after the failure, from the player's side.
    """

    code = "flip-failed"

    def __init__(self, rule: str, reason: str, view: View) -> None:
        self.rule = rule
        self.reason = reason
        self.view = view
        super().__init__(f"{reason} (rule {rule})")


class AlreadyWaiting(Refusal):
    """Refusal of a flip, because the player's previous flip is still waiting. Nothing has changed."""

    code = "already-waiting"


class GameRestarted(Refusal):
    """Refusal of a waiting flip, because a player started a new game."""

    code = "restarted"
