"""`python -m docs.images.take`: takes the pictures that README and docs show, from the real pages.

Run it at the top of a checkout, in an environment with the test extras. Each picture is a scene of its own: a server, a
few players in browsers of their own, some moves, and one of the pages.
"""

from __future__ import annotations

import random
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from scramble.crossword import Puzzle
from scramble.memory.messages import Flip
from scramble.memory.random_board import new_board
from scramble.minesweeper import Field
from tests.support.process import ROOT, ServerProcess
from tests.support.replay.files import write
from tests.support.replay.tape import memory as memory_tape
from tests.system.browser.conftest import CHROMIUM_ARGUMENTS
from tests.system.browser.crossword.player import say
from tests.system.browser.install import find_chromium

IMAGES = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}


def lobby(browser: Browser) -> None:
    """The lobby with three open games; zoe, whose page it is, plays in one of them."""

    def visit(name: str, path: str = "") -> Page:
        page = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]}).new_page()
        page.add_init_script(f"localStorage.setItem('scramble.name', '{name}')")
        page.goto(f"{server.url}{path}")
        return page

    def start(page: Page, game: str, title: str, *choices: str) -> str:
        page.locator(f'.card[data-game="{game}"]').get_by_role("button", name="Options").click()
        form = page.locator(f'.card[data-game="{game}"] .choices')
        for choice in (*choices, "Anybody"):
            form.get_by_label(choice).check()
        form.get_by_label("Name of the game").fill(title)
        form.get_by_role("button", name="Start").click()
        expect(page.get_by_role("dialog", name="Invite friends")).to_be_visible()
        return page.url.partition("/g/")[2].partition("#")[0]

    with ServerProcess("serve", "--port", "0", "--in-memory") as server:
        zoe, ann, bob = visit("zoe"), visit("ann"), visit("bob")
        friday = start(zoe, "memory", "Friday evening", "6 × 6")
        field = start(ann, "minesweeper", "Mind the bombs", "Intermediate")
        start(bob, "memory", "Big board, all welcome", "8 × 8", "Food")
        for name, path in (("carol", f"g/{friday}"), ("dave", f"g/{field}"), ("eve", f"g/{field}")):
            visit(name, path).get_by_role("button", name="Play", exact=True).click()
        visit("frank", f"g/{friday}?watch")
        mine = zoe.context.new_page()
        mine.goto(server.url)
        expect(mine.locator("#open-rooms")).to_contain_text("3 players")
        expect(mine.locator("#open-rooms")).to_contain_text("1 watching")
        expect(mine.locator("#my-rooms")).to_contain_text("2 players")
        expect(mine.locator("#live-players > li")).not_to_have_count(0)
        mine.screenshot(path=IMAGES / "lobby.png")


def memory(browser: Browser) -> None:
    """Three players in the middle of a game: alice, whose page it is, holds a card that carol waits for."""
    board = ROOT / "boards" / "memory" / "animals.txt"
    size, *cards = board.read_text().split()
    columns = int(size.split("x")[1])
    pairs = [[i for i, other in enumerate(cards) if other == card] for card in dict.fromkeys(cards)]

    def join(name: str) -> Page:
        page = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]}).new_page()
        page.goto(server.url)
        page.get_by_label("Your name", exact=True).fill(name)
        page.get_by_role("button", name="Play", exact=True).click()
        return page

    def flip(page: Page, index: int) -> None:
        cell = page.locator(f'[role=gridcell][data-row="{index // columns}"][data-column="{index % columns}"]')
        cell.click()
        expect(cell).not_to_have_attribute("data-is", "down")
        expect(cell).not_to_have_attribute("data-pending", "")

    with ServerProcess("memory", "--port", "0", str(board)) as server:
        alice, bob, carol = join("alice"), join("bob"), join("carol")
        for player, taken in (
            (alice, pairs[0]),
            (bob, pairs[5]),
            (carol, pairs[3]),
            (alice, pairs[8]),
            (bob, pairs[2]),
        ):
            for index in taken[:2]:
                flip(player, index)
        flip(alice, pairs[6][0])
        flip(carol, pairs[11][0])
        flip(carol, pairs[9][1])
        flip(carol, pairs[6][0])
        expect(alice.locator('[data-player="carol"]')).to_contain_text("waiting")
        expect(alice.locator(".ghost, .toast")).to_have_count(0)
        alice.screenshot(path=IMAGES / "memory.png")


