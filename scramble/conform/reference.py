"""The reference of all cases, as Markdown: `python -m scramble.conform.reference > docs/reference/conform-cases.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from scramble.conform.cases import Case
from scramble.conform.crossword.cases.all import CASES as CROSSWORD_CASES
from scramble.conform.crossword.client import SCRAMBLE
from scramble.conform.memory.cases.all import CASES as MEMORY_CASES
from scramble.conform.minesweeper.cases.all import CASES as MINESWEEPER_CASES

HEAD: Final = """# Cases of scramble conform

[`scramble conform`](../how-to/check-your-server.md) plays these cases, in this order. A case has the name of its rule
in the handout, and its claim; `--rule` takes both. Level alpha is one client at a time, beta are concurrent clients.
The handout's words are quoted, or shortened. `python -m scramble.conform.reference` writes this page.
"""

Described = Case[Any]
"""A case of any game."""

GAMES: Final[Mapping[str, Iterable[Described]]] = {
    "Memory Scramble": MEMORY_CASES,
    "Multiplayer Minesweeper": MINESWEEPER_CASES,
    "Crossword Extravaganza": CROSSWORD_CASES,
}


def lines() -> Iterator[str]:
    """Yield the lines of the page."""
    yield HEAD
    for game, cases in GAMES.items():
        yield f"## {game}\n"
        yield "| case | level | the handout |"
        yield "| --- | --- | --- |"
        for case in cases:
            edition = "".join(f", {'--wire ' * (name == SCRAMBLE)}{name} only" for name in sorted(case.editions))
            says = case.says.replace("|", "\\|").replace("<", "&lt;")
            yield f"| `{case.name}` | {case.level}{edition} | {says} |"
        yield ""


def page() -> str:
    """Return the page."""
    return "\n".join(lines())


if __name__ == "__main__":
    print(page(), end="")
