"""Display names of players: validation, detection of similar names, and the player's ID for a name. Pure.

    name = parse_display_name(" Zoë  the 1st ")      # "Zoë the 1st"; or InvalidCommand, in words
    skeleton_of("Bоb") == skeleton_of("bob")         # True: the first o is Cyrillic
    player_of("Zoë the 1st")                         # "Zoe_the_1st"; "player" for a name without Latin letters

Two names look alike if their skeletons are equal (the idea is from Unicode Technical Standard 39). Skeletons are never
shown. Some different names also have equal skeletons. This is harmless: the player gets the offer "bob 2". The tables
depend on the version of Unicode, so a skeleton for a later comparison is stored with its name, and not computed again.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from scramble.errors import InvalidCommand

MAX_DISPLAY_NAME: Final = 24  # code points
MAX_MARKS: Final = 4  # on one character; more marks would cover the lines above and below
MAX_ID: Final = 20  # characters, as the pages suggest

_PLAYER: Final = re.compile("[A-Za-z0-9_]+")

ZWNJ, ZWJ = "\u200c", "\u200d"
VIRAMA: Final = 9  # combining class; joiners after it are spelling (RFC 5892, appendix A)

INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Invisible letters, marks and symbols; other invisible characters are recognized by their Unicode category."""

BOT: Final = "bot"  # the skeleton of the first word of a bot's name

EMOJI_STYLE: Final = frozenset("\ufe0e\ufe0f")
"""Variation selectors: text style and colour style for the preceding emoji."""

KEPT_CLASSES: Final = (0, 8, VIRAMA)
"""Combining classes of marks in skeletons: vowel signs, kana voicing, viramas. Readers easily miss other marks, for
example accents."""

CONFUSABLES: Final = str.maketrans(
    # Latin letters and digits
    dict(zip("0øi1|ıɩĺłđħɡɑ", "oolllllll" + "dhga", strict=True))
    # Cyrillic, small letters also for their capitals
    | dict(zip("авеёзкмнорстухіїјѕԁԛԝһӏгп", "abee3kmhopctyxlljsdqwhlrn", strict=True))
    # Greek
    | dict(zip("αβεζηικμνοργτυχω", "abezhlkmnopytyxw", strict=True))
    # Armenian and Hebrew
    | dict(zip("օսհոգס", "ouhnqo", strict=True))
)

TRANSLITERATIONS: Final = str.maketrans(
    dict(zip("łøđħıαβγδεζηικλμνξοπρσςτυφω", "lodhiavgdeziiklmnxoprsstyfo", strict=True))
    | dict(zip("абвгдезиклмнопрстуфыэієґ", "abvgdeziklmnoprstufyeieg", strict=True))
    | {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "θ": "th", "χ": "ch", "ψ": "ps"}
    | {"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "ъ": "", "ь": ""}
)
"""Latin letters for the ID of a player, as in passports but simplified. For small letters without marks."""

PAIRS: Final = (("rn", "m"), ("vv", "w"))
"""Letter pairs that look like one letter."""


class NameTooLong(InvalidCommand):
    """A name with too many characters."""

    code = "name-too-long"

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"a name has at most {most} characters")


class InvisibleInName(InvalidCommand):
    """A name with an invisible character."""

    code = "invisible-in-name"

    def __init__(self, character: str) -> None:
        self.params = {"character": f"U+{ord(character):04X}"}
        super().__init__(f"a name has no invisible characters, but this one has U+{ord(character):04X}")


class StrayMark(InvalidCommand):
    """A name with a mark that has no letter, or with too many marks on a letter."""

    code = "stray-mark"

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"a mark needs a letter before it, and a letter has at most {most} marks")


class EmptyName(InvalidCommand):
    """A name without a letter, digit or symbol."""

    code = "empty-name"

    def __init__(self) -> None:
        super().__init__("a name has a letter, a digit or a symbol")


class BotsName(InvalidCommand):
    """A person's name that begins with the word bot."""

    code = "bots-name"

    def __init__(self) -> None:
        super().__init__("names that begin with bot are for bots")


