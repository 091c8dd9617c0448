"""Fixtures of Memory Scramble's page tests: a server, and players who join."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD, Join, Player


@pytest.fixture
def board(tmp_path: Path) -> Path:
    file = tmp_path / "board.txt"
    file.write_text(BOARD)
    return file


@pytest.fixture
def url(serve: Serve, board: Path) -> str:
    return serve("memory", "--port", "0", str(board)).url


@pytest.fixture
def join(new_context: NewContext, request: pytest.FixtureRequest) -> Join:
    """Joins under a name. Each player has its own browser, unless the test gives a context."""

    def join(name: str, url: str | None = None, context: BrowserContext | None = None) -> Player:
        return Player((context or new_context()).new_page(), url or request.getfixturevalue("url"), name)

    return join
