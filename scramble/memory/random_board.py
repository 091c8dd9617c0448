"""Random boards of pairs, as text; the same size, theme and seed always make the same board. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import count, islice, product
from typing import Final, Literal, TypeAlias

from scramble.memory.boardfile import format_board_file

Theme: TypeAlias = Literal["animals", "food", "faces", "nature", "things", "emoji", "letters", "words"]

MAX_CELLS: Final = 1_000_000  # a thousand by a thousand: more cards than players will ever turn over

# One code point each, shown as a picture without a variation selector, and hard to mistake for another at a glance:
# so cards are equal exactly if they look equal, and two of them side by side are a card unlike any other two.
ANIMALS: Final = (
    "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🦆🦅🦉🦇🐺🐗🐴🦄🐝🐛🦋🐌🐞🐜🦂🐢🐍🦎🐙🦑🦐🦀"
    "🐡🐠🐬🐳🦈🐊🐅🐆🦓🦍🐘🦏🐫🦒🐃🐏🐑🐐🦌🐩🐓🦃🐇🐁🦔🐉🦕"
)
PLANTS: Final = "🌵🎄🌲🌴🌱🍀🎋🍁🍄🌾💐🌷🌹🌻🌼"
FOOD: Final = (
    "🍎🍐🍊🍋🍌🍉🍇🍓🍒🍑🍍🥝🍅🍆🥑🥦🥒🌽🥕🥔🍠🥐🍞🥖🥨🧀🥚🍳🥞🥓🥩🍗🌭🍔🍟🍕🌮🌯🍝🍜"
    "🍣🍱🥟🍤🍙🍦🍰🎂🍭🍬🍫🍿🍩🍪🌰🥜🍯🥛🍵🍶🍺🍷🍹"
)
SKY: Final = "🌍🌙🌟🌈🔥🌊🌋🌀"
THINGS: Final = (
    "⚽🏀🏈⚾🎾🏐🏉🎱🏓🏸🥊🎯🎳🏆🎸🎺🎻🥁🎹🎨🎬🎲🧩🎭"  # sport
    "🚗🚌🚑🚒🚜🚲🛵🚂🚀🛸🚁⛵🚢🚦🗽🗼🏰🎡🎪🏠🏥🏫"  # travel
    "📱💻📷📺📻⏰🔋💡🔦💸💎🔧🔨🔩🧲💣🔪🔮🔭🔬💊🚪🛁🔑🎁🎈🎀📦📜📚📎📌🔒🧭🎩👑👒👓👔👗"
    "👠👟🎒"
)
EMOJI: Final = ANIMALS + PLANTS + FOOD + SKY + THINGS
FACES: Final = "😀😂😇😉😍😘😎🤓🧐🤠🥳🤡😏😴😢😭😡🤬🥶🥵😱🤯🤢🤧🤕🤐🤑🤥🤫🤔🙄😬😈👻👽🤖👾💀💩🎃😺🙈👶👵🎅👸🤴🧙🧛🧜"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# Short, and of different meanings and looks: no two of them are mistaken for each other, in a row of cards or aloud.
_WORDS: Final = (
    "apple arrow attic bacon badge beach berry bison boots bread brick broom cabin camel candle cargo cheese cliff"
    " cloud coral crown curry daisy diver dragon drum eagle earth elbow engine fairy fence flute forest fossil garlic"
    " ghost giant globe grape guitar hammer harbor hedge honey igloo ivory jacket jelly jungle kettle koala ladder"
    " lemon lizard lunch magnet maple mirror monkey mosaic needle noodle ocean olive onion orbit otter paint panda"
    " pearl pepper piano pilot planet potato puppet queen quilt rabbit radio ranch river robot rocket saddle salad"
    " sandal shadow silver snail spider spoon stamp storm sugar summer syrup table thumb tiger toast tomato tower"
    " tulip tunnel turtle umbrella valley velvet violin volcano waffle walnut whale wheel window winter wizard yacht"
    " yogurt zebra zipper"
)
WORDS: Final = tuple(_WORDS.split())

THEMES: Final[Mapping[Theme, Sequence[str]]] = {
    "animals": ANIMALS,
    "food": FOOD,
    "faces": FACES,
    "nature": PLANTS + SKY + ANIMALS,
    "things": THINGS,
    "emoji": EMOJI,
    "letters": LETTERS,
    "words": WORDS,
}
"""The symbols of each theme, all of them different."""


def new_board(rows: int, columns: int, theme: Theme, seed: int) -> str:
    """Return the text of a board file that has every card exactly twice, in random places.

    The cards are single emoji, letters or words, chosen at random; a board too large for those has all of them, then
    combinations of two, then of three: A, B, ... Z, AA, AB and so on; of words with hyphens between them.

    Raises:
        ValueError: a size below 1, an odd number of cards (one would be left over), or more than `MAX_CELLS`;
            the message is for people.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least 1 row and 1 column, not {rows}x{columns}")
    cells = rows * columns
    if cells > MAX_CELLS:
        raise ValueError(f"a board has at most {MAX_CELLS:,} cards, and {rows}x{columns} would be more")
    if cells % 2:
        raise ValueError(f"{rows}x{columns} is an odd number of cards: one would be left without its like")
    rng = random.Random(seed)
    symbols = THEMES[theme]
    pairs = cells // 2
    kinds = (
        rng.sample(symbols, pairs) if pairs <= len(symbols) else _combinations(symbols, pairs, "-" * (theme == "words"))
    )
    cards = [*kinds, *kinds]
    rng.shuffle(cards)
    return format_board_file(rows, columns, cards)


def _combinations(symbols: Sequence[str], number: int, between: str) -> list[str]:
    """Return the first `number` strings of `symbols`: those of one symbol, then those of two, and so on."""
    strings = (between.join(parts) for length in count(1) for parts in product(symbols, repeat=length))
    return list(islice(strings, number))
