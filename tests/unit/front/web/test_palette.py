"""The colours in client/shared/tokens.css: inks that people can read, and a palette of twelve players to tell apart.

Testing strategy, for both themes:

- each pair of colours, as seen with all three kinds of cones and as seen without one of them
- each ink on every ground, on a button and on a card
- each colour as text on every ground and on its own tint; the ink on the colour
- the fill of a square, against black squares, free squares and tinted squares
- the table from which the server assigns hues
"""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from scramble.players.hues import APART as TABLE
from scramble.players.hues import HUES
from scramble.resources import CLIENT
from tests.support.colours import VISIONS, Triple, contrast, distance, linear, mixed, oklab, seen
from tests.support.figures import report

APART = 9.0  # CIEDE2000; people notice a difference of 2 at a glance
APART_FOR_MOST = 14.0  # for eyes with all three kinds of cones
FILL_APART = {"block": 40.0, "square": 15.0, "tint": 11.0}  # between a filled square and other squares
READABLE = 4.5  # WCAG 2.2, AA

OKLCH = r"oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)"
PAIR = re.compile(rf"--([\w-]+): light-dark\({OKLCH}, {OKLCH}\)")
SOFT = {"light": (0.14, "surface"), "dark": (0.24, "sunk")}  # the player's share of the tint, and the ground under it


GROUNDS = ("sunk", "page", "surface", "raised")
FILL = {"light": 0.45, "dark": 1.0}  # the player's share of the ground of a square that a player owns
BLOCK = {"light": (24, 0.03, 265), "dark": (15, 0.018, 278)}  # the crossword's black squares
SQUARE = {"light": (99.6, 0.002, 85), "dark": (37.5, 0.024, 278)}  # the crossword's free squares


def read_tokens(theme: str) -> dict[str, Triple]:
    """The tokens with a colour for each theme, in OKLab."""
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
        for ground in GROUNDS:
            assert contrast(linear(colour), linear(known[ground])) >= READABLE, (colour, ground)
        share, ground = SOFT[theme]
        soft = linear(mixed(colour, known[ground], share))
        assert contrast(linear(colour), soft) >= READABLE, colour
        assert contrast(linear(known["ink"]), soft) >= READABLE, colour
        assert contrast(ink, linear(colour)) >= READABLE, colour


def test_every_ink_can_be_read_on_every_ground(tokens: tuple[str, dict[str, Triple]]) -> None:
    _, known = tokens
    card_ink = re.search(rf"--paper-ink: {OKLCH};", (CLIENT / "shared" / "tokens.css").read_text())
    assert card_ink is not None
    lightness, chroma, hue = map(float, card_ink.groups())
    known["paper-ink"] = oklab(lightness / 100, chroma, hue)
    inks = ("ink", "muted", "accent", "good", "warn", "bad")
    pairs = [(ink, ground) for ink in inks for ground in GROUNDS]
    for ink, ground in (
        *pairs,
        ("accent-ink", "accent"),
        ("accent-fill-ink", "accent-fill"),
        ("gold-ink", "gold"),
        ("ink", "gold-soft"),
        ("muted", "gold-soft"),
        ("paper-ink", "paper"),
    ):
        assert contrast(linear(known[ink]), linear(known[ground])) >= READABLE, (ink, ground)


def test_the_tints_are_as_the_stylesheet_has_them() -> None:
    text = (CLIENT / "shared" / "tokens.css").read_text()
    for share, ground in SOFT.values():
        assert f"color-mix(in oklab, var(--player) {round(100 * share)}%, var(--{ground}))" in text


@pytest.mark.parametrize("vision", VISIONS)
def test_no_filled_square_is_taken_for_a_black_a_free_or_a_tinted_one(
    tokens: tuple[str, dict[str, Triple]], vision: str
) -> None:
    theme, known = tokens
    ink = linear(known["ink" if theme == "light" else "player-ink"])

    def fixed(colour: tuple[float, float, float]) -> Triple:
        lightness, chroma, hue = colour
        return seen(linear(oklab(lightness / 100, chroma, hue)), vision)

    share, ground = SOFT[theme]
    for colour in palette(known):
        fill = linear(mixed(colour, known["surface"], FILL[theme]))
        tint = seen(linear(mixed(colour, known[ground], share)), vision)
        others = {"block": fixed(BLOCK[theme]), "square": fixed(SQUARE[theme]), "tint": tint}
        for name, other in others.items():
            assert distance(seen(fill, vision), other) >= FILL_APART[name], (colour, name)
        assert contrast(ink, fill) >= READABLE, colour


def test_the_fills_and_the_squares_are_as_the_stylesheets_have_them() -> None:
    text = (CLIENT / "shared" / "tokens.css").read_text()
    share = round(100 * FILL["light"])
    assert f"light-dark(color-mix(in oklab, var(--player) {share}%, var(--surface)), var(--player))" in text
    assert "--block: light-dark(var(--paper-ink), oklch(15% 0.018 278));" in text
    assert "--paper-ink: oklch(24% 0.03 265);" in text
    assert "--square: light-dark(oklch(99.6% 0.002 85), oklch(37.5% 0.024 278));" in text


def test_hues_are_given_out_by_how_much_they_differ() -> None:
    palettes = [palette(read_tokens(theme)) for theme in ("light", "dark")]
    views = [[seen(linear(colour), vision) for colour in colours] for colours in palettes for vision in VISIONS]
    for one, row in enumerate(TABLE):
        for other, apart in enumerate(row):
            least = min(distance(view[one], view[other]) for view in views)
            assert apart == int(least), (one, other)
