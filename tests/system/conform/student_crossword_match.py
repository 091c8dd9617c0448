"""Puzzles and matches of the crossword server of a student, and the names of its variants and bugs."""

from __future__ import annotations

import re
from pathlib import Path

RIGHT = ("crlf", "slow", "in-pieces", "screens-without-news", "other-words")

BUGS = {
    "START-accepts-an-id-in-use": "two players may have one ID",
    "START-accepts-spaces": "an ID may have spaces and tabs",
    "START-ignores-case": "IDs that differ in upper and lower case are the same",
    "START-keeps-ids": "the ID of a player who has left is never free",
    "START-no-length": "an ID may have any length",
    "CHOOSE-lists-one-puzzle": "only the first puzzle is listed",
    "CHOOSE-no-live-update": "the lists do not change while a player chooses",
    "CHOOSE-keeps-begun-matches": "a match with two players stays in the list",
    "CHOOSE-keeps-withdrawn-matches": "a withdrawn match stays in the list",
    "CHOOSE-keeps-matches-of-lost-players": "a match stays in the list when its player leaves",
    "CHOOSE-exit-keeps-the-connection": "EXIT does not close the connection",
    "NEW-one-match-for-each-puzzle": "a puzzle in use cannot be used again",
    "NEW-accepts-a-used-id": "two matches may have one ID",
    "NEW-accepts-no-quotes": "a description needs no quotes",
    "NEW-never-frees-ids": "the ID of an old match cannot be used again",
    "PLAY-admits-a-third": "a third player may join a match",
    "WAIT-accepts-new": "NEW is accepted in WAIT",
    "PLAY-shows-solutions": "the screen has the solution of each word",
    "TRY-any-length": "a guess may be too short",
    "TRY-no-ids-checked": "TRY 0 enters the last word",
    "TRY-conflicts-with-others": "a guess may conflict with the other player's word",
    "TRY-conflicts-with-confirmed": "a guess may conflict with a confirmed word",
    "TRY-refuses-own-conflicts": "a guess that conflicts with the player's own word is refused",
    "TRY-keeps-own-conflicts": "the player's own conflicting word stays",
    "TRY-clears-all-own-words": "a conflict clears all words of the player",
    "TRY-takes-words": "a player may change the other player's word",
    "TRY-changes-confirmed": "the owner may change a confirmed word",
    "TRY-only-once": "a player may not change a word",
    "TRY-erases-letters": "the letters of a cleared word go, though another word has them",
    "TRY-owns-by-letters": "a word whose letters are in place is entered",
    "TRY-no-update": "the other player is not told of a guess",
    "TRY-shows-hits": "a right guess is confirmed at once",
    "TRY-splits-words": "a refused TRY clears the player's word",
    "CHALLENGE-own": "a player may challenge an own word",
    "CHALLENGE-confirmed": "a confirmed word may be challenged",
    "CHALLENGE-same": "a proposal may be the word that is there",
    "CHALLENGE-empty": "an empty word may be challenged",
    "CHALLENGE-right-costs-nothing": "the challenge of a right word costs nothing",
    "CHALLENGE-right-unconfirmed": "the challenge of a right word does not confirm it",
    "CHALLENGE-wins-one-point": "a right challenge earns one point",
    "CHALLENGE-wins-no-word": "the owner keeps the word after a right challenge",
    "CHALLENGE-must-agree": "a proposal must agree with the board",
    "CHALLENGE-keeps-conflicts": "a right challenge clears nothing",
    "CHALLENGE-clears-the-owner-only": "a right challenge clears the owner's words only",
    "CHALLENGE-wrong-stays": "a wrong word stays after a wrong challenge",
    "CHALLENGE-costs-the-owner": "a right challenge costs the owner a point",
    "CHALLENGE-any-length": "a proposal may have any length",
    "end-needs-all-words": "the match ends when each word is entered",
    "end-when-full": "the match ends when each cell has a letter",
    "end-not-by-challenge": "a challenge never ends the match",
    "end-no-confirmation": "the words are not confirmed at the end",
    "end-without-challenges": "the points leave out the challenges",
    "end-first-wins-draws": "the first player wins a draw",
    "end-for-one": "the other player stays in PLAY at the end",
    "forfeit-by-points": "the points decide a forfeited match",
    "forfeit-for-one": "EXIT in PLAY ends the match for one player",
    "score-new-match-plays": "NEW MATCH goes back to the old match",
    "score-exit-chooses": "EXIT in SHOW SCORE goes to CHOOSE",
    "line-crlf": "the CR of a line end belongs to the line",
    "line-one-in-a-segment": "the second line in a segment is lost",
    "line-spaces": "words must have one space between them",
    "line-long": "a long line is executed as its beginning",
    "line-escapes": "control characters of players are sent to others",
    "puzzle-no-comments": "comments are not allowed",
    "puzzle-comments-in-strings": "// in a string begins a comment",
    "puzzle-one-entry-a-line": "each entry must be a line",
    "puzzle-no-hyphens": "words have letters only",
    "puzzle-no-escapes": "a backslash is not decoded",
    "puzzle-crossings": "crossings are not checked",
    "puzzle-overlaps": "overlaps are not checked",
    "puzzle-twice": "a word may stand twice",
    "puzzle-prefix": "text after the last entry is ignored",
    "puzzle-any-case": "directions and words may have any case",
    "puzzle-header-line": "the newline after the header is not needed",
    "bad-file-stops": "a bad file ends the server",
    "bad-file-ends-reading": "after a bad file no file is read",
    "blocks-on-silent-clients": "one client at a time",
    "dies-of-bytes": "bytes that are not UTF-8 end the server",
    "dies-of-resets": "a reset connection ends the server",
    "dies-of-long-lines": "a long line ends the server",
    "race-id": "the check of an ID and its use are two steps",
    "race-join": "the check of a match and the join are two steps",
    "race-new": "the check of a match ID and its use are two steps",
    "race-try": "the check of a guess and its entry are two steps",
    "race-challenge": "a challenge is checked, and executed later",
    "race-lost-update": "now and then a change is not shown",
    "half-screens": "the last line of a screen does not come",
    "no-answers": "no line is answered",
    "floods": "a session in CHOOSE gets screens without end",
    "shared-points": "all matches share the challenge points",
}

