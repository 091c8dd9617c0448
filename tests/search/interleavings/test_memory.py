"""A live game under schedules that Hypothesis draws: in the model, one order of the calls must explain all answers.

Strategy: on a small board with few kinds of cards, up to five clients make a few requests each, one after another. The
clients play for up to three players, so one player may have several requests at once. `scramble.testing.interleave`
draws the order of the tasks' steps and the cancellations; Hypothesis shrinks both together with the requests.

- requests: look, flip, watch with and without a version, replace, map (immediate, or slow enough for other requests to
  come in between, or failing), new game
- cancelled: at any step, some of the requests; at the end, all requests that still wait
- the end: every player looks

`scramble.testing.linearizable` judges the answers, with versions, rules and boards. A flip or a watch that waits has
several effects, so it is several operations of the model `Table`. Tests with altered histories, and with games that
have one bug each, show that the judge and the schedules find faults.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import pytest
import trio
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from trio.lowlevel import checkpoint
from trio.testing import wait_all_tasks_blocked

from scramble.errors import CallerError
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import SideTasks
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Rules, Ticket, Withdraw
from scramble.memory import Board, Game
from scramble.memory import messages as say
from scramble.memory.boardfile import format_board_file
from scramble.testing import (
    Call,
    History,
    NotLinearizable,
    ScheduleFailed,
    cancellable,
    interleave,
    linearizable,
)
from tests.support.examples import examples
from tests.support.memory import model
from tests.support.memory.compare import op_of, seen
from tests.support.memory.model import Model, Op, Out

PLAYERS = ["alice", "bob", "carol"]
CARDS = ["A", "B", "C"]


class NoLuck(Exception):
    """The error that the function of a map raises."""


@dataclass(frozen=True)
class Map:
    """A call of `Game.map` with a named function. The function takes this number of checkpoints for every card."""

    player: str
    function: str
    steps: int


Request: TypeAlias = Command[object] | Map

FUNCTIONS: Mapping[str, Mapping[str, str]] = {
    "rotate": {"A": "B", "B": "C", "C": "A"},
    "all the same": {"A": "A", "B": "A", "C": "A"},
    "no luck with B": {"A": "C", "C": "A"},
}


@dataclass(frozen=True)
class Planned:
    """A request, and whether a schedule may cancel it."""

    request: Request
    may_leave: bool = False


@dataclass(frozen=True)
class Plan:
    """A board, and the requests of its clients. Each client makes one request after another."""

    rows: int
    columns: int
    cards: tuple[str, ...]
    clients: tuple[tuple[Planned, ...], ...]


# --- drawing ----------------------------------------------------------------------------------------


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    rows, columns = draw(st.sampled_from([(1, 2), (2, 2), (2, 3)]))
    cards = tuple(draw(st.lists(st.sampled_from(CARDS[:2]), min_size=rows * columns, max_size=rows * columns)))
    player, card = st.sampled_from(PLAYERS), st.sampled_from(CARDS)
    flips = st.builds(say.Flip, player, st.integers(0, rows - 1), st.integers(0, columns - 1))
    others: list[st.SearchStrategy[Request]] = [
        st.builds(say.Look, player),
        st.builds(say.Watch, player, st.none() | st.integers(0, 5)),
        st.builds(say.Replace, player, card, card),
        st.builds(Map, player, st.sampled_from(sorted(FUNCTIONS)), st.integers(0, 1)),
    ]
    if draw(st.integers(0, 3)) == 0:
        others.append(st.builds(say.NewGame, player, st.integers(0, 3)))
    requests = st.integers(0, 9).flatmap(lambda kind: others[kind] if kind < len(others) else flips)
    planned = st.builds(Planned, requests, st.sampled_from([False, True]))
    clients = draw(st.lists(st.lists(planned, min_size=1, max_size=6).map(tuple), min_size=2, max_size=5))
    return Plan(rows, columns, cards, tuple(clients))


# --- the model --------------------------------------------------------------------------------------


WAITS = "waits"


@dataclass(frozen=True)
class Ask:
    """A request takes effect. Answer: its answer, or WAITS. If it is cancelled before it waits, it has no effect."""

    number: int
    op: Op | Map


@dataclass(frozen=True)
class Get:
    """A request that waited gets its answer. The answer was decided before, by the effect of another request."""

    number: int


@dataclass(frozen=True)
class Leave:
    """The client of a request that waits leaves. Answer: True, or False if the answer was decided before."""

    number: int


@dataclass
class Table:
    """The naive model of the game, and the answers that it has decided but not given yet."""

    game: Model
    decided: dict[int, Out] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.decided == other.decided and self.game.state() == other.game.state()

    def __deepcopy__(self, memo: object) -> Table:
        return Table(self.game.copy(), self.decided.copy())

    def __repr__(self) -> str:
        return f"{self.game.state()}, decided: {self.decided}"

    def apply(self, operation: object) -> object:
        match operation:
            case Ask(number, op):
                answer = self._map(op) if isinstance(op, Map) else self._carry_out(number, op)
                return WAITS if answer is None else answer
            case Get(number):
                return self.decided.pop(number, None)
            case Leave(number):
                waits = any(number == waiting[0] for waiting in (*self.game.waiting, *self.game.watching))
                if waits:
                    self._carry_out(number, model.Gone())
                return waits
        raise AssertionError(operation)

    def _carry_out(self, number: int, op: Op) -> Out | None:
        outs = self.game.apply(number, op)
        answer = outs.pop(number, None)
        self.decided |= outs
        return answer

    def _map(self, op: Map) -> Out:
        """A successful map takes effect at its commit. A failing map takes effect when its function fails."""
        function = FUNCTIONS[op.function]
        if not set(self.game.cards()) <= function.keys():
            return Out("no luck")
        answer = self._carry_out(-1, model.Change(op.player, tuple(function.items()), total=True))
        assert answer is not None
        return Out("mapped", text=answer.text)  # Game.map returns no version


# --- running ----------------------------------------------------------------------------------------


class Calls:
    """The calls of one request: `Ask`, and if it waits, `Get` and `Leave`."""

    def __init__(self, history: History, block: ExitStack, client: int, number: int, op: Op | Map) -> None:
        self._history, self._block, self._client, self._number = history, block, client, number
        self._ask = self._begin(Ask(number, op))
        self._later: tuple[Call, Call] | None = None

    def _begin(self, operation: object) -> Call:
        return self._block.enter_context(self._history.call(self._client, operation))

    def waits(self) -> None:
        """Note that the request has taken effect, and waits."""
        self._ask.returned(WAITS)
        self._later = self._begin(Get(self._number)), self._begin(Leave(self._number))

    def answered(self, out: object) -> None:
        """Note the answer."""
        if self._later is None:
            self._ask.returned(out)
        else:
            get, leave = self._later
            get.returned(out)
            leave.cancelled()

    def cancelled(self) -> None:
        """Note that the client has left without an answer."""
        if self._later is None:
            self._ask.cancelled()
        else:
            get, leave = self._later
            get.cancelled()
            leave.returned(True)


class Play:
    """A live game and its clients."""

    def __init__(self) -> None:
        self.game: Game
        self.history: Final = History()
        self.calls: Final[dict[int, Calls]] = {}  # by the identity of the command
        self.running: Final[set[trio.CancelScope]] = set()
        self.ends = False

    def on_command(self, ticket: Ticket, command: Command[object], outcomes: Sequence[Outcome], _: float) -> None:
        """Note whether a request waits. Its client does not see this if the wait ends before another task runs."""
        is_answered = any(isinstance(item, Answered | Refused) and item.ticket == ticket for item in outcomes)
        if not is_answered and id(command) in self.calls:
            self.calls[id(command)].waits()

    async def client(self, number: int, plan: Sequence[Planned]) -> None:
        for index, planned in enumerate(plan):
            if self.ends:
                break
            await self.make(number, 10 * number + index, planned)

    async def make(self, client: int, number: int, planned: Planned) -> None:
        request = planned.request
        with ExitStack() as block:
            op = request if isinstance(request, Map) else op_of(request)
            calls = Calls(self.history, block, client, number, op)
            with cancellable() if planned.may_leave else trio.CancelScope() as scope:
                self.running.add(scope)
                calls.answered(await (self.map(request) if isinstance(request, Map) else self.ask(request, calls)))
            if scope.cancelled_caught:
                calls.cancelled()
            self.running.remove(scope)

    async def ask(self, request: Command[object], calls: Calls) -> Out:
        """Make the request, and convert its answer to the model's words."""
        command = copy.copy(request)
        self.calls[id(command)] = calls
        try:
            return seen(await self.game.owner.ask(command))
        except CallerError as refusal:
            return seen(refusal)
        finally:
            del self.calls[id(command)]

    async def map(self, request: Map) -> Out:
        async def f(card: str) -> str:
            for _ in range(request.steps):
                await checkpoint()
            try:
                return FUNCTIONS[request.function][card]
            except KeyError:
                raise NoLuck(card) from None

        try:
            return Out("mapped", text=await self.game.map(request.player, f))
        except NoLuck:
            return Out("no luck")

    async def end(self) -> None:
        """Cancel all requests that still wait when nothing more happens."""
        await wait_all_tasks_blocked()
        self.ends = True
        for scope in self.running:
            scope.cancel()


