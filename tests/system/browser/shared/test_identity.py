"""The looks of players, and two tabs of one browser.

Testing strategy. Two players with the same natural hue: both pages give them the same two hues. The theme: a choice in
one tab reaches the other tab. tests/unit/client tests the modules of hues and initials.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from scramble.players.hues import wish_of
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD, Player

pytestmark = pytest.mark.browser


def test_two_tabs_of_one_browser_show_two_players_of_one_hue_apart_and_have_one_theme(
    new_context: NewContext, serve: Serve, tmp_path: Path
) -> None:
    file = tmp_path / "board.txt"
    file.write_text(BOARD)
    url, context = serve("memory", "--port", "0", str(file)).url, new_context()
    ann, max_ = (Player(context.new_page(), url, name) for name in ("ann", "max"))

    assert wish_of("ann") == wish_of("max")
    hues: list[str] = []
    for player in (ann, max_):
        badges = [player.page.locator(f'#players [data-player="{name}"] .badge') for name in ("ann", "max")]
        expect(badges[0]).to_have_attribute("style", f"--player: var(--player-{wish_of('ann')});")
        expect(badges[1]).not_to_have_attribute("style", f"--player: var(--player-{wish_of('max')});")
        hues.append(badges[1].evaluate("badge => badge.style.getPropertyValue('--player')"))
    assert hues[0] == hues[1]

    for theme in ("light", "dark"):
        ann.page.locator("#theme").click()
        for player in (ann, max_):
            expect(player.page.locator("html")).to_have_attribute("data-theme", theme)
            expect(player.page.locator("#theme")).to_have_attribute("data-choice", theme)