def is_bots_name(name: str) -> bool:
    """Return True if the first word of a name, or of an ID, looks like "bot"."""
    words = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in name).split()
    return bool(words) and skeleton_of(words[0]) == BOT


def parse_display_name(text: str) -> str:
    """Return the display name in `text`: in normal form C, with single spaces between its words.

    Raises InvalidCommand if the name is empty or too long, or has invisible characters or stray marks.
    """
    if len(text) > 8 * MAX_DISPLAY_NAME:  # normalizing a long text takes time
        raise NameTooLong(MAX_DISPLAY_NAME)
    name = " ".join(part for part in re.split(r"[\s\u3000]+", unicodedata.normalize("NFC", text)) if part)
    if len(name) > MAX_DISPLAY_NAME:
        raise NameTooLong(MAX_DISPLAY_NAME)
    marks = 0
    for place, character in enumerate(name):
        if not _is_visible(name, place):
            raise InvisibleInName(character)
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks > MAX_MARKS or (marks and (place == 0 or name[place - 1] == " ")):
            raise StrayMark(MAX_MARKS)
    if not any(unicodedata.category(character)[0] in "LNS" for character in name):
        raise EmptyName
    return name


def _is_visible(name: str, place: int) -> bool:
    """Return True if this character of a name is visible, or changes the look of a neighbour."""
    character = name[place]
    before, after = name[place - 1 : place], name[place + 1 : place + 2]
    if character in EMOJI_STYLE:
        return _is_symbol(before) or (before != "" and before in "0123456789#*")
    if character in (ZWNJ, ZWJ):
        if not (before and after):
            return False
        if unicodedata.combining(before) == VIRAMA:
            return True
        if character == ZWJ:
            return _is_symbol(after) and (_is_symbol(before) or before in EMOJI_STYLE)
        return all(unicodedata.name(side, "").startswith("ARABIC LETTER") for side in (before, after))
    if character in INVISIBLE or "\ufe00" <= character <= "\ufe0d" or "\U000e0100" <= character <= "\U000e01ef":
        return False
    category = unicodedata.category(character)
    return character == " " or category[0] not in "CZ"


def _is_symbol(character: str) -> bool:
    return character != "" and unicodedata.category(character) in ("So", "Sk")


def skeleton_of(name: str) -> str:
    """Return a string that is equal for names that look alike. It is not empty for a valid name."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).casefold()
    kept = [
        character
        for character in unicodedata.normalize("NFD", folded).translate(CONFUSABLES)
        if unicodedata.combining(character) in KEPT_CLASSES
        and unicodedata.category(character)[0] in "LNSM"
        and character not in EMOJI_STYLE
    ]
    skeleton = "".join(kept)
    for pair, one in PAIRS:
        skeleton = skeleton.replace(pair, one)
    return skeleton or folded  # the skeleton is empty, for example, for a single accent


def is_player(text: str) -> bool:
    """Return True if the text can be a player's ID."""
    return _PLAYER.fullmatch(text) is not None


def player_of(name: str) -> str:
    """Return a player's ID for a name, `[A-Za-z0-9_]+`: its Latin letters without accents, or else "player"."""
    plain = [character for character in unicodedata.normalize("NFKD", name) if not unicodedata.combining(character)]
    words = re.sub(r"[^A-Za-z0-9]+", "_", "".join(map(_transliterated, plain)))
    return words.strip("_")[:MAX_ID].rstrip("_") or "player"


def _transliterated(character: str) -> str:
    small = character.lower()
    latin = small.translate(TRANSLITERATIONS)
    return character if latin == small else latin.capitalize() if small != character else latin


def numbered_name(name: str, number: int) -> str:
    """Return the name to offer instead of a taken name: "bob 2"."""
    suffix = f" {number}"
    return name[: MAX_DISPLAY_NAME - len(suffix)].rstrip(f" {ZWJ}{ZWNJ}") + suffix


def numbered_player(player: str, number: int) -> str:
    """Return the ID to try instead of a taken ID: "bob_2"."""
    suffix = f"_{number}"
    return player[: MAX_ID - len(suffix)] + suffix
