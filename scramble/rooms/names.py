"""Names of rooms: four words from a list of 1,024, such as "acorn-violet-piano-otter".

Everybody who knows the name of a room can enter it, so names are random. Names are easy to say and to type. There are
2^40 names. At the request rate that a server allows, guessing does not find one of ten thousand rooms.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from importlib.resources import files
from typing import Final

from scramble.errors import InvalidCommand

ROOM_NAME_WORDS: Final = tuple((files(__package__) / "words.txt").read_text(encoding="ascii").split())
"""1,024 words of three to seven letters, sorted. A single wrong letter never turns one word into another word."""

WORDS_IN_NAME: Final = 4

_NAME: Final = re.compile(r"[a-z]{3,7}(?:-[a-z]{3,7}){3}")


def new_name() -> str:
    """Return a random name. It is very rarely in use already."""
    return "-".join(secrets.choice(ROOM_NAME_WORDS) for _ in range(WORDS_IN_NAME))


def is_room_name(text: str) -> bool:
    """Return True if a room can have this name. The name of a room is safe in a URL and as a file name."""
    return _NAME.fullmatch(text) is not None


MOST_TITLE: Final = 60
"""Most characters in the title of a room: they fit on one line of a wide screen."""


class TitleTooLong(InvalidCommand):
    """A title with too many characters."""

    code = "title-too-long"

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"a title has at most {most} characters")


class BadTitle(InvalidCommand):
    """A title with characters that are invisible or reverse the direction of writing."""

    code = "bad-title"


def settled_title(title: str) -> str:
    """Return the title of a room in normal form (NFC), with single blanks between its words. It may be empty.

    A much too long text is rejected before normalization, because normalization takes quadratic time.

    Raises:
        TitleTooLong: it has more than `MOST_TITLE` characters.
        BadTitle: it has characters that are invisible or reverse the direction of writing.
    """
    if len(title) > MARKED * MOST_TITLE:
        raise TitleTooLong(MOST_TITLE)
    settled = " ".join(unicodedata.normalize("NFC", title).split())
    if len(settled) > MOST_TITLE:
        raise TitleTooLong(MOST_TITLE)
    if any(unicodedata.category(character) in _UNSEEN and character != _JOINER for character in settled):
        raise BadTitle("a title has letters, digits, signs and blanks, and no invisible characters")
    return settled


MARKED: Final = 8  # most code points per character before normalization: a letter and its marks, or jamo, or blanks

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # categories of Unicode
_JOINER: Final = "\u200d"  # joins emoji, and letters of some scripts
