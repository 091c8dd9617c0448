"""What sessions are told in words: instructions for somebody who has not read any handout, and what has happened.

Every function returns one line of plain text. None of them is given anything but what is on the board.
"""

from __future__ import annotations

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


def choose(player: str, puzzle: str) -> str:
    """In CHOOSE; `puzzle` is the ID of any puzzle, for the example."""
    return (
        f"Hello {player}. To join a match of the list, type PLAY and the ID of the match. To start a match of your own"
        " and wait for a second player, type NEW, an ID that you make up for it, the ID of a puzzle, and a description"
        f' in double quotes, for example: NEW fun {puzzle} "come and play". To log out, type EXIT.'
    )


def withdrawn(match: str) -> str:
    """Ahead of the instructions for CHOOSE: the player has given up waiting."""
    return f"Your match {match} is gone."


def wait(match: str) -> str:
    """In WAIT."""
    return (
        f"Your match {match} is waiting for a second player, who joins it by typing PLAY {match}. It begins by itself"
        " as soon as somebody does. The only command here is EXIT, which gives up the match and takes you back."
    )


def begin(other: str, *, joined: bool) -> str:
    """The first message in PLAY, to the one who joined and to the one who waited."""
    event = f"You have joined {other}'s match." if joined else f"{other} has joined your match."
    return (
        f"{event} Race {other} to fill in the puzzle. Every word has a number, its id: type TRY, an id and a word to"
        " enter what you think the word is. You may change your own words as often as you like. If you think that a"
        f" word of {other}'s is wrong, type CHALLENGE, its id and the right word: that earns two points if you are"
        " right, and costs one if you are not. Every correct word under your name earns one in the end."
        " EXIT gives up the match."
    )


def play(event: str) -> str:
    """In PLAY, after something has happened."""
    return f"{event} {PLAY_COMMANDS}"


def mine(report: Report, match: MatchView) -> str:
    """What the player's own move has done."""
    word = match.words[report.word - 1]
    if report.does == "unchanged":
        return f"{word.entered} stands there already, under your name."
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
    """What a move of the other player, `player`, has done."""
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


def score(player: str, result: Result) -> str:
    """In SHOW SCORE."""
    other = next(name for name in result.match.players if name != player)
    points = f"{result.points[player]} to {result.points[other]}"
    if result.forfeited_by is None:
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
    return f"{end} {outcome} {SCORE_COMMANDS}"


def missing(player: str) -> str:
    """To the other player, when `player`'s connection is lost."""
    return f"{player} has lost the connection, and forfeits the match unless back in time. You may play on."


def returned(player: str) -> str:
    """To the other player, when `player` is back."""
    return f"{player} is back."


def welcome_back(player: str) -> str:
    """To a player who has come back, ahead of the instructions."""
    return f"Welcome back, {player}."


def goodbye(player: str) -> str:
    """The last message of a session that its player has ended."""
    return f"Goodbye, {player}. You are logged out. Connect again to play."
