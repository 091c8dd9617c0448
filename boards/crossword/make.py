"""Lays out the packaged puzzles from the words and clues in words.txt, and writes them next to this file.

    python boards/crossword/make.py                     write all of them; the large one takes about a minute
    python boards/crossword/make.py --to /tmp sea music write some, elsewhere

The same files come out every time. (simple.puzzle is small enough to be written by hand.)

A layout is first filled greedily: of all words and places that fit, the one that crosses most others is taken, until
nothing fits any more. Then, again and again, a patch of it is torn out and filled anew, and the result is kept if it
has no fewer words. A place fits if the word crosses one that lies there already, agrees with all that it crosses, and
touches no other: so every row of letters in the grid is a word that has a clue.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import NamedTuple

HERE = Path(__file__).parent


class Plan(NamedTuple):
    """A puzzle to lay out: in a square of so many cells a side, improved in so many rounds."""

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
LONGEST = 7  # longer words leave too little room for others


def read_words(id: str) -> dict[str, str]:
    """The clue of each word for that puzzle."""
    _, _, rest = (HERE / "words.txt").read_text(encoding="utf-8").partition(f"\n[{id}]\n")
    lines = rest.partition("\n[")[0].strip().splitlines()
    pairs = (line.partition(": ") for line in lines)
    return {word: clue for word, _, clue in pairs}


class Placed(NamedTuple):
    """A word and where its first letter is."""

    row: int
    column: int
    direction: str
    word: str


class Layout:
    """A grid that fills up with words."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.letters: dict[tuple[int, int], str] = {}
        self.directions: dict[tuple[int, int], str] = {}  # of each letter: ACROSS, DOWN, or both
        self.placed: list[Placed] = []
        self.crossings = 0

    def fits(self, place: Placed) -> int | None:
        """The number of words that it would cross; None if it cannot lie there."""
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
        """Lay the word down."""
        down, across = (1, 0) if place.direction == "DOWN" else (0, 1)
        for step, letter in enumerate(place.word):
            cell = (place.row + down * step, place.column + across * step)
            self.letters[cell] = letter
            self.directions[cell] = self.directions.get(cell, "") + place.direction
        self.placed.append(place)
        self.crossings += crossed

    def best_place(self, word: str, random: Random) -> tuple[int, Placed] | None:
        """The possible place with the most crossings; among several, any."""
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
    """Lay down words of those left until none fits; the higher `brevity`, the more short words are preferred."""
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
    """The layout without most words of a patch, and without those that nothing connects to the rest any more."""
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
    """More words are better, then more crossings."""
    return len(layout.placed), layout.crossings


def lay_out(plan: Plan) -> Layout:
    """The layout that the plan's seed leads to: always the same."""
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
    """The puzzle file: the entries in reading order, moved up and to the left as far as they go."""
    clues = read_words(plan.id)
    top = min(row for row, _ in layout.letters)
    left = min(column for _, column in layout.letters)
    lines = [f"// Made by make.py from seed {plan.seed}.", f'>> "{plan.name}" "{plan.description}"', ""]
    for row, column, direction, word in sorted(layout.placed):
        lines.append(f'({word}, "{clues[word]}", {direction}, {row - top}, {column - left})')
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the puzzles that are asked for, or all, and say how large they are."""
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
