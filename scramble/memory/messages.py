"""Memory Scramble's vocabulary: commands that players give, events that everybody may know, views that answer.

Rows and columns count from 0 at the top left, rows downwards and columns to the right. A player is an
ID matching `[A-Za-z0-9_]+`; a card is a non-empty string without white space. The front ends check both
before they make a command; the rules check them again, because an embedding program may make one too.
"""

from __future__ import annotations

import msgspec

from scramble.core import Command, Event, Query
from scramble.errors import Refusal

# --- views: what a command is answered with ---------------------------------------------------------


class View(msgspec.Struct, frozen=True):
    """The board from one player's side: `text` is a BOARD_STATE of the handout, `version` the change it shows."""

    version: int
    text: str


class Flipped(View, frozen=True):
    """The board right after a flip that succeeded, and the rule that it succeeded by: 1-B, 1-C, 2-D or 2-E.

    (A second card that was face down turned up by 2-C; 2-D or 2-E then says whether it matched.)
    """

    rule: str


class CardsMissing(msgspec.Struct, frozen=True):
    """What a `CommitMap` is answered with when the board holds cards that its mapping does not cover."""

    cards: tuple[str, ...]


class NoCard(msgspec.Struct, frozen=True, tag_field="is", tag="none"):
    """A space whose card has been removed; `by` is the player who took it."""

    by: str


class FaceDown(msgspec.Struct, frozen=True, tag_field="is", tag="down"):
    """A face-down card: which one is nobody's business."""


class FaceUp(msgspec.Struct, frozen=True, tag_field="is", tag="up"):
    """A face-up card and the player who controls it, if anybody does."""

    card: str
    by: str | None


Cell = NoCard | FaceDown | FaceUp


class Snapshot(msgspec.Struct, frozen=True):
    """All that everybody may know of the game, for those who then follow its events.

    `cells` reads across each row from the top one; `scores` has every player who has ever flipped, in the order
    of their first flip, with the pairs removed so far; `waiting` maps each waiting player to the (row, column)
    waited for, longest first; `pairs_left` counts the pairs of like cards still on the board, whoever controls them.
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
    """Answered at once, with the board as it is. Changes nothing and is no move."""

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
    """Let go of every card that `player` controls, a matched pair included; they stay face up, for the player's next
    first flip to turn down (3-B). Refused as invalid if the player controls none.

    No request of a client's: it is given on behalf of a player who has gone (see `scramble.attendance`).
    """

    player: str


class Replace(Command[View], frozen=True):
    """Replace every card equal to `old` by `new`, in one step. Face and control stay; no such card: no change."""

    player: str
    old: str
    new: str


class ListCards(Query[tuple[str, ...]], frozen=True):
    """Answered at once with the distinct cards on the board, face up or down, in reading order. Half of a map."""


class CommitMap(Command[View | CardsMissing], frozen=True):
    """Replace every card by `mapping[card]`, in one step, if `mapping` covers all; else only say what is missing."""

    player: str
    mapping: dict[str, str]


class TakeSnapshot(Query[Snapshot], frozen=True):
    """Answered at once with everything public."""


class NewGame(Command[View], frozen=True):
    """Start over with the cards the game began with, shuffled by `seed`. Waiting flips fail; scores go back to 0.

    The seed, a whole number of at most 64 bits, comes with the command because rules own no randomness.
    """

    player: str
    seed: int


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
    """A card became a different one. `card` is the new one if it is face up, else None: face down is not told.

    `player` is who controls it, if anybody.
    """

    card: str | None
    player: str | None


class Took(SpaceEvent, frozen=True):
    """`player` now controls this face-up card (1-B, 1-C, 2-D)."""

    player: str
    card: str


class Relinquished(SpaceEvent, frozen=True):
    """`player` no longer controls this card, which stays face up (2-A, 2-B, 2-E, or by going away).

    If somebody was waiting, a `Took` follows in the same change: nobody ever sees the card free.
    """

    player: str
    card: str


class Waiting(SpaceEvent, frozen=True):
    """`player`'s flip waits for this card (1-D)."""

    player: str


class Withdrawn(SpaceEvent, frozen=True):
    """`player` no longer waits for this card: called it off, went away, or failed because the card did."""

    player: str


class Joined(Event, frozen=True):
    """`player` flipped for the first time, and has a score of 0 from now on."""

    player: str


class Scored(Event, frozen=True):
    """`player` has now removed `pairs` pairs; `pairs_left` are still on the board."""

    player: str
    pairs: int
    pairs_left: int


class PairsLeft(Event, frozen=True):
    """A replacement has changed how many pairs are on the board."""

    pairs_left: int


class Restarted(Event, frozen=True):
    """A new game has begun: every card is face down, every score 0. Take a fresh snapshot."""

    player: str


# --- refusals ---------------------------------------------------------------------------------------


class FlipFailed(Refusal):
    """A flip that the rules let fail: `rule` is "1-A", "2-A" or "2-B", `reason` says it in plain words.

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
    """The flip was waiting when somebody started a new game."""

    code = "restarted"
