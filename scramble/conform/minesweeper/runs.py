"""Random runs of concurrent clients: a plan, its execution against a server, its judgement, and smaller plans."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import trio

from scramble.conform.cases import Broken, Silent, Skipped
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.fieldfile import Region
from scramble.conform.minesweeper.judge import Call, NotDecided, NotExplained, decide
from scramble.conform.minesweeper.rules import Rules, Square
from scramble.conform.minesweeper.table import Kind, MineTable
from scramble.conform.minesweeper.wire import Reply
from scramble.conform.transcript import Exchange
from scramble.errors import leaves

PAUSES_S: Final = (0.0, 0.0, 0.0, 0.001, 0.005)
"""Pauses of a client before a message; most messages have none."""

SHRINK_S: Final = 15.0
TRIES: Final = 3
"""A smaller plan is tried so many times: the server and the network decide the order of messages anew each time."""

MOST_SQUARES: Final = 1_000
"""A larger field without tiles is not judged: each state of it takes too long."""

SPOTS: Final[dict[str, Kind]] = {"b": "lone bomb", "n": "number", "z": "zero"}
"""The kinds of squares of a run."""


class Step(NamedTuple):
    """A message of a plan: `word`, and the index of the square."""

    word: str
    spot: int
    pause_s: float


@dataclass(frozen=True)
class Plan:
    """The messages of each client. `spots` has a letter of `SPOTS` for each square."""

    spots: str
    clients: tuple[tuple[Step, ...], ...]

    def without_client(self, client: int) -> Plan:
        """Return the plan without one client."""
        return Plan(self.spots, self.clients[:client] + self.clients[client + 1 :])

    def without_step(self, client: int, step: int) -> Plan:
        """Return the plan without one message of a client. The client stays, even without messages."""
        steps = self.clients[client]
        shorter = steps[:step] + steps[step + 1 :]
        return Plan(self.spots, (*self.clients[:client], shorter, *self.clients[client + 1 :]))


@dataclass(frozen=True)
class Mix:
    """The shape of random plans: `words` are drawn for `clients` with `steps` messages each, `lookers` only look."""

    spots: str
    words: tuple[str, ...]
    clients: int
    steps: int
    lookers: int = 0

    def plan(self, chance: random.Random) -> Plan:
        """Draw a plan."""

        def steps(words: Sequence[str]) -> tuple[Step, ...]:
            return tuple(
                Step(chance.choice(words), chance.randrange(len(self.spots)), chance.choice(PAUSES_S))
                for _ in range(self.steps)
            )

        movers = tuple(steps(self.words) for _ in range(self.clients))
        return Plan(self.spots, movers + tuple(steps(("look",)) for _ in range(self.lookers)))


class Run:
    """One execution of a plan on an unused tile, or on untouched squares of a small field."""

    def __init__(self, table: MineTable, plan: Plan) -> None:
        """Raises Skipped without such squares."""
        self._table: Final = table
        self._plan: Final = plan
        region = table.take()
        if region == table.ground.whole and len(region.squares) > MOST_SQUARES:
            raise Skipped(f"not decided: the field has more than {MOST_SQUARES} squares")
        self._spots: Final = self._find(plan.spots)
        if table.ground.has_tiles:  # with the walls around the tile
            region = Region(region.left - 1, region.top - 1, region.columns + 2, region.rows + 2)
        self._region: Final = region
        self._before: Final = cropped(table.ground.field, region)
        self._calls: Final[list[Call]] = []

    def _find(self, spots: str) -> list[Square]:
        found: list[Square] = []
        for letter in spots:
            found.append(self._table.find(SPOTS[letter], lambda square: square not in found))
        return found

    async def judge(self) -> None:
        """Execute and judge the plan. Raises NotExplained, NotDecided, or Broken for a wrong or missing answer."""
        number = len(self._plan.clients)
        players = [await self._table.connect(f"client{index + 1}") for index in range(number)]
        await together(
            partial(self._client, player, steps) for player, steps in zip(players, self._plan.clients, strict=True)
        )
        looker = await self._table.connect("looker")
        self._table.ground.see((await self._ask(looker, "look")).lines)
        await looker.leave()
        decide(self._before, self._calls)

    async def _client(self, player: Player, steps: Sequence[Step]) -> None:
        for step in steps:
            await trio.sleep(step.pause_s)
            x, y = self._spots[step.spot]
            reply = await self._ask(player, step.word if step.word == "look" else f"{step.word} {x} {y}")
            if reply.kind == "BOOM":
                await player.leave()
                player = await self._table.connect(player.name)
        await player.leave()

    async def _ask(self, player: Player, message: str) -> Reply:
        """Send a message, note the call, and return the answer."""
        word, *numbers = message.split(" ")
        if numbers:
            x, y = int(numbers[0]) - self._region.left, int(numbers[1]) - self._region.top
            word = f"{word} {x} {y}"
        began_s = trio.current_time()
        reply = await player.ask(message)
        board = self._region.crop(reply.lines) if reply.kind == "BOARD" else None
        self._calls.append(Call(player.name, word, began_s, trio.current_time(), board))
        return reply


def cropped(field: Rules, region: Region) -> Rules:
    """Return a part of a field. The squares outside must not matter: they are walls, or there are none."""
    at = {(region.left + x, region.top + y): (x, y) for x in range(region.columns) for y in range(region.rows)}

    def within(squares: frozenset[Square]) -> frozenset[Square]:
        return frozenset(at[square] for square in squares if square in at)

    return Rules(region.columns, region.rows, within(field.bombs), within(field.dug), within(field.flagged))


async def play_runs(table: MineTable, mix: Mix, seed: int, *, runs: int) -> None:
    """Judge random runs, until one is not explained: then look for a smaller one, and raise Broken.

    Raises Skipped if the field has no squares for a single run, or if no run can be decided.
    """
    before = len(table.transcript.exchanges)
    decided = played = 0
    for number in range(runs):
        plan = mix.plan(random.Random(f"{seed} {mix} {number}"))
        del table.transcript.exchanges[before:]
        try:
            await Run(table, plan).judge()
            decided += 1
        except NotDecided:
            pass
        except NotExplained as wrong:
            exchanges = list(table.transcript.exchanges)
            reason = await _shrunk(table, plan, wrong, before, exchanges)
            table.transcript.exchanges[:] = exchanges
            raise Broken(f"{reason} (Run {number + 1} of seed {seed}.)") from None
        except Skipped:
            if not played:
                raise
            break
        played += 1
    if not decided:
        raise Skipped(f"not decided: {played} runs allow too many orders")


async def _shrunk(table: MineTable, plan: Plan, wrong: NotExplained, before: int, exchanges: list[Exchange]) -> str:
    """Return the reason of the smallest failing run that was found, and set `exchanges` to the run's exchanges."""
    reason = str(wrong)

    async def still_fails(smaller: Plan) -> bool:
        nonlocal reason
        failure = await _fails(table, smaller, before)
        if failure is None:
            return False
        reason = failure
        exchanges[:] = table.transcript.exchanges
        return True

    with trio.move_on_after(SHRINK_S):
        for client in reversed(range(len(plan.clients))):
            if await still_fails(plan.without_client(client)):
                plan = plan.without_client(client)
        for client, steps in enumerate(plan.clients):
            for step in reversed(range(len(steps))):
                if await still_fails(plan.without_step(client, step)):
                    plan = plan.without_step(client, step)
    return reason


async def _fails(table: MineTable, plan: Plan, before: int) -> str | None:
    for _ in range(TRIES):
        del table.transcript.exchanges[before:]
        try:
            await Run(table, plan).judge()
        except NotExplained as wrong:
            return str(wrong)
        except (NotDecided, Skipped, Broken):
            return None
    return None


async def together(clients: Iterable[Callable[[], Awaitable[None]]]) -> None:
    """Run clients at the same time, until all of them have ended. Raises Broken if one of them does."""
    try:
        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(client)
    except* Broken as broken:
        errors = leaves(broken)
        raise next((error for error in errors if not isinstance(error, Silent)), errors[0]) from None
