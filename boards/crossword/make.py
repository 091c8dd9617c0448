"""Generator of the packaged puzzles. Makes layouts of the words and clues in words.txt, and writes them to this folder.

    python boards/crossword/make.py                     write all puzzles; the large puzzle takes about a minute
    python boards/crossword/make.py --to /tmp sea music write two puzzles to another folder

The output is the same every time. (simple.puzzle is small, and was written by hand.)

The first layout is greedy: the generator repeatedly adds the word with the most crossings, until no word fits. Then it
repeatedly removes a patch of the layout and fills the gap. It keeps the new layout if it is at least as good. A word
fits in a place if it crosses a placed word, agrees with all crossed words, and touches no other word. So every row of
letters in the grid is a word with a clue.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import NamedTuple

HERE = Path(__file__).parent


class Plan(NamedTuple):
    """A puzzle to make: a square of `side` cells a side, improved in `rounds` rounds."""

    id: str
    name: str
    description: str
    side: int
    rounds: int
    seed: int


PLANS = (
    Plan("sea", "All at Sea", "Words from the shore and beyond", 11, 20, 1),
    Plan("kitchen", "What's Cooking", "Words for hungry people", 12, 20, 1),
    Plan("music", "Sound Check", "Instruments, voices, and what they make together", 11, 20, 1),
    Plan("space", "Far Out", "Much space, and the words that float in it", 12, 20, 1),
    Plan("garden", "Green Thumbs", "It grows on you", 12, 20, 1),
    Plan("grand", "The Grand Tour", "Fifteen by fifteen, for a long evening", 15, 300, 1),
)
LONGEST = 7  # longer words leave too little room for other words


def read_words(id: str) -> dict[str, str]:
    """Return the words of a puzzle with their clues."""
    _, _, rest = (HERE / "words.txt").read_text(encoding="utf-8").partition(f"\n[{id}]\n")
    lines = rest.partition("\n[")[0].strip().splitlines()
    pairs = (line.partition(": ") for line in lines)
    return {word: clue for word, _, clue in pairs}


class Placed(NamedTuple):
    """A word and the position of its first letter."""

    row: int
    column: int
    direction: str
    word: str


class Layout:
    """A grid that fills up with words."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.letters: dict[tuple[int, int], str] = {}
        self.directions: dict[tuple[int, int], str] = {}  # directions of the words in each cell: ACROSS, DOWN, or both
        self.placed: list[Placed] = []
        self.crossings = 0

    def fits(self, place: Placed) -> int | None:
        """Return the number of words that a new word would cross; None if it does not fit."""
        down, across = (1, 0) if place.direction == "DOWN" else (0, 1)
        end = (place.row + down * len(place.word), place.column + across * len(place.word))
        if max(end[0] - down, end[1] - across) >= self.side:
            return None
        if (place.row - down, place.column - across) in self.letters or end in self.letters:
            return None
        crossed = 0
        for step, letter in enumerate(place.word):
            row, column = place.row + down * step, place.column + across * step
            there = self.letters.get((row, column))
            if there is None:
                if (row + across, column + down) in self.letters or (row - across, column - down) in self.letters:
                    return None
            elif there != letter or place.direction in self.directions[row, column]:
                return None
            else:
                crossed += 1
        return crossed

    def put(self, place: Placed, crossed: int) -> None:
        """Add a word that crosses `crossed` words."""
        down, across = (1, 0) if place.direction == "DOWN" else (0, 1)
        for step, letter in enumerate(place.word):
            cell = (place.row + down * step, place.column + across * step)
            self.letters[cell] = letter
            self.directions[cell] = self.directions.get(cell, "") + place.direction
        self.placed.append(place)
        self.crossings += crossed

    def best_place(self, word: str, random: Random) -> tuple[int, Placed] | None:
        """Return the place with the most crossings, with their number. Choose at random among equal places."""
        best: list[tuple[int, Placed]] = []
        for (row, column), letter in self.letters.items():
            for step, own in enumerate(word):
                if own != letter:
                    continue
                for direction in ("ACROSS", "DOWN"):
                    down, across = (1, 0) if direction == "DOWN" else (0, 1)
                    place = Placed(row - down * step, column - across * step, direction, word)
                    if min(place.row, place.column) < 0:
                        continue
                    crossed = self.fits(place)
                    if crossed and (not best or crossed >= best[0][0]):
                        best = [*best, (crossed, place)] if best and crossed == best[0][0] else [(crossed, place)]
        return random.choice(best) if best else None