async def run(plan: Plan, break_rules: Callable[[Rules], Rules] = lambda rules: rules) -> None:
    """Run a live game, and judge the history of its clients."""
    board = Board.parse(format_board_file(plan.rows, plan.columns, plan.cards))
    play = Play()
    async with open_actor(break_rules(board), on_command=play.on_command) as actor, SideTasks() as beside:
        play.game = Game(actor, beside)
        async with trio.open_nursery() as nursery:
            for number, requests in enumerate(plan.clients):
                nursery.start_soon(play.client, number, requests)
            await play.end()
        for number, player in enumerate(PLAYERS, 1):
            await play.make(-1, -number, Planned(say.Look(player)))
    linearizable(play.history, Table(Model(plan.rows, plan.columns, plan.cards)))


@settings(max_examples=examples(150))
@given(plans())
@interleave()
async def test_every_history_is_explained_by_one_order_of_the_rules(plan: Plan) -> None:
    await run(plan)


# --- tests of the judge -----------------------------------------------------------------------------

ALONE = Out("flipped", "1-B", 1, "1x2\nmy A\ndown\n")
SECOND = Out("flipped", "2-E", 2, "1x2\nup A\nup B\n")
AFTER_WAIT = Out("flipped", "1-C", 2, "1x2\nmy A\nup B\n")
NEW_VIEW = Out("view", "", 2, "1x2\nmy A\nup B\n")
OLD_VIEW = Out("view", "", 1, "1x2\nup A\ndown\n")


