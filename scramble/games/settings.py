"""Reader of a client's settings for a room: reads the fields one by one, and collects the errors.

    fields = Fields(given, ("size", "seed"))
    size = fields.size(6, 6)
    fields.done()       # raises BadSettings, with all errors at once

A wrong field is noted as an error and gets its default value, so the other fields can be read, too. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Final, TypeAlias, TypeVar

import msgspec

from scramble.errors import CallerError, FileFormatError

T = TypeVar("T")

Size: TypeAlias = tuple[int, int]
"""Rows and columns, both at least 1."""

_SIZE: Final = re.compile("([0-9]{1,6})x([0-9]{1,6})")

SEED_BITS: Final = 53
"""Bits of the server's random seeds. With fewer bits a player could find the seed of a board by trying all seeds."""

LARGEST_SEED: Final = 2**SEED_BITS - 1  # JavaScript does not represent all larger integers exactly

MOST_MISTAKES = 20  # errors in one answer, so that an answer is never much longer than a page
MOST_FIELD_NAME = 60  # characters of a field's name in an answer


FIELD_CODES: Final = frozenset(
    {
        "unknown-field",
        "not-json",
        "not-text",
        "not-boolean",
        "not-object",
        "not-list",
        "not-unicode",
        "not-one-of",
        "not-in-range",
        "bad-board-size",
        "bad-field-size",
        "bad-file",
        "bad-bot",
        "bad-title",
        "title-too-long",
        "too-long",
        "too-many-bots",
        "too-many-cards",
        "too-many-squares",
        "excluded",
        "no-pair",
        "only-bombs",
        "too-hard-to-solve",
        "not-solvable-in-time",
    }
)
"""Codes of errors in a request to open a room; docs/reference/rooms-api.md has them. Other games may add codes."""


class FieldError(msgspec.Struct, frozen=True):
    """Error of one field: a sentence for people, a stable code for programs, and the values in the sentence."""

    words: str
    code: str
    params: dict[str, str | int] = {}

    @classmethod
    def of(cls, code: str, words: str, **params: str | int) -> FieldError:
        """Make an error with these values."""
        return cls(words, code, params)


class BadSettings(CallerError):
    """Invalid settings for a game. Nothing has changed.

    The keys of `fields` are paths such as "settings.size". `fields` has at most `MOST_MISTAKES` errors, and long paths
    of unknown fields are cut.
    """

    code = "bad-settings"
    status = 400

    def __init__(self, fields: Mapping[str, FieldError]) -> None:
        self.fields = {shortened(field): error for field, error in islice(fields.items(), MOST_MISTAKES)}
        super().__init__("; ".join(f"{field}: {words}" for field, words in self.errors.items()))

    @property
    def errors(self) -> dict[str, str]:
        """Error of each field, in words."""
        return {field: error.words for field, error in self.fields.items()}

    @property
    def codes(self) -> dict[str, dict[str, object]]:
        """Error of each field, for programs."""
        return {field: {"code": error.code, "params": error.params} for field, error in self.fields.items()}


def shortened(field: str) -> str:
    """Return the path of a field, cut to `MOST_FIELD_NAME` characters. The paths of all known fields are shorter."""
    return field if len(field) <= MOST_FIELD_NAME else f"{field[:MOST_FIELD_NAME]}..."


class Fields:
    """The fields of settings. Mutable; used by one task."""

    # AF: the settings _given; _errors has the errors of the wrong fields, by their paths.

    def __init__(self, given: Mapping[str, object], known: Collection[str]) -> None:
        self._given: Final = given
        self._errors: Final[dict[str, FieldError]] = {}
        for name in islice((name for name in given if name not in known), MOST_MISTAKES):
            self.refuse(name, "unknown-field", f"unknown; known are {_listed(known)}", known=_listed(known))

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def refuse(self, name: str, code: str, words: str, **params: str | int) -> None:
        """Note an error of a field. `params` are the values in `words`. Only the first error of each field is kept."""
        self.refuse_as(name, FieldError.of(code, words, **params))

    def refuse_as(self, name: str, error: FieldError) -> None:
        """Note an error of a field. Only the first error of each field is kept."""
        self._errors.setdefault(f"settings.{name}", error)

    def is_right(self, name: str) -> bool:
        """Return True if a field has no error."""
        return f"settings.{name}" not in self._errors

    def alone(self, name: str, *others: str) -> None:
        """Refuse the given fields among the `others`, because the field `name` excludes them."""
        for other in others:
            if other in self._given:
                self.refuse(other, "excluded", f"does not go with {name}", beside=name)

    def size(self, default: Size, error: FieldError, is_possible: Callable[[int, int], bool]) -> Size:
        """Return the field "size", such as "4x6". Note `error` for a size that is not possible."""
        if "size" not in self._given:
            return default
        value = self._given["size"]
        match = _SIZE.fullmatch(value) if isinstance(value, str) else None
        if match is None or not is_possible(int(match[1]), int(match[2])):
            self.refuse_as("size", error)
            return default
        return int(match[1]), int(match[2])

    def choice(self, name: str, default: str, among: Collection[str]) -> str:
        """Return the field `name`, one of the words in `among`."""
        value = self._given.get(name, default)
        if not isinstance(value, str) or value not in among:
            self.refuse(name, "not-one-of", f"one of {_listed(among)}", choices=_listed(among))
            return default
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return the field `name`, a whole number within these limits."""
        value = self._given.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            words = f"a whole number from {least:,} to {most:,}"
            self.refuse(name, "not-in-range", words, least=least, most=most)
            return default
        return value

    def seed(self, default: int) -> int:
        """Return the field "seed"; without it, `default`, reduced to the range of seeds."""
        return self.number("seed", default & LARGEST_SEED, 0, LARGEST_SEED)

    def switch(self, name: str, default: bool) -> bool:
        """Return the field `name`, true or false."""
        value = self._given.get(name, default)
        if not isinstance(value, bool):
            self.refuse(name, "not-boolean", "true or false")
            return default
        return value

    def file(self, name: str, parse: Callable[[str], T]) -> tuple[str, T] | None:
        """Return the field `name`, the text of a file, and the result of `parse`; None if the text is invalid."""
        text = self._given[name]
        if not isinstance(text, str):
            self.refuse(name, "not-text", "the text of a file")
            return None
        try:
            parsed = parse(text)
            text.encode()  # a comment may contain lone surrogates, which a register cannot store
        except FileFormatError as error:
            place = f"line {error.line}" if error.column is None else f"line {error.line}, column {error.column}"
            column = {} if error.column is None else {"column": error.column}
            words = f"{place}: {error.reason}"
            self.refuse(name, "bad-file", words, line=error.line, reason=error.reason, **column)
            return None
        except UnicodeEncodeError:
            self.refuse(name, "not-unicode", "Unicode text, without halves of characters")
            return None
        return text, parsed

    def done(self) -> None:
        """Raise BadSettings if a field has an error."""
        if self._errors:
            raise BadSettings(self._errors)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)
