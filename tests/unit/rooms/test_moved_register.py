"""Awake rooms and a register that moves to another process, as in a cluster: its followers lose changes.

Partitions: during the move, another process closes the awake room; only another room changes.
tests/unit/cluster/test_rooms.py moves a real register.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
import trio.testing

from scramble.kernel.protocol import Answered, Command, Outcome, Ticket
from scramble.rooms import open_rooms
from scramble.rooms.register import Register
from scramble.rooms.registermessages import CloseRoom, LookAgain, RenameRoom
from tests.support.rooms.kinds import DIGGING


class MovedRegister(Register):
    """A register that moves at a rename. Meanwhile another process closes the room `closed`, if it is not empty.

    Followers get LookAgain in place of the changes.
    """

    closed = ""

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        outcomes = super().apply(ticket, command)
        if not isinstance(command, RenameRoom):
            return outcomes
        if MovedRegister.closed:
            super().apply(Ticket(-1), CloseRoom(MovedRegister.closed, 0.0))
        return (*(one for one in outcomes if isinstance(one, Answered)), LookAgain())


@pytest.mark.parametrize("closed", [False, True])
async def test_a_room_that_another_process_closed_while_the_register_moved_closes_here_and_no_other(
    closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.rooms.local.Register", MovedRegister)
    async with open_rooms(kinds=DIGGING) as rooms:
        name, other = [(await rooms.create("digging", {})).name for _ in range(2)]
        async with rooms.enter(name) as room:
            monkeypatch.setattr(MovedRegister, "closed", name if closed else "")
            await rooms.rename(other, "the register moves")
            await trio.testing.wait_all_tasks_blocked()
            assert room.record.state == ("closed" if closed else "open")
