"""The projector's screen of a room, in a real Chromium.

Testing strategy. The players are programs with names of their own, so that a test needs only one page.

- each game, on 1920 x 1080: the code covers the board until the first move; names have 48 px or more; then the board is
  visible, with a small code and the players by points; the leader has a crown; `audit` in both states:
  test_the_code_covers_*
- many players on three screens: all visible rows are whole, the rest are a number, a long name has two lines:
  test_many_players_*
- a new leader: the rows move, but not under reduced motion: test_rows_*
- the end: the winner and the table; the next game with its countdown, and the code again: test_the_result_*

test_room.py has the parts of the page that the screen does not have. test_looks.py audits it, too.
"""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Final

import pytest
from playwright.sync_api import Locator, expect

from tests.system.browser.audit import audit
from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser

SCREENS: Final = ((1280, 720), (1920, 1080), (3840, 2160))
LEAST_NAME: Final = 48 / 1920  # of the window's width: names of 48 px on 1920 px
BOARD: Final = "2x4\nA\nA\nB\nB\nC\nC\nD\nD\n"
FIELD: Final = "5 3\n0 0 0 0 1\n0 0 0 0 1\n0 0 0 0 1\n"
GAMES: Final = {
    "memory": {"board": BOARD},
    "minesweeper": {"field": FIELD},
    "crossword": {"source": CATS},
}

CONNECT: Final = """async ([address, names]) => {
    window.players ??= {};
    for (const name of names) {
        const socket = new WebSocket(`${address.replace("http", "ws")}/play/${name}`);
        window.players[name] = socket;
        await new Promise((done) => socket.addEventListener("message", done, { once: true }));
    }
}"""
SEND: Final = "([name, text]) => window.players[name].send(text)"

# The element in the middle of the board: a part of the code or of the board.
COVERS: Final = """() => {
    const { x, y, width, height } = document.querySelector(".frame").getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2)?.closest(".poster") !== null;
}"""
FONT_PX: Final = "part => parseFloat(getComputedStyle(part).fontSize)"
LINES: Final = "part => Math.round(part.clientHeight / parseFloat(getComputedStyle(part).lineHeight))"

# The parts that leave their frame: hidden rows have no box.
CUT: Final = """(frame) => {
    const { bottom } = frame.getBoundingClientRect();
    return [...frame.querySelectorAll("tr, p")].filter((row) => row.getBoundingClientRect().bottom > bottom + 1).length;
}"""

COUNT_MOVES: Final = """
    window.moves = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        if (this.matches(".standing")) window.moves += 1;
        return animate.apply(this, given);
    };
"""

# Notes the sizes of the digits of a countdown. The time of the server seems to stand still, as in test_ending.py.
NOTE_DIGITS: Final = """
    window.digits = {};
    new MutationObserver(() => {
        const digit = document.querySelector(".countdown-digit");
        if (digit?.textContent) window.digits[digit.textContent] = parseFloat(getComputedStyle(digit).fontSize);
    }).observe(document, { childList: true, subtree: true });
    const get = Headers.prototype.get;
    Headers.prototype.get = function (name) { return name === "Date" ? %s : get.call(this, name); };
"""


class Players:
    """Programs that play in a room, by WebSockets of a page that shows something else."""

    def __init__(self, visitor: Visitor, address: str) -> None:
        self._page: Final = visitor.page
        self.address: Final = address
        self._moves = 0

    def join(self, *names: str) -> None:
        self._page.evaluate(CONNECT, [self.address, list(names)])

    def flip(self, name: str, *places: str) -> None:
        """Turn over cards of Memory Scramble, one after another."""
        for place in places:
            answer = self._page.request.get(f"{self.address}/flip/{name}/{place}")
            assert answer.ok, answer.text()

    def dig(self, name: str, x: int, y: int) -> None:
        self._moves += 1
        self.say(name, json.dumps({"id": self._moves, "type": "dig", "x": x, "y": y}))

    def say(self, name: str, text: str) -> None:
        self._page.evaluate(SEND, [name, text])


def open_screen(visit: Visit, game: str = "memory", size: tuple[int, int] = (1920, 1080)) -> tuple[Visitor, Players]:
    """Open a room and its screen. Return the screen, and the players."""
    host, screen = visit(), visit()
    address = host.open(game, settings=GAMES[game], names="open")
    host.page.goto(host.url)
    screen.page.set_viewport_size({"width": size[0], "height": size[1]})
    screen.page.goto(f"{address}/screen")
    expect(screen.page.get_by_role("img", name="QR code")).to_be_visible()
    return screen, Players(host, address)


def rows(screen: Visitor) -> Locator:
    return screen.page.locator(".standing:visible")


def code_px(screen: Visitor) -> float:
    """The width of the code."""
    box = screen.page.locator(".qr:visible").bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(box["height"], abs=1)
    return box["width"]


def make_first_moves(game: str, players: Players) -> None:
    """Let ann win the first point of a game."""
    if game == "memory":
        players.flip("ann", "0,0", "0,1", "1,0")
    elif game == "minesweeper":
        players.dig("ann", 0, 0)
    else:
        players.say("ann", "TRY 1 cat")


