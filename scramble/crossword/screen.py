"""How a session's view is shown on a telnet terminal: plain text, made of the view and of nothing else.

Clues, descriptions and names come from files and from players, and may hold any character. Here every control
character becomes a space or a question mark, so that no text can move the cursor, clear the screen, or pretend to be
another line.
"""

from __future__ import annotations

import textwrap
import unicodedata

from scramble.crossword.messages import MatchHeader, MatchView, Result, SessionView, WordView
from scramble.crossword.statetable import what_to_type

WIDTH = 78  # columns that prose is folded at; a word's line is never folded, so that id and clue stay together

_RULER = "-" * WIDTH
_TURNS_TEXT_ROUND = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def harmless(text: str) -> str:
    """The text without control characters: white space becomes a space, all others a question mark."""
    if text.isprintable():
        return text
    return "".join(_harmless_character(character) for character in text)


def _harmless_character(character: str) -> str:
    if character in "\n\r\t\v\f\x85\u2028\u2029":
        return " "
    if unicodedata.category(character) in ("Cc", "Cs") or character in _TURNS_TEXT_ROUND:
        return "?"
    return character


def view_text(view: SessionView) -> str:
    r"""The view as lines of text, each ended by `\n`; the last line says what can be typed."""
    title = "Crossword Extravaganza" if view.player is None else f"Crossword Extravaganza - {view.player}"
    lines = [_RULER, f"{title} - {view.state}"]
    if view.token is not None:
        lines += ["", *_fold("If you lose the connection to a match, connect again and type this line to come back:")]
        lines.append(f"{view.player} {view.token}")
    if view.puzzles is not None:
        lines += ["", "Puzzles:"]
        lines += [f"  {puzzle.id}  {puzzle.name}: {puzzle.description}" for puzzle in view.puzzles]
    if view.matches is not None:
        lines += ["", "Matches that wait for a second player:"]
        lines += [f"  {match.id}  on {match.puzzle}, by {match.player}: {match.description}" for match in view.matches]
        lines += [] if view.matches else ["  none at the moment"]
    if isinstance(view.match, MatchHeader):
        lines += ["", f"Match {view.match.id} on {view.match.puzzle}: {view.match.description}"]
    if isinstance(view.match, MatchView):
        lines += ["", *_match(view.match, view.player)]
    if view.result is not None:
        lines += ["", *_result(view.result, view.player), "", *_match(view.result.match, view.player)]
    # What has happened comes last, because that is what a terminal shows when a long screen has scrolled by.
    lines += ["", *_fold(view.message)]
    if view.error is not None:
        lines += _fold(f"REFUSED: {view.error}")
    if view.state != "START":
        lines.append(what_to_type(view.state))
    return "".join(f"{harmless(line)}\n" for line in lines)


def _fold(prose: str) -> list[str]:
    return textwrap.wrap(harmless(prose), WIDTH)


def _match(match: MatchView, player: str | None) -> list[str]:
    points = ", ".join(f"{_name(name, player)} {points}" for name, points in match.challenge_points.items())
    return [
        f"Match {match.id} on {match.puzzle}: {match.description}",
        f"Challenge points: {points}",
        "",
        *_grid(match),
        "",
        *(_word(word, player) for word in match.words),
    ]


def _grid(match: MatchView) -> list[str]:
    """The cells, each as [a] or [ ], and above a cell the id of the word that begins there, with a + if two do."""
    begins: dict[tuple[int, int], list[int]] = {}
    for word in match.words:
        begins.setdefault((word.row, word.column), []).append(word.id)
    width = max(4, len(str(len(match.words))) + 2)
    margin = len(str(match.rows - 1)) + 1
    lines = [" " * margin + "".join(f" {column}".ljust(width) for column in range(match.columns))]
    for row, cells in enumerate(match.cells):
        marks = [begins.get((row, column), []) for column in range(match.columns)]
        if any(marks):
            labels = (f"{ids[0]}{'+' if len(ids) > 1 else ''}" if ids else "" for ids in marks)
            lines.append(" " * margin + "".join(f"{label:<{width}}" for label in labels))
        boxes = ("" if cell is None else f"[{cell.letter or ' '}]" for cell in cells)
        lines.append(f"{row:<{margin}}" + "".join(f"{box:<{width}}" for box in boxes))
    return [line.rstrip() for line in lines]


def _word(word: WordView, player: str | None) -> str:
    place = f"{word.direction} from row {word.row}, column {word.column}, {word.length} letters"
    if word.entered is None or word.by is None:
        state = "not entered"
    else:
        state = f"{word.entered}, by {_name(word.by, player)}{', CONFIRMED' if word.confirmed else ''}"
    return f"{word.id:>3}. {word.clue}  ({place})  {state}"


def _result(result: Result, player: str | None) -> list[str]:
    points = ", ".join(f"{_name(name, player)} {points}" for name, points in result.points.items())
    winner = "Nobody wins: it is a draw." if result.winner is None else f"Winner: {_name(result.winner, player)}"
    lines = [winner, f"Points: {points}"]
    if result.forfeited_by is not None:
        lines.append(f"Given up by: {_name(result.forfeited_by, player)}")
    return lines


def _name(name: str, player: str | None) -> str:
    return f"{name} (you)" if name == player else name
