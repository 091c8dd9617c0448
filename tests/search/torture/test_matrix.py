"""The planted bugs of the matrix still fit the shipped code."""

from __future__ import annotations

import ast

import pytest

from tests.search.torture.matrix.bug import Bug
from tests.search.torture.matrix.bugs import BUGS
from tests.support.process import ROOT


@pytest.mark.parametrize("bug", BUGS.values(), ids=lambda bug: bug.name)
def test_a_bug_fits_exactly_one_place(bug: Bug) -> None:
    edited = bug.edited((ROOT / bug.path).read_text())
    if bug.path.endswith(".py"):
        ast.parse(edited)
