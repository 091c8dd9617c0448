"""Sanitizers of untrusted text for a terminal: it cannot clear the screen, move the cursor or look like another line.

`escaped` maps different texts to different texts; `harmless` keeps prose readable, with one column for each character.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# C0 and C1 controls, DEL, surrogates (not encodable), line separators, and marks that change the direction of text.
_CONTROLS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_DIRECTION_MARKS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def escaped(text: str) -> str:
    r"""Return the text with control characters escaped as in Python, like `\x1b`; joined emoji stay unchanged."""
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def harmless(text: str) -> str:
    """Return the text without control characters: white space becomes a space, other characters a question mark."""
    if text.isprintable():
        return text
    return "".join(_harmless_character(character) for character in text)


def _harmless_character(character: str) -> str:
    if character in "\n\r\t\v\f\x85\u2028\u2029":
        return " "
    if unicodedata.category(character) in ("Cc", "Cs") or character in _DIRECTION_MARKS:
        return "?"
    return character


def one_line(error: Exception) -> str:
    """Return the message of an error on one line. SQLite's messages may quote damaged schemas with line ends."""
    return " ".join(str(error).split())