def fill(layout: Layout, left: list[str], random: Random, brevity: int) -> None:
    """Add words from `left` until no word fits. A higher `brevity` prefers shorter words."""
    while True:
        best: tuple[float, int, Placed] | None = None
        for word in left:
            found = layout.best_place(word, random)
            if found is not None:
                value = found[0] * 10 - brevity * len(word) + random.random() * 3
                if best is None or value > best[0]:
                    best = (value, *found)
        if best is None:
            return
        layout.put(best[2], best[1])
        left.remove(best[2].word)


def tear_out(layout: Layout, random: Random) -> Layout:
    """Return the layout without most words of a patch, and without words that lose their connection to the rest."""
    row, column = random.randrange(layout.side), random.randrange(layout.side)
    reach = random.choice((3, 4, 5))
    kept = [
        place
        for place in layout.placed
        if abs(place.row - row) > reach or abs(place.column - column) > reach or random.random() > 0.8
    ]
    rest = Layout(layout.side)
    progress = True
    while kept and progress:
        progress = False
        for place in list(kept):
            crossed = rest.fits(place)
            if crossed or not rest.placed:
                rest.put(place, crossed or 0)
                kept.remove(place)
                progress = True
    return rest


def quality(layout: Layout) -> tuple[int, int]:
    """Return the numbers of words and crossings: more words are better, then more crossings."""
    return len(layout.placed), layout.crossings


def lay_out(plan: Plan) -> Layout:
    """Return the layout of a plan. The same seed always makes the same layout."""
    random = Random(plan.seed)
    pool = sorted(word for word in read_words(plan.id) if len(word) <= LONGEST)
    best = Layout(plan.side)
    first = random.choice([word for word in pool if len(word) >= LONGEST - 1])
    best.put(Placed(random.randrange(plan.side), random.randrange(plan.side - len(first)), "ACROSS", first), 0)
    left = [word for word in pool if word != first]
    fill(best, left, random, brevity=1)
    for _ in range(plan.rounds):
        layout = tear_out(best, random)
        used = {place.word for place in layout.placed}
        left = [word for word in pool if word not in used]
        random.shuffle(left)
        if used:
            fill(layout, left, random, brevity=random.choice((0, 1, 2, 3, 4)))
        if quality(layout) >= quality(best):
            best = layout
    return best


def puzzle_text(plan: Plan, layout: Layout) -> str:
    """Return the text of the puzzle file: the entries in reading order, moved to the top left corner."""
    clues = read_words(plan.id)
    top = min(row for row, _ in layout.letters)
    left = min(column for _, column in layout.letters)
    lines = [f"// Made by make.py from seed {plan.seed}.", f'>> "{plan.name}" "{plan.description}"', ""]
    for row, column, direction, word in sorted(layout.placed):
        lines.append(f'({word}, "{clues[word]}", {direction}, {row - top}, {column - left})')
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the chosen puzzles, or all puzzles, and print their sizes."""
    parser = argparse.ArgumentParser(description="Lay out the packaged crossword puzzles.")
    parser.add_argument("--to", type=Path, default=HERE, metavar="DIR", help="where to write them")
    parser.add_argument("id", nargs="*", help=f"which: {', '.join(plan.id for plan in PLANS)}; else all")
    arguments = parser.parse_args()
    for plan in PLANS:
        if not arguments.id or plan.id in arguments.id:
            layout = lay_out(plan)
            (arguments.to / f"{plan.id}.puzzle").write_text(puzzle_text(plan, layout), encoding="utf-8", newline="\n")
            print(f"{plan.id}: {len(layout.placed)} words, {layout.crossings} crossings")


if __name__ == "__main__":
    main()