@pytest.mark.parametrize("game", GAMES)
def test_the_code_covers_the_board_until_the_first_move(visit: Visit, game: str) -> None:
    screen, players = open_screen(visit, game)
    players.join("bob", "ann")
    expect(rows(screen)).to_have_count(2)
    expect(screen.page.locator(".frame [role=gridcell]").first).to_be_attached()
    assert screen.page.evaluate(COVERS)
    assert code_px(screen) >= 400
    expect(screen.page.locator(".poster-link")).to_have_text(players.address.removeprefix("http://"))
    expect(screen.page.locator(".standing-points").first).to_be_hidden()
    for name in screen.page.locator(".standing .chip-name").all():
        assert name.evaluate(FONT_PX) >= 48
    audit(screen.page, f"{game} before the first move")

    make_first_moves(game, players)
    expect(screen.page.locator(".standing-points").first).to_be_visible()
    expect(rows(screen)).to_have_count(2)
    assert not screen.page.evaluate(COVERS)
    assert 160 <= code_px(screen) < 400
    leader = rows(screen).first
    expect(leader.locator(".chip-name")).to_have_text("ann")
    expect(leader.locator(".standing-place")).to_have_text("1")
    expect(rows(screen).last.locator(".standing-place")).to_have_text("2")
    expect(rows(screen).last.locator(".standing-points")).to_have_text("0")
    crowns = screen.page.evaluate(
        "[...document.querySelectorAll('.standing .chip')].map(chip => getComputedStyle(chip, '::before').content)"
    )
    assert ["👑" in crown for crown in crowns] == [True, False]
    assert leader.locator(".chip-name").evaluate(FONT_PX) >= 48
    audit(screen.page, f"{game} after the first move")


@pytest.mark.parametrize("size", SCREENS, ids=lambda size: f"{size[0]}x{size[1]}")
def test_many_players_are_whole_rows_and_a_number(visit: Visit, size: tuple[int, int]) -> None:
    screen, players = open_screen(visit, size=size)
    long = "Wilhelmina_Wilhelmina"[:20]
    others = [f"player_{number}" for number in range(1, 24)]
    players.join(long, *others)
    players.flip(long, "0,0", "0,1", "0,2")
    expect(rows(screen).first.locator(".chip-name")).to_have_text(long)
    more = screen.page.locator(".standings-more:visible")
    expect(more).to_be_visible()
    shown = rows(screen).count()
    assert 4 < shown < 24
    expect(more).to_have_text(f"and {24 - shown} others")
    assert screen.page.locator(".standings-frame").evaluate(CUT) == 0
    name = rows(screen).first.locator(".chip-name")
    assert name.evaluate(FONT_PX) >= LEAST_NAME * size[0]
    assert name.evaluate(LINES) == 2
    assert code_px(screen) >= 160


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_rows_move_to_their_places_unless_motion_is_reduced(visit: Visit, motion: str) -> None:
    host, screen = visit(), visit()
    screen.page.emulate_media(reduced_motion="reduce" if motion == "reduce" else "no-preference")
    screen.page.add_init_script(COUNT_MOVES)
    address = host.open(settings=GAMES["memory"], names="open")
    host.page.goto(host.url)
    players = Players(host, address)
    players.join("ann", "bob")
    players.flip("ann", "0,0", "0,1", "0,2")
    screen.page.goto(f"{address}/screen")
    expect(rows(screen).first.locator(".chip-name")).to_have_text("ann")
    expect(rows(screen)).to_have_count(2)
    before = screen.page.evaluate("window.moves")
    players.flip("bob", "1,0", "1,1", "1,2", "1,3", "0,3")
    expect(rows(screen).first.locator(".chip-name")).to_have_text("bob")
    assert (screen.page.evaluate("window.moves") > before) == (motion != "reduce")


def test_the_result_is_large_and_the_next_game_begins_with_the_code(visit: Visit) -> None:
    host, screen = visit(alone=True), visit(alone=True)
    screen.page.set_viewport_size({"width": 1920, "height": 1080})
    screen.page.add_init_script(NOTE_DIGITS % json.dumps(formatdate(usegmt=True)))
    address = host.open(settings=GAMES["memory"], names="open")
    host.page.goto(host.url)
    players = Players(host, address)
    players.join("ann", "bob")
    screen.page.goto(f"{address}/screen")
    expect(rows(screen)).to_have_count(2)
    players.flip("bob", "0,0", "0,1")
    players.flip("ann", "0,2", "0,3", "1,0", "1,1", "1,2", "1,3")
    expect(screen.ending.get_by_role("heading")).to_have_text("ann has won")
    assert screen.ending.get_by_role("heading").evaluate(FONT_PX) >= 72
    for name in screen.ending.locator("tbody .chip-name").all():
        assert name.evaluate(FONT_PX) >= 48
    expect(screen.ending.locator('[data-player="ann"] > td').first).to_have_text("3")
    audit(screen.page, "the result on a projector")

    again = host.page.request.post(f"{address}/again", data={})
    assert again.status == 201, again.text()
    screen.move_along(address)
    screen.page.wait_for_function("() => '1' in window.digits && document.querySelector('.countdown') === null")
    assert min(screen.page.evaluate("Object.values(window.digits)")) >= 400
    assert code_px(screen) >= 400
    expect(screen.ending).to_be_hidden()
