"""The lobby in a real Chromium, served by a real `scramble serve`.

Testing strategy.

- the start button and the control with focus are visible, on each screen, also after arrow keys: test_start_*
- the choices on a phone: buttons with unique names, choices that exclude others, the player's own texts with mistakes,
  pasted and as a file, a crossword of another program, until one game starts: test_texts_*
- a game against a bot by one tap with the current choices, played to the end, and again; then the lobby has the stored
  choices, and lists the player's own games with result and replay, also while the server cannot answer:
  test_ones_own_*
- open games: listed at once, joined and watched from the list; bots, a match without a free place: test_open_games_*
- addresses without a room or a page: test_a_wrong_link_*

tests/unit/client/myrooms.test.js tests the stored list of the player's own games.
"""

from __future__ import annotations

import json
import re
from typing import Final

import httpx
import pytest
from playwright.sync_api import FilePayload, Locator, Page, WebSocketRoute, expect

from tests.support.crossword.foreign import puz_file
from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import BOARD, Look, Visit

pytestmark = pytest.mark.browser

GAMES: Final = ("memory", "minesweeper", "crossword")

# The controls in the order of Tab whose middle is covered while they have focus. A label belongs to its control.
UNSEEN: Final = """choices => {
    const controls = [...choices.querySelectorAll("input:not([type=radio]), :checked, textarea, summary, button")];
    return controls.filter((control) => {
        control.focus();
        if (control.tabIndex < 0 || document.activeElement !== control) return false;
        const { x, y, width, height } = control.getBoundingClientRect();
        const top = document.elementFromPoint(x + width / 2, y + height / 2);
        return !(control.closest("label") ?? control).contains(top);
    }).map((control) => control.outerHTML);
}"""


@pytest.mark.parametrize("look", ["phone", "desk"])
def test_start_is_in_reach_and_covers_no_control_with_focus(visit: Visit, look: Look) -> None:
    ann = visit(look)
    ann.to_lobby()
    for game in GAMES:
        choices = ann.unfold(game)
        for is_open in (False, True):
            choices.locator("details.own").evaluate("(own, isOpen) => { own.open = isOpen; }", is_open)
            expect(choices.get_by_role("button", name="Start")).to_be_in_viewport(ratio=1)
        assert choices.evaluate(UNSEEN) == [], game
        for _ in choices.locator(".pick-picture").all():  # a row that scrolls sideways
            choices.locator(".pick-picture > :checked").press("ArrowRight")
            assert choices.evaluate(UNSEEN) == [], game


def expect_replaced(choices: Locator, own: str, text: str, *replaced: str) -> None:
    """Check that a text of the player hides the choices that it replaces."""
    area = choices.get_by_role("textbox", name=own)
    groups = [choices.get_by_role("group", name=name, exact=True) for name in replaced]
    for content in ("", text):
        area.fill(content)
        for group in groups:
            expect(group).to_be_visible(visible=content == "")


def file(name: str, content: bytes) -> FilePayload:
    return FilePayload(name=name, mimeType="application/octet-stream", buffer=content)


