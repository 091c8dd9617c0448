"""Pages whose own process dies or has no Redis: their messages, and their state afterwards.

Testing strategy. Pages of all three games and of the lobby connect through a balancer to one of two processes, the
owner of the rooms. The process is killed. Redis is paused and continues. In the meantime each page shows one line and
no toast, and after that everything is as before. Tests with one process check the messages about a loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.support.cluster.balancer import Balancer
from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.system.browser.cluster.test_two_processes import BOARD, FIELD, opened
from tests.system.browser.conftest import NewContext
from tests.system.browser.patience import be_patient

pytestmark = [pytest.mark.browser, needs_redis]

GAMES: Final[dict[str, dict[str, object]]] = {
    "memory": {"game": "memory", "settings": {"board": BOARD}},
    "minesweeper": {"game": "minesweeper", "settings": {"field": FIELD}},
    "crossword": {"game": "crossword"},
}
LINES: Final = {"memory": "#next > p", "minesweeper": "#next > p", "crossword": "#clue-hint"}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
DESK: Final[ViewportSize] = {"width": 1280, "height": 800}

KEEP_ALL: Final = """(line) => {
    window.kept = [];
    const look = () => {
        const said = document.querySelector(line)?.textContent;
        const word = document.querySelector("#link .word").textContent;
        const toasts = [...document.querySelectorAll(".toast")].map((toast) => toast.textContent);
        window.kept.push([document.querySelector("#link").dataset.state, word, said, ...toasts]);
    };
    look();
    new MutationObserver(look).observe(document.body, {
        attributeFilter: ["data-state"], childList: true, characterData: true, subtree: true,
    });
}"""
HAS_WAITED: Final = """async () => {
    const has = () => window.kept.some(([state]) => state === "slow" || state === "moving");
    for (const end = performance.now() + 60_000; !has() && performance.now() < end; )
        await new Promise((go) => setTimeout(go, 20));
    return has();
}"""
QUIET: Final = {"online": "Connected", "slow": "One moment…", "moving": "One moment…"}
GOES_ON: Final = "One moment: the game goes on at once."


class Seen:
    """A page, and its connection messages from some moment on."""

    def __init__(self, page: Page, game: str) -> None:
        self.page: Final = page
        self.line: Final = LINES.get(game, "#none")
        self._log = ""
        self._before = ""

    def begin(self) -> None:
        """Record all messages from now on."""
        expect(self.page.locator("#link")).to_have_attribute("data-state", "online")
        self._log, self._before = self._texts("#log"), self._texts(self.line)
        self.page.evaluate(KEEP_ALL, self.line)

    def await_moment(self) -> None:
        """Wait for the message that it takes a moment."""
        assert self.page.evaluate(HAS_WAITED)

    def expect_one_quiet_line(self) -> None:
        """Check that the page is as before, and that its only message was that it takes a moment."""
        expect(self.page.locator("#link")).to_have_attribute("data-state", "online")
        if self._before:
            expect(self.page.locator(self.line)).to_have_text(self._before)
        kept = self.page.evaluate("window.kept")
        assert {(state, word) for state, word, *_ in kept} <= QUIET.items()
        assert [toasts for _, _, _, *toasts in kept if toasts] == []
        assert {said for _, _, said, *_ in kept} == ({self._before, GOES_ON} if self._before else {None})
        assert self._texts("#log") == self._log

    def _texts(self, selector: str) -> str:
        return "\n".join(self.page.locator(selector).all_text_contents())


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as redis:
        yield redis


@pytest.fixture
def fleet(redis: RedisServer) -> Iterator[Fleet]:
    with Fleet(2, lambda _: ("serve", "--cluster", redis.url)) as fleet:
        yield fleet


@pytest.fixture
def balancer(fleet: Fleet) -> Iterator[Balancer]:
    with Balancer([member.port for member in fleet.members]) as balancer:
        yield balancer


def play(new_context: NewContext, url: str, game: str, room: str, name: str, look: ViewportSize = DESK) -> Page:
    """Join a room, and return the page."""
    page = new_context(viewport=look, reduced_motion="reduce").new_page()
    be_patient(page)
    page.goto(f"{url}/g/{room}")
    page.locator("#join-name").fill(name)
    page.locator("#join").get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#link")).to_have_attribute("data-state", "online")
    return page


def pages_of_all(new_context: NewContext, url: str) -> dict[str, Seen]:
    """Ann's pages: a running game of all three kinds, and the lobby."""
    seen: dict[str, Seen] = {}
    for game, room in GAMES.items():
        name = opened(url, room)
        seen[game] = Seen(play(new_context, url, game, name, "ann", PHONE if game == "memory" else DESK), game)
        if game == "crossword":
            play(new_context, url, game, name, "bob")
            expect(seen[game].page.locator("#app")).to_have_attribute("data-state", "PLAY")
    lobby = new_context(viewport=PHONE).new_page()
    be_patient(lobby)
    lobby.goto(url)
    seen["lobby"] = Seen(lobby, "lobby")
    for one in seen.values():
        one.begin()
    return seen


def test_pages_say_one_quiet_line_when_their_own_process_is_killed_and_another_has_their_games(
    fleet: Fleet, balancer: Balancer, new_context: NewContext
) -> None:
    seen = pages_of_all(new_context, balancer.url)
    fleet.members[0].kill()
    for one in seen.values():
        one.await_moment()
        one.expect_one_quiet_line()


def test_pages_at_the_owner_say_so_while_redis_stands_still_and_when_that_is_over(
    redis: RedisServer, balancer: Balancer, new_context: NewContext
) -> None:
    seen = pages_of_all(new_context, balancer.url)
    redis.pause()
    try:
        for one in seen.values():
            one.await_moment()
    finally:
        redis.resume()
    for one in seen.values():
        one.expect_one_quiet_line()
