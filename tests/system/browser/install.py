"""`python -m tests.system.browser.install`: make sure that there is a Chromium for the browser tests.

One that is on the machine is used as it is; otherwise playwright is asked for its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELLS = ("chromium-headless-shell", "chrome-headless-shell")  # take a quarter of the processor time of the others
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium(*, headed: bool = False) -> str | None:
    """The path of a Chromium or Chrome on this machine, `SCRAMBLE_CHROMIUM` first; None if there is none.

    Those that can open no window come first, unless one is wanted: `headed`.
    """
    named = os.environ.get("SCRAMBLE_CHROMIUM")
    names = (named,) if named else NAMES if headed else (*SHELLS, *NAMES)
    found = map(shutil.which, names)
    return next((path for path in found if path), None)


def playwrights_own() -> bool:
    """Whether playwright has already downloaded a browser of its own."""
    default = Path.home() / ".cache" / "ms-playwright"
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or default)
    return any(cache.glob("chromium*"))


def main() -> None:
    if find_chromium() is None and not playwrights_own():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    main()
