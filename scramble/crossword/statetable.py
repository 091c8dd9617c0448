"""State table of a session: the command lines that it accepts in each state, and the states that they lead to.

    state        the player types                        and the session goes to
    START        Player_ID                               CHOOSE
    START        Player_ID token                         the state of this player's session
    CHOOSE       PLAY Match_ID                           PLAY
    CHOOSE       NEW Match_ID Puzzle_ID "Description"    WAIT
    CHOOSE       EXIT                                    its end
    WAIT         EXIT                                    CHOOSE
    PLAY         TRY id word                             PLAY, or SHOW SCORE if that completes the puzzle
    PLAY         CHALLENGE id word                       PLAY, or SHOW SCORE if that completes the puzzle
    PLAY         EXIT                                    SHOW SCORE
    SHOW SCORE   NEW MATCH                               CHOOSE
    SHOW SCORE   EXIT                                    its end

    state        event                                   and the session goes to
    CHOOSE       a match appears in the list, or goes    CHOOSE
    WAIT         another player joins the match          PLAY
    PLAY         the other player moves                  PLAY, or SHOW SCORE if that completes the puzzle
    PLAY         the other player goes missing, returns  PLAY
    PLAY         the other player forfeits               SHOW SCORE
    PLAY         the connection is lost                  PLAY, missing; at once its end if there is no grace
    PLAY         ... and the time of grace is over       its end; the match is forfeited
    PLAY         nobody moves for too long               SHOW SCORE
    any other    the connection is lost                  its end
    any other    nothing is done for too long            its end

In a lobby of one match no session is in CHOOSE. There Player_ID leads to WAIT, to PLAY for the second player, or to
SHOW SCORE after the match; EXIT in WAIT leads to the end; and NEW, PLAY and NEW MATCH are refused.

Any other line is refused, and the state stays the same.

Grammar of lines: command words are upper case, and their arguments must be complete. Spaces and tabs before, between
and after the words are ignored. They are not ignored within the quotes, and in START, because there the line *is* the
ID. Numbers are `[0-9]+` of any length.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

import msgspec

from scramble.crossword.messages import State
from scramble.errors import Refusal

MAX_LINE = 5000  # characters; a Puzzle_ID can be as long as a file name, and the other words are shorter
MAX_DESCRIPTION = 200  # characters; all sessions in CHOOSE receive it
ID_RULE = "1 to 20 letters A to Z or a to z, digits and underscores"
MAX_WORD_ID = 10**9  # larger numbers are read as this number: Python refuses to convert very long numbers


class Identify(msgspec.Struct, frozen=True):
    """Take the ID `player`; with a token, come back as `player`."""

    player: str
    token: str | None = None


class Play(msgspec.Struct, frozen=True):
    """Join the waiting match with this ID."""

    match: str


class New(msgspec.Struct, frozen=True):
    """Make a match with this ID on this puzzle."""

    match: str
    puzzle: str
    description: str


class Exit(msgspec.Struct, frozen=True):
    """Leave the match; without a match, leave the server."""


class Try(msgspec.Struct, frozen=True):
    """Enter a guess."""

    word: int
    guess: str


class Challenge(msgspec.Struct, frozen=True):
    """Challenge a word of the other player."""

    word: int
    proposal: str


class NewMatch(msgspec.Struct, frozen=True):
    """Leave the score, and choose another match."""


LineCommand: TypeAlias = Identify | Play | New | Exit | Try | Challenge | NewMatch
Target: TypeAlias = State | Literal["END"]


class TableRow(msgspec.Struct, frozen=True):
    """Transition: in `state`, the line or event `on` leads to a state of `to`. `command` is None for an event."""

    state: State
    on: str
    command: type[LineCommand] | None
    to: tuple[Target, ...]


STATE_TABLE: Final = (
    TableRow("START", "Player_ID", Identify, ("CHOOSE",)),
    TableRow("START", "Player_ID token", Identify, ("CHOOSE", "WAIT", "PLAY", "SHOW SCORE")),
    TableRow("CHOOSE", "PLAY Match_ID", Play, ("PLAY",)),
    TableRow("CHOOSE", 'NEW Match_ID Puzzle_ID "Description"', New, ("WAIT",)),
    TableRow("CHOOSE", "EXIT", Exit, ("END",)),
    TableRow("WAIT", "EXIT", Exit, ("CHOOSE",)),
    TableRow("PLAY", "TRY id word", Try, ("PLAY", "SHOW SCORE")),
    TableRow("PLAY", "CHALLENGE id word", Challenge, ("PLAY", "SHOW SCORE")),
    TableRow("PLAY", "EXIT", Exit, ("SHOW SCORE",)),
    TableRow("SHOW SCORE", "NEW MATCH", NewMatch, ("CHOOSE",)),
    TableRow("SHOW SCORE", "EXIT", Exit, ("END",)),
    TableRow("CHOOSE", "a match appears in the list, or goes", None, ("CHOOSE",)),
    TableRow("WAIT", "another player joins the match", None, ("PLAY",)),
    TableRow("PLAY", "the other player moves", None, ("PLAY", "SHOW SCORE")),
    TableRow("PLAY", "the other player goes missing, returns", None, ("PLAY",)),
    TableRow("PLAY", "the other player forfeits", None, ("SHOW SCORE",)),
    TableRow("PLAY", "the connection is lost", None, ("PLAY", "END")),
    TableRow("PLAY", "the time of grace is over", None, ("END",)),
    TableRow("PLAY", "nobody moves for too long", None, ("SHOW SCORE",)),
    TableRow("START", "nothing is done for too long", None, ("END",)),
    TableRow("CHOOSE", "nothing is done for too long", None, ("END",)),
    TableRow("WAIT", "nothing is done for too long", None, ("END",)),
    TableRow("SHOW SCORE", "nothing is done for too long", None, ("END",)),
    TableRow("START", "the connection is lost", None, ("END",)),
    TableRow("CHOOSE", "the connection is lost", None, ("END",)),
    TableRow("WAIT", "the connection is lost", None, ("END",)),
    TableRow("SHOW SCORE", "the connection is lost", None, ("END",)),
)

MOVE_WORDS: Final[frozenset[tuple[Target, Target]]] = frozenset((row.state, to) for row in STATE_TABLE for to in row.to)
"""All steps from one state to another, or to the end."""

SYNTAX: Final[dict[State, tuple[str, ...]]] = {
    state: tuple(row.on for row in STATE_TABLE if row.state == state and row.command)
    for state in ("START", "CHOOSE", "WAIT", "PLAY", "SHOW SCORE")
}
"""The commands of each state, in the handout's words."""

