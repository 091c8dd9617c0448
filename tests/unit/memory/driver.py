"""A driver for tests of the rules: it plays on a Board and records the outcome of each request.

It also checks that each ticket is answered or refused at most once, and not after its withdrawal.
"""

from __future__ import annotations

from scramble.errors import CallerError
from scramble.kernel.protocol import Answered, Command, Event, Refused, Ticket, Withdraw
from scramble.memory.board import Board
from scramble.memory.messages import (
    Flip,
    FlipFailed,
    Flipped,
    Look,
    Snapshot,
    TakeSnapshot,
    View,
    Watch,
)


class Reply:
    """The state of one request."""

    def __init__(self, ticket: Ticket) -> None:
        self.ticket = ticket
        self.outcome: Answered | Refused | None = None

    @property
    def waits(self) -> bool:
        """True if the request has neither been answered nor refused."""
        return self.outcome is None

    @property
    def value(self) -> object:
        """The answer to the request."""
        assert isinstance(self.outcome, Answered)
        return self.outcome.value

    @property
    def error(self) -> CallerError:
        """The error of the refusal."""
        assert isinstance(self.outcome, Refused)
        return self.outcome.error

    @property
    def view(self) -> View:
        """The view of the board in the answer, or in the failure of a flip."""
        if isinstance(self.outcome, Refused):
            assert isinstance(self.error, FlipFailed)
            return self.error.view
        assert isinstance(self.value, View)
        return self.value

    @property
    def rule(self) -> str:
        """The rule of a flip's success or failure: "1-B ok", "1-A failed"; or "waits"."""
        if self.outcome is None:
            return "waits"
        if isinstance(self.outcome, Refused):
            assert isinstance(self.error, FlipFailed)
            return f"{self.error.rule} failed"
        assert isinstance(self.value, Flipped)
        return f"{self.value.rule} ok"


class Driver:
    """Sends commands to a board and collects outcomes."""

    def __init__(self, board: str | Board) -> None:
        """`board` is a Board, or its cards: rows separated by "/", cards by spaces."""
        self.board = board if isinstance(board, Board) else Board.parse(board_file(board))
        self.replies: dict[Ticket, Reply] = {}
        self.withdrawn: set[Ticket] = set()
        self.events: list[Event] = []  # of the latest command
        self.order: list[Ticket] = []  # the tickets that the latest command answered or refused

    def send(self, command: Command[object]) -> Reply:
        """Apply a command under a fresh ticket."""
        ticket = Ticket(len(self.replies) + 1)
        self.replies[ticket] = Reply(ticket)
        self.apply(ticket, command)
        return self.replies[ticket]

    def withdraw(self, reply: Reply) -> None:
        """Withdraw the request: its caller has left."""
        self.withdrawn.add(reply.ticket)
        self.apply(reply.ticket, Withdraw())

    def apply(self, ticket: Ticket, command: Command[object]) -> None:
        """Apply a command, and store its outcomes in the replies of their requests."""
        self.events, self.order = [], []
        for outcome in self.board.apply(ticket, command):
            if isinstance(outcome, Event):
                assert not self.order, "public events come before answers"
                self.events.append(outcome)
            else:
                reply = self.replies[outcome.ticket]
                assert reply.outcome is None, "no request is answered twice"
                assert outcome.ticket not in self.withdrawn, "no withdrawn request is answered"
                reply.outcome = outcome
                self.order.append(outcome.ticket)

    def flip(self, player: str, row: int, column: int) -> Reply:
        """Send a flip."""
        return self.send(Flip(player, row, column))

    def look(self, player: str) -> list[str]:
        """Return the player's view of the spots, without the sizes."""
        view = self.send(Look(player)).value
        assert isinstance(view, View)
        return view.text.splitlines()[1:]

    def watch(self, player: str, since: int | None = None) -> Reply:
        """Send a watch."""
        return self.send(Watch(player, since))

    def snapshot(self) -> Snapshot:
        """Return the public state."""
        value = self.send(TakeSnapshot()).value
        assert isinstance(value, Snapshot)
        return value


def board_file(cards: str) -> str:
    """Return the board file of "A B / C D": rows separated by "/", cards by spaces."""
    rows = [row.split() for row in cards.split("/")]
    lines = [f"{len(rows)}x{len(rows[0])}", *(card for row in rows for card in row)]
    return "".join(f"{line}\n" for line in lines)


def removed_pair(cards: str) -> Driver:
    """Return a game in which dave has removed the pair at (0, 0) and (0, 1) and controls nothing."""
    game = Driver(cards)
    game.flip("dave", 0, 0)
    assert game.flip("dave", 0, 1).rule == "2-D ok"
    assert game.flip("dave", 0, 0).rule == "1-A failed"
    assert game.look("dave")[:2] == ["none", "none"]
    return game
