"""Messages of sessions: instructions for players without a handout, and sentences about events.

Every function returns one line of plain text. Its arguments have no letter of the solution that is not on the board.
"""

from __future__ import annotations

from collections.abc import Sequence

from scramble.crossword.match import Report
from scramble.crossword.messages import MatchView, Result
from scramble.crossword.statetable import ID_RULE

START = (
    "Welcome to Crossword Extravaganza, where two players race to fill in one crossword puzzle."
    f" Type an ID to be known by, {ID_RULE}, and press Enter."
    " If you have lost the connection to a match, type your ID, a space and your token to come back."
)

PLAY_COMMANDS = (
    "TRY id word enters a guess, CHALLENGE id word replaces a word of the other player that you think is wrong,"
    " EXIT gives up the match."
)

SCORE_COMMANDS = "Type NEW MATCH to choose another match, or EXIT to log out."

WAIT_FOR_ONE = (
    "You are waiting for a second player, and the match begins by itself as soon as somebody joins. The only command"
    " here is EXIT, which logs you out."
)

ONE_MATCH = "Here is one match only, and no other one can be made or joined."

ALONE_COMMANDS = "TRY id word enters a word, EXIT gives up the puzzle."

ONE_SCORE_COMMANDS = "Type EXIT to log out."


def choose(player: str, puzzle: str) -> str:
    """Message in CHOOSE; `puzzle` is the ID of any puzzle, for the example."""
    return (
        f"Hello {player}. To join a match of the list, type PLAY and the ID of the match. To start a match of your own"
        " and wait for a second player, type NEW, an ID that you make up for it, the ID of a puzzle, and a description"
        f' in double quotes, for example: NEW fun {puzzle} "come and play". To log out, type EXIT.'
    )


def withdrawn(match: str) -> str:
    """Sentence before the instructions for CHOOSE: the player no longer waits."""
    return f"Your match {match} is gone."


def wait(match: str) -> str:
    """Message in WAIT."""
    return (
        f"Your match {match} is waiting for a second player, who joins it by typing PLAY {match}. It begins by itself"
        " as soon as somebody does. The only command here is EXIT, which gives up the match and takes you back."
    )


def begin(other: str, *, joined: bool) -> str:
    """First message in PLAY, for the player who joined, and for the player who waited."""
    event = f"You have joined {other}'s match." if joined else f"{other} has joined your match."
    return (
        f"{event} Race {other} to fill in the puzzle. Every word has a number, its id: type TRY, an id and a word to"
        " enter what you think the word is. You may change your own words as often as you like. If you think that a"
        f" word of {other}'s is wrong, type CHALLENGE, its id and the right word: that earns two points if you are"
        " right, and costs one if you are not. Every correct word under your name earns one in the end."
        " EXIT gives up the match."
    )


def begin_alone() -> str:
    """First message in PLAY for a player who plays alone."""
    return (
        "You play alone, against the clock, which runs as long as you are here. Every word has a number, its id: type"
        " TRY, an id and a word to enter it. A right word stays, and earns a point; a wrong one is a mistake, and costs"
        " one. EXIT gives up the puzzle."
    )


def play(event: str, *, alone: bool = False) -> str:
    """Message in PLAY after an event; `event` is a sentence."""
    return f"{event} {ALONE_COMMANDS if alone else PLAY_COMMANDS}"


def mine(report: Report, match: MatchView) -> str:
    """Sentence about the effect of the player's own move."""
    word = match.words[report.word - 1]
    if report.does == "unchanged":
        return f"{word.entered} stands there already, under your name."
    if report.does == "found":
        return f"{word.entered} is right: word {word.id} is yours."
    if report.does == "mistaken":
        return f"That is not word {word.id}. The mistake costs you a point."
    if report.does == "was right":
        return f"{word.entered} was right. It is confirmed now, and your challenge costs you a point."
    if report.does == "cleared":
        return f"The word was wrong, and so is yours. Word {word.id} is cleared, and your challenge costs you a point."
    if report.does == "won":
        return (
            f"You are right: word {word.id} is {word.entered}. It is confirmed and yours, and you get two points."
            + (_cleared(report))
        )
    return f"You have entered {word.entered} for word {word.id}.{_cleared(report)}"


