"""Fixtures of the crossword's page tests: puzzles, one server, and players who join a match.

In every test the page sends requests only to the server, and the page's console has no errors (fixture `join`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process import ServerProcess
from tests.system.browser.conftest import NewContext, Serve, without_complaints
from tests.system.browser.crossword.player import Join, Meet, Player
from tests.system.browser.crossword.puzzles import CATS, SECRET, SIMPLE


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("puzzles")
    for name, text in (("simple", SIMPLE), ("cats", CATS), ("secret", SECRET)):
        (folder / f"{name}.puzzle").write_text(text)
    return folder


@pytest.fixture(scope="module")
def of_module(serve_module: Serve, puzzles: Path) -> ServerProcess:
    return serve_module("crossword", "--port", "0", "--telnet-port", "0", str(puzzles))


@pytest.fixture
def shared(request: pytest.FixtureRequest, serve: Serve, puzzles: Path) -> ServerProcess:
    """A server for all tests whose players have unique names. A repeated test gets another server."""
    if getattr(request.node, "execution_count", 1) > 1:
        return serve("crossword", "--port", "0", "--telnet-port", "0", str(puzzles))
    of_module: ServerProcess = request.getfixturevalue("of_module")
    return of_module


@pytest.fixture
def join(new_context: NewContext, shared: ServerProcess) -> Iterator[Join]:
    """Opens the page, each time in its own browser. At the end the test checks that no page has a problem."""
    players: list[Player] = []

    def join(server: ServerProcess | None = None, *, phone: bool = False) -> Player:
        if phone:
            context = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        else:
            context = new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        players.append(Player(context.new_page(), server or shared))
        return players[-1]

    with without_complaints(players):
        yield join


@pytest.fixture
def meet(join: Join) -> Meet:
    """Two players in a new match with the first player's name."""

    def meet(puzzle: str, first: str, second: str, server: ServerProcess | None = None) -> tuple[Player, Player]:
        one, two = join(server).log_in(first), join(server).log_in(second)
        one.start(puzzle, first)
        two.say(f"PLAY {first}")
        for player in (one, two):
            player.is_in("PLAY")
        return one, two

    return meet
