"""The folder of puzzles: a server starts with each folder, also with files that it must reject. No wire is needed."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.crossword.client import CrosswordTable
from scramble.conform.crossword.folders import BAD

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

BOOTS: Final = (
    "if your directory contains fun.puzzle, bad.puzzle and exciting.puzzle, but bad.puzzle fails the consistency "
    "checks, your server should still boot up normally"
)
ALONE: Final = (
    "other-letter-at-a-crossing",
    "no-mark",
    "empty-file",
    "open-string",
)
"""Bad files that get a server of their own without the wire, so that a report names the file."""


@case("folder", "starts-with-each-valid-file", "any remaining valid puzzles should be loaded", folder="good")
async def starts_with_each_valid_file(table: CrosswordTable) -> None:
    await table.hears("after it has started with files of each form of the grammar")


@case("folder", "starts-with-all-bad-files", BOOTS, folder="bad")
async def starts_with_all_bad_files(table: CrosswordTable) -> None:
    await table.hears(f"after it has started with {len(BAD)} bad files among the valid ones")


def _starts_with(claim: str) -> None:
    """Add a case with one bad file."""

    async def play(table: CrosswordTable) -> None:
        await table.hears(f"after it has started with the bad file bad-{claim}.puzzle")

    case("folder", f"starts-with-{claim}", BOOTS, folder=f"bad-{claim}")(play)


for _claim in ALONE:
    _starts_with(_claim)