WORDS = r"[a-z\-]+"
STRING = r'"((?:[^"\r\n\\]|\\[\\nrt])*)"'


class Bad(Exception):
    """A bad puzzle file."""


class Puzzle:
    def __init__(self, id: str, text: str, bugs: set[str]) -> None:
        self.id = id
        if "puzzle-no-comments" not in bugs:
            text = strip_comments(text, in_strings="puzzle-comments-in-strings" in bugs)
        flags = re.IGNORECASE if "puzzle-any-case" in bugs else 0
        end = r"[ \t\r]*" if "puzzle-header-line" in bugs else r"[ \t\r]*\n"
        head = re.compile(rf'\s*>>\s*"([^"\r\n\t\\]*)"\s*{STRING}{end}').match(text)
        if head is None:
            raise Bad("header")
        self.name, self.description = head[1], self.decode(head[2], bugs)
        self.entries: list[tuple[str, str, str, int, int]] = []
        at = head.end()
        space, last = (r"[ \t]*", r"[ \t\r]*\n?") if "puzzle-one-entry-a-line" in bugs else (r"\s*", r"\s*")
        words = "[a-z]+" if "puzzle-no-hyphens" in bugs else WORDS
        parts = space.join(
            (r"\(", f"({words})", ",", STRING, ",", "(DOWN|ACROSS)", ",", r"(\d+)", ",", r"(\d+)", r"\)")
        )
        entry = re.compile(rf"\s*{parts}{last}", flags | re.ASCII)
        while (found := entry.match(text, at)) is not None:
            word, clue, direction, row, column = found.groups()
            self.entries.append((word.lower(), self.decode(clue, bugs), direction.upper(), int(row), int(column)))
            at = found.end()
        if text[at:].strip() and "puzzle-prefix" not in bugs:
            raise Bad("entry")
        self.check(bugs)

    @staticmethod
    def decode(text: str, bugs: set[str]) -> str:
        if "puzzle-no-escapes" in bugs:
            return text
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), text)

    def check(self, bugs: set[str]) -> None:
        cells: dict[tuple[int, int], str] = {}
        taken: set[tuple[str, int, int]] = set()
        for number, (word, _, direction, _, _) in enumerate(self.entries, 1):
            for (row, column), letter in zip(self.spots(number), word, strict=True):
                if cells.setdefault((row, column), letter) != letter and "puzzle-crossings" not in bugs:
                    raise Bad("crossing")
                if (direction, row, column) in taken and "puzzle-overlaps" not in bugs:
                    raise Bad("overlap")
                taken.add((direction, row, column))
        if len({entry[0] for entry in self.entries}) < len(self.entries) and "puzzle-twice" not in bugs:
            raise Bad("twice")

    def spots(self, number: int) -> list[tuple[int, int]]:
        word, _, direction, row, column = self.entries[number - 1]
        return [(row + i, column) if direction == "DOWN" else (row, column + i) for i in range(len(word))]


