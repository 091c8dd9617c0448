"""A naive model of the rules of Memory Scramble, to check the real Board.

Written from the handout alone, without code of `scramble.memory`: it scans the board where the Board keeps indexes, and
finds each player's turn from the board itself. If the handout leaves a choice, it follows the decisions in
docs/reference: longest wait first; one command is one change; a match is decided when the second card is turned.

To check a concurrent history, search for an order of its requests in which a `Model` gives every request the observed
`Out`. A request that ended before another one began must come first in the order:

    model = Model(rows, columns, cards)
    outs = model.apply(ticket, op)      # {ticket: Out} for all requests that this step answers or refuses
    branch = model.copy()               # cheap: shares everything immutable
    model.state()                       # hashable and equal for equal futures: for a set of visited states

A request that is in no `outs` so far is parked. `apply(ticket, Gone())` is the cancellation of the request `ticket`.
Tickets are any distinct integers. They are part of the state while their requests are parked. `seen` in
`tests.support.memory.compare` translates the answer of a Board or a live game into an `Out`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[int, int]


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

    If the player `keeps_last`, the command is also invalid for a pair of a finished game.
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


class Model:
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
        self.card: dict[Place, str] = dict(zip(self.places(), cards, strict=True))
        self.up: set[Place] = set()
        self.control: dict[Place, str] = {}
        self.taken: dict[Place, str] = {}  # the player who removed each card
        self.tried: dict[str, tuple[Place, ...]] = {}  # a player's cards without a match
        self.waiting: list[tuple[int, str, Place]] = []  # ticket, player, awaited card; longest wait first

    def copy(self) -> Model:
        other = Model.__new__(Model)
        other.rows, other.columns, other.deck, other.most = self.rows, self.columns, self.deck, self.most
        other.card, other.up, other.control = self.card.copy(), self.up.copy(), self.control.copy()
        other.taken, other.tried, other.scores = self.taken.copy(), self.tried.copy(), self.scores.copy()
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
        lines = [f"{self.rows}x{self.columns}"]
        for place in self.places():
            if place not in self.card:
                lines.append("none")
            elif place not in self.up:
                lines.append("down")
            elif self.control.get(place) == player:
                lines.append("my " + self.card[place])
            else:
                lines.append("up " + self.card[place])
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
                for place, card in list(self.card.items()):
                    self.card[place] = mapping.get(card, card)
                    changed = changed or self.card[place] != card
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
            mine = [place for place, controller in self.control.items() if controller == op.player]
            if op.player in self.scores:
                self.tried[op.player] = tuple(mine)
            for place in mine:
                self.let_go(place, boards)
            boards[ticket] = ("view", "", op.player)
        elif isinstance(op, RelinquishAwaited):
            mine = self.awaited_of(op.player)
            kept = [place for place, controller in self.control.items() if controller == op.player]
            for place in mine:
                kept.remove(place)
                self.let_go(place, boards)
            if op.player in self.scores and not kept:  # a kept card is a first card again
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
        """Return the cards that `player` controls and others wait for."""
        wanted = {place for _, _, place in self.waiting}
        return [place for place, controller in self.control.items() if controller == player and place in wanted]

    def flip(self, ticket: int, player: str, place: Place, boards: dict[int, tuple[str, str, str]]) -> bool:
        """Execute one flip; return True if it changed the board."""
        changed = False
        if player not in self.scores:
            if len(self.scores) == self.most:
                self.forget()
            self.scores[player] = 0
        mine = [mine for mine, controller in self.control.items() if controller == player]

        if len(mine) == 1:  # the player controls a first card, so this is the second
            if place not in self.card:
                boards[ticket] = ("failed", "2-A", player)
                self.tried[player] = (mine[0],)
            elif place in self.control:
                boards[ticket] = ("failed", "2-B", player)
                self.tried[player] = (mine[0],)
            else:
                if place not in self.up:  # 2-C
                    self.up.add(place)
                    changed = True
                if self.card[place] == self.card[mine[0]]:
                    boards[ticket] = ("flipped", "2-D", player)
                    self.control[place] = player
                    return changed
                boards[ticket] = ("flipped", "2-E", player)
                self.tried[player] = (mine[0], place)
            self.let_go(mine[0], boards)
            return changed

        if len(mine) == 2:  # 3-A
            for gone in mine:
                del self.card[gone], self.control[gone]
                self.up.remove(gone)
                self.taken[gone] = player
                changed = True
                for waiting in [waiting for waiting in self.waiting if waiting[2] == gone]:
                    self.waiting.remove(waiting)
                    boards[waiting[0]] = ("failed", "1-A", waiting[1])
            self.scores[player] += 1
        for left in self.tried.pop(player, ()):  # 3-B
            if left in self.card and left in self.up and left not in self.control:
                self.up.remove(left)
                changed = True

        if place not in self.card:
            boards[ticket] = ("failed", "1-A", player)
        elif place in self.control:
            self.waiting.append((ticket, player, place))  # 1-D
        else:
            boards[ticket] = ("flipped", "1-C" if place in self.up else "1-B", player)
            changed = changed or place not in self.up
            self.up.add(place)
            self.control[place] = player
        return changed

    def forget(self) -> None:
        """Forget one score: of the players with the fewest pairs, the player who came first."""
        least = min(self.scores.values())
        gone = next(player for player, pairs in self.scores.items() if pairs == least)
        del self.scores[gone]
        self.tried.pop(gone, None)

    def let_go(self, place: Place, boards: dict[int, tuple[str, str, str]]) -> None:
        """Relinquish the card there; the longest-waiting player gets it."""
        del self.control[place]
        for waiting in self.waiting:  # "the player takes control at the next opportunity"
            if waiting[2] == place:
                self.waiting.remove(waiting)
                self.control[place] = waiting[1]
                boards[waiting[0]] = ("flipped", "1-C", waiting[1])
                break
