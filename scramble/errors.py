"""The error tree: every error has a message for people, a stable code for programs and an HTTP status hint.

    ScrambleError
    ├── CallerError          the caller asked for something that cannot be done; nothing is broken
    │   ├── InvalidCommand   malformed or out of range: refused, and nothing at all has changed
    │   └── Refusal          well-formed, but the rules of the game refuse it
    │       └── DiskFull     there is no room to record it; nothing has changed
    ├── OperatorError        a file, address or setting that cannot be used: for the operator to fix
    │   ├── FileFormatError  a board, field or puzzle file that its grammar rejects
    │   ├── CannotRead       a file or folder that cannot be read, or has no content to play with
    │   ├── CannotListen     an address that is taken, not this machine's, or unknown
    │   ├── BadAddress       (cluster.address) a URL of Redis, or its certificates, that cannot be used
    │   ├── CannotLink       (cluster.link) a Redis that does not answer, lets nobody in, or is not suitable
    │   ├── BadCertificate   (server.http.tls) a certificate or a key that TLS cannot use
    │   ├── BadSetting       (app) an environment variable whose value cannot be used
    │   ├── ReplayError      (replay.games) a recording that cannot be replayed
    │   ├── JournalError     a journal that cannot be used, or not for this game
    │   └── JournalFailed    the disk failed while a journal recorded a game: the game stops
    │       ├── LogFull      there is no room for what was applied: nothing was written, and it can be tried again
    │       └── Deposed      (cluster.protocol) another process owns the game by now
    ├── LinkLost             (cluster.protocol) the connection to Redis broke before the answer
    ├── RedisRefused         (cluster.protocol) Redis answered with an error
    └── GameStopped          the owner task has ended; no answer will come any more
        ├── GameClosed       ... because the game was closed on purpose
        └── GameMoved        ... here: another process owns the game by now, or will

The rules return an error as a value in a `Refused` outcome; only `Actor.ask`, in the task of the caller
concerned, raises it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar


class ScrambleError(Exception):
    """Root of all errors that scramble raises on purpose.

    `code` is a stable word for programs, `status` the HTTP status that fits; `str(error)` is a
    sentence for people. `params` has the values that stand in the sentence, for programs that have words of their own.
    """

    code: str = "error"  # of the class, but for refusals that one class makes for many reasons
    status: ClassVar[int] = 500
    params: Mapping[str, str | int] = MappingProxyType({})


class CallerError(ScrambleError):
    """A mistake of the caller: the game continues as without the request, unless the rules say otherwise."""

    code = "bad-request"
    status = 400


class InvalidCommand(CallerError):
    """A malformed, out-of-range or unknown command: refused, and nothing has changed, the player's turn included."""

    code = "invalid"
    status = 400


class Refusal(CallerError):
    """A well-formed command that the rules of the game refuse."""

    code = "refused"
    status = 409


class DiskFull(Refusal):
    """The command cannot be recorded, because the disk, or what the game may use of it, is full. Nothing has changed.

    The game goes on: looking and leaving work as before, and moves again once there is room.
    """

    code = "disk-full"
    status = 507


class GameStopped(ScrambleError):
    """The game's owner task has ended, so no answer will come; the command may or may not have happened."""

    code = "stopped"
    status = 503


class GameClosed(GameStopped):
    """The game was closed on purpose while the request waited, or before it."""

    code = "closed"


class GameMoved(GameStopped):
    """Another process has the game by now, or will have it soon: ask again where the game is entered again.

    In a cluster. A command that was not answered may or may not have happened.
    """

    code = "moved"


class OperatorError(ScrambleError):
    """A file, an address or a setting that cannot be used. One line tells the operator, without a traceback."""

    code = "operator"

    def for_operator(self) -> str:
        """Return the line for the operator."""
        return str(self)


class FileFormatError(OperatorError):
    """A file does not match its grammar: has the file, the line (from 1) and the reason, which says what was expected.

    `column` (from 1) is None if the parser does not know it.
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


class CannotRead(OperatorError):
    """A file or a folder that cannot be read, or that has no content to play with."""

    code = "cannot-read"


class CannotListen(OperatorError, OSError):
    """An address that is taken, not this machine's, or unknown; `str(error)` is one line that says which."""

    code = "cannot-listen"


class JournalError(OperatorError):
    """A journal that cannot be used: damaged, of another game, of a newer format, in use. It has not been changed."""

    code = "bad-journal"


class JournalFailed(OperatorError):
    """The disk failed, or is full, while a game was running. Unanswered commands may or may not have happened.

    `file` is the journal, if known. Players see the reason only. `stops` is the class of the errors that they get.
    """

    code = "journal-failed"
    stops: ClassVar[type[GameStopped]] = GameStopped

    def __init__(self, reason: str, file: Path | None = None) -> None:
        self.file = file
        super().__init__(reason)

    def for_operator(self) -> str:
        """Return the reason, and the file that players do not see."""
        return str(self) if self.file is None else f"{self.file}: {self}"


class LogFull(JournalFailed):
    """There is no room for commands that were applied. Nothing of them was written, and the commit can be repeated."""

    code = "log-full"


def leaves(error: BaseException) -> list[BaseException]:
    """Return the exceptions of a group and of all groups nested in it, in their order; of no group: itself."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for inner in error.exceptions for leaf in leaves(inner)]
