"""Random matches of two players who move at the same time, judged by the rules.

Each move of a run is a call from its sending to its answer, and the judge (`scramble.testing.linearizable`) looks for
an order of the moves in which the rules give all screens. The screens that tell a player of the other player's moves
are calls, too: a player may see a state late, but no state that never was.

A screen does not say which line it answers. It answers the player's open move if it has REFUSED, or if it shows the
move's effect: the player's word, or the change of the player's challenge points. Both have no other cause.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import trio

from scramble.conform.cases import Broken, Silent
from scramble.conform.crossword.client import CrosswordTable, Duel, Player, apply
from scramble.conform.crossword.folders import PUZZLES
from scramble.conform.crossword.rules import Match, No, PuzzleData, Standing
from scramble.conform.crossword.screens import Screen
from scramble.conform.transcript import Exchange
from scramble.testing import Call, History, NotLinearizable, linearizable

TEXTS: Final = {1: ("cat", "cat", "bob", "cot"), 2: ("mat", "mat", "met", "bog"), 3: ("car", "bar"), 4: ("tax", "tab")}
"""Guesses for the words of the extended puzzle: right ones, and wrong ones with and without conflicts."""

PAUSES_S: Final = (0.0, 0.0, 0.0, 0.001, 0.004)
"""Pauses of a player before a move; most moves have none."""

SEEN_AT_MOST: Final = 12
"""Screens of the other player's moves between two of the player's own answers."""

SHRINK_S: Final = 15.0
TRIES: Final = 3
"""A smaller plan is tried so many times: the server and the network decide the order of moves anew each time."""

BUDGET_PATIENCES: Final = 3
"""The time for the runs of one case, as a multiple of the patience: a slow server gets fewer runs."""


class Move(NamedTuple):
    """A move of a plan."""

    command: str
    word: int
    text: str
    pause_s: float

    @property
    def line(self) -> str:
        """The line that a player sends."""
        return f"{self.command} {self.word} {self.text}"


Plan = tuple[tuple[Move, ...], tuple[Move, ...]]
"""The moves of both players."""


def draw(chance: random.Random, moves: int, challenges: float) -> Plan:
    """Draw a plan with so many moves of each player; `challenges` is the probability of a challenge."""

    def side() -> tuple[Move, ...]:
        found = []
        for _ in range(moves):
            word = chance.choice(list(TEXTS))
            command = "CHALLENGE" if chance.random() < challenges else "TRY"
            found.append(Move(command, word, chance.choice(TEXTS[word]), chance.choice(PAUSES_S)))
        return tuple(found)

    return side(), side()


def smaller(plan: Plan) -> Iterator[Plan]:
    """Yield plans with fewer moves: first halves, then one move less."""
    first, second = plan
    for cut in sorted({len(first) // 2, len(second) // 2} - {0}, reverse=True):
        yield first[:cut], second[:cut]
    for index in range(len(first)):
        yield first[:index] + first[index + 1 :], second
    for index in range(len(second)):
        yield first, second[:index] + second[index + 1 :]


class View(NamedTuple):
    """What a screen shows of a match: the state of the session, the entered words, and the challenge points."""

    state: str
    words: frozenset[tuple[int, Standing]]
    points: frozenset[tuple[str, int]]


class Answer(NamedTuple):
    """The answer to a move; a look is always accepted."""

    accepted: bool
    view: View


class Model:
    """The sequential specification of a match, for the judge. A move is (player, line), a look is None."""

    def __init__(self, puzzle: PuzzleData, players: tuple[str, ...]) -> None:
        self.rules: Final = Match(puzzle, players)

    def apply(self, operation: object) -> object:
        """Execute a move or a look; return whether it was accepted, and the view after it."""
        accepted = True
        if isinstance(operation, tuple):
            player, line = operation
            try:
                if self.rules.complete():
                    raise No  # in SHOW SCORE
                apply(self.rules, str(player), str(line))
            except No:
                accepted = False
        return Answer(accepted, view_of(self.rules))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.rules.key() == other.rules.key()

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, object]) -> Model:
        twin = Model(self.rules.puzzle, self.rules.players)
        self.rules.copy_to(twin.rules)
        return twin

    def __str__(self) -> str:
        return repr((self.rules.standing, self.rules.bonus))


def view_of(rules: Match) -> View:
    """Return what a player sees of the match."""
    state = "SHOW SCORE" if rules.complete() else "PLAY"
    return View(state, frozenset(rules.standing.items()), frozenset(rules.bonus.items()))


def seen_in(screen: Screen) -> View:
    """Return the view on a screen."""
    if screen.match is None:
        raise Broken(f"a screen of the match has no match, but the state {screen.state}")
    standing = {number: word.standing for number, word in screen.match.words.items() if word.standing is not None}
    return View(screen.state, frozenset(standing.items()), frozenset(screen.match.points.items()))


@dataclass
class NotExplained(Exception):
    """No order of the moves explains a screen. The message is for people."""

    message: str

    def __str__(self) -> str:
        return self.message


class Run:
    """One match in which both players move at the same time."""

    def __init__(self, table: CrosswordTable, plan: Plan) -> None:
        self._table: Final = table
        self._plan: Final = plan
        self._history: Final = History()

    async def judge(self) -> None:
        """Play and judge the match. Raises NotExplained, and Broken for a screen that does not come."""
        duel = await self._table.duel("extended")
        async with trio.open_nursery() as nursery:
            for player, moves in zip((duel.ann, duel.bob), self._plan, strict=True):
                nursery.start_soon(self._side, player, moves)
        await self._settle(duel)
        try:
            linearizable(self._history, Model(PUZZLES["extended"], (duel.ann.name, duel.bob.name)))
        except NotLinearizable as wrong:
            answered = [call for call in wrong.window if call.ended is not None]
            raise NotExplained(_told(max(answered, key=lambda call: call.ended or 0))) from None

    async def _side(self, player: Player, moves: Sequence[Move]) -> None:
        looks = self._looks(player)
        for move in moves:
            await trio.sleep(move.pause_s)
            if move.command == "TRY" and _stands(player, player.last, move):
                continue  # the answer would show nothing new
            next_looks = self._looks(player)
            with self._history.call(player.name, (player.name, move.line)) as call:
                await player.send(move.line)
                await self._answer(player, move, call, looks)
            for look in looks:
                look.cancelled()
            looks = next_looks
        for look in looks:
            look.cancelled()

    def _looks(self, player: Player) -> list[Call]:
        """Begin looks for the screens that come after the answer to the next move.

        A screen is made after the server has got the last answered line. So its look begins with the sending of that
        line: a screen may have been on its way while the answer came.
        """
        looks = [self._history.call(f"{player.name} sees", None) for _ in range(SEEN_AT_MOST)]
        for look in looks:
            look.__enter__()
        return looks

    async def _answer(self, player: Player, move: Move, call: Call, looks: list[Call]) -> None:
        before = player.last
        why = f"{player.name} sent {move.line}"
        passed = False
        while True:
            try:
                screen = await player.screen(why)
            except Silent:
                if passed:
                    return  # the outcome of the move is unknown: its effect may be gone before the screen was made
                raise
            view = seen_in(screen)
            if screen.refused is not None:
                return call.returned(Answer(False, view))
            if (
                _stands(player, screen, move)
                if move.command == "TRY"
                else _bonus(player, screen) != _bonus(player, before)
            ):
                return call.returned(Answer(True, view))
            passed = True
            if looks:
                looks.pop().returned(Answer(True, view))

    async def _settle(self, duel: Duel) -> None:
        """Wait until both players see the same match: the interface must live update."""
        players = (duel.ann, duel.bob)
        with trio.move_on_after(self._table.patience_s):
            while seen_in(duel.ann.last) != seen_in(duel.bob.last):
                news = [player for player in players if player.connection.screens]
                for player in news:
                    await player.screen("a screen has come")
                if not news:
                    await trio.sleep(0.005)
            return
        raise NotExplained(
            f"{duel.ann.name} and {duel.bob.name} see different matches, and no screen came for "
            f"{self._table.patience_s:g} s: a change was not shown to one of them"
        )


def _stands(player: Player, screen: Screen, move: Move) -> bool:
    word = None if screen.match is None else screen.match.words.get(move.word)
    standing = None if word is None else word.standing
    return standing is not None and (standing.text, standing.owner) == (move.text, player.name)


def _bonus(player: Player, screen: Screen) -> int:
    return 0 if screen.match is None else screen.match.points.get(player.name, 0)


def _told(call: Call) -> str:
    answer = call.answer
    assert isinstance(answer, Answer)
    if isinstance(call.operation, tuple):
        player, line = call.operation
        did = f"{player}'s {line} was {'accepted' if answer.accepted else 'refused'} with a screen"
    else:
        did = f"{call.client} a screen"
    words = ", ".join(
        f"{word} {standing.text} by {standing.owner}{' CONFIRMED' if standing.confirmed else ''}"
        for word, standing in sorted(answer.view.words)
    )
    points = ", ".join(f"{name} {bonus}" for name, bonus in sorted(answer.view.points))
    return (
        f"no order of the moves explains that {did} in {answer.view.state} with {words or 'no words'}, and the "
        f"challenge points {points}"
    )


async def play_runs(table: CrosswordTable, moves: int, challenges: float, *, runs: int, at_once: int = 1) -> None:
    """Judge random matches, `at_once` of them at the same time. Raises Broken with a small match that fails."""
    before = len(table.transcript.exchanges)
    end_s = trio.current_time() + BUDGET_PATIENCES * table.patience_s
    for number in range(runs):
        if trio.current_time() > end_s:
            return
        chance = random.Random(f"{table.seed} {moves} {challenges} {at_once} {number}")
        plans = [draw(chance, moves, challenges) for _ in range(at_once)]
        del table.transcript.exchanges[before:]
        failed = await _failing(table, plans)
        table.hang_up()
        if failed is not None:
            exchanges = list(table.transcript.exchanges)
            plan, reason = failed
            reason = await _shrunk(table, plan, reason, before, exchanges)
            table.transcript.exchanges[:] = exchanges
            raise Broken(f"{reason} (Run {number + 1} of seed {table.seed}.)")


async def _failing(table: CrosswordTable, plans: Sequence[Plan]) -> tuple[Plan, str] | None:
    """Play the plans at the same time; return one that fails, and its reason."""
    failed: list[tuple[Plan, str]] = []

    async def judge(plan: Plan) -> None:
        try:
            await Run(table, plan).judge()
        except NotExplained as wrong:
            failed.append((plan, wrong.message))

    async with trio.open_nursery() as nursery:
        for plan in plans:
            nursery.start_soon(judge, plan)
    return failed[0] if failed else None


async def _shrunk(table: CrosswordTable, plan: Plan, reason: str, before: int, exchanges: list[Exchange]) -> str:
    """Return the reason of the smallest failing match that was found, and set `exchanges` to its exchanges."""
    with trio.move_on_after(SHRINK_S):
        again = True
        while again:
            again = False
            for candidate in smaller(plan):
                found = await _fails(table, candidate, before)
                if found is not None:
                    plan, reason, again = candidate, found, True
                    exchanges[:] = table.transcript.exchanges
                    break
    return reason


async def _fails(table: CrosswordTable, plan: Plan, before: int) -> str | None:
    for _ in range(TRIES):
        del table.transcript.exchanges[before:]
        failed = None
        try:
            failed = await _failing(table, [plan])
        except* Broken:
            pass  # another failure
        table.hang_up()
        if failed is not None:
            return failed[1]
    return None
