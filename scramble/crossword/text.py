"""Text of a session's view for a telnet terminal, made only from the view.

Clues, descriptions and names come from files and players, and may have any characters. Every control character becomes
a space or a question mark. So no text can move the cursor, clear the screen, or imitate another line.
"""

from __future__ import annotations

import textwrap

from scramble.crossword.messages import MatchHeader, MatchView, Result, SessionView, WordView
from scramble.crossword.statetable import what_to_type
from scramble.plaintext import harmless

WIDTH = 78  # columns; prose is folded at this width. The line of a word is not, to keep id and clue together

_RULER = "-" * WIDTH


def view_text(view: SessionView) -> str:
    r"""Format the view as lines of text, each ended by `\n`; the last line names the possible commands."""
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
    # The message comes last, because a terminal shows the end of a long text.
    lines += ["", *_fold(view.message)]
    if view.missing is not None and view.missing.seconds_left is not None:
        seconds = view.missing.seconds_left
        left = "1 second" if seconds == 1 else f"{seconds} seconds"
        lines += _fold(f"{view.missing.player} has lost the connection, and has {left} left to come back.")
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
    """Format the cells as [a] or [ ]. Above the first cell of a word is the word's id, with a + for two words."""
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
    draw = "Nobody wins: it is a draw." if len(result.points) > 1 else "Not completed."
    winner = draw if result.winner is None else f"Winner: {_name(result.winner, player)}"
    lines = [winner, f"Points: {points}"]
    if result.forfeited_by is not None:
        how = "Left, after a lost connection" if result.ended == "left" else "Given up by"
        lines.append(f"{how}: {_name(result.forfeited_by, player)}")
    return lines


def _name(name: str, player: str | None) -> str:
    return f"{name} (you)" if name == player else name
