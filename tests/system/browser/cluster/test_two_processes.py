"""Players in one room with pages from two processes of a cluster, while the owner and Redis stop and restart.

Testing strategy. There is a room of Memory Scramble, a room of Minesweeper and a crossword. In each room, ann is at the
first process and bob at the second. The owner is killed and restarted on its port. The new owner is terminated and
restarted. Redis is killed and restarted. Each time both play on in all rooms and see each other's moves. A page whose
own process continues has shown one quiet line in the meantime.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.system.browser.conftest import NewContext
from tests.system.browser.minesweeper.player import Player
from tests.system.browser.rooms.visitor import Visitor

pytestmark = [pytest.mark.browser, needs_redis]

DURABLE = {"appendonly": "yes", "appendfsync": "always"}
BOARD = "4x4\n" + "".join(f"{card}\n" for card in "ABCDEFGHABCDEFGH")
FIELD = "6 3\n0 0 0 0 0 0\n0 1 0 0 1 0\n0 0 0 0 0 0\n"  # every square without a bomb is beside one
SQUARES = [(x, y) for y in (0, 2) for x in range(6)]
WORDS = list(enumerate(("pepper", "plate", "sieve", "stove", "basil", "butter", "flour", "ginger"), 1))  # of a puzzle
ONE_MOMENT = "One moment: the game goes on at once."
KEEP_LINES = """() => {
    const line = document.querySelector("#next > p");
    window.lines = [];
    new MutationObserver(() => window.lines.push(line.textContent)).observe(
        line, { childList: true, characterData: true, subtree: true },
    );
}"""
TRIES = 20  # per move: a move during the owner's death may be lost
SEEN_MS = 3_000  # the time for the other player to see a move, before the next try


class Tables:
    """The rooms and their six pages."""

    def __init__(self, ports: tuple[int, int], new_context: NewContext) -> None:
        lobbies = [f"http://127.0.0.1:{port}" for port in ports]
        pages = [new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce") for _ in range(6)]
        self.ann, self.bob = (
            Visitor(context.new_page(), lobby) for context, lobby in zip(pages[:2], lobbies, strict=True)
        )
        room = opened(lobbies[0], {"game": "memory", "settings": {"board": BOARD}})
        self.ann.join(f"{lobbies[0]}/g/{room}", "ann")
        self.bob.join(f"{lobbies[1]}/g/{room}", "bob")
        field = opened(lobbies[0], {"game": "minesweeper", "settings": {"field": FIELD}})
        self.diggers = [
            Player(context.new_page(), f"{lobby}/g/{field}", name)
            for context, lobby, name in zip(pages[2:4], lobbies, ("ann", "bob"), strict=True)
        ]
        match = opened(lobbies[0], {"game": "crossword", "settings": {"puzzle": "kitchen"}})
        self.solvers = [context.new_page() for context in pages[4:]]
        for solver, lobby, name in zip(self.solvers, lobbies, ("ann", "bob"), strict=True):
            solver.goto(f"{lobby}/g/{match}")
            solver.locator("#join-name").fill(name)
            solver.locator("#join-go").click()
        self._words = iter(WORDS)
        self._cards = iter([(row, column) for row in range(4) for column in range(4)])
        self._squares = iter(SQUARES)
        self._left = len(SQUARES) + 4

    @property
    def pages(self) -> list[tuple[Page, Page]]:
        """Ann's and bob's page in each room with a line in the middle of the page."""
        return [(self.ann.page, self.bob.page), (self.diggers[0].page, self.diggers[1].page)]

    def all_play(self) -> None:
        """Each player makes a move, and the other player sees it."""
        self._flip(self.ann, self.bob)
        self._flip(self.bob, self.ann)
        first, second = self.diggers
        self._dig(first, second)
        self._dig(second, first)
        ann, bob = self.solvers
        self._enter(ann, bob)
        self._enter(bob, ann)

    def _enter(self, solver: Page, other: Page) -> None:
        number, word = next(self._words)

        def seen() -> None:
            clue = other.locator(f'.clue[data-word="{number}"]')
            expect(clue).to_contain_text(word, timeout=SEEN_MS)

        until_seen(lambda: say(solver, f"TRY {number} {word}"), seen)

    def _flip(self, player: Visitor, other: Visitor) -> None:
        row, column = next(self._cards)

        def seen() -> None:
            expect(other.cell(row, column)).to_have_attribute("data-is", "up", timeout=SEEN_MS)

        until_seen(player.cell(row, column).click, seen)

    def _dig(self, player: Player, other: Player) -> None:
        x, y = next(self._squares)
        self._left -= 1
        left = re.compile(f"^{self._left} squares? to dig")

        def seen() -> None:
            expect(other.page.locator("#counts")).to_have_text(left, timeout=SEEN_MS)

        until_seen(lambda: player.click(x, y), seen)


def opened(lobby: str, room: dict[str, object]) -> str:
    return str(httpx.post(f"{lobby}/rooms", json=room, timeout=None).json()["room"])


def say(page: Page, line: str) -> None:
    """Type a command into the folded text box."""
    page.locator("#console-fold").evaluate("fold => { fold.open = true; }")
    command = page.locator("#command")
    command.fill(line)
    command.press("Enter")


def until_seen(move: Callable[[], None], seen: Callable[[], None]) -> None:
    for _ in range(TRIES):
        move()
        try:
            return seen()
        except AssertionError:
            pass
    seen()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path, DURABLE) as redis:
        yield redis


@pytest.fixture
def fleet(redis: RedisServer) -> Iterator[Fleet]:
    with Fleet(2, lambda _: ("serve", "--cluster", redis.url)) as fleet:
        yield fleet


def test_pages_at_two_processes_play_on_when_the_owner_dies_or_ends_and_redis_is_started_again(
    redis: RedisServer, fleet: Fleet, new_context: NewContext
) -> None:
    first, second = fleet.members
    tables = Tables((first.port, second.port), new_context)
    tables.all_play()

    def keep_lines() -> None:
        for pair in tables.pages:
            for page in pair:
                page.evaluate(KEEP_LINES)

    def expect_one_moment(*pages: Page) -> None:
        for page in pages:
            assert ONE_MOMENT in page.evaluate("window.lines")

    keep_lines()
    first.kill()  # the process that opened the rooms owns them
    first.start()
    tables.all_play()
    expect_one_moment(*(bobs for _, bobs in tables.pages))
    keep_lines()
    assert second.terminate() == 0
    second.start()
    tables.all_play()
    expect_one_moment(*(anns for anns, _ in tables.pages))
    keep_lines()
    redis.kill()
    redis.start()
    tables.all_play()
    for pair in tables.pages:  # at the owner only a move may be a little slow
        assert any(ONE_MOMENT in page.evaluate("window.lines") for page in pair)
    assert [digger.complaints for digger in tables.diggers] == [[], []]
