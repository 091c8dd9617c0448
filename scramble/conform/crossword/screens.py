"""The grammar of our telnet wire: the bytes of a server as screens, and a screen as values.

    SCREEN ::= RULER TITLE part* event* refusal? COMMANDS
    RULER  ::= a line of ten or more hyphens
    TITLE  ::= "Crossword Extravaganza - STATE" | "Crossword Extravaganza - Player_ID - STATE"
    part   ::= the puzzles, the matches, the match, the result: lines, and empty lines between them
    refusal ::= "REFUSED: reason"
    COMMANDS ::= the last line of a screen, for each state except START

A line ends with LF or CRLF. In START a screen has no last line of its own: it is complete at the next ruler, at the end
of the connection, or with its refusal. Texts for people (instructions, events, reasons) are free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from scramble.conform.crossword.rules import Match, Place, Standing

COMMANDS: Final = {
    "CHOOSE": 'The commands here are PLAY Match_ID, NEW Match_ID Puzzle_ID "Description" and EXIT.',
    "WAIT": "The only command here is EXIT.",
    "PLAY": "The commands here are TRY id word, CHALLENGE id word and EXIT.",
    "SHOW SCORE": "The commands here are NEW MATCH and EXIT.",
}
"""The last line of a screen in each state."""

MOST_BYTES: Final = 200_000
MOST_LINES: Final = 5_000
"""The longest line and the longest screen that are read."""

_RULER: Final = re.compile(r"-{10,}")
_TITLE: Final = re.compile(r"Crossword Extravaganza(?: - (\w+))? - (START|CHOOSE|WAIT|PLAY|SHOW SCORE)")
_LISTED: Final = re.compile(r"  (\S+)  (.*)")
_WORD: Final = re.compile(
    r" *(\d+)\. (.*?)  \((DOWN|ACROSS) from row (\d+), column (\d+), (\d+) letters\)  "
    r"(?:not entered|(\S+), by (\w+)(?: \(you\))?(, CONFIRMED)?)"
)
_POINTS: Final = re.compile(r"(\w+)(?: \(you\))? (-?\d+)")
_BOX: Final = re.compile(r"\[(.)\]")


@dataclass(frozen=True)
class WordSeen:
    """A word of the puzzle on a screen."""

    clue: str
    direction: str
    row: int
    column: int
    length: int
    standing: Standing | None


@dataclass(frozen=True)
class MatchSeen:
    """A match on a screen."""

    words: Mapping[int, WordSeen]
    letters: Mapping[Place, str]
    """The letters in the cells that are not empty."""

    points: Mapping[str, int]
    """The challenge points."""

    def difference(self, rules: Match) -> str:
        """Return the first difference from the match in the rules, or an empty text."""
        for word in rules.ids():
            seen = self.words[word].standing if word in self.words else None
            if word not in self.words or seen != rules.standing.get(word):
                return f"shows word {word} {_told(seen)}, but it must be {_told(rules.standing.get(word))}"
        if self.points != rules.bonus:
            return f"shows the challenge points {dict(self.points)}, but they must be {rules.bonus}"
        for spot in {spot for word in rules.ids() for spot in rules.spots(word)}:
            seen_letter, letter = self.letters.get(spot), rules.seen().get(spot)
            if seen_letter != letter:
                shown = "no letter" if seen_letter is None else repr(seen_letter)
                return f"shows {shown} in the cell {spot}, but there must be {repr(letter) if letter else 'no letter'}"
        return ""


def _told(standing: Standing | None) -> str:
    if standing is None:
        return "not entered"
    return f"as {standing.text}, by {standing.owner}{', CONFIRMED' if standing.confirmed else ''}"


@dataclass(frozen=True)
class Screen:
    """A screen: the values of its parts."""

    text: str = field(compare=False)
    state: str
    player: str | None = None
    refused: str | None = None
    token: str | None = None
    puzzles: Mapping[str, str] = field(default_factory=dict)
    """For each Puzzle_ID the rest of its line, `name: description`."""

    matches: Mapping[str, str] = field(default_factory=dict)
    """For each Match_ID the rest of its line."""

    match: MatchSeen | None = None
    winner: str | None = None
    """The winner; empty for a draw, None without a result."""

    points: Mapping[str, int] = field(default_factory=dict)
    gave_up: str | None = None


class Splitter:
    """Splits the bytes of a connection into screens. Bytes between screens are left out."""

    def __init__(self) -> None:
        self._rest = b""
        self._lines: list[str] | None = None
        self.has_begun = False
        """True as soon as a title line has come."""

    def feed(self, data: bytes) -> Iterator[Screen]:
        """Yield the screens that are complete with these bytes."""
        *lines, self._rest = (self._rest + data)[-MOST_BYTES:].split(b"\n")
        for line in lines:
            yield from self._line(line.decode(errors="replace").rstrip("\r"))

    def end(self) -> Iterator[Screen]:
        """Yield the last screen, at the end of the connection."""
        yield from self.feed(b"\n" if self._rest else b"")
        yield from self._complete()

    def begun(self) -> str:
        """Return the lines of the screen that is not complete."""
        return "\n".join(self._lines or ())

    def _line(self, line: str) -> Iterator[Screen]:
        if _RULER.fullmatch(line):
            yield from self._complete()
            self._lines = []
        elif self._lines is not None:
            self._lines.append(line)
            state = state_of(self._lines)
            self.has_begun = self.has_begun or state != ""
            if (
                len(self._lines) == MOST_LINES
                or line == COMMANDS.get(state)
                or (state == "START" and line.startswith("REFUSED:"))
            ):
                yield from self._complete()

    def _complete(self) -> Iterator[Screen]:
        lines, self._lines = self._lines, None
        if lines and state_of(lines):
            yield parse_screen(lines)


def state_of(lines: list[str]) -> str:
    """Return the state of a screen from its title; empty if there is no title."""
    title = _TITLE.fullmatch(lines[0]) if lines else None
    return "" if title is None else title[2]


def parse_screen(lines: list[str]) -> Screen:
    """Return the values of a screen; `lines` begin with the title. Parts that the grammar does not allow are absent."""
    title = _TITLE.fullmatch(lines[0])
    assert title is not None
    player, state = title[1], title[2]
    refused = next((line.removeprefix("REFUSED:").strip() for line in lines if line.startswith("REFUSED:")), None)
    tokens = [re.fullmatch(rf"{player} (\S+)", line) for line in lines] if state == "CHOOSE" else []
    winner = next((line.removeprefix("Winner:") for line in lines if line.startswith("Winner:")), None)
    if winner is None and any(line.startswith("Nobody wins") for line in lines):
        winner = ""
    left = [line.partition(":")[2] for line in lines if re.match(r"(Given up by|Left, after a lost connection):", line)]
    return Screen(
        "\n".join(lines),
        state,
        player,
        refused,
        next((token[1] for token in tokens if token is not None), None),
        _listed(lines, "Puzzles:"),
        _listed(lines, "Matches that wait for a second player:"),
        _match(lines) if state in ("PLAY", "SHOW SCORE") else None,
        None if winner is None else _name(winner),
        _points(lines, "Points:"),
        _name(left[0]) if left else None,
    )


def _name(text: str) -> str:
    return text.strip().removesuffix(" (you)")


def _listed(lines: list[str], head: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if head in lines:
        for line in lines[lines.index(head) + 1 :]:
            item = _LISTED.fullmatch(line)
            if item is None:
                break
            found[item[1]] = item[2]
    return found


def _points(lines: list[str], head: str) -> dict[str, int]:
    line = next((line.removeprefix(head) for line in lines if line.startswith(head)), "")
    return {name: int(points) for name, points in _POINTS.findall(line)}


def _match(lines: list[str]) -> MatchSeen:
    words: dict[int, WordSeen] = {}
    columns: dict[int, int] = {}
    letters: dict[Place, str] = {}
    for line in lines:
        word = _WORD.fullmatch(line)
        if word is not None:
            standing = None if word[7] is None else Standing(word[7], word[8], word[9] is not None)
            words[int(word[1])] = WordSeen(word[2], word[3], int(word[4]), int(word[5]), int(word[6]), standing)
        elif not columns and re.fullmatch(r" +0( +\d+)*", line):
            columns = {number.start(): int(number[0]) for number in re.finditer(r"\d+", line)}
        elif columns and not words and (row := re.match(r"\d+", line)) and "[" in line:
            for box in _BOX.finditer(line):
                if box[1] != " " and box.start(1) in columns:
                    letters[int(row[0]), columns[box.start(1)]] = box[1]
    return MatchSeen(words, letters, _points(lines, "Challenge points:"))
