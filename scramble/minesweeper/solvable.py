"""Search for a field that needs no guess: the mind of a bot tries to solve one field after another.

    seed = find_solvable(30, 16, 99, start=(15, 8), seed=7, give_up=deadline_has_passed)

Pure. A search for a large field takes a second or more, so call it in a thread.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from scramble.kernel.protocol import Answered, Ticket
from scramble.minesweeper import Field
from scramble.minesweeper.bot_mind import SweeperMind
from scramble.minesweeper.messages import Dig, MoveEvent, Place, Standing, TakeStanding

LARGEST_SEED = 2**53 - 1


def find_solvable(
    columns: int, rows: int, bombs: int, *, start: Place, seed: int, give_up: Callable[[], bool]
) -> int | None:
    """Return the first seed, from `seed` on, with a field that needs no guess after the dig of `start`.

    `Field.laid_out` makes the field from the seed, and the field begins safely. Calls `give_up` before each field
    except the first, and returns None if `give_up` returns True. Exceptions of `give_up` are raised unchanged.
    """
    while True:
        field = Field.laid_out(columns, rows, bombs, seed)
        field.begin_safely()
        if is_solvable(field, start):
            return seed
        if give_up():
            return None
        seed = (seed + 1) % (LARGEST_SEED + 1)


def is_solvable(field: Field, start: Place) -> bool:
    """Return True if a bot finds all squares without a bomb by proofs after a dig of `start`. Changes the field."""
    mind = SweeperMind("hard", random.Random(0))
    mind.begin(field.snapshot())
    safe = [start]
    while safe:
        for x, y in safe:
            for outcome in field.apply(Ticket(0), Dig(x, y)):
                if isinstance(outcome, MoveEvent):
                    mind.see(outcome.runs)
        safe = mind.safe_squares()
    (answer,) = field.apply(Ticket(0), TakeStanding())
    return isinstance(answer, Answered) and isinstance(answer.value, Standing) and answer.value.left == 0
