"""Random boards of pairs, as text. The same size, theme and seed always make the same board. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import count, islice, product
from typing import Final, Literal, TypeAlias

from scramble.memory.boardfile import format_board_file

Theme: TypeAlias = Literal[
    "animals",
    "nature",
    "food",
    "sport",
    "travel",
    "things",
    "faces",
    "flags",
    "letters",
    "numbers",
    "words",
    "emoji",
]

MAX_CELLS: Final = 1_000_000  # 1000 x 1000; no game needs more cards

# Each emoji is one code point, shown as a picture without a variation selector (Unicode 11 at most, for old phones).
# The emoji of a set look different at 28 pixels: a set has only one of several similar emoji, for example the tiger or
# the leopard. So two different cards never look alike, and two different combinations of two emoji never look alike.
ANIMALS: Final = (
    "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🦆🦅🦉🦇🐺🐗🐴🦄🐝🐛🦋🐌🐞🐜🦂🐢🐍🦎🐙🦑🦐🦀"
    "🐡🐠🐬🐳🦈🐊🐆🦓🦍🐘🦏🐫🦒🐏🐑🐐🦌🐓🦃🦔🐉🦕"
)
PLANTS: Final = "🌵🎄🌲🌴🌱🍀🎋🍁🍄🌾💐🌷🌹🌻🌼"
FOOD: Final = (
    "🍎🍐🍊🍋🍌🍉🍇🍓🍒🍑🍍🥝🍅🍆🥑🥦🥒🌽🥕🥔🍠🥐🍞🥖🥨🧀🥚🍳🥞🥓🥩🍗🌭🍔🍟🍕🌮🌯🍝🍜"
    "🍣🍱🍤🍙🍦🍰🎂🍭🍬🍫🍿🍩🍪🌰🥜🍯🍵🍶🍺🍷🍹"
)
SKY: Final = "🌍🌙🌟🌈🔥🌊🌋🌀"
THINGS: Final = (
    "⚽🏀🏈⚾🎾🏐🏉🎱🏓🏸🥊🎯🎳🏆🎸🎺🎻🥁🎹🎨🎬🎲🧩🎭"  # sport
    "🚗🚌🚑🚒🚜🚲🛵🚂🚀🛸🚁⛵🚢🚦🗽🗼🏰🎡🎪🏠🏥🏫"  # travel
    "📱💻📷📺📻⏰🔋💡🔦💸💎🔧🔨🔩🧲💣🔪🔮🔭🔬💊🚪🛁🔑🎁🎈🎀📦📜📚📎📌🔒🧭🎩👑👒👓👔👗"
    "👠👟🎒"
)
EMOJI: Final = ANIMALS + PLANTS + FOOD + SKY + THINGS
NATURE: Final = (
    "🌵🌲🌴🌱🍀🎋🍁🍄🌾💐🌷🌹🌻🌼🌍🌙🌟🌈🔥🌊🌋🌀⛄⚡⛅🌞🌠💧🗻🌅🌌☔🌽🍇🍓🍂🥀🐝🦋🐛"
    "🐞🐌🦊🐻🐸🦉🦆🦔🐢🐍🦎🦂🐙🦀🐠🐳🌳🍎🌰"
)
SPORT: Final = (
    "⚽🏀🏈⚾🎾🎱🏓🏸🏒🏏🥊🥋🎯🎳⛳🎣🎿🛷🥌🏹🥅🏆🏅🎽🚴🏊🏄🏇🏂🤸🤺🏉🥍🛹🥏"
    "🎮🎲🧩🎭🎨🎬🎤🎧🎷🎸🎺🎻🥁🎹🎪🎰🃏🎢🤹🎈🎉"  # and play
)
TRAVEL: Final = (
    "🚗🚌🚑🚒🚓🚚🚜🛵🚲🛴🚂🚅🚃🚁🛫🚀🛸⛵🚤🚢🛶⛽🚦🚧⚓🗽🗼🏰🏯🕌⛪🗿🎡🎢🎪🏠🏥🏫🏭⛺"
    "🌋🗻🌉🧭🧳🎫🚏🚡🚠💺🌍📷🎒🛂🌴🕋🚟🌅"
)
FACES: Final = (
    "😀😂😇😎🤓🧐🤠🥳🤡😴😭🤬🥶🥵😱🤯🤢🤧🤕🤑🤫🤔🙄😈👻👽🤖👾💀💩🎃😺🙈🐵👵👶🎅👸🧙🧛"
    "🧜🤪👹👺🧝🧞👲🧔👮👷💂👰🧟😋🌞🌚😷🤵"
)
# Each flag has two code points. The set has only one of several similar flags: Italy, but not Ireland and Mexico.
_FLAGS: Final = (
    "AR AU BE BR BT CA CH CL CN CU CY CZ DE DK DZ ES FI FR GB GR GD GY HR IL IN IT JM JP KE KH KR KZ KI LB LK LS LC MK"
    " MZ NP NO PG PL PT QA SA SE SC SZ TR TT TZ UA UG US UY VA ZA ZM BB BN AL AG BW ET GE MV MH PA RW SB TL VU BS CO NG"
    " PE"
)
FLAGS: Final = tuple("".join(chr(0x1F1E6 + ord(letter) - ord("A")) for letter in code) for code in _FLAGS.split())

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NUMBERS: Final = tuple(map(str, range(1, 100)))

# Short words with different meanings and looks. Two words differ in two or more letters. Two words with the same first
# letter differ in three or more letters.
_WORDS: Final = (
    "acorn anchor angel apple arrow attic bacon badge ballet banana beach beaver berry bishop blanket boots bottle"
    " bread brick broom bucket button cabin cactus camel candle canyon cargo carpet cheese circus cliff cloud cookie"
    " coral cotton crown curry daisy diver dolphin dragon drum eagle earth elbow engine fairy falcon feather fence"
    " fiddle flute forest fossil garlic ghost giant ginger glacier globe goblin grape guitar hammer harbor hazel"
    " hedge helmet honey igloo island ivory jacket jasmine jelly jigsaw jungle kettle kitten koala ladder lantern"
    " lemon lizard lobster lunch magic magnet maple meadow mirror monkey mosaic mustard nectar needle ocean olive"
    " onion orbit otter paint pajama panda parrot pearl pebble penguin pepper piano pilot pirate planet potato"
    " pumpkin pyramid quartz queen quilt rabbit radio ranch raven ribbon robot rocket rooster saddle salad sandal"
    " sausage scarf school shadow sheriff silver snail sparrow spider spoon squid stamp storm sugar summer sunset"
    " syrup table teapot thumb tiger toast tomato trumpet tulip tunnel turtle umbrella valley vampire velvet village"
    " violin volcano vulture waffle wagon walnut whale wheel window winter wombat yacht yogurt zebra zipper"
)
CARD_WORDS: Final = tuple(_WORDS.split())

THEMES: Final[Mapping[Theme, Sequence[str]]] = {
    "animals": tuple(ANIMALS),
    "nature": tuple(NATURE),
    "food": tuple(FOOD),
    "sport": tuple(SPORT),
    "travel": tuple(TRAVEL),
    "things": tuple(THINGS),
    "faces": tuple(FACES),
    "flags": FLAGS,
    "letters": tuple(LETTERS),
    "numbers": NUMBERS,
    "words": CARD_WORDS,
    "emoji": tuple(EMOJI),
}
"""Symbols of each theme, all different. The cards of a board with enough symbols are single symbols."""

_BETWEEN: Final[Mapping[Theme, str]] = {"words": "-", "numbers": "-"}
"""Separator of combined symbols, for themes with ambiguous combinations: 1 and 23 become 1-23."""


def new_board(rows: int, columns: int, theme: Theme, seed: int) -> str:
    """Return the text of a board file that has every card exactly twice, in random places.

    The cards are single symbols of the theme, chosen at random. A larger board has all single symbols, then
    combinations of two symbols, then of three: A, B, ... Z, AA, AB and so on. A hyphen separates combined words and
    numbers.

    Raises:
        ValueError: a size is below 1, or the number of cards is odd or above `MAX_CELLS`. The message is for people.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least 1 row and 1 column, not {rows}x{columns}")
    cells = rows * columns
    if cells > MAX_CELLS:
        raise ValueError(f"a board has at most {MAX_CELLS:,} cards, and {rows}x{columns} would be more")
    if cells % 2:
        raise ValueError(f"{rows}x{columns} is an odd number of cards: one card would have no pair")
    rng = random.Random(seed)
    symbols = THEMES[theme]
    pairs = cells // 2
    kinds = (
        rng.sample(symbols, pairs) if pairs <= len(symbols) else _combinations(symbols, pairs, _BETWEEN.get(theme, ""))
    )
    cards = [*kinds, *kinds]
    rng.shuffle(cards)
    return format_board_file(rows, columns, cards)


def _combinations(symbols: Sequence[str], number: int, between: str) -> list[str]:
    """Return the first `number` combinations: strings of one symbol, then of two symbols, and so on."""
    strings = (between.join(parts) for length in count(1) for parts in product(symbols, repeat=length))
    return list(islice(strings, number))
