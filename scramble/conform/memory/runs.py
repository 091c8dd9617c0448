"""Random runs of concurrent clients: a plan, its execution against a server, its judgement, and smaller plans."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import trio

from scramble.conform.cases import Broken, Silent, Skipped
from scramble.conform.memory.client import FIRST_ERROR, MemoryTable, Pending, Player, board_of
from scramble.conform.memory.judge import Call, Judge, Kind, NotDecided, NotExplained
from scramble.conform.memory.rules import Place
from scramble.conform.transcript import Exchange

PAUSES_S: Final = (0.0, 0.0, 0.0, 0.002, 0.01)
"""Pauses of a client before a request; most requests have none."""

POLL_S: Final = 0.01

RUNS_PATIENCES: Final = 3
"""No further run begins after this time, as a multiple of the patience. So a slow server has fewer runs."""

SHRINK_PATIENCES: Final = 4
"""The time to look for a smaller run, as a multiple of the patience."""

TRIES: Final = 3
"""A smaller plan is tried so many times: the server and the network decide the order of requests anew each time."""


MOST_LISTED: Final = 8
"""A message lists the requests of a run with at most so many requests."""


class WrongRun(Broken):
    """A run that no order explains. The message has its requests."""

    tells_requests = True


class Step(NamedTuple):
    """A request of a plan. `space` is an index of the run's spaces, `new` a card."""

    kind: Kind
    space: int
    pause_s: float
    new: str = ""


@dataclass(frozen=True)
class Plan:
    """The requests of each client. `pattern` are the cards of the run's spaces, as in `Ground.take`."""

    pattern: str
    clients: tuple[tuple[Step, ...], ...]

    def smaller(self) -> Iterator[Plan]:
        """Yield plans with fewer clients, then with fewer requests."""
        for index in range(len(self.clients)):
            if len(self.clients) > 1:
                yield Plan(self.pattern, self.clients[:index] + self.clients[index + 1 :])
        for index, steps in enumerate(self.clients):
            for cut in range(len(steps)):
                shorter = steps[:cut] + steps[cut + 1 :]
                rest = self.clients[:index] + ((shorter,) if shorter else ()) + self.clients[index + 1 :]
                if rest:
                    yield Plan(self.pattern, rest)


@dataclass(frozen=True)
class Mix:
    """The shape of random plans."""

    pattern: str
    flippers: int
    flips: int
    """The number of flips of each flipper."""

    lookers: int = 0
    watchers: int = 0
    replacers: int = 0

    def plan(self, chance: random.Random, new_card: str) -> Plan:
        """Draw a plan. `new_card` is not on the board."""
        spaces = range(len(self.pattern))

        def steps(kind: Kind, count: int) -> tuple[Step, ...]:
            return tuple(
                Step(
                    kind,
                    chance.choice(spaces),
                    chance.choice(PAUSES_S),
                    f"{new_card}_{number}" if kind == "replace" else "",
                )
                for number in range(count)
            )

        return Plan(
            self.pattern,
            (
                *(steps("flip", chance.randint(2, self.flips)) for _ in range(self.flippers)),
                *(steps("look", 3) for _ in range(self.lookers)),
                *(steps("watch", 2) for _ in range(self.watchers)),
                *(steps("replace", 2) for _ in range(self.replacers)),
            ),
        )


class Run:
    """One execution of a plan on unused spaces."""

    def __init__(self, table: MemoryTable, plan: Plan, *, tells_failures: bool) -> None:
        """`tells_failures`: the status of the server's answers tells failed flips. Raises Skipped without spaces."""
        self._table: Final = table
        self._plan: Final = plan
        self._tells: Final = tells_failures
        self._spaces: Final = table.take(plan.pattern)
        table.shown[:] = self._spaces
        self._cards: Final = {space: table.ground.cards[space] for space in self._spaces}
        self._calls: Final[list[tuple[Player, Step, Pending, str]]] = []
        self._last_s = 0.0

    async def judge(self) -> None:
        """Execute and judge the plan. Raises NotExplained, NotDecided, or Broken for an answer without a board."""
        async with trio.open_nursery() as nursery:
            players = self._table.players(len(self._plan.clients))
            for player, steps in zip(players, self._plan.clients, strict=True):
                nursery.start_soon(self._client, player, steps)
            await self._end()
            nursery.cancel_scope.cancel()
        for _, _, pending, _ in self._calls:
            pending.leave()
        try:
            self._decide()
        except NotExplained as wrong:
            self._mark(wrong.call)
            raise

    async def _end(self) -> None:
        """Wait until each open request has a reason to wait, or has waited for the whole patience without a reason."""
        noticed: dict[int, float] = {}
        while True:
            await self._quiet()
            call = self._open_call_without_reason()
            if call is None:
                return
            left_s = noticed.setdefault(call, trio.current_time()) + self._table.patience_s - trio.current_time()
            if left_s <= 0:
                return
            with trio.move_on_after(left_s):
                await self._calls[call][2].done()

    def _mark(self, call: int) -> None:
        """Mark the exchange of a call in the transcript."""
        player = self._calls[call][0]
        number = sum(other is player for other, _, _, _ in self._calls[:call])
        sent = [exchange for exchange in self._table.transcript.exchanges if exchange.client == player.name]
        sent[number].is_wrong = True

    def _open_call_without_reason(self) -> int | None:
        """Return the index of a request without an answer that must have one by now."""
        try:
            self._decide()
        except NotExplained as wrong:
            return None if self._calls[wrong.call][2].is_answered else wrong.call
        except (NotDecided, Broken):
            return None
        return None

    async def _client(self, player: Player, steps: Sequence[Step]) -> None:
        for step in steps:
            await trio.sleep(step.pause_s)
            space, old = self._spaces[step.space], ""
            if step.kind == "flip":
                pending = player.begin_flip(space)
            elif step.kind == "look":
                pending = player.begin_look()
            elif step.kind == "watch":
                pending = player.begin_watch()
            else:
                old = self._table.ground.cards[space]
                pending = player.begin_replace(old, step.new)
            self._calls.append((player, step, pending, old))
            await pending.done()
            self._last_s = trio.current_time()
            if step.kind == "replace":
                self._table.ground.replaced(old, step.new)

    async def _quiet(self) -> None:
        """Wait until all requests are answered, or no answer has come for a while."""
        quiet_s = self._table.ground.quiet_s
        with trio.move_on_after(self._table.patience_s):
            self._last_s = trio.current_time()
            while trio.current_time() - self._last_s < quiet_s:
                await trio.sleep(POLL_S)
                started = sum(len(steps) for steps in self._plan.clients) == len(self._calls)
                if started and all(pending.is_answered for _, _, pending, _ in self._calls):
                    return

    def _decide(self) -> None:
        Judge(self._cards, [self._call(*parts) for parts in self._calls]).decide()

    def _call(self, player: Player, step: Step, pending: Pending, old: str) -> Call:
        view, failed = None, None
        if pending.is_answered:
            answer = pending.result()
            if step.kind == "flip" and answer.status >= FIRST_ERROR:
                failed = True
            else:
                board = board_of(answer, pending.told)
                view = tuple(board[space] for space in self._spaces)
                failed = False if self._tells else None
        place: Place = self._spaces[step.space]
        return Call(player.name, step.kind, pending.began_s, pending.ended_s, place, old, step.new, failed, view)


