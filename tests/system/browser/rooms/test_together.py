"""Actions of several people in a room, in a real Chromium: names, host's menu, votes, reactions, calls in the tab.

Testing strategy. tests/system/rooms/test_company.py tests the server's part, case by case. Here people in several
browsers use each part of the page once.

- a room from its host's arrival to its end: names in any script, also in the label of a card that was held before the
  visitor came, and a lookalike that is rejected; the host's title, which nobody's arrival replaces while the host types
  it; a vote; reactions and sounds; the next game and its settings; a removal; the end of the room: test_a_host_*
- an absent host: the stand-in's rights, and the time of all rights; the next game; the host's return; all rights:
  test_a_player_stands_in_*
- a player who looks elsewhere: a friend has come, a card has come, the game is over. The waiting player and the holder
  see the time: test_a_player_is_called_*
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Final

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.support.process import ServerProcess
from tests.system.browser.audit import audit
from tests.system.browser.away import come_back, leave
from tests.system.browser.rooms.visitor import BOARD, Visit, Visitor

pytestmark = pytest.mark.browser

ON_BOARD: Final = {"board": BOARD}

HOST_ACTS: Final = ("Next game…", "Rename", "Remove", "Close this game")

# A server on which a player stands in for an absent host at once.
QUICK: Final = (
    sys.executable,
    "-c",
    "from scramble.cli.main import main; from scramble.rooms.gathering import people; people.HOST_GONE_S = 0.0; main()",
)

COUNT_TONES: Final = """
globalThis.tones = 0;
const start = AudioScheduledSourceNode.prototype.start;
AudioScheduledSourceNode.prototype.start = function (...when) {
  globalThis.tones += 1;
  return start.apply(this, when);
};
"""

FOLLOW_REACTIONS: Final = """
() => {
  globalThis.floated = new Promise((done) => {
    new MutationObserver(([{ addedNodes: [node] }]) => done(`${node.dataset.player} ${node.innerText}`))
      .observe(document.querySelector(".reactions-sky"), { childList: true });
  });
}
"""


def expect_acts(visitor: Visitor, *acts: str) -> None:
    """Check that the visitor's menu has these acts of a host, and no others."""
    for act in HOST_ACTS:
        expect(visitor.menu.get_by_role("button", name=act)).to_be_visible(visible=act in acts)


def act(visitor: Visitor, name: str) -> None:
    """Use a button of the menu that asks for a confirmation, and confirm."""
    visitor.menu.get_by_role("button", name=name, exact=True).click()
    visitor.page.locator("#room-sure .go").click()


def join_as_a_lookalike(visitor: Visitor, address: str) -> None:
    """Try the name of the player "Зоя ö" in similar letters, and accept the offered name."""
    visitor.page.goto(address)
    visitor.page.get_by_label("Your name", exact=True).fill("зоя  O")
    visitor.page.get_by_role("button", name="Play", exact=True).click()
    expect(visitor.page.locator("#join")).to_contain_text("looks like one that is")
    audit(visitor.page, "a name that is taken, on a phone")
    visitor.page.get_by_role("button", name="Play as зоя O 2").click()
    visitor.arrive()


def react(sender: Visitor, *others: Visitor) -> None:
    """Send a reaction, and check that it floats up for all."""
    for one in (sender, *others):
        one.page.evaluate(FOLLOW_REACTIONS)
    sender.page.get_by_role("button", name="React with 🎉").click()
    floated = [one.page.evaluate("globalThis.floated") for one in (sender, *others)]
    assert all("🎉" in one for one in floated)
    assert len({one.partition(" ")[0] for one in floated}) == 1  # the sender


def choose_the_next_game(host: Visitor) -> None:
    host.menu.get_by_role("button", name="Next game…").click()
    chosen = host.page.get_by_role("dialog", name="Settings of the next game")
    audit(host.page, "settings of the next game")
    chosen.get_by_label("4 × 4", exact=True).check()
    chosen.get_by_role("button", name="Choose").click()
    expect(chosen).to_be_hidden()


