"""The error tree: every error has a message for people, a stable code for programs and an HTTP status hint.

    ScrambleError
    ├── CallerError          a mistake of the caller; the game continues
    │   ├── InvalidCommand   a malformed or out-of-range command; nothing has changed
    │   └── Refusal          a well-formed command that the rules of the game refuse
    │       └── DiskFull     a command without space to record it; nothing has changed
    ├── OperatorError        an invalid file, address or setting: for the operator to fix
    │   ├── FileFormatError  a board, field or puzzle file with a syntax error
    │   ├── CannotRead       an unreadable file or folder, or one without content to play with
    │   ├── CannotListen     an address that is taken, not this machine's, or unknown
    │   ├── BadAddress       (cluster.address) an invalid URL of Redis, or invalid certificates for it
    │   ├── CannotLink       (cluster.link) a Redis that does not answer, denies access, or is not suitable
    │   ├── BadCertificate   (server.http.tls) a certificate or a key that TLS cannot use
    │   ├── BadSetting       (app) an environment variable with an invalid value
    │   ├── ReplayError      (replay.games) a recording that cannot be replayed
    │   ├── JournalError     a journal that is unusable, or unusable for this game
    │   └── JournalFailed    the disk failed while a journal recorded a game: the game stops
    │       ├── LogFull      no space for the applied commands: nothing was written, and the commit can be retried
    │       └── Deposed      (cluster.protocol) another process owns the game now
    ├── LinkLost             (cluster.protocol) the connection to Redis broke before the answer
    ├── RedisRefused         (cluster.protocol) Redis answered with an error
    └── GameStopped          the game's owner task has ended; the request gets no answer
        ├── GameClosed       the game was closed on purpose
        └── GameMoved        another process owns the game now, or will soon own it

The rules return an error as a value in a `Refused` outcome; only `Actor.ask` raises it, in the task of the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar


class ScrambleError(Exception):
    """Root of all errors that scramble raises on purpose.

    `code` is a stable word for programs, `status` the matching HTTP status; `str(error)` is a
    sentence for people. `params` has the values in the sentence, for programs with their own words.
    """

    code: str = "error"  # usually one for each class; a refusal class with several reasons has one for each reason
    status: ClassVar[int] = 500
    params: Mapping[str, str | int] = MappingProxyType({})


class CallerError(ScrambleError):
    """A mistake of the caller: the game continues as if there were no request, unless the rules say otherwise."""

    code = "bad-request"
    status = 400


class InvalidCommand(CallerError):
    """A malformed, out-of-range or unknown command. Nothing has changed, not even the player's turn."""

    code = "invalid"
    status = 400


class Refusal(CallerError):
    """A well-formed command that the rules of the game refuse."""

    code = "refused"
    status = 409


class DiskFull(Refusal):
    """The command cannot be recorded, because the disk, or the game's share of the disk, is full. Nothing has changed.

    The game continues: looking and leaving still work, and moves work again as soon as there is space.
    """

    code = "disk-full"
    status = 507


class GameStopped(ScrambleError):
    """The game's owner task has ended, so the request gets no answer. The command may or may not have happened."""

    code = "stopped"
    status = 503


class GameClosed(GameStopped):
    """The game was closed on purpose, before the request or while the request waited."""

    code = "closed"


class GameMoved(GameStopped):
    """Another process of the cluster owns the game now, or will soon own it.

    The caller has to enter the game again, to send requests to the new owner. A command without an answer may or may
    not have happened.
    """

    code = "moved"


class OperatorError(ScrambleError):
    """An invalid file, address or setting. The operator gets one line without a traceback."""

    code = "operator"

    def for_operator(self) -> str:
        """Return the line for the operator."""
        return str(self)


class FileFormatError(OperatorError):
    """A file with a syntax error: has the file, the line (from 1) and the reason with the expected syntax.

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
    """An unreadable file or folder, or one without content to play with."""

    code = "cannot-read"


class CannotListen(OperatorError, OSError):
    """An address that is taken, not this machine's, or unknown; `str(error)` is one line with the reason."""

    code = "cannot-listen"


class JournalError(OperatorError):
    """An unusable journal: damaged, of another game, of a newer format, or in use. It has not been changed."""

    code = "bad-journal"


class JournalFailed(OperatorError):
    """The disk failed, or is full, while a game was running. Unanswered commands may or may not have happened.

    `file` is the journal, if known. Players see only the reason. `stops` is the class of the players' errors.
    """

    code = "journal-failed"
    stops: ClassVar[type[GameStopped]] = GameStopped

    def __init__(self, reason: str, file: Path | None = None) -> None:
        self.file = file
        super().__init__(reason)

    def for_operator(self) -> str:
        """Return the reason with the file; players do not see the file."""
        return str(self) if self.file is None else f"{self.file}: {self}"


class LogFull(JournalFailed):
    """There is no space for the applied commands. Nothing was written, and the commit can be retried."""

    code = "log-full"


def leaves(error: BaseException) -> list[BaseException]:
    """Return the exceptions in a group and its nested groups, in order. For a plain exception, return only it."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for inner in error.exceptions for leaf in leaves(inner)]
