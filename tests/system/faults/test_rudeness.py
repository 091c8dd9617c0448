"""Slow readers, floods and slow writers at real servers of all three games, beside one normal player.

Partitions:
- the game; WebSocket, HTTP, telnet
- a client that does not read while the server sends many boards, or many changes
- a flood: of moves, nonsense, long frames, pings, fragments; of requests on one connection and on many; an endless
  line, header, body, series of telnet commands
- a slow writer: of a request, of frames, of a line

Expected: every move of the normal player is answered, memory stays below a limit, and no fault is logged. No connection
is left after the rude clients have disconnected.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.figures import report
from tests.support.rudeness import GAMES, siege

SCALE = 0.1  # the size of the attacks, compared to the long form


@pytest.mark.parametrize("game", GAMES)
async def test_nobody_who_plays_is_hurt_by_those_who_do_not_read_or_flood_or_write_byte_by_byte(
    game: str, tmp_path: Path
) -> None:
    report("faults", await siege(game, tmp_path, scale=SCALE))