def test_a_host_runs_a_room_to_its_end_and_all_read_the_names_with_the_acts(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    for one in (ann, bob):
        one.page.add_init_script(COUNT_TONES)
    address = ann.open(settings=ON_BOARD)
    ann.join(address, "Зоя ö")
    ann.flip(0, 1)

    # An arrival does not replace the title that the host types.
    ann.menu.get_by_label("Title of this game").fill("Friday")
    join_as_a_lookalike(bob, address)
    expect(bob.cell(0, 1)).to_have_attribute("aria-label", re.compile("held by Зоя ö$"))  # names come after the board
    expect(ann.menu.get_by_label("Player to remove").get_by_role("option")).to_have_text(["зоя O 2"])
    ann.menu.get_by_role("button", name="Rename").click()
    expect(bob.page.locator(".bar-title")).to_contain_text("Friday")
    expect(bob.log).to_contain_text("Зоя ö called this game “Friday”")
    expect_acts(ann, *HOST_ACTS)
    expect_acts(bob)

    # Sounds are off until the player chooses them.
    bob.flip(0, 0)
    expect(ann.cell(0, 0)).to_have_attribute("aria-label", re.compile("held by зоя O 2"))
    assert bob.page.evaluate("globalThis.tones") == 0
    bob.page.locator(".bar").get_by_role("button", name="Sounds").click()
    bob.page.wait_for_function("globalThis.tones > 0")
    heard = bob.page.evaluate("globalThis.tones")
    bob.flip(1, 0)
    bob.page.wait_for_function("heard => globalThis.tones > heard", arg=heard)
    assert ann.page.evaluate("globalThis.tones") == 0

    react(bob, ann)

    # The host sees a vote, and begins the next game.
    bob.menu.get_by_role("button", name="Ask for a new game").click()
    expect(ann.menu).to_contain_text("1 of 2 wants a new game.")
    choose_the_next_game(ann)
    leave(bob.page)
    act(ann, "New game")
    for one, name in ((ann, "Зоя ö"), (bob, "зоя O 2")):
        one.move_along(address)
        expect(one.cell(3, 3)).to_be_visible()
        expect(one.me).to_contain_text(name)
    expect(bob.page).to_have_title(re.compile("^● (The next game has begun|Зоя ö has come) – "))

    # A removed player watches, and cannot join under another name.
    ann.menu.get_by_label("Player to remove").select_option("зоя O 2")
    act(ann, "Remove")
    expect(bob.next).to_contain_text("You are watching")
    expect(bob.log).to_contain_text("removed зоя O 2")
    bob.page.locator("#next").get_by_role("button", name="Join").click()
    bob.page.get_by_label("Your name", exact=True).fill("robert")
    bob.page.get_by_role("button", name="Play", exact=True).click()
    expect(bob.page.locator("#join .error")).to_contain_text("removed you")

    # A closed room leads to the lobby.
    act(ann, "Close this game")
    for one in (ann, bob):
        expect(one.next).to_contain_text("closed")
    ann.page.locator("#next").get_by_role("button", name="All games").click()
    expect(ann.card("memory")).to_be_visible()


def company_of(page: Page) -> Callable[[dict[str, object]], None]:
    """Return a function that repeats the latest frame about the people of the room, with changes."""
    routes: list[WebSocketRoute] = []
    latest: dict[str, object] = {}

    def follow(route: WebSocketRoute) -> None:
        routes.append(route)

        def receive(message: str | bytes) -> None:
            frame = json.loads(message)
            if frame["type"] == "company":
                latest.update(frame)
            route.send(message)

        route.connect_to_server().on_message(receive)

    page.route_web_socket("**", follow)
    return lambda changes: routes[-1].send(json.dumps({**latest, **changes}))


def test_a_player_stands_in_for_an_absent_host_until_the_host_is_back(visit: Visit) -> None:
    with ServerProcess("serve", "--port", "0", "--in-memory", program=QUICK) as server:
        ann, bob = visit(url=server.url), visit("phone", server.url, alone=True)
        bob.page.clock.set_fixed_time(datetime(2030, 1, 1, 12, 0, 30))
        tell = company_of(bob.page)
        address = ann.open(settings=ON_BOARD)
        ann.join(address, "ann")
        bob.join(address, "bob")
        expect_acts(bob)
        ann.page.goto("about:blank")
        expect(bob.log).to_contain_text("The host is away")
        expect(bob.menu).to_contain_text(re.compile(r"not back at 12:15\sPM, in 15 minutes, you may also"))
        expect_acts(bob, "Next game…")
        ann.page.goto(address)
        expect_acts(ann, *HOST_ACTS)
        expect_acts(bob)
        ann.page.goto("about:blank")
        expect_acts(bob, "Next game…")
        tell({"acting": False, "all_in": None})  # after 15 minutes
        expect(bob.log).to_contain_text("You are the host now")
        expect_acts(bob, "Next game…", "Rename", "Close this game")  # nobody is here to be removed
        act(bob, "New game")
        bob.move_along(address)


def test_a_player_is_called_in_the_tab_by_a_friend_by_a_card_and_by_the_end(visit: Visit) -> None:
    ann, bob = visit(alone=True), visit()
    ann.page.clock.install()
    address = ann.open(settings=ON_BOARD, turn_clock=45)
    ann.join(address, "ann")
    leave(ann.page)
    bob.join(address, "bob")
    expect(ann.page).to_have_title(re.compile("^● bob has come – "))
    come_back(ann.page)
    expect(ann.page).not_to_have_title(re.compile("^●"))

    # The waiting player and the holder see the time.
    ann.flip(0, 0)
    bob.cell(0, 0).click()
    expect(bob.next).to_contain_text(re.compile(r"Waiting for ann.*: \d+ seconds at most"))
    expect(ann.next).to_contain_text("find its twin")
    ann.page.clock.fast_forward(32_000)
    expect(ann.next).to_contain_text(re.compile(r"bob waits for your card. Turn one over within \d+ seconds"))
    leave(bob.page)
    ann.flip(1, 0)  # a different card
    expect(bob.cell(0, 0)).to_have_attribute("data-held", "mine")
    expect(bob.page).to_have_title(re.compile("^● Your card has come"))
    come_back(bob.page)
    expect(bob.page).not_to_have_title(re.compile("^●"))

    leave(ann.page)
    for place in ((0, 1), (1, 0), (1, 1)):
        bob.flip(*place)
    expect(ann.page).to_have_title(re.compile("^● The game is over – "))
