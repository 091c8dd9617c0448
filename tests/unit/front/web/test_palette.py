"""The players' palette in client/shared/tokens.css: twelve colours that can be told apart, and read.

Testing strategy. Both themes; each pair of colours as seen by people with all three kinds of cones, and by those who
lack one; each colour as text on every ground and on its own tint, and the ink on it.
"""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from scramble.kernel.hues import HUES
from scramble.resources import CLIENT
from tests.support.colours import VISIONS, Triple, contrast, distance, linear, mixed, oklab, seen
from tests.support.figures import report

APART = 9.0  # CIEDE2000, where 2 is what one notices at a glance
APART_FOR_MOST = 14.0  # for eyes with all three kinds of cones
READABLE = 4.5  # WCAG 2.2, AA

OKLCH = r"oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)"
PAIR = re.compile(rf"--([\w-]+): light-dark\({OKLCH}, {OKLCH}\)")
SOFT = {"light": (0.14, "surface"), "dark": (0.22, "sunk")}  # the player's share of the tint, and the rest


def read_tokens(theme: str) -> dict[str, Triple]:
    """The tokens that have a colour in each theme, in OKLab."""
    found = {}
    for name, *numbers in PAIR.findall((CLIENT / "shared" / "tokens.css").read_text()):
        lightness, chroma, hue = map(float, numbers[:3] if theme == "light" else numbers[3:])
        found[name] = oklab(lightness / 100, chroma, hue)
    return found


@pytest.fixture(name="tokens", params=["light", "dark"])
def _tokens(request: pytest.FixtureRequest) -> tuple[str, dict[str, Triple]]:
    return request.param, read_tokens(request.param)


def palette(tokens: dict[str, Triple]) -> list[Triple]:
    return [tokens[f"player-{hue}"] for hue in range(HUES)]


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_players_can_be_told_apart(tokens: tuple[str, dict[str, Triple]], vision: str) -> None:
    theme, known = tokens
    colours = [seen(linear(colour), vision) for colour in palette(known)]
    least = min(distance(one, other) for one, other in combinations(colours, 2))
    report("hues, the least distance", {f"{theme}, {vision}": f"{least:.1f}"})
    assert least >= (APART_FOR_MOST if vision == "trichromacy" else APART)


def test_every_player_can_be_read_on_every_ground(tokens: tuple[str, dict[str, Triple]]) -> None:
    theme, known = tokens
    ink = linear(known["player-ink"])
    for colour in palette(known):
        for ground in ("page", "surface", "sunk"):
            assert contrast(linear(colour), linear(known[ground])) >= READABLE, (colour, ground)
        share, ground = SOFT[theme]
        soft = linear(mixed(colour, known[ground], share))
        assert contrast(linear(colour), soft) >= READABLE, colour
        assert contrast(linear(known["ink"]), soft) >= READABLE, colour
        assert contrast(ink, linear(colour)) >= READABLE, colour


def test_the_tints_are_as_the_stylesheet_has_them() -> None:
    text = (CLIENT / "shared" / "tokens.css").read_text()
    for share, ground in SOFT.values():
        assert f"color-mix(in oklab, var(--player) {round(100 * share)}%, var(--{ground}))" in text
