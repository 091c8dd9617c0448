r"""Text protocol between a user and the server, from the handout. Pure; opens no sockets.

From the user. A message is a line without its NEWLINE:

    MESSAGE ::= ( LOOK | DIG | FLAG | DEFLAG | HELP_REQ | BYE ) NEWLINE
    LOOK ::= "look"
    DIG ::= "dig" SPACE X SPACE Y
    FLAG ::= "flag" SPACE X SPACE Y
    DEFLAG ::= "deflag" SPACE X SPACE Y
    HELP_REQ ::= "help"
    BYE ::= "bye"
    NEWLINE ::= "\n" | "\r" "\n"?
    X ::= INT
    Y ::= INT
    SPACE ::= " "
    INT ::= "-"? [0-9]+

To the user:

    MESSAGE ::= BOARD | BOOM | HELP | HELLO
    BOARD ::= LINE+
    LINE ::= (SQUARE SPACE)* SQUARE NEWLINE
    SQUARE ::= "-" | "F" | COUNT | SPACE
    SPACE ::= " "
    NEWLINE ::= "\n" | "\r" "\n"?
    COUNT ::= [1-8]
    BOOM ::= "BOOM!" NEWLINE
    HELP ::= [^\r\n]+ NEWLINE
    HELLO ::= "Welcome to Minesweeper. Board: " X " columns by " Y " rows. Players: " N
            " including you. Type 'help' for help." NEWLINE
    X ::= INT
    Y ::= INT
    N ::= INT
    INT ::= "-"? [0-9]+

Digits are ASCII. An INT may have any number of digits, and "-0" is 0. The server's NEWLINE is "\r\n", the end of a line
in the telnet protocol (RFC 854). Debian's telnet shows all forms of NEWLINE in the same way, except a lone "\r". But
PuTTY in raw mode, and all clients that copy bytes to a screen, do not return to the first column after a lone "\n".
"""

from __future__ import annotations

import re

import msgspec

from scramble.minesweeper.messages import BoardView, Deflag, Dig, Flag, Look, Move, Welcome

BOOM = b"BOOM!\r\n"
HELP = (
    b"Commands: look | dig X Y | flag X Y | deflag X Y | help | bye. "
    b"X counts columns from 0 at the left, Y rows from 0 at the top; single spaces, lower case.\r\n"
)


class Help(msgspec.Struct, frozen=True):
    """The user asks for HELP."""


class Bye(msgspec.Struct, frozen=True):
    """The user asks the server to close the connection."""


_MOVES: dict[bytes, type[Move]] = {b"dig": Dig, b"flag": Flag, b"deflag": Deflag}
_MOVE = re.compile(rb"(dig|flag|deflag) (-?)([0-9]+) (-?)([0-9]+)")
_BEYOND = 10**18  # larger than any field; it replaces longer integers, because int() is slow or fails for them


def parse_message(line: bytes, player: int | None = None) -> Look | Move | Help | Bye | None:
    """Parse a line without its NEWLINE; return None if it does not match the user-to-server grammar.

    `player` makes the move. An integer of more than 18 digits becomes a different integer of the same sign, also
    outside every field.
    """
    if line == b"look":
        return Look()
    if line == b"help":
        return Help()
    if line == b"bye":
        return Bye()
    match = _MOVE.fullmatch(line)
    if match is None:
        return None
    word, x_sign, x, y_sign, y = match.groups()
    return _MOVES[word](_integer(x_sign, x), _integer(y_sign, y), player)


def hello(welcome: Welcome) -> bytes:
    """Encode the HELLO message."""
    return (
        f"Welcome to Minesweeper. Board: {welcome.columns} columns by {welcome.rows} rows. "
        f"Players: {welcome.players} including you. Type 'help' for help.\r\n"
    ).encode("ascii")


def reply(view: BoardView) -> bytes:
    """Encode the BOARD message, or BOOM if the command of this view dug a bomb."""
    if view.boom:
        return BOOM
    return view.text.encode("ascii").replace(b"\n", b"\r\n")  # 30 times as fast with bytes as with a long str


def _integer(sign: bytes, digits: bytes) -> int:
    significant = digits.lstrip(b"0")
    size = int(significant or b"0") if len(significant) <= 18 else _BEYOND
    return -size if sign else size
