"""A game for testing the kernel: a waiting room. People may wait in it, and others may let them out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from scramble.errors import Refusal
from scramble.kernel.protocol import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw


class Echo(Command[str], frozen=True):
    """Answered at once with its word, which becomes an event."""

    word: str


class Wait(Command[str], frozen=True):
    """Parked until somebody lets it out, and then answered with its own word and the one who did."""

    word: str


class LetOut(Command[int], frozen=True):
    """Answers the `count` longest-waiting; answered with how many there were."""

    word: str
    count: int = 1


class SendAway(Command[int], frozen=True):
    """Refuses everybody who waits; answered with how many that were."""


class Crash(Command[None], frozen=True):
    """A bug."""


class Said(Event, frozen=True):
    word: str


class Left(Event, frozen=True):
    """Somebody stopped waiting by going away."""

    word: str


class SentAway(Refusal):
    code = "sent-away"


class WaitingRoom:
    """Keeps `core.Recordable`. `log` lists the words of all commands applied, for tests to read once the owner is gone.

    It is part of the state: a command with a word of its own changes that.
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
