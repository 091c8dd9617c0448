"""A game for tests of the kernel: a waiting room. People may wait in it, and others may let them out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from scramble.errors import Refusal
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw


class Echo(Command[str], frozen=True):
    """Return the word at once, and publish it as an event."""

    word: str


class Wait(Command[str], frozen=True):
    """Wait until a `LetOut`; return both words."""

    word: str


class LetOut(Command[int], frozen=True):
    """Answer the `count` longest-waiting requests; return the number of answered requests."""

    word: str
    count: int = 1


class SendAway(Command[int], frozen=True):
    """Refuse all waiting requests; return their number."""


class Crash(Command[None], frozen=True):
    """Raise an exception, like a bug."""


class Said(Event, frozen=True):
    word: str


class Left(Event, frozen=True):
    """A waiting request was withdrawn."""

    word: str


class SentAway(Refusal):
    code = "sent-away"


class WaitingRoom:
    """Implements `core.Recordable`. `log` lists the words of all executed commands; tests read it after the end.

    `log` is part of the state, so a command with a word changes the state.
    """

    def __init__(self) -> None:
        self.version = 0
        self.revision = 0
        self.log: list[str] = []
        self.waiting: OrderedDict[Ticket, str] = OrderedDict()

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        match command:
            case Echo(word):
                self._say(word)
                self.version += 1
                return [Said(word), Answered(ticket, word)]
            case Wait(word):
                self._say(word)
                self.waiting[ticket] = word
                return []
            case LetOut(word, count):
                self._say(word)
                out = [self.waiting.popitem(last=False) for _ in range(min(count, len(self.waiting)))]
                return [*(Answered(t, f"{w} let out by {word}") for t, w in out), Answered(ticket, len(out))]
            case SendAway():
                gone = list(self.waiting)
                self.waiting.clear()
                self.revision += bool(gone)
                return [*(Refused(t, SentAway("go away")) for t in gone), Answered(ticket, len(gone))]
            case Withdraw():
                left = self.waiting.pop(ticket, None)
                self.revision += left is not None
                self.log.append(f"withdraw {left}")
                return [] if left is None else [Left(left)]
            case Crash():
                raise ZeroDivisionError("a bug")
            case _:
                raise AssertionError(f"not a command of this game: {command}")

    def _say(self, word: str) -> None:
        self.log.append(word)
        self.revision += 1
