"""The pages in languages other than English, in a real Chromium.

Testing strategy. tests/unit/client tests the choice of the language, the catalogues, durations, and the sentences for
events and refusals. Here, one page for each journey:
- the lobby on the smallest phone: the browser's language, the switch, whose choice is stored; the longest buttons
- a game in German, the longest language, on a phone and a desktop: its words, the server's refusals, axe-core's report;
  the result with large text, also in Spanish, whose columns are the widest
- a replay in German, of a player with a Hebrew name
- text from right to left inside an English page, and a whole page from right to left
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from scramble.memory import Board
from scramble.memory.messages import Flip
from scramble.players.seats import ClaimSeat, Seated, hash_of
from tests.support.replay.files import write
from tests.support.replay.tape import Tape
from tests.system.browser import conftest
from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.rooms.visitor import Look, Visitor

pytestmark = pytest.mark.browser

LOOKS: Final[dict[Look, conftest.Look]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "desk": {"viewport": {"width": 1280, "height": 800}},
}
TITLES: Final = {"de": "Neues Spiel", "es": "Partida nueva", "fr": "Nouvelle partie"}
LONG_NAME: Final = "sunny_otter_friend_and_c"

WIDE: Final = "buttons => buttons.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)"
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


def open_in(language: str, new_context: NewContext, look: Look, name: str = "") -> Page:
    """Open a page for a user who has chosen this language, and this name, at an earlier visit."""
    page = new_context(**LOOKS[look]).new_page()
    page.add_init_script(f"localStorage['scramble.language'] ??= '{language}'")
    if name:
        page.add_init_script(f"localStorage['scramble.name'] = '{name}'")
    return page


def test_the_lobby_is_in_the_language_of_the_browser_until_the_user_chooses_another(
    new_context: NewContext, url: str
) -> None:
    page = new_context(alone=True, locale="de-CH", viewport={"width": 320, "height": 700}).new_page()
    page.goto(url)
    expect_lobby(page, "de")
    for label, name, language in (("Sprache", "Español", "es"), ("Idioma", "Français", "fr")):
        page.get_by_label(label).select_option(name)
        expect_lobby(page, language)
    page.goto(url)
    expect_lobby(page, "fr")
    page.get_by_label("Langue").select_option("Deutsch")
    expect_lobby(page, "de")
    page.set_viewport_size({"width": 1280, "height": 800})
    audit(page, "the lobby in German")


def expect_lobby(page: Page, language: str) -> None:
    """The lobby is in this language, and its buttons hold their words."""
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    expect(page.get_by_role("heading", name=re.compile(f"^{TITLES[language]}$"))).to_be_attached()
    expect(page.locator(".card-acts")).to_have_count(3)
    assert page.locator(".card-acts > .button").evaluate_all(WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_game_in_german_from_its_invitation_to_its_result(new_context: NewContext, url: str) -> None:
    ann = open_in("de", new_context, "phone", LONG_NAME)
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    ann.route_web_socket("**/play/**", connect)
    ann.goto(url)
    card = ann.locator('.card[data-game="minesweeper"]')
    card.get_by_role("button", name="Einstellungen").click()
    card.get_by_text("Eigenes Minenfeld").click()
    card.get_by_role("textbox", name="Eigenes Minenfeld").fill("2 1\n1 0\n")
    card.get_by_role("button", name="Starten").click()
    invitation = ann.get_by_role("dialog", name="Andere einladen")
    expect(invitation).to_be_visible()
    audit(ann, "inviting in German")

    invitation.get_by_role("button", name="Spielen").click()
    ann.locator(".square[tabindex='0']").focus()
    ann.keyboard.press("f")
    expect(ann.get_by_role("gridcell", name="Flagge")).to_have_count(1)
    ann.keyboard.press("Enter")
    ann.locator(".toast-close").focus()  # with the focus, the message stays
    audit(ann, "playing in German, with a message and a long name")
    sockets[-1].send(json.dumps({"type": "error", "id": 0, "error": "you have lost", "code": "has-lost"}))
    expect(ann.locator("#log")).to_contain_text("Du hast verloren: Spiel erst wieder mit")

    bob = open_in("de", new_context, "desk")
    bob.goto(ann.url.partition("#")[0])
    bob.get_by_label("Dein Name", exact=True).fill(LONG_NAME)
    bob.get_by_role("button", name="Spielen", exact=True).click()
    expect(bob.locator("#join-error")).to_contain_text("ist hier vergeben")
    audit(bob, "refused in German")

    ann.locator(".square[tabindex='0']").press("ArrowRight")
    ann.keyboard.press("Enter")
    ending = ann.locator("#ending[open]")
    expect_result(ending, ["Punkte", "Felder", "Flaggen", "Bumm"])
    ann.evaluate("localStorage['scramble.language'] = 'es'")
    ann.reload()
    expect_result(ending, ["Puntos", "Casillas", "Banderas", "Bum"])


def expect_result(ending: Locator, columns: list[str]) -> None:
    """The result cuts no name and loses no column, also with large text."""
    for size in ("100%", "200%"):
        ending.page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        expect(ending.get_by_role("columnheader")).to_have_text(columns)
        expect(ending.get_by_role("row", name=LONG_NAME).get_by_role("cell")).to_have_count(len(columns))
        assert ending.evaluate(CUT) == []


def test_a_replay_in_german_has_names_instead_of_ids(new_context: NewContext, serve: Serve, tmp_path: Path) -> None:
    rules: Seated[Board] = Seated(Board.parse("1x4\nplayer\nB\nplayer\nB\n"))
    tape = Tape(rules)
    tape.do(ClaimSeat("player", hash_of("secret"), "דוד", "דוד"))  # "player" is the ID for Hebrew names
    for player, column in (("player", 0), ("ann", 0), ("player", 1), ("ann", 2), ("ann", 1)):
        tape.do(Flip(player, 0, column))
    server = serve("replay", str(write(tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_in("de", new_context, "phone")
    page.goto(f"{server.url}replay")
    expect(page.locator("#moves > li > .move")).to_have_text(
        [
            "\u2068דוד\u2069 nimmt Platz",
            "\u2068דוד\u2069 deckt player in Zeile 1, Spalte 1 auf",
            "ann wartet auf die Karte in Zeile 1, Spalte 1",
            "\u2068דוד\u2069 deckt B in Zeile 1, Spalte 2 auf: kein Paar"
            + "ann hat gewartet und bekommt die Karte in Zeile 1, Spalte 1",
            "ann nimmt player in Zeile 1, Spalte 3: ein Paar",
            "ann nimmt die offene Karte B in Zeile 1, Spalte 2ann nimmt das Paar vom Spielfeld",
        ]
    )
    expect(page.locator("#now > p")).to_contain_text("ann nimmt das Paar vom Spielfeld")
    for shown in ("#players", "#summary"):
        expect(page.locator(shown)).to_contain_text("דוד")
        expect(page.locator(shown)).not_to_contain_text("player")
    page.get_by_role("button", name="Wärmekarte").click()
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    audit(page, "a replay in German")


def test_text_from_right_to_left_keeps_to_itself(new_context: NewContext, url: str) -> None:
    ann, bob = open_in("en", new_context, "phone", "דוד"), open_in("en", new_context, "phone")
    visitor = Visitor(ann, url)
    visitor.to_lobby()
    choices = visitor.unfold("memory")
    choices.get_by_label("Name of the game").fill("مباراة 7")
    choices.get_by_text("My own board").click()
    choices.get_by_role("textbox", name="My own board").fill("1x2\nשלום\nשלום\n")
    choices.get_by_label("Anybody").check()
    choices.get_by_role("button", name="Start").click()
    room = visitor.arrive()
    name, title = ann.locator("#me .chip-name"), ann.locator(".bar-title span").first
    expect(name).to_have_text("דוד")
    expect(name).to_have_attribute("dir", "auto")
    expect(title).to_have_text("مباراة 7")
    assert title.evaluate("span => getComputedStyle(span).direction") == "rtl"
    ann.get_by_role("dialog", name="Invite friends").get_by_role("button", name="Play").click()
    visitor.cell(0, 0).click()
    expect(visitor.next).to_contain_text("\u2068שלום\u2069")
    expect(ann.locator(".face-text").first).to_have_attribute("dir", "auto")
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
    bob.goto(room)
    bob.evaluate("document.documentElement.dir = 'rtl'")
    expect(bob.get_by_role("gridcell").first).to_be_visible()
    assert bob.evaluate("document.documentElement.scrollWidth <= innerWidth")
