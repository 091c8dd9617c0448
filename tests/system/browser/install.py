"""`python -m tests.system.browser.install`: ensure that a Chromium for the browser tests is installed.

A Chromium on the machine is used as it is. Otherwise playwright installs its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# they take a quarter of the processor time of full browsers
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium(*, headed: bool = False) -> str | None:
    """The path of a Chromium or Chrome on this machine, `SCRAMBLE_CHROMIUM` first; None without a browser.

    Browsers without windows come first, unless a window is required: `headed`.
    """
    named = os.environ.get("SCRAMBLE_CHROMIUM")
    names = (named,) if named else NAMES if headed else (*SHELLS, *NAMES)
    found = map(shutil.which, names)
    return next((path for path in found if path), None)


def playwrights_own() -> bool:
    """True if playwright has already downloaded its own browser."""
    default = Path.home() / ".cache" / "ms-playwright"
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or default)
    return any(cache.glob("chromium*"))


def main() -> None:
    if find_chromium() is None and not playwrights_own():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    main()
