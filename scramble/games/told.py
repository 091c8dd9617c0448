"""Description of a recorded command, as a code with params; and its English sentence, for the terminal.

    told = tell("dropped", player="ann", column=3)                      # a narrator makes this for the pages
    ENGLISH = English({"dropped": "{player} drops into column {column}"})
    ENGLISH.sentence(told)                                              # "ann drops into column 3"

Pages have their own sentences for the same codes. A code without a sentence is shown as readable text.
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

    In `params`, `player` is the ID of the acting player, None for an unknown player. Rows, columns and words are
    counted from 1.
    """

    code: str
    params: dict[str, Param] = {}


def tell(code: str, **params: Param) -> Told:
    """Make a `Told`."""
    return Told(code, params)


def plainly(told: Told) -> str:
    """Make a line for a code without a sentence: "ann: dropped (column 3)"."""
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
        "called-off": "a request is withdrawn",
        "other": "{player}: {command}",
    }
)
"""Sentences for the codes that all games share. The sentences of the pages are in client/replay/words/."""


class English:
    """English of one game, for the terminal. Immutable."""

    # AF: _sentences has the sentences by their codes. The sentences in _suffixes continue the previous line. _columns
    #     has the titles of the summary's columns by their codes, and _figures has formats for the figures.

    def __init__(
        self,
        sentences: Mapping[str, Sentence] | None = None,
        *,
        suffixes: Mapping[str, Sentence] | None = None,
        columns: Mapping[str, str] | None = None,
        figures: Mapping[str, Callable[..., str]] | None = None,
    ) -> None:
        """Use these sentences in addition to `HOUSE`. `suffixes` are consequences that continue the previous line.

        `columns` has the titles of the summary. `figures` has functions that format special figures.
        """
        self._suffixes: Final = dict(suffixes or {})
        self._sentences: Final[dict[str, Sentence]] = {**HOUSE, **(sentences or {}), **self._suffixes}
        self._columns: Final = dict(columns or {})
        self._figures: Final = dict(figures or {})

    @property
    def sentences(self) -> Mapping[str, Sentence]:
        """The sentences by their codes, including `HOUSE`."""
        return MappingProxyType(self._sentences)

    @property
    def columns(self) -> frozenset[str]:
        """The codes of the summary's columns with a title."""
        return frozenset(self._columns)

    def sentence(self, told: Told) -> str:
        """Return the sentence, without a full stop."""
        sentence = self._sentences.get(told.code)
        if sentence is None:
            return plainly(told)
        params = told.params
        if params.get("player", "") is None:
            params = {**params, "player": SOMEBODY}
        return sentence.format(**params) if isinstance(sentence, str) else sentence(**params)

    def lines(self, told: Told, also: Iterable[Told] = ()) -> list[str]:
        """Return the sentence, and below it the consequences `also`, in lines without full stops."""
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
        """Return a figure of the column as text; a dash for None."""
        if value is None:
            return "-"
        return self._figures.get(column, str)(value)


def listed(names: Iterable[object]) -> str:
    """Join names for a sentence: "ann, bob and cat"."""
    *most, last = map(str, names)
    return f"{', '.join(most)} and {last}" if most else last
