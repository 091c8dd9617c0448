"""Text of a match, for a file: the score, the grid with the owners of letters, and the clues with the owners of words.

The text is public, because it is made from the view of both players and the spectators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scramble.crossword.messages import CellView, MatchView, Result, WordView
from scramble.plaintext import harmless

EMPTY: Final = "_"
BLOCK: Final = "."


def match_text(
    match: MatchView,
    result: Result | None = None,
    title: str = "Crossword Extravaganza",
    solution: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
) -> str:
    r"""Return the current or final state of a match as lines of text, each ended by `\n`. Does not wait.

    `solution` has the right words by their ids, if they are public. `names` maps players to display names, for players
    with a display name.
    """
    names = names or {}
    lines = [title]
    if match.description:
        lines.append(match.description)
    lines += ["", *_score(match, result, names), "", *_grid(match, names), ""]
    for direction in ("ACROSS", "DOWN"):
        words = [word for word in match.words if word.direction == direction]
        if words:
            lines += [direction, *(_word(word, solution, names) for word in words), ""]
    return "".join(f"{harmless(line).rstrip()}\n" for line in lines[:-1])


def _score(match: MatchView, result: Result | None, names: Mapping[str, str]) -> Iterator[str]:
    for player in match.players:
        words = sum(word.by == player for word in match.words)
        counted = f"{words} word{'' if words == 1 else 's'}{_besides(match, player)}"
        if result is None:
            yield f"{names.get(player, player)}: {counted} so far"
        else:
            points = result.points[player]
            won = ", winner" if result.winner == player else ""
            yield f"{names.get(player, player)}: {points} point{'' if abs(points) == 1 else 's'} ({counted}){won}"
    if result is None:
        yield "The match goes on."
    elif result.ended == "timed out":
        yield "The match ended because nobody moved for too long."
    elif result.forfeited_by is not None:
        loser = names.get(result.forfeited_by, result.forfeited_by)
        yield f"{loser} {'left' if result.ended == 'left' else 'gave up'}."
    elif result.seconds is not None:
        minutes, seconds = divmod(int(result.seconds), 60)
        yield f"Played alone in {minutes}:{seconds:02} minutes."
    elif result.winner is None:
        yield "A draw."


def _besides(match: MatchView, player: str) -> str:
    """Return the points for challenges, or the mistakes of a player who plays alone."""
    points = match.challenge_points[player]
    if not points:
        return ""
    if len(match.players) == 1:
        return f", {-points} mistake{'' if points == -1 else 's'}"
    return f", {points:+} by challenges"


def _grid(match: MatchView, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the rows. The first player's letters are capitals, other letters are small; * marks letters of both."""
    owner = {word.id: word.by for word in match.words}
    for row in match.cells:
        yield " ".join(_square(cell, [owner[id] for id in cell.words] if cell else [], match.players) for cell in row)
    first, *others = (names.get(player, player) for player in match.players)
    signs = [f"capital letters: {first}", *(f"small ones: {other}" for other in others), "*: both"]
    if others:
        yield f"({', '.join(signs)})"


def _square(cell: CellView | None, owners: Sequence[str | None], players: Sequence[str]) -> str:
    if cell is None:
        return f"{BLOCK} "
    if cell.letter is None:
        return f"{EMPTY} "
    of_first = players[0] in owners
    shared = of_first and any(owner not in (None, players[0]) for owner in owners)
    return f"{cell.letter.upper() if of_first else cell.letter}{'*' if shared else ' '}"


def _word(word: WordView, solution: Sequence[str] | None, names: Mapping[str, str]) -> str:
    by = word.by or ""
    state = "not entered" if word.entered is None else f"{word.entered} - {names.get(by, by)}"
    sure = ", confirmed" if word.confirmed else ""
    right = None if solution is None else solution[word.id - 1]
    told = f" (right: {right})" if right not in (None, word.entered) else ""
    return f"{word.id:>3}. {word.clue} ({word.length})  {state}{sure}{told}"