async def play_runs(table: MemoryTable, mix: Mix, seed: int, *, runs: int) -> None:
    """Judge random runs, until one is not explained: then look for a smaller one, and raise Broken.

    Raises Skipped if the board has no spaces for a single run, or if no run can be decided.
    """
    tells = await _tells_failures(table)
    exchanges = table.transcript.exchanges
    decided = played = 0
    until = trio.current_time() + RUNS_PATIENCES * table.patience_s
    for number in range(runs):
        if played and trio.current_time() > until:
            break
        chance = random.Random(f"{seed} {mix} {number}")
        plan = mix.plan(chance, table.ground.name("new"))
        exchanges.clear()
        try:
            await Run(table, plan, tells_failures=tells).judge()
            decided += 1
        except NotDecided:
            pass
        except NotExplained as wrong:
            reason, smallest = await _shrunk(table, plan, wrong, tells)
            exchanges[:] = smallest
            raise WrongRun(f"{reason} (run {number + 1} of seed {seed}). {_listed(exchanges)}") from None
        except Skipped:
            if not played:
                raise
            break
        played += 1
    if not decided:
        raise Skipped(f"not decided: {played} runs allow too many orders")


async def _shrunk(table: MemoryTable, plan: Plan, wrong: NotExplained, tells: bool) -> tuple[str, list[Exchange]]:
    """Return the reason and the exchanges of the smallest failing run that was found."""
    reason, exchanges = str(wrong), list(table.transcript.exchanges)
    with trio.move_on_after(SHRINK_PATIENCES * table.patience_s):
        again = True
        while again:
            again = False
            for smaller in plan.smaller():
                failure = await _fails(table, smaller, tells)
                if failure is not None:
                    plan, reason, again = smaller, failure, True
                    exchanges = list(table.transcript.exchanges)
                    break
    return reason, exchanges


async def _fails(table: MemoryTable, plan: Plan, tells: bool) -> str | None:
    for _ in range(TRIES):
        table.transcript.exchanges.clear()
        try:
            await Run(table, plan, tells_failures=tells).judge()
        except NotExplained as wrong:
            return str(wrong)
        except (NotDecided, Skipped):
            return None
    return None


def _listed(exchanges: Sequence[Exchange]) -> str:
    if len(exchanges) > MOST_LISTED:
        return f"It has {len(exchanges)} requests: --report shows them"
    sent = (f"{exchange.client}: {exchange.sent} → {exchange.came or 'no answer'}" for exchange in exchanges)
    return f"The requests: {'; '.join(sent)}"


async def _tells_failures(table: MemoryTable) -> bool:
    """Return True if the server answers a failed flip with an error."""
    (alice,) = table.players(1)
    (space,) = table.take("A")
    await alice.first(space)
    return (await alice.fails(space, "she controls the card herself (2-B)")).status >= FIRST_ERROR


async def all_answered(pending: Sequence[Pending], patience_s: float, why: str) -> None:
    """Wait until all requests are answered. Raises Silent if one is not."""
    with trio.move_on_after(patience_s):
        for one in pending:
            await one.done()
    for one in pending:
        if not one.is_answered:
            raise Silent(f"{one.told} got no answer within {patience_s:g} s, but {why}")


async def settle(pending: Sequence[Pending], quiet_s: float, patience_s: float) -> None:
    """Wait for a first answer, and then until no more answers come for a while. Raises Silent without an answer."""
    with trio.move_on_after(patience_s):
        async with trio.open_nursery() as nursery:

            async def first(one: Pending) -> None:
                await one.done()
                nursery.cancel_scope.cancel()

            for one in pending:
                nursery.start_soon(first, one)
    if not any(one.is_answered for one in pending):
        raise Silent(
            f"none of {len(pending)} requests got an answer within {patience_s:g} s: {pending[0].told}, for example"
        )
    answered = -1
    while (now := sum(one.is_answered for one in pending)) != answered:
        answered = now
        await trio.sleep(quiet_s)
