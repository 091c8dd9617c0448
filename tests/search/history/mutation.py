"""The registers of mutants. A mutant replaces a function of the shipped code: see `mutants`.

A mutant has to name the functions that it replaces. So only these tests use names that begin with an underscore.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Mutation: TypeAlias = Callable[[], None]

MUTANTS: dict[str, Mutation] = {}
"""By name: mutants that a crowd finds."""

LOSSY: dict[str, Mutation] = {}
"""By name: mutants that lose data when the server is killed."""


MINED: dict[str, Mutation] = {}
"""By name: mutants of Minesweeper."""


HARMLESS: dict[str, Mutation] = {}
"""By name: mutants without a bug, under harder conditions."""


def mutant(mutation: Mutation) -> Mutation:
    """Register a mutant under the name of its function."""
    MUTANTS[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def lossy(mutation: Mutation) -> Mutation:
    """Register a mutant that only a kill reveals."""
    LOSSY[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def mined(mutation: Mutation) -> Mutation:
    """Register a mutant of Minesweeper."""
    MINED[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def harmless(mutation: Mutation) -> Mutation:
    """Register a mutant without a bug."""
    HARMLESS[mutation.__name__.replace("_", "-")] = mutation
    return mutation


def put(owner: object, name: str, function: object) -> None:
    """Replace a function of the shipped code: a method of a class, or a function of a module."""
    setattr(owner, name, function)
