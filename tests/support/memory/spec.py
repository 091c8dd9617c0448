"""Memory Scramble for the linearizability checker: the naive model as a specification."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from tests.support.memory.model import Flip, Gone, Look, Model, Op, Out, Watch


class MemorySpec:
    """The naive model as a specification: a state is a Model that is never changed."""

    def __init__(self, rows: int, columns: int, cards: tuple[str, ...]) -> None:
        self._start = Model(rows, columns, cards)

    def start(self) -> Model:
        return self._start

    def restart(self, state: Model) -> Model:
        """Return the state after a restart with a journal: the same, without waiting requests."""
        for ticket, _, _ in state.waiting:
            state = self.withdraw(state, ticket)
        return state

    def step(self, state: Model, ticket: int, op: Op) -> tuple[Model, Mapping[int, Out]]:
        after = state.copy()
        return after, after.apply(ticket, op)

    def withdraw(self, state: Model, ticket: int) -> Model:
        after = state.copy()
        answers = after.apply(ticket, Gone())
        assert not answers
        return after

    def parked(self, state: Model) -> Sequence[int]:
        return [ticket for ticket, _, _ in state.waiting]

    def may_leap(self, state: Model, op: object) -> bool:
        return isinstance(op, Flip) and (op.row, op.column) in state.control

    def is_idle(self, state: Model, op: object) -> bool:
        return False

    def changes_nothing(self, op: object) -> bool:
        return isinstance(op, Look | Watch)

    def answer(self, state: Model, op: object, changed: bool) -> Out | None:
        assert isinstance(op, Look | Watch)
        if isinstance(op, Watch) and not changed and (op.since is None or op.since >= state.version):
            return None
        return Out("view", "", state.version, state.text(op.player))

    def version(self, state: Model) -> int:
        return state.version

    def faces(self, state: Model) -> Hashable:
        return tuple(
            f"none, by {state.taken[place]}"
            if place not in state.card
            else f"up {state.card[place]}"
            if place in state.up
            else "down"
            for place in state.places()
        )

    def everything(self, state: Model) -> Hashable:
        controlled = tuple(
            (number, state.control[place]) for number, place in enumerate(state.places()) if place in state.control
        )
        scores = tuple(sorted(state.scores.items()))
        waiting = tuple(sorted((player, *place) for _, player, place in state.waiting))
        return self.faces(state), controlled, scores, waiting, state.pairs_left()

    def key(self, state: Model) -> Hashable:
        return state.state()
