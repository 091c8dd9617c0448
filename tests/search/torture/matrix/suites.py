"""The folders of tests that the matrix compares, from the cheapest to the most expensive."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SUITES: Final[dict[str, tuple[str, ...]]] = {
    "unit": ("tests/unit",),
    "kinds": ("tests/search/kinds",),
    "interleavings": ("tests/search/interleavings",),
    "fuzz": ("tests/search/fuzz",),
    "models": ("tests/search/models",),
    "vopr": ("tests/search/vopr",),
    "search/rooms": ("tests/search/rooms",),
    "load": ("tests/search/load",),
    "search/cluster": ("tests/search/cluster",),
    "telnet": ("tests/system/telnet",),
    "rooms": ("tests/system/rooms",),
    "faults": ("tests/system/faults",),
    "http": ("tests/system/http",),
    "cluster": ("tests/system/cluster",),
    "history": ("tests/search/history",),
    "cli": ("tests/system/cli",),
    "browser": ("tests/system/browser",),
}
"""Folders by the name of their suite."""

UNIT: Final = "unit"
"""The suite that is measured by `reach`."""

OF_PAGES: Final = (UNIT, "cli", "http", "browser")
"""Suites that can find a bug of the pages."""


def folders_of(suite: str, path: str, root: Path) -> list[str]:
    """Return the folders of the suite, beginning with the subfolder for the package of `path`: it fails first.

    The unit tests have only that subfolder: `reach` finds the others.
    """
    folders = list(SUITES[suite])
    parts = Path(path).parts
    nearest = [f"{folder}/{'/'.join(parts[1:end])}" for folder in folders for end in range(len(parts) - 1, 1, -1)]
    if parts[0] == "client":
        part = "rooms" if parts[1] == "lobby" else parts[1]
        nearest = [f"{folder}/{one}" for folder in folders for one in ("client", part)]
    existing = dict.fromkeys(one for one in nearest if (root / one).is_dir())
    return [*existing, *(folders if suite != UNIT else ())]


def can_find(suite: str, path: str) -> bool:
    """False if the suite does not run the file at all."""
    return not path.startswith("client/") or suite in OF_PAGES
