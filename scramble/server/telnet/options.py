"""Filter that removes telnet commands from a byte stream, and refuses all options. Pure: no sockets (RFC 854, RFC 855).

A byte 255, IAC, opens a command:

    IAC IAC                         one data byte 255
    IAC (WILL|WONT|DO|DONT) option  negotiation. The server refuses every option: it answers each WILL with DONT and
                                    each DO with WONT; WONT and DONT need no answer
    IAC SB ... IAC SE               subnegotiation of any length: discarded
    IAC command                     other commands, 236 to 254: discarded

A stray byte 255 in broken text must not hide the end of a line. So implausible commands are text: IAC before a byte
below 236, and a negotiation of option 10 or 13 (line feed and carriage return). These two options set the waiting time
of teletypes at the end of a line, and no client has requested them in decades.
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
FIRST_COMMAND: Final = 236  # end of file (RFC 1184); the commands of RFC 854 begin at SE

_REFUSAL = {WILL: DONT, DO: WONT}
_LINE_ENDS = b"\r\n"


class _In(Enum):
    TEXT = auto()
    COMMAND = auto()  # after IAC
    NEGOTIATION = auto()  # after IAC and one of the four verbs
    SUBNEGOTIATION = auto()  # after IAC SB
    SUBCOMMAND = auto()  # after IAC in a subnegotiation


_UP_TO_IAC = (_In.TEXT, _In.SUBNEGOTIATION)
"""The states in which all bytes except IAC have the same meaning."""


class TelnetFilter:
    """Receives the bytes of one connection and separates text from commands.

    Returns text at once. Only an IAC waits for the next byte, because it may begin a command.

    Mutable; belongs to one connection, not for several tasks at once.
    """

    # AF: a stream of bytes; the current element is _state; _verb is the last verb of a negotiation.
    # RI: _verb is one of the four verbs if _state is NEGOTIATION.
    # Safety from exposure: bytes and ints are immutable.

    def __init__(self) -> None:
        self._state = _In.TEXT
        self._verb = 0

    def receive(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the text in the next `data` of the stream, and the answers to its commands.

        The resulting text and answers do not depend on the division of the stream into calls.
        """
        if self._state is _In.TEXT and IAC not in data:
            return data, b""
        text = bytearray()
        answer = bytearray()
        at = 0
        while at < len(data):
            if self._state in _UP_TO_IAC:
                end = data.find(IAC, at)
                end = len(data) if end < 0 else end
                if self._state is _In.TEXT:
                    text += data[at:end]
                if end == len(data):
                    break
                at = end
            byte = data[at]
            at += 1
            match self._state:
                case _In.TEXT:
                    self._state = _In.COMMAND
                case _In.COMMAND:
                    self._command(byte, text)
                case _In.NEGOTIATION:
                    self._state = _In.TEXT
                    if byte in _LINE_ENDS:
                        text += bytes((IAC, self._verb, byte))
                    elif self._verb in _REFUSAL:
                        answer += bytes((IAC, _REFUSAL[self._verb], byte))
                case _In.SUBNEGOTIATION:
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
        """Handle the byte after an IAC."""
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
