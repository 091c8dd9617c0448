"""Mutants are made here: a function of the shipped code is replaced. See `mutants`.

To replace what is inside, mutants have to name it: they are the only tests that touch what begins with an underscore.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Mutation: TypeAlias = Callable[[], None]

MUTANTS: dict[str, Mutation] = {}
"""By name: those that a crowd finds."""

LOSSY: dict[str, Mutation] = {}
"""By name: those that lose something when the server is killed."""


MINED: dict[str, Mutation] = {}
"""By name: those of Minesweeper."""


HARMLESS: dict[str, Mutation] = {}
"""By name: those that are as right as the shipped code, and harder to be right with."""


def mutant(mutation: Mutation) -> Mutation:
    """Register a mutant under the name of its function."""
    MUTANTS[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def lossy(mutation: Mutation) -> Mutation:
    """Register one that takes a kill to be found."""
    LOSSY[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def mined(mutation: Mutation) -> Mutation:
    """Register one of Minesweeper."""
    MINED[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def harmless(mutation: Mutation) -> Mutation:
    """Register one that has no bug."""
    HARMLESS[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def put(owner: object, name: str, function: object) -> None:
    """Replace a function of the shipped code: a method of a class, or a module's."""
    setattr(owner, name, function)
