"""Random boards of pairs, as text; the same size, theme and seed always make the same board. Pure."""

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

MAX_CELLS: Final = 1_000_000  # a thousand by a thousand: more cards than players will ever turn over

# One code point each, shown as a picture without a variation selector (Unicode 11 at most, for old phones), and hard
# to mistake for another of its set at a glance: of two that were alike at 28 pixels, such as the tiger and the leopard,
# one is left out. So cards are equal exactly if they look equal, and two of them side by side are a card
# unlike any other two.
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
# Two code points each. Of flags that are alike at a glance, such as those of Italy, Ireland and Mexico, one is here.
_FLAGS: Final = (
    "AR AU BE BR BT CA CH CL CN CU CY CZ DE DK DZ ES FI FR GB GR GD GY HR IL IN IT JM JP KE KH KR KZ KI LB LK LS LC MK"
    " MZ NP NO PG PL PT QA SA SE SC SZ TR TT TZ UA UG US UY VA ZA ZM BB BN AL AG BW ET GE MV MH PA RW SB TL VU BS CO NG"
    " PE"
)
FLAGS: Final = tuple("".join(chr(0x1F1E6 + ord(letter) - ord("A")) for letter in code) for code in _FLAGS.split())

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NUMBERS: Final = tuple(map(str, range(1, 100)))

# Short, and of different meanings and looks: no two differ in one letter only, and of those with the same first letter
# no two in two.
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
"""The symbols of each theme, all of them different: as many pairs as they are have a symbol of their own."""

_BETWEEN: Final[Mapping[Theme, str]] = {"words": "-", "numbers": "-"}
"""What stands between combined symbols, where they could be misread without it."""


def new_board(rows: int, columns: int, theme: Theme, seed: int) -> str:
    """Return the text of a board file that has every card exactly twice, in random places.

    The cards are single symbols of the theme, chosen at random; a board too large for those has all of them, then
    combinations of two, then of three: A, B, ... Z, AA, AB and so on; of words and numbers with hyphens between them.

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
        rng.sample(symbols, pairs) if pairs <= len(symbols) else _combinations(symbols, pairs, _BETWEEN.get(theme, ""))
    )
    cards = [*kinds, *kinds]
    rng.shuffle(cards)
    return format_board_file(rows, columns, cards)


def _combinations(symbols: Sequence[str], number: int, between: str) -> list[str]:
    """Return the first `number` strings of `symbols`: those of one symbol, then those of two, and so on."""
    strings = (between.join(parts) for length in count(1) for parts in product(symbols, repeat=length))
    return list(islice(strings, number))
