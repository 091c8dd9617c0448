"""The judge of concurrent clients: it looks for an order of small steps that explains all answers.

The handout is nondeterministic. It does not say which actions are atomic, which waiting player takes a card, or at
which moment after a flip its board is read. So the judge keeps a set of worlds: all states of the board that the
answers so far allow (the subset construction). When an answer comes, each world makes each possible step in each order;
the worlds that explain the answer stay. If no world stays, no order explains the answer: a rule is broken.

A request takes its steps between its sending and its answer, as in linearizability (Herlihy and Wing, 1990), but a
request has several steps: for each card of the previous play one (3-A, 3-B), then the flip, then the look at the board.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from scramble.conform.memory.rules import FAILING, Place, Rules, Seen

MOST_WORLDS: Final = 5_000
"""With more worlds the judge gives up: the run is not decided."""

Kind = Literal["look", "flip", "watch", "replace"]


@dataclass(frozen=True)
class Call:
    """One request of a run, and its answer."""

    player: str
    kind: Kind
    began_s: float
    ended_s: float | None
    """The time of the answer; None if the request still waited at the end of the run."""

    place: Place = (0, 0)
    """The space of a flip."""

    old: str = ""
    new: str = ""
    failed: bool | None = None
    """True if a flip failed; None if the answer does not tell (an edition answers failed flips with the board, too)."""

    view: tuple[Seen, ...] | None = None
    """The spaces of the run in the answer, as the player sees them. None if the answer has no board."""


class NotExplained(Exception):
    """No order of steps explains the answer of a call. `call` is its index in the run."""

    def __init__(self, call: int, reason: str) -> None:
        super().__init__(reason)
        self.call: Final = call


class NotDecided(Exception):
    """The run allows too many orders to decide it."""


class Phase(NamedTuple):
    """The progress of one request in one world."""

    name: Literal["sent", "finishing", "turned", "waiting", "watching", "changed", "acted", "done"]
    """
    sent: nothing has happened; finishing: the cards `todo` of the previous play are next, then the flip; turned: the
    second card is up (2-C), and the cards are compared next; waiting: rule 1-D; watching: no change so far; changed:
    the watch may look; acted: only the look is missing; done: all is done.
    """

    todo: tuple[Place, ...] = ()


class World:
    """One possible state: the board, and the progress of each open request."""

    __slots__ = ("phases", "rules")

    def __init__(self, rules: Rules, phases: Mapping[int, Phase]) -> None:
        self.rules = rules
        self.phases = dict(phases)

    def key(self) -> Hashable:
        """Return a value that is equal for worlds with the same future."""
        return self.rules.key(), frozenset(self.phases.items())

    def copy(self) -> World:
        """Return an independent copy."""
        return World(self.rules.copy(), self.phases)


class Judge:
    """Decides one run on some spaces of a board."""

    def __init__(self, cards: Mapping[Place, str], calls: Sequence[Call], *, most_worlds: int = MOST_WORLDS) -> None:
        """`cards`: the spaces of the run, face down at its start. The views of the calls have the same order."""
        self._places: Final = tuple(cards)
        self._cards: Final = cards
        self._calls: Final = calls
        self._most: Final = most_worlds

    def decide(self) -> None:
        """Return if the calls can be explained. Raises NotExplained or NotDecided."""
        events = sorted(
            [(call.began_s, 0, index) for index, call in enumerate(self._calls)]
            + [(call.ended_s, 1, index) for index, call in enumerate(self._calls) if call.ended_s is not None]
        )
        worlds = [World(Rules(self._cards), {})]
        for _, is_end, index in events:
            if not is_end:
                for world in worlds:
                    world.phases[index] = Phase("sent")
                continue
            worlds = [world for world in self._reachable(worlds) if world.phases[index].name == "done"]
            if not worlds:
                raise NotExplained(index, self._reason(index))
            for world in worlds:
                del world.phases[index]
            worlds = list({world.key(): world for world in worlds}.values())
        self._check_open(self._reachable(worlds))

    def _check_open(self, worlds: Iterable[World]) -> None:
        """At the end of a run nothing happens any more: each open request must have a reason to wait."""
        nearest: set[int] | None = None
        for world in worlds:
            idle = {index for index, phase in world.phases.items() if not self._must_wait(world, index, phase)}
            if not idle:
                return
            if nearest is None or len(idle) < len(nearest):
                nearest = idle
        if nearest is not None:
            index = min(nearest)
            call = self._calls[index]
            why = "a card has changed" if call.kind == "watch" else "no player controls the card, or the card is gone"
            raise NotExplained(index, f"{told(call)} got no answer, though {why}")

    def _must_wait(self, world: World, index: int, phase: Phase) -> bool:
        if phase.name == "waiting":
            return self._calls[index].place in world.rules.control
        return phase.name == "watching"

    def _reachable(self, worlds: Iterable[World]) -> list[World]:
        """Return all worlds that steps of the open requests can reach, including the given ones."""
        seen = {world.key(): world for world in worlds}
        stack = list(seen.values())
        while stack:
            world = stack.pop()
            for index, phase in world.phases.items():
                for after in self._steps(world, index, phase):
                    key = after.key()
                    if key not in seen:
                        if len(seen) == self._most:
                            raise NotDecided
                        seen[key] = after
                        stack.append(after)
        return list(seen.values())

    def _steps(self, world: World, index: int, phase: Phase) -> list[World]:
        """Return the worlds after the next step of one request: usually one, none if the request cannot go on."""
        call = self._calls[index]
        after = world.copy()
        rules = after.rules
        before = rules.changes
        if phase.name == "sent":
            if call.kind == "look":
                return self._looked(after, index)
            if call.kind == "watch":
                after.phases[index] = Phase("watching")
                return [after]
            if call.kind == "replace":
                rules.replace({call.old: call.new})
                after.phases[index] = Phase("acted")
            else:
                after.phases[index] = Phase("finishing", tuple(sorted(rules.begin(call.player))))
        elif phase.name == "finishing" and phase.todo:
            found = []
            for place in phase.todo:
                one = world.copy()
                one.rules.finish(call.player, place)
                one.phases[index] = Phase("finishing", tuple(other for other in phase.todo if other != place))
                found.append(_noticed(one, one.rules.changes != before))
            return found
        elif phase.name in ("finishing", "turned", "waiting"):
            found = []
            if phase.name == "finishing" and self._is_second_face_down(world, call):
                one = world.copy()
                one.rules.turn_up(call.place)
                one.phases[index] = Phase("turned")
                found.append(_noticed(one, True))
            rule = rules.turn(call.player, call.place)
            if rule == "1-D":
                if phase.name == "waiting":
                    return []
                after.phases[index] = Phase("waiting")
                return [after]
            if call.failed is not None and call.failed != (rule in FAILING):
                return found
            after.phases[index] = Phase("acted" if call.view is not None else "done")
            return [*found, _noticed(after, rules.changes != before)]
        elif phase.name in ("acted", "changed"):
            return self._looked(after, index)
        else:
            return []
        return [_noticed(after, rules.changes != before)]

    def _is_second_face_down(self, world: World, call: Call) -> bool:
        rules = world.rules
        is_down = call.place in rules.card and call.place not in rules.up
        return is_down and len(rules.controlled(call.player)) == 1

    def _looked(self, after: World, index: int) -> list[World]:
        """Return the world after the look of the request, if it can see what the answer shows."""
        call = self._calls[index]
        if call.ended_s is None:
            return []
        if tuple(after.rules.see(call.player, place) for place in self._places) != call.view:
            return []
        after.phases[index] = Phase("done")
        return [after]

    def _reason(self, index: int) -> str:
        call = self._calls[index]
        if call.view is None:
            answer = "failed"
        else:
            spots = zip(self._places, call.view, strict=True)
            answer = "was answered: " + ", ".join(f"{row},{column} {spot}" for (row, column), spot in spots)
        return f"no order of the requests, and of the steps of the rules, explains that {told(call)} {answer}"


def _noticed(world: World, changed: bool) -> World:
    """Let the watches of the world notice a change."""
    if changed:
        for index, phase in world.phases.items():
            if phase.name == "watching":
                world.phases[index] = Phase("changed")
    return world


def told(call: Call) -> str:
    """Return the request for people."""
    if call.kind == "flip":
        return f"{call.player}'s flip of {call.place[0]},{call.place[1]}"
    if call.kind == "replace":
        return f"{call.player}'s replacement of {call.old} by {call.new}"
    return f"{call.player}'s {call.kind}"
