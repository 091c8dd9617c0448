"""Rooms of all three games in a cluster, and two players with pages from two addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import httpx
from playwright.sync_api import BrowserContext, Page, expect

from tests.system.browser.cluster.watched import Watched
from tests.system.browser.conftest import NewContext
from tests.system.browser.crossword.player import say
from tests.system.browser.minesweeper.player import Player
from tests.system.browser.patience import be_patient
from tests.system.browser.rooms.visitor import Visitor

BOARD: Final = "4x4\n" + "".join(f"{card}\n" for card in "ABCDEFGHABCDEFGH")
FIELD: Final = "6 3\n0 0 0 0 0 0\n0 1 0 0 1 0\n0 0 0 0 0 0\n"  # every square without a bomb is beside a bomb
SQUARES: Final = [(x, y) for y in (0, 2) for x in range(6)]
WORDS: Final = ("pepper", "plate", "sieve", "stove", "basil", "butter", "flour", "ginger", "kettle")  # of "kitchen"
ROOMS: Final[tuple[dict[str, object], ...]] = (
    {"game": "memory", "settings": {"board": BOARD}},
    {"game": "minesweeper", "settings": {"field": FIELD}},
    {"game": "crossword", "settings": {"puzzle": "kitchen"}},
)
TRIES: Final = 20  # per move: a move during the owner's death may be lost
SEEN_MS: Final = 3_000  # during a fault, the time for the other player to see a move, before the next try


class Hand:
    """A player's browser with one page for each room, all from one address."""

    def __init__(self, name: str, lobby: str, rooms: tuple[str, ...], context: BrowserContext) -> None:
        memory, minesweeper, crossword = (f"{lobby}/g/{room}" for room in rooms)
        self.flipper: Final = Visitor(patient_page(context), lobby)
        self.flipper.join(memory, name)
        self.digger: Final = Player(patient_page(context), minesweeper, name)
        self.solver: Final = patient_page(context)
        self.solver.goto(crossword)
        self.solver.locator("#join-name").fill(name)
        self.solver.locator("#join-go").click()
        self.with_a_line: Final = [Watched(page, "#next > p") for page in (self.flipper.page, self.digger.page)]
        self.watched: Final = [*self.with_a_line, Watched(self.solver, "#clue-hint")]


class Tables:
    """The rooms, with ann at the first address and bob at the second."""

    def __init__(self, first: str, second: str, new_context: NewContext) -> None:
        rooms = tuple(opened(first, room) for room in ROOMS)
        browsers = [new_context(reduced_motion="reduce") for _ in range(2)]
        self.ann: Final = Hand("ann", first, rooms, browsers[0])
        self.bob: Final = Hand("bob", second, rooms, browsers[1])
        lobby = patient_page(browsers[0])
        lobby.goto(first)
        self.at_first: Final = [*self.ann.watched, Watched(lobby)]
        expect(self.ann.solver.locator("#app")).to_have_attribute("data-state", "PLAY")
        self._words: Final = enumerate(WORDS, 1)
        self._cards: Final = iter([(row, column) for row in range(4) for column in range(4)])
        self._squares: Final = iter(SQUARES)
        self._left = len(SQUARES) + 4

    def begin(self) -> None:
        """Record the messages of all pages from now on."""
        for one in (*self.at_first, *self.bob.watched):
            one.begin()

    def all_play(self) -> None:
        """Ann and bob make moves in all rooms."""
        self.play(self.ann, self.bob)
        self.play(self.bob, self.ann)

    def play(self, player: Hand, other: Hand, seen_ms: float = SEEN_MS) -> None:
        """The player makes a move in each room, and the other player sees it, at the latest after some tries."""
        self._flip(player.flipper, other.flipper, seen_ms)
        self._dig(player.digger, other.digger, seen_ms)
        self._enter(player.solver, other.solver, seen_ms)

    def _flip(self, player: Visitor, other: Visitor, seen_ms: float) -> None:
        row, column = next(self._cards)

        def seen() -> None:
            expect(other.cell(row, column)).to_have_attribute("data-is", "up", timeout=seen_ms)

        until_seen(player.cell(row, column).click, seen)

    def _dig(self, player: Player, other: Player, seen_ms: float) -> None:
        x, y = next(self._squares)
        self._left -= 1
        left = re.compile(f"^{self._left} squares? to dig")

        def seen() -> None:
            expect(other.page.locator("#counts")).to_have_text(left, timeout=seen_ms)

        until_seen(lambda: player.click(x, y), seen)

    def _enter(self, solver: Page, other: Page, seen_ms: float) -> None:
        number, word = next(self._words)

        def seen() -> None:
            clue = other.locator(f'.clue[data-word="{number}"]')
            expect(clue).to_contain_text(word, timeout=seen_ms)

        until_seen(lambda: say(solver, f"TRY {number} {word}"), seen)


def opened(lobby: str, room: dict[str, object]) -> str:
    return str(httpx.post(f"{lobby}/rooms", json=room, timeout=None).json()["room"])


def patient_page(context: BrowserContext) -> Page:
    page = context.new_page()
    be_patient(page)
    return page


def until_seen(move: Callable[[], None], seen: Callable[[], None]) -> None:
    for _ in range(TRIES):
        move()
        try:
            return seen()
        except AssertionError:
            pass
    seen()
