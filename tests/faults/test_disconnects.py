"""Disconnects at every moment: a conversation is cut at each byte, by FIN, RST and half-close.

Partitions:
- the game and the front end: HTTP, WebSocket and telnet, as far as each game has them
- where: at every byte, right after it was sent; and where an answer is due, after it has come
- how: both directions, a reset, the client's direction only
- what the leaver would get: a card that it waits for, a match that it plays, nothing

What must follow: no task of the server is left, nobody who has left waits, is present or wins, half a message does
nothing, the next player is served, and nothing is logged.
"""

from __future__ import annotations

import pytest

from tests.faults.disconnects import CONVERSATIONS
from tests.torture.figures import report


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_player_who_vanishes_at_any_byte_leaves_nothing_behind(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    count = await CONVERSATIONS[name]()
    assert capfd.readouterr().err == ""
    report("faults", {f"connections broken, {name}": f"{count:,}"})