def strip_comments(text: str, *, in_strings: bool) -> str:
    if in_strings:
        return re.sub("//[^\n]*", "", text)
    return re.sub(rf"({STRING})|//[^\n]*", lambda m: m[1] or "", text)


class Match:
    def __init__(self, id: str, puzzle: Puzzle, description: str, first: str) -> None:
        self.id, self.puzzle, self.description = id, puzzle, description
        self.names = [first]
        self.words: dict[int, tuple[str, str, bool]] = {}
        self.erased: set[tuple[int, int]] = set()
        self.bonus = {first: 0}
        self.gave_up = ""
        self.over = False

    def letters(self) -> dict[tuple[int, int], str]:
        found: dict[tuple[int, int], str] = {}
        for number, (text, _, _) in self.words.items():
            found.update(zip(self.puzzle.spots(number), text, strict=False))
        return {spot: letter for spot, letter in found.items() if spot not in self.erased}

    def right(self, number: int) -> str:
        return self.puzzle.entries[number - 1][0]

    def conflicts(self, number: int, text: str) -> list[int]:
        mine = dict(zip(self.puzzle.spots(number), text, strict=False))
        return [
            other
            for other, (theirs, _, _) in self.words.items()
            if other != number
            and any(
                mine.get(spot, letter) != letter for spot, letter in zip(self.puzzle.spots(other), theirs, strict=False)
            )
        ]

    def clear(self, number: int, bugs: set[str]) -> None:
        del self.words[number]
        if "TRY-erases-letters" in bugs:
            self.erased.update(self.puzzle.spots(number))

    def complete(self, bugs: set[str]) -> bool:
        numbers = range(1, len(self.puzzle.entries) + 1)
        letters = self.letters()
        if "end-when-full" in bugs:
            return all(spot in letters for number in numbers for spot in self.puzzle.spots(number))
        if "end-needs-all-words" in bugs and len(self.words) < len(numbers):
            return False
        return all(
            letters.get(spot) == letter
            for number in numbers
            for spot, letter in zip(self.puzzle.spots(number), self.right(number), strict=True)
        )

    def points(self, bugs: set[str]) -> dict[str, int]:
        bonus = dict.fromkeys(self.names, 0) if "end-without-challenges" in bugs else self.bonus
        return {
            name: bonus[name] + sum(by == name and text == self.right(n) for n, (text, by, _) in self.words.items())
            for name in self.names
        }

    def winner(self, bugs: set[str]) -> str:
        if self.gave_up and "forfeit-by-points" not in bugs:
            return next(name for name in self.names if name != self.gave_up)
        points = self.points(bugs)
        first, second = self.names
        if points[first] == points[second]:
            return first if "end-first-wins-draws" in bugs else ""
        return first if points[first] > points[second] else second


def read_folder(folder: Path, bugs: set[str]) -> dict[str, Puzzle]:
    puzzles: dict[str, Puzzle] = {}
    for path in sorted(folder.glob("*.puzzle")):
        try:
            puzzles[path.stem] = Puzzle(path.stem, path.read_bytes().decode(errors="replace"), bugs)
        except Bad:
            if "bad-file-stops" in bugs:
                raise
            if "bad-file-ends-reading" in bugs:
                break
    return puzzles
