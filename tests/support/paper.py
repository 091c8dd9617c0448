"""A log for tests of the kernel: it stores its entries, and commits when the test allows it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import trio

from scramble.errors import DiskFull, InvalidCommand, JournalFailed, LogFull
from scramble.kernel.protocol import Command, Outcome, Ticket


class Paper:
    """Implements `core.Log`. `committed` has the committed entries, batch by batch. `open_gate` lets commits return."""

    def __init__(self, *, held: bool = False, first_ticket: int = 0) -> None:
        self.first_ticket = Ticket(first_ticket)
        self.committed: list[list[tuple[Ticket, str]]] = []
        self.added: list[tuple[Ticket, str]] = []
        self.broken = False
        self.finished = False
        self.full = False
        self.no_space = False  # True: no space for applied commands
        self._gate = trio.Event()
        if not held:
            self._gate.set()

    @property
    def words(self) -> Sequence[str]:
        """The committed commands, without tickets and batches."""
        return [word for batch in self.committed for _, word in batch]

    def open_gate(self) -> None:
        self._gate.set()

    def close_gate(self) -> None:
        self._gate = trio.Event()

    def prepare(self, command: Command[object], /, *, urgent: bool = False) -> tuple[Command[object], bytes]:
        if self.full and not urgent:
            raise DiskFull("there is no room")
        try:
            return command, msgspec.json.encode(command)
        except UnicodeEncodeError as error:
            raise InvalidCommand("cannot be written down") from error

    def add(self, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome], /) -> None:
        fields = msgspec.json.decode(prepared)
        self.added.append((ticket, f"{fields['type']} {fields.get('word', '')}".strip()))

    async def commit(self) -> None:
        if self.no_space:
            raise LogFull("the disk is full")
        if self.added:
            batch, self.added = self.added, []
            await self._gate.wait()
            if self.broken:
                raise JournalFailed("the disk is full")
            self.committed.append(batch)

    def finish(self) -> None:
        self.finished = True