_COMMAND_WORDS = {syntax.split()[0] for state, lines in SYNTAX.items() if state != "START" for syntax in lines}

# Spaces and tabs only: other white space could make two different commands look alike to a reader.
_BLANK = " \t"
_BLANKS = re.compile(r"[ \t]+")


class LineRefused(Refusal):
    """Refusal of a line that is not a command in the session's state; the reason names the possible commands."""

    code = "line-refused"


class CommandRefused(Refusal):
    """Refusal of an impossible command, although the state allows it. The reason is for the player."""

    def __init__(self, reason: str, code: str = "command-refused", **params: str | int) -> None:
        self.code = code
        self.params = params
        super().__init__(reason)


def is_id(text: str) -> bool:
    """Return True if `text` is a valid Player_ID or Match_ID."""
    return re.fullmatch(r"[A-Za-z0-9_]{1,20}", text) is not None


def what_to_type(state: State) -> str:
    """Return one sentence with the commands of a state."""
    *others, last = SYNTAX[state]
    if not others:
        return f"The only command here is {last}."
    return f"The commands here are {', '.join(others)} and {last}."


def read_line(state: State, line: str) -> LineCommand:
    """Parse a line in a state. The result depends only on these two. Raises `LineRefused`."""
    if len(line) > MAX_LINE:
        raise LineRefused(f"That line is longer than any command, {MAX_LINE} characters at most.")
    if state == "START":
        return _read_identity(line)
    line = line.strip(_BLANK)
    words = _BLANKS.split(line)
    if state == "SHOW SCORE" and words == ["NEW", "MATCH"]:
        return NewMatch()
    name, *rest = words
    if not any(syntax.split()[0] == name for syntax in SYNTAX[state]):
        raise LineRefused(_why_unknown(state, name))
    if name == "EXIT" and not rest:
        return Exit()
    if name == "PLAY" and len(rest) == 1:
        return Play(_match_id(rest[0]))
    if name == "NEW" and state == "CHOOSE":
        return _read_new(line)
    if name in ("TRY", "CHALLENGE") and len(rest) == 2:
        if not re.fullmatch(r"[0-9]+", rest[0]):
            raise LineRefused(f"After {name} comes the number of a word: {name} id word.")
        return Try(_number(rest[0]), rest[1]) if name == "TRY" else Challenge(_number(rest[0]), rest[1])
    syntax = next(syntax for syntax in SYNTAX[state] if syntax.split()[0] == name)
    raise LineRefused(f"Type {name} like this: {syntax}")


def identity(state: State, line: str) -> str | None:
    """Return the player in a line that identifies the sender without a token; None for other lines."""
    try:
        command = read_line(state, line)
    except LineRefused:
        return None
    return command.player if isinstance(command, Identify) and command.token is None else None


def return_of(line: str) -> tuple[str, str] | None:
    """Return the ID and the token in a line for a player's return; None for other lines."""
    try:
        command = _read_identity(line)
    except LineRefused:
        return None
    return None if command.token is None else (command.player, command.token)


def _read_identity(line: str) -> Identify:
    player, space, token = line.partition(" ")
    if not is_id(player) or (space and not re.fullmatch(r"[!-~]+", token)):
        raise LineRefused(f"That cannot be an ID: it must be {ID_RULE}, and nothing else.")
    return Identify(player, token if space else None)


def _read_new(line: str) -> New:
    """Parse NEW. The Puzzle_ID is the text between the Match_ID and the quoted description; it may have spaces."""
    head, quote, description = line.removesuffix('"').rpartition('"')
    words = _BLANKS.split(head.strip(_BLANK), maxsplit=2)
    if not (line.endswith('"') and quote and head.endswith(tuple(_BLANK)) and len(words) == 3):
        raise LineRefused(f"Type NEW like this: {SYNTAX['CHOOSE'][1]}, with the double quotes.")
    if len(description) > MAX_DESCRIPTION:
        raise LineRefused(f"The description is too long: {MAX_DESCRIPTION} characters at most.")
    if "\n" in description or "\r" in description or any("\ud800" <= letter <= "\udfff" for letter in description):
        raise LineRefused("The description must be one line of Unicode text.")
    return New(_match_id(words[1]), words[2], description)


def _match_id(text: str) -> str:
    if not is_id(text):
        raise LineRefused(f"That cannot be a Match_ID: it must be {ID_RULE}.")
    return text


def _number(digits: str) -> int:
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) < len(str(MAX_WORD_ID)) else MAX_WORD_ID


def _why_unknown(state: State, name: str) -> str:
    if not name:
        return f"Type a command. {what_to_type(state)}"
    if name in _COMMAND_WORDS:
        return f"{name} is not possible here. {what_to_type(state)}"
    if name.upper() in _COMMAND_WORDS:
        return f"Command words are upper case. {what_to_type(state)}"
    return f"That is no command. {what_to_type(state)}"
