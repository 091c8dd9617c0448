"""The looks of players on every page: their hues and initials.

Testing strategy. The modules themselves, in one page: hues by the server's rule; initials of one, two and many players
with the same letters, of names in several scripts, and after a player changed the name. Two players with the same
natural hue, on both pages of a game and on the page of a later player.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from scramble.players.hues import wish_of
from scramble.players.presence import Presence
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD, Player

pytestmark = pytest.mark.browser


@pytest.fixture(name="url", scope="module")
def _url(serve_module: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("identity") / "board.txt"
    file.write_text(BOARD)
    return serve_module("memory", "--port", "0", str(file)).url


def initials(page: Page, *names: str) -> list[str]:
    """The initials of these players, one after another, on a page without earlier players."""
    found: list[str] = page.evaluate(
        """async (names) => {
            const { initialsAmong } = await import(`./client/shared/initials.js?${Math.random()}`);
            return names.map((name, player) => initialsAmong(String(player), name));
        }""",
        names,
    )
    return found


def test_pages_and_server_have_one_rule_for_hues(new_context: NewContext, url: str) -> None:
    page = new_context().new_page()
    page.goto(url)
    names = ["", "a", "alice", "quiet_otter", "Zoë", "李小龙", "🦊", "x" * 24]
    hues = page.evaluate(
        "async (names) => { const { wishOf } = await import('./client/shared/hues.js'); return names.map(wishOf); }",
        names,
    )
    assert hues == [wish_of(name) for name in names]
    players = ["max", "ann", "jack", "eve", *map("p{}".format, range(20))]
    table = Presence()
    for player in players:
        table.arrive(player)
    spread = "async (names) => (await import('./client/shared/hues.js')).spread(names)"
    assert page.evaluate(spread, players) == table.hues.other


def test_no_two_players_have_the_same_initials(new_context: NewContext, url: str) -> None:
    page = new_context().new_page()
    page.goto(url)
    assert initials(page, "alice", "quiet_otter", "x", "李小龙", "Zoë Ö") == ["Al", "QO", "X", "李", "ZÖ"]
    assert initials(page, "An", "an", "Anna", "ANTON", "An") == ["An", "A2", "Aa", "At", "A3"]
    assert initials(page, "nina_pretty", "nils_peter", "nora_park") == ["NP", "Ni", "No"]
    assert initials(page, "李小龙", "李白") == ["李", "李2"]
    many = initials(page, *(f"p{number:02}" for number in range(100)))
    assert len(set(many)) == 10
    assert all(1 <= len(one) <= 2 for one in many)


def test_initials_stay_while_others_come_and_follow_a_new_name(new_context: NewContext, url: str) -> None:
    page = new_context().new_page()
    page.goto(url)
    found = page.evaluate(
        """async () => {
            const { initialsAmong } = await import(`./client/shared/initials.js?${Math.random()}`);
            const shown = [];
            for (const ann of ["An", "An", "Bo"])
                shown.push(initialsAmong("1", ann), initialsAmong("2", "Anna"));
            return shown;
        }"""
    )
    assert found == ["An", "Aa", "An", "Aa", "Bo", "Aa"]


def test_two_players_who_would_have_one_hue_have_two_the_same_ones_for_everybody(
    new_context: NewContext, url: str
) -> None:
    ann, max_ = (Player(new_context().new_page(), url, name) for name in ("ann", "max"))
    later = Player(new_context().new_page(), url, "eve")

    def hues(player: Player) -> list[str]:
        return [
            player.page.locator(f'#players [data-player="{name}"] .badge').evaluate(
                "badge => badge.style.getPropertyValue('--player')"
            )
            for name in ("ann", "max")
        ]

    for player in (ann, max_, later):
        expect(player.page.locator("#players .player")).to_have_count(3)
        expect(player.page.locator('#players [data-player="max"] .badge')).not_to_have_attribute(
            "style", f"--player: var(--player-{wish_of('max')});"
        )
    assert hues(ann) == hues(max_) == hues(later)
    assert hues(ann)[0] == f"var(--player-{wish_of('ann')})"
