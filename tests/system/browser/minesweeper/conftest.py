"""Fixtures of Minesweeper's page tests: a field, its server, and players who join."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.process import ServerProcess
from tests.system.browser.conftest import NewContext, Serve, without_complaints
from tests.system.browser.minesweeper.player import Join, Player, Through

# Bombs in two corners:  0 0 0 1 *
#                        0 0 0 2 2
#                        0 0 0 1 *
FIELD = "5 3\n0 0 0 0 1\n0 0 0 0 0\n0 0 0 0 1\n"

# On this field neither the flood from the left nor the first boom opens the last square:  0 0 1 2 *
#                                                                                0 0 1 * 3
#                                                                                0 0 1 2 *
LONG = "5 3\n0 0 0 0 1\n0 0 0 1 0\n0 0 0 0 1\n"


class ServeField(Protocol):
    """Starts a server of a field. Without `--port` it has no telnet."""

    def __call__(self, field: str, *arguments: str, http_port: int = 0) -> ServerProcess: ...


@pytest.fixture
def serve_field(serve: Serve, tmp_path: Path) -> ServeField:
    """Serves a field in the handout's format: `serve_field(FIELD, "--debug")`."""

    def serve_field(field: str, *arguments: str, http_port: int = 0) -> ServerProcess:
        path = tmp_path / "field.txt"
        path.write_text(field)
        telnet = () if "--port" in arguments else ("--no-telnet",)
        return serve("minesweeper", *telnet, "--http-port", str(http_port), "--file", str(path), *arguments)

    return serve_field


@pytest.fixture
def join(new_context: NewContext) -> Iterator[Join]:
    """Joins under a name, each player in its own browser. At the end the test checks that no page has a problem."""
    players: list[Player] = []

    def join(name: str, server: ServerProcess, *, phone: bool = False, through: Through | None = None) -> Player:
        if phone:
            context = new_context(
                viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
            )
        else:
            context = new_context(reduced_motion="reduce")
        page = context.new_page()
        if through is not None:
            page.route_web_socket(re.compile("/play/"), through)
        players.append(Player(page, server.url, name))
        return players[-1]

    with without_complaints(players):
        yield join
