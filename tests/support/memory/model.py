"""A naive model of a game of Memory Scramble, to check the real Board.

The rules are the specification of `scramble conform`, written from the handout alone, without code of
`scramble.memory`. They scan the board, and the real Board keeps indexes. If the handout leaves a choice, the model
follows docs/reference: longest wait first; one command is one change; a match is decided at the second card.

To check a concurrent history, search for an order of its requests in which a `Model` gives every request the observed
`Out`. A request that ended before another one began must come first in the order:

    model = Model(rows, columns, cards)
    outs = model.apply(ticket, op)      # {ticket: Out} for all requests that this step answers or refuses
    branch = model.copy()               # cheap: shares everything immutable
    model.state()                       # hashable and equal for equal futures: for a set of visited states

A request without an `Out` so far is parked. `apply(ticket, Gone())` is the cancellation of the request `ticket`.
Tickets are any distinct integers. They are part of the state while their requests are parked. `seen` in
`tests.support.memory.compare` translates the answer of a Board or a live game into an `Out`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable
from typing import NamedTuple, TypeAlias

from scramble.conform.memory.rules import FAILING, Place, Rules


class Look(NamedTuple):
    player: str


class Flip(NamedTuple):
    player: str
    row: int
    column: int


class Watch(NamedTuple):
    player: str
    since: int | None = None


class Change(NamedTuple):
    """Replace every card by its value in the mapping; with `total`, only if the mapping has all the cards.

    `Change(p, ((old, new),), False)` is the Replace of the real Board, `Change(p, mapping, True)` its CommitMap.
    """

    player: str
    mapping: tuple[tuple[str, str], ...]
    total: bool


class Cards(NamedTuple):
    """Ask for the distinct cards."""


class Restart(NamedTuple):
    player: str
    seed: int


class Relinquish(NamedTuple):
    """The player has been away for too long, and relinquishes every card. Invalid if the player controls no card.

    With `keeps_last`, the command is also invalid if the player controls a pair and all remaining pairs are controlled.
    """

    player: str
    keeps_last: bool = False


class RelinquishAwaited(NamedTuple):
    """`player` relinquishes the awaited cards; `keeps_last` as in `Relinquish`."""

    player: str
    keeps_last: bool = False


class Bound(NamedTuple):
    """Limit the number of players with a score from now on."""

    most: int


class Gone(NamedTuple):
    """The caller of the ticket has left."""


Op: TypeAlias = Look | Flip | Watch | Change | Cards | Restart | Relinquish | RelinquishAwaited | Bound | Gone


class Out(NamedTuple):
    """An answer or a refusal.

    `kind` is one of

    - view, flipped (by `rule`), failed (by `rule`): with the board's `version` and the player's `text` of it;
    - missing, cards: with `cards`;
    - done: without other fields;
    - invalid, already-waiting, restarted: refused, without other fields.
    """

    kind: str
    rule: str = ""
    version: int = 0
    text: str = ""
    cards: tuple[str, ...] = ()


class Model(Rules):
    """A game of Memory Scramble."""

    def __init__(self, rows: int, columns: int, cards: tuple[str, ...], most: int | None = 1000) -> None:
        self.rows = rows
        self.most = most  # the limit of players with a score
        self.columns = columns
        self.deck = cards
        self.watching: list[tuple[int, str]] = []
        self.scores: dict[str, int] = {}
        self.version = 0
        self.deal(cards)

    def deal(self, cards: tuple[str, ...]) -> None:
        super().__init__(dict(zip(self.places(), cards, strict=True)))
        self.taken: dict[Place, str] = {}  # the player who removed each card
        self.waiting: list[tuple[int, str, Place]] = []  # ticket, player, awaited card; longest wait first

    def copy(self) -> Model:
        other = Model.__new__(Model)
        self.copy_to(other)
        other.rows, other.columns, other.deck, other.most = self.rows, self.columns, self.deck, self.most
        other.taken, other.scores = self.taken.copy(), self.scores.copy()
        other.waiting, other.watching = self.waiting.copy(), self.watching.copy()
        other.version = self.version
        return other

    def state(self) -> Hashable:
        tried = {
            player: tuple(place for place in places if place in self.card) for player, places in self.tried.items()
        }
        return (
            tuple(self.card.get(place) for place in self.places()),
            frozenset(self.up),
            frozenset(self.control.items()),
            frozenset((player, places) for player, places in tried.items() if places),
            tuple(self.waiting),
            tuple(self.watching),
            tuple(self.scores.items()),
            self.most,
            frozenset(self.taken.items()),
            self.version,
        )

    def without_effect(self, op: Op) -> Out | None:
        """Return the answer to the op if it changes nothing now; None if it would change the state."""
        after = self.copy()
        out = after.apply(-1, op).get(-1)
        return out if after.state() == self.state() else None

    def places(self) -> list[Place]:
        return [(row, column) for row in range(self.rows) for column in range(self.columns)]

    def cards(self) -> tuple[str, ...]:
        """Return the distinct cards in reading order."""
        found: list[str] = []
        for place in self.places():
            if place in self.card and self.card[place] not in found:
                found.append(self.card[place])
        return tuple(found)

    def pairs_left(self) -> int:
        cards = list(self.card.values())
        return sum(cards.count(card) // 2 for card in set(cards))

    def text(self, player: str) -> str:
        """Return the board as a player sees it."""
        lines = [f"{self.rows}x{self.columns}", *(str(self.see(player, place)) for place in self.places())]
        return "\n".join(lines) + "\n"

    def apply(self, ticket: int, op: Op) -> dict[int, Out]:
        """Execute the op; return the outcome of each request that it answers or refuses."""
        if not self.makes_sense(op):
            return {ticket: Out("invalid")}
        plain: dict[int, Out] = {}  # outcomes without a board
        boards: dict[int, tuple[str, str, str]] = {}  # outcomes with a board: kind, rule, player
        changed = False

        if isinstance(op, Look):
            boards[ticket] = ("view", "", op.player)
        elif isinstance(op, Cards):
            plain[ticket] = Out("cards", cards=self.cards())
        elif isinstance(op, Gone):
            self.waiting = [wait for wait in self.waiting if wait[0] != ticket]
            self.watching = [watch for watch in self.watching if watch[0] != ticket]
        elif isinstance(op, Watch):
            if op.since is not None and op.since < self.version:
                boards[ticket] = ("view", "", op.player)
            else:
                self.watching.append((ticket, op.player))
        elif isinstance(op, Change):
            mapping = dict(op.mapping)
            missing = tuple(card for card in self.cards() if card not in mapping)
            if op.total and missing:
                plain[ticket] = Out("missing", cards=missing)
            else:
                changes = self.changes
                self.replace(mapping)
                changed = self.changes != changes
                boards[ticket] = ("view", "", op.player)
        elif isinstance(op, Restart):
            for other, _, _ in self.waiting:
                plain[other] = Out("restarted")
            chance = random.Random(op.seed)
            drawn = [(chance.random(), index, card) for index, card in enumerate(self.deck)]
            self.deal(tuple(card for _, _, card in sorted(drawn)))
            self.scores = dict.fromkeys(self.scores, 0)
            changed = True
            boards[ticket] = ("view", "", op.player)
        elif isinstance(op, Relinquish):
            mine = self.controlled(op.player)
            if op.player in self.scores:
                self.tried[op.player] = tuple(mine)
            for place in mine:
                self.let_go(place, boards)
            boards[ticket] = ("view", "", op.player)
        elif isinstance(op, RelinquishAwaited):
            mine = self.awaited_of(op.player)
            kept = self.controlled(op.player)
            for place in mine:
                kept.remove(place)
                self.let_go(place, boards)
            if op.player in self.scores and not kept:  # otherwise the kept card is a first card again
                self.tried[op.player] = tuple(mine)
            boards[ticket] = ("view", "", op.player)
        elif isinstance(op, Bound):
            self.most = op.most
            while len(self.scores) > op.most:
                self.forget()
            plain[ticket] = Out("done")
        elif any(player == op.player for _, player, _ in self.waiting):
            plain[ticket] = Out("already-waiting")
        else:
            changed = self.flip(ticket, op.player, (op.row, op.column), boards)

        if changed:
            self.version += 1
            for other, player in self.watching:
                boards[other] = ("view", "", player)
            self.watching = []
        for other, (kind, rule, player) in boards.items():
            plain[other] = Out(kind, rule, self.version, self.text(player))
        return plain

    def makes_sense(self, op: Op) -> bool:
        if isinstance(op, Cards | Gone):
            return True
        if isinstance(op, Bound):
            return op.most > 0
        if not re.match(r"[a-zA-Z0-9_]+\Z", op.player):
            return False
        if isinstance(op, Flip):
            return (op.row, op.column) in self.places()
        if isinstance(op, Relinquish | RelinquishAwaited) and op.keeps_last and self.has_last_pair(op.player):
            return False
        if isinstance(op, Relinquish):
            return op.player in self.control.values()
        if isinstance(op, RelinquishAwaited):
            return bool(self.awaited_of(op.player))
        if isinstance(op, Change):
            words = [word for pair in op.mapping for word in pair]
            return all(word and not any(letter.isspace() for letter in word) for word in words)
        return True

    def has_last_pair(self, player: str) -> bool:
        """Return True if the player controls a matched pair, and all cards that are left are matched."""
        holders = list(self.control.values())
        matched = {holder for holder in holders if holders.count(holder) == 2}
        return player in matched and len(matched) == self.pairs_left()

    def awaited_of(self, player: str) -> list[Place]:
        """Return the places of the cards that `player` controls, and for which other players wait."""
        wanted = {place for _, _, place in self.waiting}
        return [place for place in self.controlled(player) if place in wanted]

    def flip(self, ticket: int, player: str, place: Place, boards: dict[int, tuple[str, str, str]]) -> bool:
        """Execute one flip; return True if it changed the board."""
        if player not in self.scores:
            if len(self.scores) == self.most:
                self.forget()
            self.scores[player] = 0
        changes = self.changes
        self.scores[player] += len(self.controlled(player)) == 2  # 3-A
        for finished in self.begin(player):
            removes = self.control.get(finished) == player
            self.finish(player, finished)
            if removes:
                self.taken[finished] = player
                for waiting in [waiting for waiting in self.waiting if waiting[2] == finished]:
                    self.waiting.remove(waiting)
                    boards[waiting[0]] = ("failed", "1-A", waiting[1])
        first = self.controlled(player)
        rule = self.turn(player, place)
        if rule == "1-D":
            self.waiting.append((ticket, player, place))
        else:
            boards[ticket] = ("failed" if rule in FAILING else "flipped", rule, player)
        if rule in ("2-A", "2-B", "2-E"):
            self.serve(first[0], boards)
        return self.changes != changes

    def forget(self) -> None:
        """Forget one score: of the players with the fewest pairs, the player who came first."""
        least = min(self.scores.values())
        gone = next(player for player, pairs in self.scores.items() if pairs == least)
        del self.scores[gone]
        self.tried.pop(gone, None)

    def let_go(self, place: Place, boards: dict[int, tuple[str, str, str]]) -> None:
        """Relinquish the card there; the longest-waiting player gets it."""
        del self.control[place]
        self.serve(place, boards)

    def serve(self, place: Place, boards: dict[int, tuple[str, str, str]]) -> None:
        """Give the card there to the longest-waiting player."""
        for waiting in self.waiting:  # "the player takes control at the next opportunity"
            if waiting[2] == place:
                self.waiting.remove(waiting)
                self.control[place] = waiting[1]
                boards[waiting[0]] = ("flipped", "1-C", waiting[1])
                break