def theirs(player: str, report: Report, match: MatchView) -> str:
    """Sentence about the effect of a move by the other player, `player`."""
    word = match.words[report.word - 1]
    if report.does == "was right":
        return f"{player} challenged your {word.entered}. It is right, so it is confirmed, and {player} loses a point."
    if report.does == "cleared":
        return (
            f"{player} challenged your word {word.id}. It was wrong, and so was {player}'s proposal. It is cleared,"
            f" and {player} loses a point."
        )
    if report.does == "won":
        return (
            f"{player} challenged your word {word.id}, and is right: it is {word.entered}. It is confirmed and"
            f" {player}'s, and {player} gets two points.{_cleared(report)}"
        )
    return f"{player} has entered {word.entered} for word {word.id}.{_cleared(report)}"


def _cleared(report: Report) -> str:
    if not report.cleared:
        return ""
    words = " and ".join(map(str, report.cleared))
    return f" Cleared, because in conflict with it: word{'s' if len(report.cleared) > 1 else ''} {words}."


def nobody_there(*, alone: bool = False) -> str:
    """Message for spectators of a match without players."""
    return "Nobody plays this puzzle yet." if alone else "Two players are wanted for this match."


def one_there(player: str) -> str:
    """Message for spectators while the first player waits."""
    return f"{player} is waiting for a second player."


def all_there(players: Sequence[str]) -> str:
    """Message for spectators of a match."""
    if len(players) == 1:
        return f"{players[0]} fills in the puzzle alone, against the clock."
    return f"{' and '.join(players)} race to fill in the puzzle."


def public_score(result: Result) -> str:
    """Message for spectators of a match that is over."""
    if result.seconds is not None:
        (player,) = result.points
        end = f"{player} has given up." if result.winner is None else f"{player} has completed the puzzle."
        return f"{end} {_alone(result)}"
    points = " to ".join(str(points) for points in result.points.values())
    if result.winner is None:
        return f"It is a draw. The points are {points}."
    return f"{result.winner} has won. The points of {' and '.join(result.points)} are {points}."


def score(player: str, result: Result, seconds: float | None = None, *, one_match: bool = False) -> str:
    """Message in SHOW SCORE; `seconds` is the time without a move in a match that timed out, None if unknown.

    With `one_match` there is no other match to choose.
    """
    if result.seconds is not None:
        end = "You have given up the puzzle." if result.winner is None else "The puzzle is complete."
        return f"{end} {_alone(result)} {ONE_SCORE_COMMANDS}"
    other = next(name for name in result.match.players if name != player)
    points = f"{result.points[player]} to {result.points[other]}"
    if result.ended == "timed out":
        end = f"Nobody has moved for {'too long' if seconds is None else span(seconds)}, so the match is over."
    elif result.ended == "left" and result.forfeited_by == other:
        end = f"{other} has left: the connection was lost, and {other} did not come back in time."
    elif result.forfeited_by is None:
        end = "The puzzle is complete."
    elif result.forfeited_by == player:
        end = "You have given up the match."
    else:
        end = f"{other} has given up the match."
    if result.winner is None:
        outcome = f"It is a draw, {points} points."
    elif result.winner == player:
        outcome = f"You have won! The points are {points}."
    else:
        outcome = f"{other} has won. The points are {points}."
    return f"{end} {outcome} {ONE_SCORE_COMMANDS if one_match else SCORE_COMMANDS}"


def _alone(result: Result) -> str:
    """Sentence about a match of one player."""
    (player,) = result.points
    mistakes = -result.match.challenge_points[player]
    minutes, seconds = divmod(int(result.seconds or 0), 60)
    return (
        f"The time is {minutes}:{seconds:02}, with {mistakes} mistake{'' if mistakes == 1 else 's'}:"
        f" {result.points[player]} point{'' if result.points[player] == 1 else 's'}."
    )


def idle(seconds: float) -> str:
    """Reason for the end of a session whose player did nothing for `seconds`."""
    return f"nothing was done here for {span(seconds)}"


def span(seconds: float) -> str:
    """A time in words: "2 hours", "30 minutes", "90 seconds"."""
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds / length:g} {unit}{'' if seconds == length else 's'}"
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"


def missing(player: str) -> str:
    """Sentence for the other player, when `player`'s connection is lost."""
    return f"{player} has lost the connection, and forfeits the match unless back in time. You may play on."


def returned(player: str) -> str:
    """Sentence for the other player, when `player` is back."""
    return f"{player} is back."


def welcome_back(player: str) -> str:
    """Sentence before the instructions for a player who has come back."""
    return f"Welcome back, {player}."


def goodbye(player: str) -> str:
    """Last message of a session after its player's EXIT."""
    return f"Goodbye, {player}. You are logged out. Connect again to play."