def minesweeper(browser: Browser) -> None:
    """Two in browsers and one on telnet, who dig where no bomb can be; alice, whose page it is, has blown up once."""
    field = Field.random(20, 12, seed=3)
    bombs = set(field.bombs())

    def join(name: str) -> Page:
        page = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]}).new_page()
        page.goto(server.url)
        page.get_by_label("Your name", exact=True).fill(name)
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.locator(":focus[role=gridcell]")).to_be_visible()
        return page

    def click(page: Page, x: int, y: int, *, right: bool = False) -> None:
        box = page.locator(".minefield").bounding_box()
        assert box is not None
        cell = box["width"] / field.columns
        page.mouse.click(box["x"] + (x + 0.5) * cell, box["y"] + (y + 0.5) * cell, button="right" if right else "left")

    with ServerProcess("minesweeper", "--port", "0", "--http-port", "0", "--size", "20,12", "--seed", "3") as server:
        alice, bob = join("alice"), join("bob")
        telnet_line = alice.locator("#telnet-command")
        expect(telnet_line).not_to_be_empty()
        with (
            socket.create_connection(("127.0.0.1", int(telnet_line.inner_text().split()[-1]))) as telnet,
            telnet.makefile("rb") as lines,
        ):
            lines.readline()

            def type_in(line: str) -> None:
                telnet.sendall(f"{line}\r\n".encode())
                for _ in range(field.rows):
                    lines.readline()

            empty = [
                (x, y)
                for y in range(field.rows)
                for x in range(field.columns)
                if not any((x + i, y + j) in bombs for i in (-1, 0, 1) for j in (-1, 0, 1))
            ]
            for x, y in empty:
                type_in(f"dig {x} {y}")
            lone = max(bombs, key=lambda bomb: bomb[0])
            click(alice, *lone)
            alice.get_by_role("dialog").get_by_role("button", name="Rejoin").click()
            bombs.remove(lone)
            shown = sorted(bomb for bomb in bombs if sum(abs(bomb[0] - x) + abs(bomb[1] - y) < 4 for x, y in empty) > 3)
            for x, y in shown[::2]:
                click(bob, x, y, right=True)
            for x, y in shown[1::4]:
                click(alice, x, y, right=True)
            type_in(f"dig {shown[0][0]} {shown[0][1] - 1}")
            alice.mouse.move(5, 5)
            expect(alice.locator(".toast")).to_have_count(0, timeout=20_000)
            alice.screenshot(path=IMAGES / "minesweeper.png")


def crossword(browser: Browser) -> None:
    """ann, whose page it is, and bob in the middle of the large puzzle; ann has caught a wrong word of bob's."""
    puzzle = Puzzle.parse_from_file(ROOT / "boards" / "crossword" / "grand.puzzle")
    words = {number: entry.word for number, entry in enumerate(puzzle.entries, start=1)}

    def join(name: str) -> Page:
        page = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]}).new_page()
        page.goto(server.url)
        say(page, name)
        expect(page.locator("#matches")).to_be_attached()
        return page

    with ServerProcess("crossword", "--port", "0", "--telnet-port", "0") as server:
        ann, bob = join("ann"), join("bob")
        ann.get_by_role("button", name=f"Start a match on {puzzle.name}").click()
        bob.get_by_role("button", name="Join ann's match").click()
        expect(ann.locator("#app")).to_have_attribute("data-state", "PLAY")
        for number, word in words.items():
            if number % 3 == 0:
                say(ann, f"TRY {number} {word}")
            elif number % 3 == 1 and number < 0.7 * len(words):
                say(bob, f"TRY {number} {word}")
        wrong = next(number for number in words if number % 3 == 2)
        guess = list(words[wrong])
        slots = ann.locator("#clue-pattern > .slot")
        ann.locator(f'.clue[data-word="{wrong}"]').click()
        open_slot = next(nth for nth, letter in enumerate(slots.all_inner_texts()) if not letter)
        guess[open_slot] = "x"
        say(bob, f"TRY {wrong} {''.join(guess)}")
        say(ann, f"CHALLENGE {wrong} {words[wrong]}")
        say(bob, f"CHALLENGE 3 {'x' * len(words[3])}")
        ann.locator('.clue[data-word="23"]').click()
        ann.keyboard.press("Home")
        ann.keyboard.type(words[23][:-1])
        expect(ann.locator(".toast, [data-came]")).to_have_count(0, timeout=20_000)
        ann.screenshot(path=IMAGES / "crossword.png")


def replay(browser: Browser) -> None:
    """An evening of Memory Scramble with four players, each of whom finds a pair now and then; some way into it."""
    rng = random.Random(11)
    text = new_board(6, 8, "emoji", 3)
    cards = text.split()[1:]
    tape = memory_tape(text)
    plans: dict[str, list[int]] = {name: [] for name in ("alice", "bob", "carol", "dave")}
    for _ in range(160):
        player = rng.choice(list(plans))
        if not plans[player]:
            first = rng.randrange(len(cards))
            twin = next(index for index, card in enumerate(cards) if card == cards[first] and index != first)
            plans[player] = [first, twin if rng.random() < 0.3 else rng.randrange(len(cards))]
        tape.do(Flip(player, *divmod(plans[player].pop(0), 8)), after=rng.expovariate(0.4))
    with TemporaryDirectory() as folder:
        path = write(tape, Path(folder) / "game.db")
        with ServerProcess("replay", str(path), "--http-port", "0") as server:
            page = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]}).new_page()
            page.goto(f"{server.url}replay?at=55")
            expect(page.locator("#count")).to_contain_text("move 55")
            expect(page.locator("#moves [aria-current]")).to_be_visible()
            page.screenshot(path=IMAGES / "replay.png")


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(CHROMIUM_ARGUMENTS))
        lobby(browser)
        memory(browser)
        minesweeper(browser)
        crossword(browser)
        replay(browser)
        browser.close()


if __name__ == "__main__":
    main()
