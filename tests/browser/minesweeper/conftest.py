"""What the tests of Minesweeper's page share: a field, its server, and players who join."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import Serve, Server
from tests.browser.minesweeper.player import Join, Player

# Bombs in two corners:  0 0 0 1 *
#                        0 0 0 2 2
#                        0 0 0 1 *
FIELD = "5 3\n0 0 0 0 1\n0 0 0 0 0\n0 0 0 0 1\n"


@pytest.fixture
def join(browser: Browser) -> Iterator[Join]:
    """Joins under a name, each player in a browser of their own; in the end no page may have complained."""
    contexts: list[BrowserContext] = []
    players: list[Player] = []

    def join(name: str, server: Server, *, phone: bool = False) -> Player:
        if phone:
            context = browser.new_context(
                viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
            )
        else:
            context = browser.new_context(reduced_motion="reduce")
        contexts.append(context)
        players.append(Player(context.new_page(), server.url, name))
        return players[-1]

    yield join
    for context in contexts:
        context.close()
    assert [player.complaints for player in players] == [[]] * len(players)


@pytest.fixture
def field_file(tmp_path: Path) -> Path:
    path = tmp_path / "field.txt"
    path.write_text(FIELD)
    return path


@pytest.fixture
def server(serve: Serve, field_file: Path) -> Server:
    return serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field_file))
