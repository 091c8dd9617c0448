"""The page's messages and actions when players hold the last cards.

Testing strategy. The sentences are functions of the page's model of the game. So one page calls them with invented
games, without a game on the server. The cases: the last pair in two hands, seen by both holders and by another player;
a holder has left, permanently or for some seconds; new games switched off; after a player relinquished a card; several
pairs, and also whole pairs; a twin in another hand while more pairs can be found; more than two equal cards. One play
of two real players shows that the button does the described action.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.conftest import NewContext
from tests.system.browser.memory.player import Join

pytestmark = pytest.mark.browser

NEXT = """async ([me, {cells, pairs_left, waiting = {}, off = [], left = {}, last = null}]) => {
    const [{ Game }, { nextWords }] = await Promise.all(
        ["game", "sentences"].map((name) => import(`${document.baseURI}client/memory/${name}.js`)));
    const game = new Game();
    game.replaceAll({
        version: 1, rows: 1, columns: cells.length, scores: {}, waiting, pairs_left, off,
        cells: cells.map((text) => {
            const [card, by] = text.split("/");
            if (card === "?") return { is: "down" };
            return card === "-" ? { is: "none", by } : { is: "up", card, by: by ?? null };
        }),
    });
    game.playersCame({ players: [], left });
    const { text, action } = nextWords(game, me, { state: "online", waitingHere: true, last });
    return [text, action];
}"""

SPLIT = ["-/ann", "A/ann", "-/ann", "A/bob"]


@pytest.fixture
def page(new_context: NewContext, any_url: str) -> Page:
    page = new_context().new_page()
    page.goto(any_url)
    return page


CASES: Final[list[tuple[str, dict[str, Any], str, str | None]]] = [
    ("ann", {"cells": SPLIT}, "bob holds the other A: one of you must let go.", "letgo"),
    ("bob", {"cells": SPLIT}, "ann holds the other A: one of you must let go.", "letgo"),
    ("cat", {"cells": SPLIT}, "ann and bob hold one A each: one of them must let go.", "restart"),
    ("", {"cells": SPLIT, "off": ["new"]}, "ann and bob hold one A each: one of them", None),
    ("ann", {"cells": SPLIT, "left": {"bob": None}}, "bob has left with the other A. Only bob or a new", "restart"),
    ("ann", {"cells": SPLIT, "left": {"bob": 20}}, "bob has left: in 20 seconds the other A comes free", None),
    ("cat", {"cells": SPLIT, "left": {"bob": None}}, "bob has left with one of the last A.", "restart"),
    ("cat", {"cells": SPLIT, "left": {"bob": 20}}, "bob has left: in 20 seconds A comes free.", "restart"),
    ("ann", {"cells": ["A", "A/bob"], "last": "2-B"}, "Your A is free again: bob can take both now.", None),
    ("bob", {"cells": ["A", "A/bob"]}, "You hold A, and its twin lies open. Take it!", None),
    ("cat", {"cells": [*SPLIT, "B/cat", "B/cat"], "pairs_left": 2}, "Nothing left to find. Make any", "take"),
    ("ann", {"cells": [*SPLIT, "B/cat", "B/cat"], "pairs_left": 2}, "bob holds the other A: one of you", "letgo"),
    ("dan", {"cells": [*SPLIT, "B/cat", "B/cat"], "pairs_left": 2}, "Nothing left to find: the last", "restart"),
    ("ann", {"cells": [*SPLIT, "?", "?"], "pairs_left": 2}, "You hold A, and bob has one, too. Any other", None),
    ("ann", {"cells": ["A/ann", "?", "?"], "pairs_left": 1}, "You hold A. Now find its twin.", None),
    ("dan", {"cells": ["A/ann", "A/bob", "A/cat", "?"], "pairs_left": 2}, "Turn over a card.", None),
    ("cat", {"cells": SPLIT, "waiting": {"cat": [0, 1]}}, "Waiting for ann to let go of A.", "withdraw"),
]


def test_what_is_said_of_the_last_cards(page: Page) -> None:
    for me, game, text, action in CASES:
        said, offered = page.evaluate(NEXT, [me, {"pairs_left": 1, **game}])
        assert said.startswith(text), (me, game)
        assert offered == action, (me, game)


def test_the_button_lets_go_of_a_card_and_the_other_player_takes_both(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    alice.flip(0, 0)
    alice.flip(0, 2)
    alice.flip(0, 1)  # this takes the pair of A
    alice.flip(1, 1)
    alice.flip(1, 0)  # this takes the pair of B, and holds one C
    bob.flip(1, 2)
    expect(alice.next).to_have_text("bob holds the other C: one of you must let go.")
    expect(bob.next).to_have_text("alice holds the other C: one of you must let go.")
    alice.page.get_by_role("button", name="Let go").click()
    expect(alice.next).to_have_text("Your C is free again: bob can take both now.")
    expect(bob.next).to_have_text("You hold C, and its twin lies open. Take it!")
    bob.flip(1, 0)
    expect(bob.next).to_contain_text("Nothing left to find")
