"""All tortures one after another, in their long forms: `python -m tests.search.torture [NAME...] [--short]`.

Each torture prints its figures at its end. The first failure ends the run: it prints its own report and exits with code
1. Tortures use only loopback. A torture is registered here as "module:function" and imported when its turn comes. The
function takes a flag for the long form, raises an error if a check fails, and returns the figures. The short forms are
ordinary tests as well, and `make test` prints their figures at its end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from time import monotonic
from typing import cast

from tests.support.figures import Figures, lines

TORTURES: dict[str, str] = {
    "history": "tests.search.history.trials:torture",
    "kill": "tests.search.history.trials:kill",
    "vopr": "tests.search.vopr.simulator:torture",
    "rooms": "tests.search.vopr.rooms.simulator:torture",
    "cluster": "tests.search.cluster.chaos:torture",
    "faults": "tests.system.faults.torture:torture",
    "fuzz": "tests.search.fuzz.torture:torture",
    "load": "tests.search.load.load:torture",
    "models": "tests.support.examples:torture",
    "replay": "tests.system.browser.replay.long:torture",
    "schedules": "tests.search.interleavings.medians:torture",
    "conform": "tests.search.torture.conformance:torture",
    "matrix": "tests.search.torture.matrix.__main__:torture",
}


def torture(name: str) -> Callable[[bool], Figures]:
    """Import the torture with this name."""
    module, _, function = TORTURES[name].partition(":")
    return cast(Callable[[bool], Figures], getattr(import_module(module), function))


def main(arguments: list[str]) -> None:
    """Run the named tortures, or all."""
    long = "--short" not in arguments
    names = [argument for argument in arguments if argument != "--short"] or list(TORTURES)
    unknown = [name for name in names if name not in TORTURES]
    if unknown:
        sys.exit(f"no such torture: {', '.join(unknown)}; there are {', '.join(TORTURES) or 'none'}")
    for name in names:
        print(f"{name} ({'long' if long else 'short'} form)", flush=True)
        began = monotonic()
        figures = torture(name)(long)
        print("\n".join(lines({**figures, "it took": f"{monotonic() - began:.0f} s"})), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
