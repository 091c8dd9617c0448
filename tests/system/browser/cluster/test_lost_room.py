"""A page in a room while Redis loses all rooms."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ServerProcess
from tests.system.browser.conftest import NewContext
from tests.system.browser.rooms.visitor import Visitor

pytestmark = [pytest.mark.browser, needs_redis]


def test_a_player_reads_that_rooms_were_lost_and_that_this_may_be_one_of_them(
    tmp_path: Path, new_context: NewContext
) -> None:
    with RedisServer(tmp_path) as redis, ServerProcess("serve", "--cluster", redis.url, "--port", "0") as server:
        lobby = Visitor(new_context().new_page(), server.url)
        lobby.to_lobby()
        ann = Visitor(new_context().new_page(), server.url)
        ann.join(lobby.start_board(), "ann")
        ann.cell(0, 0).click()
        expect(ann.cell(0, 0)).to_have_attribute("data-is", "up")
        redis.ask("FLUSHALL")
        expect(ann.page.locator("#next")).to_contain_text(
            "This server has lost games, and it may have been one of them."
        )
