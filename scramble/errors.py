"""The error tree: every error says whose fault it is, in words, with a stable code and an HTTP status hint.

    ScrambleError
    ├── CallerError          the caller asked for something that cannot be done; nothing is broken
    │   ├── InvalidCommand   malformed or out of range: refused, and nothing at all has changed
    │   └── Refusal          well-formed, but the rules of the game say no
    ├── FileFormatError      a board, field or puzzle file that its grammar rejects
    ├── JournalError         a journal that cannot be used, or not for this game
    ├── JournalFailed        the disk failed while a game was kept in a journal: the game stops
    └── GameStopped          the owner task is gone; nobody will answer any more
        └── GameClosed       ... because the game was closed on purpose

An error is a value until somebody raises it: the rules put one into a `Refused` outcome, and only
`Actor.ask`, in the task of the caller concerned, raises it.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar


class ScrambleError(Exception):
    """Root of all errors that scramble raises on purpose.

    `code` is a stable word for programs, `status` the HTTP status that fits; `str(error)` is a
    sentence for people.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500


class CallerError(ScrambleError):
    """The caller's fault: the game goes on as if nothing had been asked, unless the rules say more."""

    code = "bad-request"
    status = 400


class InvalidCommand(CallerError):
    """Malformed, out of range or unknown. It is refused and nothing has changed, the player's turn included."""

    code = "invalid"
    status = 400


class Refusal(CallerError):
    """A well-formed command that the rules of the game refuse."""

    code = "refused"
    status = 409


class FileFormatError(ScrambleError):
    """A file that does not match its grammar: which file, which line (1 is the first), what was expected there.

    `column` (1 is the first) is given where the parser knows it, else None.
    """

    code = "bad-file"
    status = 400

    def __init__(self, file: str, line: int, reason: str, *, column: int | None = None) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
        place = f"{file}:{line}" if column is None else f"{file}:{line}:{column}"
        super().__init__(f"{place}: {reason}")


class JournalError(ScrambleError):
    """A journal that cannot be used: damaged, of another game, of a newer format, in use. It has not been changed."""

    code = "bad-journal"


class JournalFailed(ScrambleError):
    """The disk failed, or is full, while a game was running. What nobody was told has perhaps not happened.

    `file` is the journal, if that is known. Players are told the reason only.
    """

    code = "journal-failed"

    def __init__(self, reason: str, file: Path | None = None) -> None:
        self.file = file
        super().__init__(reason)


class GameStopped(ScrambleError):
    """The game's owner task is gone, so no answer will ever come; what was asked may or may not have happened."""

    code = "stopped"
    status = 503


class GameClosed(GameStopped):
    """The game was closed on purpose while the request was waiting, or before it was made."""

    code = "closed"
