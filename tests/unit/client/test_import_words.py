"""Reasons why a crossword cannot be imported: the pages and the reference have every reason, and no other."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from scramble.crossword.exchange.imported import Why
from tests.support.process import ROOT

REASONS = set(get_args(Why))


@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
def test_the_crossword_has_words_for_every_reason(language: str) -> None:
    catalogue = (ROOT / "client" / "crossword" / "kind-words" / f"{language}.js").read_text(encoding="utf-8")
    part = re.search(r"^  cannotImport: .*?^  \}", catalogue, re.MULTILINE | re.DOTALL)
    assert part is not None
    assert set(re.findall(r'^    "?([a-z-]+)"?: \(', part[0], re.MULTILINE)) == REASONS


def test_the_reference_has_every_reason() -> None:
    page = (ROOT / "docs" / "reference" / "rooms-api.md").read_text(encoding="utf-8")
    table = page.partition("| `why` | params | |")[2].partition("\n\n")[0]
    assert {
        code for row in re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE) for code in re.findall("[a-z-]+", row)
    } == (REASONS | {"---"})