def judge_eventful(
    first: Out = ALONE,
    bobs_view: Out = OLD_VIEW,
    second: Out = SECOND,
    carols_view: Out = NEW_VIEW,
    *,
    bob: Out | None = None,
    alice_left: bool = False,
) -> None:
    """Judge a short history.

    Alice takes the A at 0,0. Bob waits for it, leaves, and looks. Then carol waits for it, and gets it when alice turns
    up the B at 0,1. Carol looks at the end.

    `bob`: bob gets this answer instead of leaving. `alice_left`: the first flip of alice was cancelled.
    """
    history = History()
    with ExitStack() as block:
        numbers = itertools.count()

        def ask(who: int, op: Op) -> Calls:
            return Calls(history, block, who, next(numbers), op)

        turned = ask(0, model.Flip("alice", 0, 0))
        if alice_left:
            turned.cancelled()
        else:
            turned.answered(first)
        bobs = ask(1, model.Flip("bob", 0, 0))
        bobs.waits()
        if bob is None:
            bobs.cancelled()
        ask(1, model.Look("bob")).answered(bobs_view)
        carols = ask(2, model.Flip("carol", 0, 0))
        carols.waits()
        ask(0, model.Flip("alice", 0, 1)).answered(second)
        carols.answered(AFTER_WAIT)
        if bob is not None:
            bobs.answered(bob)
        ask(2, model.Look("carol")).answered(carols_view)
    linearizable(history, Table(Model(1, 2, ("A", "B"))))


