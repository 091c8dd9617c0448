"""Telnet commands, taken out of a stream of bytes: what remains is text. Pure, knows no sockets (RFC 854, RFC 855).

A byte 255, IAC, opens a command:

    IAC IAC                         one data byte 255
    IAC (WILL|WONT|DO|DONT) option  negotiation. We want no option and have none: WILL is answered by DONT and DO by
                                    WONT, each time; WONT and DONT are what we want and need no answer
    IAC SB ... IAC SE               subnegotiation, of whatever length: dropped
    IAC command                     any other command, 236 to 254: dropped

No protocol on top of this may lose the end of a message to a stray 255 in broken text. So what cannot be a command
is text: IAC before a byte below 236, and a negotiation whose option would be a line feed or carriage return (10 and
13, which tell teletypes how long to wait at the end of a line, and which no client has asked for in decades).
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

IAC: Final = 255
DONT: Final = 254
DO: Final = 253
WONT: Final = 252
WILL: Final = 251
SB: Final = 250
SE: Final = 240
FIRST_COMMAND: Final = 236  # end of file: RFC 1184; those of RFC 854 begin at SE

_REFUSAL = {WILL: DONT, DO: WONT}
_LINE_ENDS = b"\r\n"


class _In(Enum):
    TEXT = auto()
    COMMAND = auto()  # after IAC
    NEGOTIATION = auto()  # after IAC and one of the four verbs
    SUBNEGOTIATION = auto()  # after IAC SB
    SUBCOMMAND = auto()  # after IAC in a subnegotiation


class TelnetFilter:
    """Takes the bytes of one connection as they come and tells text from commands. Holds no text back but an IAC.

    Mutable; one connection's, not for several tasks at once.
    """

    # AF: a stream of bytes read up to a point inside what _state names; _verb is the last verb of a negotiation.
    # RI: _verb is one of the four verbs if _state is NEGOTIATION.
    # Safety from exposure: bytes and ints are immutable.

    def __init__(self) -> None:
        self._state = _In.TEXT
        self._verb = 0

    def receive(self, data: bytes) -> tuple[bytes, bytes]:
        """The text in the next `data` of the stream, and what is to be sent in answer to the commands in it.

        How the stream is split over calls makes no difference to the text and the answers of all calls joined.
        """
        if self._state is _In.TEXT and IAC not in data:
            return data, b""
        text = bytearray()
        answer = bytearray()
        for byte in data:
            match self._state:
                case _In.TEXT:
                    if byte == IAC:
                        self._state = _In.COMMAND
                    else:
                        text.append(byte)
                case _In.COMMAND:
                    self._command(byte, text)
                case _In.NEGOTIATION:
                    self._state = _In.TEXT
                    if byte in _LINE_ENDS:
                        text += bytes((IAC, self._verb, byte))
                    elif self._verb in _REFUSAL:
                        answer += bytes((IAC, _REFUSAL[self._verb], byte))
                case _In.SUBNEGOTIATION:
                    if byte == IAC:
                        self._state = _In.SUBCOMMAND
                case _In.SUBCOMMAND:
                    if byte == IAC:
                        self._state = _In.SUBNEGOTIATION
                    elif byte == SE:
                        self._state = _In.TEXT
                    else:
                        self._command(byte, text)  # the client has forgotten SE
        return bytes(text), bytes(answer)

    def _command(self, byte: int, text: bytearray) -> None:
        """The byte after an IAC."""
        self._state = _In.TEXT
        if WILL <= byte <= DONT:
            self._state = _In.NEGOTIATION
            self._verb = byte
        elif byte == SB:
            self._state = _In.SUBNEGOTIATION
        elif byte == IAC:
            text.append(IAC)
        elif byte < FIRST_COMMAND:
            text += bytes((IAC, byte))

    def __str__(self) -> str:
        return f"telnet filter in {self._state.name.lower()}"
