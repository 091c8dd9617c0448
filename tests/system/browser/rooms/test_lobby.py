"""The lobby in a real Chromium, served by a real `scramble serve`.

Testing strategy.

- a new game: by one tap against a bot, played to the end, and again: test_one_tap_*, test_a_bot_*; by stored choices;
  from the player's own board, valid and with a mistake, pasted and as a file, and a field: test_a_board_*,
  test_a_field_*, test_choices_*, test_what_a_text_*; by buttons with unique names: test_each_button_*
- a crossword of another program: converted, and rejected with a message: test_a_crossword_of_another_program_*
- open games: listed at once, joined and watched from the list: test_an_open_game_*
- bots in open games; a match without a free place: test_an_open_match_*
- the player's own games: test_ones_own_games_*, test_who_has_won_*
- addresses without a room: never opened, removed: test_an_address_*; no such page: test_a_wrong_link_*
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import httpx
import pytest
from playwright.sync_api import expect

from tests.support.crossword.foreign import puz_file
from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext
from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.rooms.visitor import BOARD, Look, Visit

pytestmark = pytest.mark.browser

# True if the control with focus, or its label, is visible at the middle of the control.
IS_FOCUS_SEEN: Final = """() => {
    const focus = document.activeElement;
    const { x, y, width, height } = focus.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return (focus.closest("label") ?? focus).contains(top);
}"""


@pytest.mark.parametrize("game", ["memory", "minesweeper", "crossword"])
def test_start_is_in_reach_however_many_choices_are_open(visit: Visit, game: str) -> None:
    ann = visit()
    ann.to_lobby()
    start = ann.unfold(game).get_by_role("button", name="Start")
    expect(start).to_be_in_viewport(ratio=1)
    ann.page.locator(f'.card[data-game="{game}"] details.own').evaluate("own => { own.open = true; }")
    expect(start).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("look", ["phone", "desk"])
def test_what_has_focus_is_never_behind_start(visit: Visit, look: Look) -> None:
    ann = visit(look)
    ann.to_lobby()
    for game in ("memory", "minesweeper", "crossword"):
        choices = ann.unfold(game)
        choices.locator("details.own").evaluate("own => { own.open = true; }")
        choices.locator("input").first.focus()
        hidden = []
        while choices.locator(":focus").count():
            if not choices.evaluate(IS_FOCUS_SEEN):
                hidden.append(choices.locator(":focus").evaluate("focus => focus.outerHTML"))
            ann.page.keyboard.press("Tab")
        assert hidden == [], game


def test_one_tap_on_a_phone_starts_a_game_against_a_bot_that_can_be_played_to_the_end_and_again(visit: Visit) -> None:
    ann = visit("phone")
    ann.to_lobby()
    name = ann.name
    ann.start_with("memory", "Play a bot")  # the page asks nothing
    expect(ann.player(name)).to_be_visible()
    expect(ann.page.locator("#players > .player")).to_have_count(2)
    ann.to_lobby()
    first = ann.start_board("1x2\nA\nA\n", bots=1)
    ann.flip(0, 0)  # the bot leaves the first move to ann, and she takes the only pair
    ann.flip(0, 1)
    won = ann.ending.locator("tbody > tr[data-won]")
    expect(won.get_by_role("rowheader", name=re.compile(f"{re.escape(name)} ?you"))).to_be_visible()
    expect(won.get_by_role("cell").first).to_have_text("1")
    ann.ending.get_by_role("button", name="Again").click()
    ann.move_along(first)
    ann.arrive()
    expect(ann.ending).to_be_hidden()
    expect(ann.player(name)).to_be_visible()
    expect(ann.page.locator("#players > .player")).to_have_count(2)


@pytest.mark.parametrize("game", ["minesweeper", "crossword"])
def test_a_bot_is_there_in_the_other_games_too(visit: Visit, game: str) -> None:
    ann = visit("phone")
    ann.to_lobby()
    ann.card(game).get_by_role("button", name="Play a bot").click()
    expect(ann.page.locator("#players, #duel").get_by_text(re.compile("^bot "))).to_be_visible()


def test_choices_are_kept_for_the_next_game(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    choices = ann.unfold("memory")
    choices.get_by_label("4 × 4").check()
    choices.get_by_label("Food").check()
    choices.get_by_role("button", name="Start").click()
    ann.arrive()
    expect(ann.page.get_by_role("gridcell")).to_have_count(16)
    ann.to_lobby()
    expect(ann.card("memory").locator(".card-summary")).to_have_text("4 × 4 · Food")


def test_a_board_of_ones_own_with_a_mistake_shows_its_line(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("2x2\nA\nA B\nB\nB\n")
    ann = visit("phone")
    ann.to_lobby()
    choices = ann.unfold("memory")
    choices.locator("input[type=file]").set_input_files(file)
    own = choices.get_by_role("textbox", name="My own board")
    expect(own).to_have_value(file.read_text())
    choices.get_by_role("button", name="Start").click()
    expect(choices.locator('[data-error="board"]')).to_contain_text("Line 3: A B")
    own.fill(BOARD)
    expect(choices.locator('[data-error="board"]')).to_be_empty()
    choices.get_by_role("button", name="Start").click()
    ann.arrive()
    expect(ann.page.get_by_role("gridcell")).to_have_count(4)


def test_a_field_of_ones_own_with_a_mistake_shows_its_line(visit: Visit) -> None:
    ann = visit("phone")
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_text("My own field").click()
    own = choices.get_by_role("textbox", name="My own field")
    own.fill("3 2\n0 0 1\n0 2 0")
    choices.get_by_role("button", name="Start").click()
    expect(choices.locator('[data-error="field"]')).to_contain_text("Line 3: 0 2 0")
    own.fill("3 2\n0 0 1\n0 0 0")
    expect(ann.card("minesweeper").locator(".card-summary")).to_have_text("My own field")
    choices.get_by_role("button", name="Start").click()
    expect(ann.page.locator("#counts")).to_have_text("5 squares to dig, 0 flags")


@pytest.mark.parametrize(
    ("game", "own", "text", "replaced"),
    [
        ("memory", "My own board", BOARD, ("Cards", "Size")),
        ("minesweeper", "My own field", "2 1\n0 1\n", ("Field",)),
        ("crossword", "My own puzzle", CATS, ("Puzzle",)),
    ],
)
def test_what_a_text_of_ones_own_replaces_is_no_longer_shown_as_chosen(
    visit: Visit, game: str, own: str, text: str, replaced: tuple[str, ...]
) -> None:
    ann = visit()
    ann.to_lobby()
    choices = ann.unfold(game)
    choices.get_by_text(own).click()
    groups = [choices.get_by_role("group", name=name, exact=True) for name in replaced]
    area = choices.get_by_role("textbox", name=own)
    for content, are_chosen in ((text, False), ("", True)):
        area.fill(content)
        for group in groups:
            expect(group).to_be_visible(visible=are_chosen)


def test_each_button_that_starts_a_game_names_it_for_screen_readers(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    for game in ("Memory Scramble", "Minesweeper", "Crossword"):
        for act in ("Play a bot", "With friends", "Options"):
            expect(ann.page.get_by_role("button", name=f"{act}: {game}", exact=True)).to_be_visible()


@pytest.mark.parametrize("look", ["phone", "desk"])
def test_an_open_game_is_listed_at_once_and_can_be_joined_and_watched_from_the_list(visit: Visit, look: Look) -> None:
    ann, bob, eve = visit(), visit(look), visit(look)
    bob.to_lobby()
    eve.to_lobby()
    ann.to_lobby()
    choices = ann.unfold("memory")
    title = f"For {look}s"
    choices.get_by_label("Name of the game").fill(title)
    choices.get_by_label("Anybody").check()
    choices.get_by_role("button", name="Start").click()
    address = ann.arrive()
    for one in (bob, eve):
        expect(one.open_room(address)).to_contain_text(title)
        expect(one.open_room(address)).to_contain_text("1 player")
    watch = eve.open_room(address).get_by_role("link", name="Watch").element_handle()
    bob.open_room(address).get_by_role("link", name="Join").click()
    expect(bob.page).to_have_url(re.compile(f"^{re.escape(address)}"))
    bob.arrive()
    expect(ann.player(bob.name)).to_be_visible()
    expect(eve.open_room(address)).to_contain_text("2 players")
    assert watch.evaluate("link => link.isConnected")  # a click in progress still works
    eve.open_room(address).get_by_role("link", name="Watch").click()
    expect(eve.page).to_have_url(re.compile(f"^{re.escape(address)}"))
    eve.arrive()
    expect(eve.next).to_contain_text("watching")
    expect(ann.page.locator("#watchers")).to_have_text("1 watching")
    expect(ann.page.locator("#players > .player")).to_have_count(2)


def test_an_open_match_against_a_bot_can_be_joined_by_one_and_then_only_watched(visit: Visit, rooms_url: str) -> None:
    asked = {"game": "crossword", "title": "Bot and me", "public": True, "bots": [{"level": "easy"}]}
    room = httpx.post(f"{rooms_url}rooms", json=asked).json()["room"]
    ann, bob = visit(), visit("phone")
    bob.to_lobby()
    row = bob.page.locator(f'#open-rooms > [data-room="{room}"]')
    expect(row).to_contain_text("1 bot")
    expect(row.get_by_role("link", name="Join")).to_be_visible()
    ann.page.goto(f"{rooms_url}g/{room}")
    ann.page.locator("#join-name").fill("ann")
    ann.page.locator("#join-go").click()
    expect(row).to_contain_text("1 player · 1 bot")
    expect(row.get_by_role("link", name="Watch")).to_be_visible()
    expect(row.get_by_role("link", name="Join")).to_be_hidden()


def test_a_crossword_of_another_program_is_converted_unseen_or_refused_with_its_place(
    visit: Visit, tmp_path: Path
) -> None:
    good, bad = tmp_path / "saturday.puz", tmp_path / "circles.puz"
    good.write_bytes(puz_file())
    bad.write_bytes(puz_file(extensions={b"GEXT": bytes(4) + b"\x80" + bytes(7)}))
    ann = visit("phone")
    ann.to_lobby()
    choices = ann.unfold("crossword")
    choices.get_by_text("My own puzzle").click()
    choices.locator("input[type=file]").set_input_files(bad)
    error = choices.locator('[data-error="source"]')
    expect(error).to_have_text("Row 2, column 1: a circle in a square cannot be shown here.")
    choices.locator("input[type=file]").set_input_files(good)
    expect(choices.get_by_role("status")).to_have_text("Pets · 3 × 4, 6 words")
    expect(error).to_be_empty()
    expect(choices.get_by_role("textbox", name="My own puzzle")).to_be_hidden()  # the source would show the solution
    choices.get_by_role("button", name="Remove").click()
    expect(choices.get_by_role("textbox", name="My own puzzle")).to_have_value("")
    choices.locator("input[type=file]").set_input_files(good)
    expect(choices.get_by_role("status")).to_have_text("Pets · 3 × 4, 6 words")
    choices.get_by_role("group", name="Bots").get_by_label("1").check()
    choices.get_by_role("button", name="Start").click()
    expect(ann.page.get_by_text("It runs on petrol").first).to_be_visible()


def test_who_has_won_is_named_in_the_lobby_as_on_the_games_page(visit: Visit) -> None:
    ann = visit()
    # the ID cannot contain any of these letters
    ann.page.add_init_script("localStorage.setItem('scramble.name', 'דוד')")
    ann.to_lobby()
    ann.start_board("1x2\nA\nA\n")
    ann.page.get_by_role("dialog", name="Invite friends").get_by_role("button", name="Play").click()
    for column in range(2):
        ann.flip(0, column)
    expect(ann.ending).to_be_visible()
    ann.to_lobby()
    expect(ann.my_room("Memory Scramble")).to_contain_text("won by \u2068דוד\u2069")


KEEP_NAMES = """async (rooms) => {
    const module = new URL("client/shared/myrooms.js", document.baseURI);
    const { rememberNames, rememberRoom, myRooms } = await import(module);
    rememberRoom({ room: "here", game: "memory", title: "", role: "played" });
    for (const names of rooms) rememberNames("here", names);
    const writes = [];
    Storage.prototype.setItem = (key) => void writes.push(key);
    rememberNames("here", rooms.at(-1));
    return [myRooms()[0].called, writes];
}"""


def test_of_all_names_of_a_room_those_who_are_here_now_are_kept_and_written_once(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    many = {f"x{number}": f"name {number}" for number in range(100)}
    here = {"7": "seven", "x0": "name 0"}  # an object lists number-like IDs first
    called, writes = ann.page.evaluate(KEEP_NAMES, [many, here])
    assert called == {**{player: name for player, name in many.items() if player != "x1"}, **here}
    assert writes == []
    ann.to_lobby()
    crowd = {f"y{number}": f"name {number}" for number in range(101)}
    called, writes = ann.page.evaluate(KEEP_NAMES, [crowd])
    assert (len(called), writes) == (100, [])


def test_ones_own_games_are_listed_also_after_their_end_with_result_and_replay(visit: Visit) -> None:
    ann = visit("phone")
    ann.to_lobby()
    expect(ann.page.locator("#no-my-rooms")).to_be_visible()
    ann.start_board()
    ann.page.locator("#invite").get_by_role("button", name="Play").click()
    ann.flip(0, 0)
    ann.to_lobby()
    ann.my_room("Memory Scramble").get_by_role("link", name="Go on").click()
    ann.arrive()
    ann.flip(0, 1)
    ann.flip(1, 0)
    ann.flip(1, 1)
    expect(ann.ending).to_be_visible()
    name = ann.name
    ann.to_lobby()
    row = ann.my_room("Memory Scramble")
    expect(row).to_contain_text(f"won by {name}")
    row.get_by_role("link", name="Replay").click()
    expect(ann.page.locator("#count")).to_contain_text("move")
    ann.to_lobby()
    row.get_by_role("button", name="Take Memory Scramble off this list").click()
    expect(ann.page.locator("#no-my-rooms")).to_be_visible()


def test_an_address_without_a_room_says_so_and_leads_to_the_lobby(visit: Visit, rooms_url: str) -> None:
    ann = visit("phone")
    ann.page.goto(f"{rooms_url}g/never-was-one-here")
    expect(ann.page.get_by_role("heading")).to_contain_text("no such game")
    opened = httpx.post(
        f"{rooms_url}rooms", json={"game": "memory"}, headers={"Authorization": "Bearer ann-0123456789abcdef"}
    )
    address = f"{rooms_url}g/{opened.json()['room']}"
    removed = f"{rooms_url}rooms/{opened.json()['room']}"
    assert httpx.delete(removed, headers={"Authorization": "Bearer ann-0123456789abcdef"}).status_code == 204
    ann.page.goto(address)
    expect(ann.page.get_by_role("heading")).to_contain_text("gone")
    ann.page.get_by_role("link", name="To all games").click()
    expect(ann.card("memory")).to_be_visible()


@pytest.mark.parametrize(
    ("where", "heading"),
    [
        ("nonsense", "Hier ist nichts"),
        ("g", "Hier ist nichts"),
        ("g/", "Hier ist nichts"),
        ("a/b/c", "Hier ist nichts"),
        ("g/not a room!", "Dieses Spiel gibt es nicht"),
        ("g/ROOM/nonsense", "Hier ist nichts"),
        ("g/ROOM/replay", "Den Verlauf gibt es später"),
    ],
)
def test_a_wrong_link_leads_to_the_lobby_in_the_language_of_its_reader(
    new_context: NewContext, rooms_url: str, where: str, heading: str
) -> None:
    page = new_context(locale="de-DE").new_page()
    room = httpx.post(
        f"{rooms_url}rooms", json={"game": "memory"}, headers={"Authorization": "Bearer ann-0123456789abcdef"}
    )
    answer = page.goto(rooms_url + where.replace("ROOM", room.json()["room"]))
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading")).to_have_text(heading)
    if where == "nonsense":
        audit(page, "a wrong link")
    page.get_by_role("link", name="Zu allen Spielen").click()
    expect(page.get_by_role("heading", name="Neues Spiel")).to_be_attached()
