"""What a command of a recorded game did, as a code with params; and English made of that, for the terminal.

    told = tell("dropped", player="ann", column=3)                      # a narrator says this, and pages get it
    ENGLISH = English({"dropped": "{player} drops into column {column}"})
    ENGLISH.sentence(told)                                              # "ann drops into column 3"

Pages have sentences of their own for the same codes. A code without a sentence is shown as it is, in a readable form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

Param: TypeAlias = str | int | float | tuple[object, ...] | None

SOMEBODY: Final = "somebody"
"""Subject of an English sentence about an action without a known player."""


class Told(msgspec.Struct, frozen=True, array_like=True):
    """One thing that happened: its code, and the params of a sentence about it.

    In `params`, `player` is the ID of the player who did it, None for somebody. Rows, columns and words are counted
    from 1, as people count.
    """

    code: str
    params: dict[str, Param] = {}


def tell(code: str, **params: Param) -> Told:
    """Make a `Told`."""
    return Told(code, params)


def plainly(told: Told) -> str:
    """Make a line of a code without a sentence: "ann: dropped (column 3)"."""
    words = told.code.replace("-", " ")
    player = told.params.get("player", "")
    about = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in told.params.items() if key != "player")
    return f"{'' if player == '' else f'{player or SOMEBODY}: '}{words}{about and f' ({about})'}"


Sentence: TypeAlias = str | Callable[..., str]
"""A sentence without a full stop: a template for `str.format`, or a function that gets the params by name."""

HOUSE: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "seated": "{player} took the seat",
        "seat-refused": "{player} asks for the seat of {seat}, and does not get it",
        "handed-over": "{player} goes on with another device",
        "joined": "{player} joins",
        "left": "{player} leaves",
        "called-off": "a request is called off that has its answer already",
        "other": "{player}: {command}",
    }
)
"""Sentences for the codes that all games share. Pages have theirs in client/replay/words/."""


class English:
    """English of one game, for the terminal. Immutable."""

    # AF: sentences by code, of which those in _suffixes continue the line before them; titles and formats of the
    #     summary's columns, by their codes.

    def __init__(
        self,
        sentences: Mapping[str, Sentence] | None = None,
        *,
        suffixes: Mapping[str, Sentence] | None = None,
        columns: Mapping[str, str] | None = None,
        figures: Mapping[str, Callable[..., str]] | None = None,
    ) -> None:
        """Know these sentences, beside those of `HOUSE`. `suffixes` are consequences that continue the line before.

        `columns` has the titles of the summary, and `figures` functions for figures that are no plain numbers.
        """
        self._suffixes: Final = dict(suffixes or {})
        self._sentences: Final[dict[str, Sentence]] = {**HOUSE, **(sentences or {}), **self._suffixes}
        self._columns: Final = dict(columns or {})
        self._figures: Final = dict(figures or {})

    @property
    def sentences(self) -> Mapping[str, Sentence]:
        """The sentences by their codes, those of `HOUSE` included."""
        return MappingProxyType(self._sentences)

    @property
    def columns(self) -> frozenset[str]:
        """Columns of the summary that have a title."""
        return frozenset(self._columns)

    def sentence(self, told: Told) -> str:
        """Return what happened in words, without a full stop."""
        sentence = self._sentences.get(told.code)
        if sentence is None:
            return plainly(told)
        params = told.params
        if params.get("player", "") is None:
            params = {**params, "player": SOMEBODY}
        return sentence.format(**params) if isinstance(sentence, str) else sentence(**params)

    def lines(self, told: Told, also: Iterable[Told] = ()) -> list[str]:
        """Return what happened, and below it its consequences, in lines without full stops."""
        lines = [self.sentence(told)]
        for more in also:
            if more.code in self._suffixes:
                lines[-1] += self.sentence(more)
            else:
                lines.append(self.sentence(more))
        return lines

    def title(self, column: str) -> str:
        """Return the title of a column of the summary."""
        return self._columns.get(column, column.replace("_", " "))

    def figure(self, column: str, value: str | float | None) -> str:
        """Return a figure of that column as text; a dash for None."""
        if value is None:
            return "-"
        return self._figures.get(column, str)(value)


def listed(names: Iterable[object]) -> str:
    """Join names for a sentence: "ann, bob and cat"."""
    *most, last = map(str, names)
    return f"{', '.join(most)} and {last}" if most else last
