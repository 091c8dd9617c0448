"""The grammar and the consistency of puzzle files, by our telnet wire: which files of a folder are offered."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable, Duel
from scramble.conform.crossword.folders import BAD, GOOD, PUZZLES, Bad, Good

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case


async def _loads(table: CrosswordTable, good: Good) -> None:
    puzzle = good.puzzle
    ann, bob = await table.players()
    listed = ann.last.puzzles.get(puzzle.id)
    if listed is None:
        told = f"the server does not offer {puzzle.id}.puzzle, a file with {good.text!r}"
        if good.is_open:
            return table.deviates(told)
        raise Broken(told)
    for part in (puzzle.name, puzzle.description):
        if part not in listed:
            raise Broken(f"{puzzle.id} is listed as {listed!r}, without {part!r}")
    duel = await Duel.begin(ann, bob, await ann.makes(puzzle.id), puzzle)
    seen = bob.last.match
    assert seen is not None
    found = {number: (word.clue, word.direction, word.row, word.column) for number, word in seen.words.items()}
    wanted = {number: tuple(entry[1:]) for number, entry in enumerate(puzzle.entries, 1)}
    if found != wanted:
        raise Broken(f"{puzzle.id} has the words {found}, but they must be {wanted}, from {good.text!r}")
    for number, (text, *_) in enumerate(puzzle.entries, 1):
        await duel.does(ann, f"TRY {number} {text}", "each word can be entered")


def _good(good: Good) -> None:
    async def play(table: CrosswordTable) -> None:
        await _loads(table, good)

    case("grammar", f"loads-{good.claim}", good.says, editions=WIRE, folder="good")(play)


async def _rejects(table: CrosswordTable, bad: Bad) -> None:
    ann = await table.player()
    for puzzle in PUZZLES:
        if puzzle not in ann.last.puzzles:
            raise Broken(f"the server does not offer {puzzle}.puzzle, a valid file, beside bad files")
    if f"bad-{bad.claim}" in ann.last.puzzles:
        raise Broken(f"the server offers bad-{bad.claim}.puzzle, a file with {bad.text!r}")
    await ann.refused(f'NEW {table.name("m")} bad-{bad.claim} "a bad one"', "the file must be rejected")


def _bad(bad: Bad) -> None:
    async def play(table: CrosswordTable) -> None:
        await _rejects(table, bad)

    case("grammar", f"rejects-{bad.claim}", bad.says, editions=WIRE, folder="bad")(play)


for _one in GOOD:
    _good(_one)
for _other in BAD:
    _bad(_other)
