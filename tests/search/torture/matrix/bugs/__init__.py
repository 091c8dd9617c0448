"""All planted bugs by name, with one module for each package of the shipped code."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final, cast

from tests.search.torture.matrix.bug import Bug


def _all() -> dict[str, Bug]:
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    bugs = [bug for module in modules for bug in cast(tuple[Bug, ...], module.BUGS)]
    named = {bug.name: bug for bug in bugs}
    if len(named) < len(bugs):
        raise ValueError("two bugs have one name")
    return named


BUGS: Final = _all()
