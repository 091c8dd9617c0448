"""Random boards of pairs, as text: the same size, theme and seed always make the same board. Pure."""

from __future__ import annotations

import random
from itertools import count, islice, product
from typing import Final, Literal, TypeAlias

from scramble.memory.boardfile import format_board_file

Theme: TypeAlias = Literal["emoji", "letters"]

MAX_CELLS: Final = 1_000_000  # a thousand by a thousand: more cards than anybody will ever turn over

# One code point each, shown as a picture without a variation selector, and hard to mistake for another at a glance:
# so cards are equal exactly if they look equal, and two of them side by side are a card unlike any other two.
EMOJI: Final = (
    "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🦆🦅🦉🦇🐺🐗🐴🦄🐝🐛🦋🐌🐞🐜🦂🐢🐍🦎🐙🦑🦐🦀"  # animals
    "🐡🐠🐬🐳🦈🐊🐅🐆🦓🦍🐘🦏🐫🦒🐃🐏🐑🐐🦌🐩🐓🦃🐇🐁🦔🐉🦕"
    "🌵🎄🌲🌴🌱🍀🎋🍁🍄🌾💐🌷🌹🌻🌼"  # plants
    "🍎🍐🍊🍋🍌🍉🍇🍓🍒🍑🍍🥝🍅🍆🥑🥦🥒🌽🥕🥔🍠🥐🍞🥖🥨🧀🥚🍳🥞🥓🥩🍗🌭🍔🍟🍕🌮🌯🍝🍜"  # food
    "🍣🍱🥟🍤🍙🍦🍰🎂🍭🍬🍫🍿🍩🍪🌰🥜🍯🥛🍵🍶🍺🍷🍹"
    "🌍🌙🌟🌈🔥🌊🌋🌀"  # sky
    "⚽🏀🏈⚾🎾🏐🏉🎱🏓🏸🥊🎯🎳🏆🎸🎺🎻🥁🎹🎨🎬🎲🧩🎭"  # sport
    "🚗🚌🚑🚒🚜🚲🛵🚂🚀🛸🚁⛵🚢🚦🗽🗼🏰🎡🎪🏠🏥🏫"  # travel
    "📱💻📷📺📻⏰🔋💡🔦💸💎🔧🔨🔩🧲💣🔪🔮🔭🔬💊🚪🛁🔑🎁🎈🎀📦📜📚📎📌🔒🧭🎩👑👒👓👔👗"  # things
    "👠👟🎒"
)
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_SYMBOLS: Final[dict[Theme, str]] = {"emoji": EMOJI, "letters": LETTERS}


def new_board(rows: int, columns: int, theme: Theme, seed: int) -> str:
    """The text of a board file in which every card is there exactly twice, in random places.

    The cards are single emoji or letters, chosen at random; a board too large for those has all of them, then
    combinations of two, then of three: A, B, ... Z, AA, AB and so on.

    Raises:
        ValueError: a size below 1, an odd number of cards (one would be left over), or more than `MAX_CELLS`;
            says so in words for people.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least 1 row and 1 column, not {rows}x{columns}")
    cells = rows * columns
    if cells > MAX_CELLS:
        raise ValueError(f"a board has at most {MAX_CELLS:,} cards, and {rows}x{columns} would be more")
    if cells % 2:
        raise ValueError(f"{rows}x{columns} is an odd number of cards: one would be left without its like")
    rng = random.Random(seed)
    symbols = _SYMBOLS[theme]
    pairs = cells // 2
    kinds = rng.sample(symbols, pairs) if pairs <= len(symbols) else _combinations(symbols, pairs)
    cards = [*kinds, *kinds]
    rng.shuffle(cards)
    return format_board_file(rows, columns, cards)


def _combinations(symbols: str, number: int) -> list[str]:
    """The first `number` strings of `symbols`: those of one symbol, then those of two, and so on."""
    strings = ("".join(letters) for length in count(1) for letters in product(symbols, repeat=length))
    return list(islice(strings, number))
