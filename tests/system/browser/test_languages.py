"""The pages in languages other than English, in a real Chromium.

Testing strategy.

- catalogues and durations: tests/unit/client
- the choice: the first available language of the browser's list, otherwise English; the switch, whose choice is stored:
  test_a_page_*, test_the_switch_*
- a game: its words, the server's refusals, and axe-core's report: test_a_game_*, test_a_refusal_*, test_what_*,
  test_a_name_*
- the longest words, on a phone, with large text: test_the_buttons_*, test_a_result_in_spanish_*
- a replay: test_a_replay_*, test_all_lines_of_a_replay_*
- text from right to left inside an English page, and a whole page from right to left: test_names_*, test_cards_*
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize, WebSocketRoute, expect

from scramble.memory.messages import Flip, Relinquish
from scramble.minesweeper import Field
from scramble.minesweeper.messages import Connect, Dig, Disconnect
from scramble.players.seats import ClaimSeat, Seated, hash_of
from tests.support.replay.files import write
from tests.support.replay.tape import Talk, Tape
from tests.support.replay.tape import memory as memory_tape
from tests.system.browser.audit import audit
from tests.system.browser.conftest import EXPECT_MS, NewContext, Serve
from tests.system.browser.rooms.visitor import Look

pytestmark = pytest.mark.browser

TITLES: Final = {"en": "New game", "de": "Neues Spiel", "es": "Partida nueva", "fr": "Nouvelle partie"}

# The names and figures of a table that are cut, or extend beyond the dialog.
CUT: Final = """dialog => {
    const { left, right } = dialog.getBoundingClientRect();
    const isCut = (part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1;
    const isBeyond = (part) => part.getBoundingClientRect().left < left || part.getBoundingClientRect().right > right;
    const parts = [...dialog.querySelectorAll(".figures .chip-name, .figures tbody td")];
    return parts.filter((part) => isCut(part) || isBeyond(part)).map((part) => part.textContent);
}"""


@pytest.fixture(scope="module")
def url(serve_module: Serve) -> str:
    """A lobby whose rooms last as long as the tests of the module."""
    return serve_module("serve", "--port", "0", "--in-memory").url


@pytest.mark.parametrize(
    ("browser_has", "shown"),
    [("de-CH", "de"), ("es", "es"), ("fr-CA", "fr"), ("en-GB", "en"), ("pt-BR", "en")],
)
def test_a_page_is_in_the_language_of_the_browser_or_in_english(
    new_context: NewContext, url: str, browser_has: str, shown: str
) -> None:
    page = new_context(alone=True, locale=browser_has).new_page()
    page.goto(url)
    expect_language(page, shown)


def test_the_switch_chooses_another_language_which_is_kept(new_context: NewContext, url: str) -> None:
    page = new_context(alone=True).new_page()
    page.goto(url)
    page.get_by_label("Language").select_option("Deutsch")
    expect_language(page, "de")
    expect(page.get_by_label("Sprache")).to_have_value("de")
    expect(page.locator("article.card")).to_have_count(3)
    audit(page, "the lobby in German")
    page.goto(url)
    expect_language(page, "de")


def expect_language(page: Page, language: str) -> None:
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    expect(page.get_by_role("heading", name=re.compile(f"^{TITLES[language]}$"))).to_be_attached()


@pytest.mark.parametrize("look", ["phone", "desk"])
def test_a_game_in_german_with_the_refusals_of_the_server(new_context: NewContext, url: str, look: Look) -> None:
    ann, bob = (open_in("de-DE", new_context, look) for _ in range(2))
    ann.goto(url)
    ann.locator('.card[data-game="minesweeper"]').get_by_role("button", name="Mit anderen").click()
    invitation = ann.get_by_role("dialog", name="Andere einladen")
    expect(invitation).to_be_visible()
    audit(ann, "inviting in German")
    invitation.get_by_role("button", name="Spielen").click()
    name = ann.locator("#me .chip-name").inner_text()
    ann.locator(".square[tabindex='0']").focus()
    ann.keyboard.press("f")
    expect(ann.get_by_role("gridcell", name="Flagge")).to_have_count(1)
    ann.keyboard.press("Enter")
    expect(ann.locator(".toast")).to_be_visible()
    audit(ann, "playing in German")
    bob.goto(ann.url.partition("#")[0])
    bob.get_by_label("Dein Name", exact=True).fill(name)
    bob.get_by_role("button", name="Spielen", exact=True).click()
    expect(bob.locator("#join-error")).to_contain_text("ist hier vergeben")
    audit(bob, "refused in German")


@pytest.mark.parametrize("locale", ["de-DE", "es-ES", "fr-FR"])
def test_the_buttons_of_the_lobby_hold_their_words_on_the_smallest_phone(
    new_context: NewContext, url: str, locale: str
) -> None:
    page = new_context(alone=True, locale=locale, viewport={"width": 320, "height": 700}).new_page()
    page.goto(url)
    expect(page.locator(".card-acts")).to_have_count(3)
    wide = "buttons => buttons.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)"
    assert page.locator(".card-acts > .button").evaluate_all(wide) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_an_event_brings_about_is_told_in_the_language_of_the_page(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    tape = memory_tape("1x4\nA\nB\nA\nB\n")
    tape.do(Flip("ann", 0, 0))
    tape.do(Flip("bob", 0, 0))
    tape.do(Relinquish("ann"))
    server = serve("replay", str(write(tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_in("de-DE", new_context, "phone")
    page.goto(f"{server.url}replay")
    last = page.locator("#moves > li").last
    expect(last).to_contain_text("ann gibt Karten ab")
    expect(last.locator(".also")).to_have_text("bob hat gewartet und bekommt die Karte in Zeile 1, Spalte 1")


@pytest.mark.parametrize(
    ("locale", "waits", "over"),
    [
        ("en-US", "waits for a second player", "The match is over: \u2068דוד\u2069 wins"),
        ("de-DE", "wartet auf eine zweite Person", "Die Partie ist zu Ende: \u2068דוד\u2069 gewinnt"),
    ],
)
def test_a_name_stands_only_where_its_player_is_meant_and_the_winner_is_named(
    new_context: NewContext, serve: Serve, tmp_path: Path, locale: str, waits: str, over: str
) -> None:
    talk = Talk(seated=True)
    talk.tape.do(ClaimSeat("player", hash_of("secret"), "דוד", "דוד"))  # "player" is the ID for Hebrew names
    talk.open("player")
    talk.say("player", "player")
    talk.say("player", 'NEW m1 mini "a match"')
    talk.open("bob")
    talk.say("bob", "bob")
    talk.say("bob", "PLAY m1")
    talk.say("bob", "EXIT")
    server = serve("replay", str(write(talk.tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_in(locale, new_context, "desk")
    page.goto(f"{server.url}replay")
    expect(page.locator("#moves")).to_contain_text(f"\u2068דוד\u2069 {waits}")
    expect(page.locator("#moves > li").last.locator(".also")).to_have_text(over)


def test_a_replay_in_german(new_context: NewContext, serve: Serve, tmp_path: Path) -> None:
    tape = memory_tape("1x4\nA\nB\nA\nB\n")
    for player, row, column in (("ann", 0, 0), ("ann", 0, 1), ("bob", 0, 0), ("bob", 0, 2), ("bob", 0, 1)):
        tape.do(Flip(player, row, column))
    server = serve("replay", str(write(tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_in("de-DE", new_context, "phone")
    page.goto(f"{server.url}replay?at=2")
    expect(page.locator("#now > p")).to_have_text("ann deckt B in Zeile 1, Spalte 2 auf: kein Paar")
    expect(page.locator("#moves")).to_contain_text("bob nimmt A in Zeile 1, Spalte 3: ein Paar")
    expect(page.locator("#moves")).to_contain_text("bob nimmt das Paar vom Spielfeld")
    page.get_by_role("button", name="Wärmekarte").click()
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    audit(page, "a replay in German")


def test_a_refusal_of_minesweeper_is_told_in_the_language_of_the_page(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    field = tmp_path / "field.txt"
    field.write_text("4 1\n1 1 0 0\n")  # the bomb does not end the game: at the end, the dialog would get the keys
    page = open_in("de-DE", new_context, "desk")
    held: list[str | bytes] = []
    sockets: list[WebSocketRoute] = []

    def hold(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        boom = '"type":"boom"'
        socket.connect_to_server().on_message(
            lambda frame: held.append(frame) if held or boom in str(frame) else socket.send(frame)
        )

    page.route_web_socket(re.compile("/play/"), hold)
    page.goto(serve("minesweeper", "--no-telnet", "--http-port", "0", "--file", str(field)).url)
    page.get_by_role("button", name="Spielen", exact=True).click()
    page.locator(".square[tabindex='0']").focus()
    page.keyboard.press("Enter")  # the page does not know the bomb yet
    page.keyboard.press("ArrowRight")
    page.keyboard.press("f")
    deadline = time.monotonic() + EXPECT_MS / 1000
    while not any("has-lost" in str(frame) for frame in held):
        assert time.monotonic() < deadline, held
        page.wait_for_timeout(10)
    for frame in held:
        sockets[0].send(frame)
    expect(page.locator("#log")).to_contain_text("Du hast verloren: Spiel erst wieder mit")


@pytest.mark.parametrize(
    ("locale", "lines"),
    [
        ("es-ES", ["bot Sofia ocupa su puesto", "bot Sofia entra", "bot Sofia excava en fila 1, columna 1"]),
        ("en-US", ["bot Sofia took the seat", "bot Sofia joins", "bot Sofia digs row 1, column 1"]),
    ],
)
def test_all_lines_of_a_replay_are_in_the_language_of_the_page_and_have_names_instead_of_ids(
    new_context: NewContext, serve: Serve, tmp_path: Path, locale: str, lines: list[str]
) -> None:
    rules: Seated[Field] = Seated(Field.parse("2 1\n0 1\n"))
    tape = Tape(rules)
    tape.do(ClaimSeat("bot_Sofia", hash_of("secret"), "bot Sofia", "botsofia"))
    number = getattr(tape.do(Connect("bot_Sofia")), "player", 0)
    tape.do(Dig(0, 0, number))
    tape.do(Disconnect(number))
    server = serve("replay", str(write(tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_in(locale, new_context, "phone")
    page.goto(f"{server.url}replay")
    end = "bot Sofia se va" if locale == "es-ES" else "bot Sofia leaves"
    expect(page.locator("#moves > li")).to_contain_text([*lines, end])
    expect(page.locator("#moves > li")).to_have_count(4)
    for shown in ("#players", "#summary", "#now"):
        expect(page.locator(shown)).to_contain_text("bot Sofia")


@pytest.mark.parametrize("text", ["100%", "200%"])
def test_a_result_in_spanish_on_a_phone_cuts_no_name_and_loses_no_column(
    new_context: NewContext, url: str, text: str
) -> None:
    page = open_in("es-ES", new_context, "phone")
    page.add_init_script("localStorage.setItem('scramble.name', 'sunny_otter_friend_and_c')")
    page.goto(url)
    card = page.locator('.card[data-game="minesweeper"]')
    card.get_by_role("button", name="Opciones").click()
    card.get_by_text("Mi propio campo").click()
    card.get_by_role("textbox", name="Mi propio campo").fill("2 1\n0 1\n")
    card.get_by_role("button", name="Empezar").click()
    page.get_by_role("dialog", name="Invita a tus amigos").get_by_role("button", name="Jugar").click()
    page.evaluate("size => { document.documentElement.style.fontSize = size; }", text)
    page.locator(".square[tabindex='0']").focus()
    page.keyboard.press("Enter")
    ending = page.locator("#ending[open]")
    row = ending.get_by_role("row", name="sunny_otter_friend_and_c")
    expect(row.get_by_role("cell")).to_have_text(["1", "1", "0", "0"])
    expect(ending.get_by_role("columnheader")).to_have_text(["Puntos", "Casillas", "Banderas", "Bum"])
    assert ending.evaluate(CUT) == []


def test_names_and_titles_from_right_to_left_keep_to_themselves(new_context: NewContext, url: str) -> None:
    ann, bob = (open_in("en-US", new_context, "phone") for _ in range(2))
    ann.add_init_script("localStorage.setItem('scramble.name', 'דוד')")
    ann.goto(url)
    card = ann.locator('.card[data-game="minesweeper"]')
    card.get_by_role("button", name="Options").click()
    card.get_by_label("Name of the game").fill("مباراة 7")
    card.get_by_label("Anybody").check()
    card.get_by_role("button", name="Start").click()
    expect(ann.locator("#me .chip-name")).to_have_text("דוד")
    expect(ann.locator("#me .chip-name")).to_have_attribute("dir", "auto")
    expect(ann.locator(".bar-title span").first).to_have_text("مباراة 7")
    assert ann.locator(".bar-title span").first.evaluate("span => getComputedStyle(span).direction") == "rtl"
    ann.get_by_role("dialog", name="Invite friends").get_by_role("button", name="Play").click()
    ann.locator("#room-menu").evaluate("menu => { menu.open = true; }")
    ann.get_by_label("Title of this game").fill("12 שלום")
    ann.get_by_role("button", name="Rename").click()
    expect(ann.locator("#log")).to_contain_text("You called this game “\u206812 שלום\u2069”.")
    ann.evaluate("window.scrollTo(0, 0)")  # a control half below the bar is too small to press
    audit(ann, "names from right to left")
    bob.goto(url)
    bob.evaluate("document.documentElement.dir = 'rtl'")
    expect(bob.locator("#open-rooms > .room")).to_contain_text(["12 שלום"])
    audit(bob, "the lobby from right to left")
    bob.goto(ann.url.partition("#")[0])
    bob.evaluate("document.documentElement.dir = 'rtl'")
    audit(bob, "joining from right to left")


def open_in(locale: str, new_context: NewContext, look: Look) -> Page:
    """Open a page in a browser with this locale."""
    if look == "phone":
        viewport: ViewportSize = {"width": 390, "height": 844}
        return new_context(alone=True, locale=locale, viewport=viewport, has_touch=True, is_mobile=True).new_page()
    return new_context(alone=True, locale=locale, viewport={"width": 1280, "height": 800}).new_page()


def test_cards_from_right_to_left_keep_to_themselves(new_context: NewContext, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("1x2\nשלום\nשלום\n", encoding="utf-8")
    page = open_in("en-US", new_context, "phone")
    page.goto(serve("memory", "--port", "0", str(file)).url)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("gridcell").first.click()
    expect(page.locator("#next > p")).to_contain_text("\u2068שלום\u2069")
    expect(page.locator(".face-text").first).to_have_attribute("dir", "auto")
