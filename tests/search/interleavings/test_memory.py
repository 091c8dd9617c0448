"""A live game under schedules that Hypothesis draws: one order of the model must explain all answers to its callers.

Strategy: on a small board with few kinds of cards, up to five clients each make a few requests after pauses of 0 to 2
ticks of a mock clock. The clients play for up to three players, so one player may have several requests at once. Many
requests fall on the same tick. There trio's scheduler decides the order, and Hypothesis draws its random numbers, too.

- requests: look, flip, watch with and without a version, replace, map (immediate, or slow enough for other requests to
  come in between, or failing), new game
- cancelled: never; on the tick of the request; one or two ticks later; at the end, if the request still waits
- the end: all waiting requests are cancelled, and then every player looks

The history, with versions, rules and boards, goes to `tests.support.linearizability`. Tests with altered histories, and
with games that have one bug each, show that the judge and the schedules find faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import pytest
import trio
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from scramble.errors import CallerError
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import SideTasks
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Rules, Ticket, Withdraw
from scramble.memory import Board, Game
from scramble.memory import messages as say
from scramble.memory.boardfile import format_board_file
from tests.support.examples import examples
from tests.support.history import Call, Exactly, History, Told
from tests.support.linearizability import NotExplained, check
from tests.support.memory import model
from tests.support.memory.compare import op_of, seen
from tests.support.memory.model import Model, Op, Out
from tests.support.memory.spec import MemorySpec
from tests.support.recorder import Recorder

TICK_S = 1.0  # of the mock clock: it takes no time
END_TICKS = 100  # long after the last request of any schedule

PLAYERS = ["alice", "bob", "carol"]
CARDS = ["A", "B", "C"]


class NoLuck(Exception):
    """The error that the function of a map raises."""


@dataclass(frozen=True)
class Map:
    """A call of `Game.map` with a named function. The function sleeps for this number of ticks for every card."""

    player: str
    function: str
    ticks: int


Request: TypeAlias = Command[object] | Map

FUNCTIONS: Mapping[str, Mapping[str, str]] = {
    "rotate": {"A": "B", "B": "C", "C": "A"},
    "all the same": {"A": "A", "B": "A", "C": "A"},
    "no luck with B": {"A": "C", "C": "A"},
}


@dataclass(frozen=True)
class Planned:
    """A request after a pause. It may be cancelled a number of ticks later."""

    pause: int
    request: Request
    cancel_after: int | None


@dataclass(frozen=True)
class Schedule:
    """A board, and the requests of its clients. Each client makes one request after another."""

    rows: int
    columns: int
    cards: tuple[str, ...]
    clients: tuple[tuple[Planned, ...], ...]


# --- drawing ----------------------------------------------------------------------------------------


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
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
    planned = st.builds(Planned, st.integers(0, 2), requests, st.sampled_from([None, None, None, 0, 1, 2]))
    clients = draw(st.lists(st.lists(planned, min_size=1, max_size=6).map(tuple), min_size=2, max_size=5))
    return Schedule(rows, columns, cards, tuple(clients))


# --- running ----------------------------------------------------------------------------------------

MapHistory: TypeAlias = History[Op | Map, Out]
MapCall: TypeAlias = Call[Op | Map, Out]


def run(schedule: Schedule, break_rules: Callable[[Rules], Rules] = lambda rules: rules) -> MapHistory:
    """Run a live game, and return the history of its clients."""
    board = Board.parse(format_board_file(schedule.rows, schedule.columns, schedule.cards))
    recorder: Recorder[Op | Map, Out] = Recorder()

    async def main() -> None:
        async with open_actor(break_rules(board)) as actor, SideTasks() as beside:
            game = Game(actor, beside)
            async with trio.open_nursery() as nursery:
                for planned in schedule.clients:
                    nursery.start_soon(client, game, planned)
                await trio.sleep(END_TICKS * TICK_S)
                recorder.cancel_all()
            for player in PLAYERS:
                look = say.Look(player)
                await recorder.call(op_of(look), partial(ask, game, look), trio.CancelScope())

    async def client(game: Game, plan: Sequence[Planned]) -> None:
        async with trio.open_nursery() as nursery:
            for planned in plan:
                await trio.sleep(planned.pause * TICK_S)
                if trio.current_time() >= END_TICKS * TICK_S:
                    break  # only the end cancelled the last request
                scope = trio.CancelScope()
                if planned.cancel_after is not None:
                    nursery.start_soon(cancel, scope, planned.cancel_after)
                await recorder.call(modelled(planned.request), partial(ask, game, planned.request), scope)

    async def cancel(scope: trio.CancelScope, ticks: int) -> None:
        await trio.sleep(ticks * TICK_S)
        recorder.cancel(scope)

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return recorder.finished()


def modelled(request: Request) -> Op | Map:
    """Convert the request to the model's words."""
    return request if isinstance(request, Map) else op_of(request)


async def ask(game: Game, request: Request) -> Told[Out]:
    """Make the request, and convert its answer to the model's words."""
    if isinstance(request, Map):
        return Exactly(await ask_map(game, request))
    try:
        out = seen(await game.ask(request))
    except CallerError as refusal:
        out = seen(refusal)
    return Exactly(out, out.version if out.kind in ("view", "flipped", "failed") else None)


