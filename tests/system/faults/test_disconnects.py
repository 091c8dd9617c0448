"""Disconnects at every moment: a conversation is cut at each byte, by FIN, RST and half-close.

Partitions:
- the game and the front end: HTTP, WebSocket and telnet, as far as the game has them
- the moment: right after each byte was sent; after an answer has arrived
- the cut: of both directions, a reset, of the client's direction only
- the disconnected player: waits for a card, plays a match, does neither

Expected: no task of the server is left. No disconnected player waits, is present or wins. Half a message has no
effect. The next player is served, and nothing is logged.
"""

from __future__ import annotations

from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.site import SiteConfig
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.cutting import census_of, frame, handshake, hear, reset_when_closed
from tests.support.figures import report
from tests.support.rudeness import deaf
from tests.system.faults.disconnects import CONVERSATIONS


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_player_who_vanishes_at_any_byte_leaves_nothing_behind(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    count = await CONVERSATIONS[name]()
    assert capfd.readouterr().err == ""
    report("faults", {f"connections broken, {name}": f"{count:,}"})


async def test_a_client_that_is_reset_with_every_queue_full_leaves_nothing_behind(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The client has sent more data than the server takes, and has read so little that the server waits to send."""
    async with open_field(Field(60, 60)) as game, trio.open_nursery() as nursery:
        site = SiteConfig(Protection(ServerLimits(frames=1e9, bad_frames=1e9)))
        web = await nursery.start(partial(serve_minesweeper_http, game, port=0, site=site))
        with census_of(nursery) as census:
            for kind in ('{"type":"flag","x":0,"y":0}', "nonsense"):
                before = census.count()
                async with deaf(web) as stream, trio.open_nursery() as sending:
                    await stream.send_all(handshake("/play/deaf"))
                    await hear(stream, b"\r\n\r\n")
                    sending.start_soon(stream.send_all, frame(kind) * 200_000)
                    await wait_all_tasks_blocked(0.05)
                    reset_when_closed(stream)
                    sending.cancel_scope.cancel()
                await census.back_to(before)
        assert (await game.snapshot()).players == ()
        nursery.cancel_scope.cancel()
    assert capfd.readouterr().err == ""