def test_texts_of_ones_own_with_mistakes_show_the_place_until_they_are_right(visit: Visit) -> None:
    ann = visit("phone")
    ann.to_lobby()
    for title in ("Memory Scramble", "Minesweeper", "Crossword"):
        for act in ("Play a bot", "With friends", "Options"):
            expect(ann.page.get_by_role("button", name=f"{act}: {title}", exact=True)).to_be_visible()

    choices = ann.unfold("memory")
    wrong = "2x2\nA\nA B\nB\nB\n"
    choices.locator("input[type=file]").set_input_files(file("board.txt", wrong.encode()))
    expect(choices.get_by_role("textbox", name="My own board")).to_have_value(wrong)
    choices.get_by_role("button", name="Start").click()
    expect(choices.locator('[data-error="board"]')).to_contain_text("Line 3: A B")
    expect(choices.get_by_role("button", name="Start")).to_be_enabled()
    expect_replaced(choices, "My own board", BOARD, "Cards", "Size")
    expect(choices.locator('[data-error="board"]')).to_be_empty()

    choices = ann.unfold("minesweeper")
    choices.get_by_label("Solvable without guessing").check()
    expect(choices.get_by_label("The first dig is safe")).to_be_hidden()
    choices.get_by_text("My own field").click()
    choices.get_by_role("textbox", name="My own field").fill("3 2\n0 0 1\n0 2 0")
    choices.get_by_role("button", name="Start").click()
    expect(choices.locator('[data-error="field"]')).to_contain_text("Line 3: 0 2 0")
    expect_replaced(choices, "My own field", "3 2\n0 0 1\n0 0 0", "Field")
    expect(ann.card("minesweeper").locator(".card-summary")).to_have_text("My own field")

    # A file of another program is converted, and its source, which shows the solution, is hidden.
    choices = ann.unfold("crossword")
    choices.get_by_text("My own puzzle").click()
    circles = puz_file(extensions={b"GEXT": bytes(4) + b"\x80" + bytes(7)})
    choices.locator("input[type=file]").set_input_files(file("circles.puz", circles))
    error = choices.locator('[data-error="source"]')
    expect(error).to_have_text("Row 2, column 1: a circle in a square cannot be shown here.")
    own = choices.get_by_role("textbox", name="My own puzzle")
    for is_last in (False, True):
        choices.locator("input[type=file]").set_input_files(file("saturday.puz", puz_file()))
        expect(choices.get_by_role("status")).to_have_text("Pets · 3 × 4, 6 words")
        expect(choices.get_by_role("group", name="Puzzle", exact=True)).to_be_hidden()
        expect(error).to_be_empty()
        expect(own).to_be_hidden()
        if not is_last:
            choices.get_by_role("button", name="Remove").click()
            expect(own).to_have_value("")
    bots = choices.get_by_role("group", name="Bots")
    for alone in (True, False):
        choices.get_by_label("Alone, against the clock").set_checked(alone)
        expect(bots).to_be_visible(visible=not alone)
    bots.get_by_label("1").check()
    choices.get_by_role("button", name="Start").click()
    expect(ann.page.get_by_text("It runs on petrol").first).to_be_visible()
    expect(ann.page.locator("#duel").get_by_text(re.compile("^bot "))).to_be_visible()


def test_ones_own_games_against_a_bot_stay_in_the_list_while_the_server_cannot_answer(visit: Visit) -> None:
    ann = visit("phone")
    name = "דוד"  # a player's ID cannot contain these letters
    ann.page.add_init_script(f"localStorage.setItem('scramble.name', '{name}')")
    ann.to_lobby()
    expect(ann.page.locator("#no-my-rooms")).to_be_visible()
    choices = ann.unfold("memory")
    choices.get_by_label("4 × 4").check()
    choices.get_by_label("Food").check()
    choices.get_by_text("My own board").click()
    choices.get_by_role("textbox", name="My own board").fill("1x2\nA\nA\n")
    ann.card("memory").get_by_role("button", name="Options").click()
    first = ann.start_with("memory", "Play a bot")  # the page asks nothing
    expect(ann.page.locator("#players > .player")).to_have_count(2)
    ann.flip(0, 0)  # the bot leaves the first move to ann, and she takes the only pair
    ann.flip(0, 1)
    won = ann.ending.locator("tbody > tr[data-won]")
    expect(won.get_by_role("rowheader", name=re.compile(f"{name} ?you"))).to_be_visible()
    expect(won.get_by_role("cell").first).to_have_text("1")
    ann.ending.get_by_role("button", name="Again").click()
    ann.move_along(first)
    second = ann.arrive()
    expect(ann.ending).to_be_hidden()
    expect(ann.page.locator("#players > .player")).to_have_count(2)

    # A room that the server cannot find now stays in the list.
    hide(ann.page, second.rpartition("/")[2])
    ann.to_lobby()
    over, going_on = ann.my_room_at(first), ann.my_room_at(second)
    expect(over).to_contain_text(f"won by \u2068{name}\u2069")
    expect(over.get_by_role("link", name="Replay")).to_have_attribute("href", f"{first}/replay")
    expect(going_on.get_by_role("link", name="Go on")).to_have_attribute("href", second)
    expect(ann.card("memory").locator(".card-summary")).to_have_text("4 × 4 · Food")
    for room in (over, going_on):
        room.get_by_role("button", name="Take Memory Scramble off this list").click()
        expect(room).to_have_count(0)
    expect(ann.page.locator("#no-my-rooms")).to_be_visible()