def test_the_eventful_history_is_explained() -> None:
    judge_eventful()


def test_a_history_with_the_answers_of_two_flips_swapped_is_rejected() -> None:
    with pytest.raises(NotLinearizable):
        judge_eventful(first=SECOND, second=ALONE)


def test_a_history_in_which_a_player_sees_a_card_won_after_withdrawing_is_rejected() -> None:
    with pytest.raises(NotLinearizable):
        judge_eventful(bobs_view=NEW_VIEW)


def test_a_history_in_which_a_player_has_won_the_card_after_withdrawing_is_rejected() -> None:
    with pytest.raises(NotLinearizable):
        judge_eventful(bob=AFTER_WAIT)


def test_a_history_in_which_a_cancelled_flip_turned_a_card_is_rejected() -> None:
    with pytest.raises(NotLinearizable):
        judge_eventful(alice_left=True)


def test_a_history_with_an_answer_from_the_past_is_rejected() -> None:
    with pytest.raises(NotLinearizable):
        judge_eventful(carols_view=Out("view", "", 0, "1x2\ndown\ndown\n"))


class BrokenRules:
    """Rules for bugs. This base class has no bug."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    @property
    def version(self) -> int:
        return self.rules.version

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        return self.rules.apply(ticket, command)


class NeverForgets(BrokenRules):
    """Departed players stay in the queue and get the card."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.departed: set[Ticket] = set()

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, Withdraw):
            self.departed.add(ticket)
            return []
        outcomes = super().apply(ticket, command)
        return [o for o in outcomes if not (isinstance(o, Answered | Refused) and o.ticket in self.departed)]


class LooksBack(BrokenRules):
    """A look gets the view of the same player's previous look."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.before: dict[str, object] = {}

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        outcomes = super().apply(ticket, command)
        if isinstance(command, say.Look):
            (answer,) = outcomes
            assert isinstance(answer, Answered)
            value = self.before.get(command.player, answer.value)
            self.before[command.player] = answer.value
            return [Answered(ticket, value)]
        return outcomes


class WakesForNothing(BrokenRules):
    """Every public event answers the watches, even if no card has changed."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.watchers: dict[Ticket, str] = {}

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, say.Watch):
            self.watchers[ticket] = command.player
            return []
        self.watchers.pop(ticket, None)
        outcomes = list(super().apply(ticket, command))
        if not isinstance(command, Withdraw) and any(
            not isinstance(outcome, Answered | Refused) for outcome in outcomes
        ):
            for watcher, player in self.watchers.items():
                outcomes += super().apply(watcher, say.Look(player))
            self.watchers.clear()
        return outcomes


@pytest.mark.parametrize("broken", [NeverForgets, LooksBack, WakesForNothing])
def test_the_schedules_find_the_bug_of_a_game_that(broken: type[BrokenRules]) -> None:
    @settings(max_examples=300, phases=[Phase.generate], report_multiple_bugs=False, database=None)
    @given(plans())
    @interleave()
    async def play(plan: Plan) -> None:
        await run(plan, broken)

    with pytest.raises(ScheduleFailed) as found:
        play()
    assert isinstance(found.value.__cause__, NotLinearizable)