async def ask_map(game: Game, request: Map) -> Out:
    async def f(card: str) -> str:
        await trio.sleep(request.ticks * TICK_S)
        try:
            return FUNCTIONS[request.function][card]
        except KeyError:
            raise NoLuck(card) from None

    try:
        return Out("mapped", text=await game.map(request.player, f))
    except NoLuck:
        return Out("no luck")


# --- judging ----------------------------------------------------------------------------------------


class MapSpec(MemorySpec):
    """The naive model as a specification, with maps.

    A successful map happens at its commit. A failing map happens at the card of its error.
    """

    def step(self, state: Model, ticket: int, op: Op | Map) -> tuple[Model, Mapping[int, Out]]:
        if not isinstance(op, Map):
            return super().step(state, ticket, op)
        function = FUNCTIONS[op.function]
        if not set(state.cards()) <= function.keys():
            return state, {ticket: Out("no luck")}
        after, outs = super().step(state, ticket, model.Change(op.player, tuple(function.items()), total=True))
        return after, {**outs, ticket: Out("mapped", text=outs[ticket].text)}  # Game.map returns no version


def judge(schedule: Schedule, history: MapHistory) -> None:
    """Raises NotExplained."""
    check(history, MapSpec(schedule.rows, schedule.columns, schedule.cards))


@settings(max_examples=examples(150))
@given(schedules(), st.random_module())
def test_every_history_is_explained_by_one_order_of_the_rules(schedule: Schedule, scheduler: object) -> None:
    judge(schedule, run(schedule))


# --- tests of the judge -----------------------------------------------------------------------------

# Alice takes the A at 0,0 on tick 1. Bob asks for it on tick 2 and leaves on tick 3. Carol asks for it on tick 4 and
# gets it on tick 5, when alice turns up the B at 0,1. Carol looks on tick 6.
EVENTFUL = Schedule(
    1,
    2,
    ("A", "B"),
    (
        (Planned(1, say.Flip("alice", 0, 0), None), Planned(4, say.Flip("alice", 0, 1), None)),
        (Planned(2, say.Flip("bob", 0, 0), 1), Planned(0, say.Look("bob"), None)),
        (Planned(4, say.Flip("carol", 0, 0), None), Planned(1, say.Look("carol"), None)),
    ),
)


@pytest.fixture(name="history")
def _history() -> MapHistory:
    history = run(EVENTFUL)
    judge(EVENTFUL, history)
    return history


def find(history: MapHistory, request: say.Flip | say.Look) -> MapCall:
    """Find the first call with this operation."""
    return next(call for call in history.calls if call.op == op_of(request))


def assert_rejected(history: MapHistory) -> None:
    with pytest.raises(NotExplained):
        judge(EVENTFUL, history)


def test_the_eventful_history_is_what_it_is_said_to_be(history: MapHistory) -> None:
    assert find(history, say.Flip("bob", 0, 0)).unanswered
    assert find(history, say.Flip("carol", 0, 0)).told == Exactly(Out("flipped", "1-C", 2, "1x2\nmy A\nup B\n"), 2)


def test_a_history_with_the_answers_of_two_flips_swapped_is_rejected(history: MapHistory) -> None:
    one, two = find(history, say.Flip("alice", 0, 0)), find(history, say.Flip("alice", 0, 1))
    one.told, two.told = two.told, one.told
    assert_rejected(history)


def test_a_history_in_which_a_player_sees_a_card_won_after_withdrawing_is_rejected(history: MapHistory) -> None:
    look = history.calls[-2]
    assert look.op == op_of(say.Look("bob"))
    look.told = Exactly(Out("view", "", 2, "1x2\nmy A\nup B\n"), 2)
    assert_rejected(history)


def test_a_history_in_which_a_player_has_won_the_card_after_withdrawing_is_rejected(history: MapHistory) -> None:
    flip = find(history, say.Flip("bob", 0, 0))
    flip.told = Exactly(Out("flipped", "1-C", 2, "1x2\nmy A\nup B\n"), 2)
    flip.ended = find(history, say.Flip("alice", 0, 1)).ended
    flip.left, flip.over, flip.unanswered = None, None, False
    assert_rejected(history)


def test_a_history_in_which_a_cancelled_flip_turned_a_card_is_rejected(history: MapHistory) -> None:
    flip = find(history, say.Flip("alice", 0, 0))
    flip.left, flip.over, flip.unanswered = flip.began, flip.ended, True
    flip.ended = flip.told = None
    assert_rejected(history)


def test_a_history_with_an_answer_from_the_past_is_rejected(history: MapHistory) -> None:
    look = find(history, say.Look("carol"))
    look.told = Exactly(Out("view", "", 0, "1x2\ndown\ndown\n"), 0)
    assert_rejected(history)


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
    """A look gets the view of the same player's look before."""

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
    @settings(max_examples=150, phases=[Phase.generate], report_multiple_bugs=False, database=None)
    @given(schedules(), st.random_module())
    def play(schedule: Schedule, scheduler: object) -> None:
        judge(schedule, run(schedule, broken))

    with pytest.raises(NotExplained):
        play()
