"""Bugs in the rules and the replies of Memory Scramble."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final[tuple[Bug, ...]] = ()