def hide(page: Page, room: str) -> None:
    """Let the lobby's answers about rooms miss a room, as if its file were damaged."""

    def follow(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()

        def passed_on(message: str | bytes) -> None:
            frame = json.loads(message)
            if "found" in frame:
                frame["found"] = [one for one in frame["found"] if one["room"] != room]
            page_side.send(json.dumps(frame))

        server_side.on_message(passed_on)

    page.route_web_socket("**/lobby", follow)


def test_open_games_are_listed_at_once_and_can_be_joined_and_watched_from_the_list(visit: Visit) -> None:
    ann, bob, eve = visit(), visit("phone"), visit()
    bob.to_lobby()
    eve.to_lobby()

    # A match against a bot has one free place.
    match = ann.open("crossword", title="Bot and me", public=True, bots=[{"level": "easy"}])
    expect(bob.open_room(match)).to_contain_text("1 bot")
    expect(bob.open_room(match).get_by_role("link", name="Join")).to_be_visible()
    ann.page.goto(match)
    ann.page.locator("#join-name").fill("ann")
    ann.page.locator("#join-go").click()
    expect(bob.open_room(match)).to_contain_text("1 player · 1 bot")
    expect(bob.open_room(match).get_by_role("link", name="Watch")).to_be_visible()
    expect(bob.open_room(match).get_by_role("link", name="Join")).to_be_hidden()

    room = ann.open(title="For all", public=True)
    ann.page.goto(room)
    ann.arrive()
    for one in (bob, eve):
        expect(one.open_room(room)).to_contain_text("For all")
        expect(one.open_room(room)).to_contain_text("1 player")
    watch = eve.open_room(room).get_by_role("link", name="Watch").element_handle()
    bob.open_room(room).get_by_role("link", name="Join").click()
    expect(bob.page).to_have_url(re.compile(f"^{re.escape(room)}"))
    bob.arrive()
    expect(ann.player(bob.name)).to_be_visible()
    expect(eve.open_room(room)).to_contain_text("2 players")
    assert watch.evaluate("link => link.isConnected")  # a click in progress still works
    eve.open_room(room).get_by_role("link", name="Watch").click()
    expect(eve.page).to_have_url(re.compile(f"^{re.escape(room)}"))
    eve.arrive()
    expect(eve.next).to_contain_text("watching")
    expect(ann.page.locator("#watchers")).to_have_text("1 watching")
    expect(ann.page.locator("#players > .player")).to_have_count(2)


def test_a_wrong_link_leads_to_the_lobby_in_the_language_of_its_reader(visit: Visit, rooms_url: str) -> None:
    ann = {"Authorization": "Bearer ann-0123456789abcdef"}
    room, gone = (httpx.post(f"{rooms_url}rooms", json={"game": "memory"}, headers=ann).json()["room"] for _ in "12")
    assert httpx.delete(f"{rooms_url}rooms/{gone}", headers=ann).status_code == 204
    for path in ("g", "g/", "a/b/c", f"g/{room}/nonsense"):
        answer = httpx.get(rooms_url + path, headers={"Accept": "text/html"})
        assert (answer.status_code, 'data-code="no-such-page"' in answer.text) == (404, True), path

    page = visit("phone").page
    page.add_init_script("localStorage.setItem('scramble.language', 'de')")
    for path, status, heading in (
        (f"g/{room}/replay", 404, "Den Verlauf gibt es später"),
        (f"g/{gone}", 410, "Dieses Spiel ist vorbei und weg"),
        ("g/not a room!", 404, "Dieses Spiel gibt es nicht"),
        ("nonsense", 404, "Hier ist nichts"),
    ):
        shown = page.goto(rooms_url + path)
        assert shown is not None
        assert shown.status == status
        expect(page.get_by_role("heading")).to_have_text(heading)
    audit(page, "a wrong link")
    page.get_by_role("link", name="Zu allen Spielen").click()
    expect(page.get_by_role("heading", name="Neues Spiel")).to_be_attached()
