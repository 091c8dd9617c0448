"""The literals of a JavaScript module: its strings and templates, each with the code before it.

A scanner without a parser: it knows comments, strings, templates with code in them, and regular expressions. That is
enough to find every literal of modules that Biome has formatted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

HOLE: Final = "\N{HORIZONTAL ELLIPSIS}"
"""The replacement for code in a template's text."""

BEFORE: Final = 80  # characters of code before a literal, which show its purpose

# A slash after one of these begins a regular expression. Other slashes are divisions.
_REGEX_AFTER: Final = re.compile(r"(^|[=(,:\[!&|?{};+*%<>~^-]|\b(return|typeof|case|in|of))$")
_REGEX: Final = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_STRING: Final = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Literal(NamedTuple):
    """A string or a template."""

    line: int
    text: str
    before: str  # the code before it, without comments


def literals(source: str) -> Iterator[Literal]:
    """Yield every string and template of a module, from the top."""
    yield from _Scanner(source).code(until="")


class _Scanner:
    def __init__(self, source: str) -> None:
        self._source: Final = source
        self._at = 0
        self._code = ""  # the code so far, without comments, texts of templates, and contents of regular expressions

    def code(self, until: str) -> Iterator[Literal]:
        """Yield the literals from here to the brace that closes this code, or the end."""
        depth = 0
        while self._at < len(self._source):
            character = self._source[self._at]
            if comment := _COMMENT.match(self._source, self._at):
                self._at = comment.end()
            elif character in "\"'" and (string := _STRING.match(self._source, self._at)):
                yield self._literal(string[1] if string[1] is not None else string[2])
                self._pass(string.end(), string[0])
            elif character == "`":
                yield from self._template()
            elif character == "/" and _REGEX_AFTER.search(self._code.rstrip()) and (regex := self._regex()):
                self._pass(regex.end(), "/ /")
            else:
                depth += (character == "{") - (character == "}")
                self._pass(self._at + 1, character)
                if character == until and depth < 0:
                    return

    def _regex(self) -> re.Match[str] | None:
        return _REGEX.match(self._source, self._at)

    def _template(self) -> Iterator[Literal]:
        start, before, text = self._at, self._code[-BEFORE:], ""
        self._pass(self._at + 1, "`")
        while (character := self._source[self._at]) != "`":
            if self._source.startswith("${", self._at):
                self._pass(self._at + 2, "${")
                yield from self.code(until="}")
                text += HOLE
            else:
                length = 2 if character == "\\" else 1
                text += self._source[self._at : self._at + length]
                self._at += length
        self._pass(self._at + 1, "`")
        yield Literal(self._source.count("\n", 0, start) + 1, text, before)

    def _literal(self, text: str) -> Literal:
        return Literal(self._source.count("\n", 0, self._at) + 1, text, self._code[-BEFORE:])

    def _pass(self, to: int, code: str) -> None:
        self._at = to
        self._code += code
