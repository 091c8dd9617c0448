"""The messages of Memory Scramble: commands of players, public events, and views as answers.

Rows and columns count from 0 at the top left, rows downwards and columns to the right. A player is an
ID matching `[A-Za-z0-9_]+`; a card is a non-empty string without white space. The front ends validate both
before they make a command; the rules validate them again, because an embedding program may make commands too.
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
    """The board right after a flip that succeeded, and the rule that decided it: 1-B, 1-C, 2-D or 2-E.

    (A second card that was face down turned up by 2-C; 2-D or 2-E then shows whether it matched.)
    """

    rule: str


class CardsMissing(msgspec.Struct, frozen=True):
    """The answer to a `CommitMap` if the board has cards that its mapping does not cover."""

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
    """How well one player has remembered. A *turn* is two cards (`scramble.memory.figures`).

    Of `turns`, `found` made a pair; `streak` is the largest number of pairs in a row without a miss, and `memory` the
    longest memory: the most turns, of all players, between the moment in which a card was last seen and the player's
    finding it as the second one of a pair. 1 is the very next turn; 0 says that all pairs were luck, or lay open.
    """

    turns: int = 0
    found: int = 0
    streak: int = 0
    memory: int = 0


class Snapshot(msgspec.Struct, frozen=True):
    """The public state of the game, for followers of its events.

    `cells` reads across each row from the top one; `scores` has the players who have flipped, in the order of
    their first flip, with the pairs removed so far: at most as many as the game stores (`BoundScores`). `waiting` maps
    each waiting player to the awaited (row, column), longest wait first; `pairs_left` counts the pairs of like cards
    still on the board, controlled or not.
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
    """Answered at once with the current board. Changes nothing and is not a move."""

    player: str


class Flip(Command[Flipped], frozen=True):
    """Turn over a first or second card, rules 1-A to 3-B. May wait (1-D); may fail with `FlipFailed`."""

    player: str
    row: int
    column: int


class Watch(Query[View], frozen=True):
    """Answered by the next change; at once if the board is already past version `since`."""

    player: str
    since: int | None = None


class Relinquish(Command[View], frozen=True):
    """Let go of every card that `player` controls, a matched pair included.

    The cards stay face up, for the player's next first flip to turn down (3-B). Refused as invalid if the player
    controls none. Not a request of a client: it is given on behalf of a player who has left (see
    `scramble.players.idle`).
    """

    player: str


class RelinquishAwaited(Command[View], frozen=True):
    """Let go of those cards of `player` that another player waits for; each goes to the one who waits longest.

    If only one card of a matched pair goes, the other one is the player's first card from then on. Refused as invalid
    if no player waits for a card that `player` controls. A command of its own, and not an option of `Relinquish`, so
    that a version of scramble that does not know it refuses a journal that has it, and does not replay another game.
    """

    player: str


class Release(Relinquish, frozen=True):
    """The same, but refused as invalid for a matched pair of a finished game: the result stands.

    A game is finished if all pairs left are matched. This is what is given today. A command of its own, because the
    journals of older versions have the other one, and must replay as before.
    """


class ReleaseAwaited(RelinquishAwaited, frozen=True):
    """The same, with the exception of `Release`."""


class Replace(Command[View], frozen=True):
    """Replace every card equal to `old` by `new`, in one step. Face and control stay; without such cards, no change."""

    player: str
    old: str
    new: str


class ListCards(Query[tuple[str, ...]], frozen=True):
    """Answered at once with the distinct cards on the board, face up or down, in reading order. First half of a map."""


class CommitMap(Command[View | CardsMissing], frozen=True):
    """Replace every card by `mapping[card]`, in one step, if `mapping` covers all; else answer the missing cards."""

    player: str
    mapping: dict[str, str]


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Answered at once with the public state."""


class TakeFigures(Query[dict[str, PlayerFigures] | None], frozen=True):
    """Answered at once with the figures of each player who has a score; None if the game's beginning is not known.

    It is not known to a game that was restored when it was under way: a replay of its journal has the figures.
    """


class NewGame(Command[View], frozen=True):
    """Start a new game with the first cards, shuffled by `seed`. Waiting flips fail; scores go back to 0.

    The seed, a whole number of at most 64 bits, comes with the command because rules own no randomness.
    """

    player: str
    seed: int


class BoundScores(Command[None], frozen=True):
    """Store the scores of at most `most` players from now on; players with the fewest pairs are forgotten first.

    Not a request of a client: it is given when a game is opened that was begun without such a bound.
    """

    most: int


# --- events: all of them public ---------------------------------------------------------------------


class SpaceEvent(Event, frozen=True):
    """Something happened to the space at (row, column)."""

    row: int
    column: int


class TurnedUp(SpaceEvent, frozen=True):
    """A face-down card turned face up (1-B, 2-C)."""

    card: str


class TurnedDown(SpaceEvent, frozen=True):
    """A face-up card turned face down (3-B)."""


class Removed(SpaceEvent, frozen=True):
    """A card of a matching pair left the board (3-A), taken by `player`, who no longer controls it."""

    player: str
    card: str


class Replaced(SpaceEvent, frozen=True):
    """A card was replaced by a different one. `card` is the new one if it is face up, else None: it is secret.

    `player` is the player who controls it, if any.
    """

    card: str | None
    player: str | None


class Took(SpaceEvent, frozen=True):
    """`player` now controls this face-up card (1-B, 1-C, 2-D)."""

    player: str
    card: str


class Relinquished(SpaceEvent, frozen=True):
    """`player` no longer controls this card, which stays face up (2-A, 2-B, 2-E, or by leaving).

    If a player was waiting, a `Took` follows in the same change: the card is never seen free.
    """

    player: str
    card: str


class Waiting(SpaceEvent, frozen=True):
    """`player`'s flip waits for this card (1-D)."""

    player: str


class Withdrawn(SpaceEvent, frozen=True):
    """`player` no longer waits for this card: cancelled, left, or failed because the card was removed."""

    player: str


class Joined(Event, frozen=True):
    """`player` flipped for the first time, and has a score of 0 from now on."""

    player: str


class Forgotten(Event, frozen=True):
    """`player` has no score any more: too many others have one. After another flip the player begins again with 0."""

    player: str


class ScoreCount(Event, frozen=True):
    """`scores` players have a score now. Comes with `Joined` if more players have one than a frame names."""

    scores: int


class Scored(Event, frozen=True):
    """`player` has now removed `pairs` pairs; `pairs_left` are still on the board."""

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
    """A flip that failed by the rules: `rule` is "1-A", "2-A" or "2-B", `reason` is the reason in words.

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
