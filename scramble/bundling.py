"""Bundles of the pages: one script and one style sheet for each page, made by esbuild from the files of client/.

`python -m scramble.bundling` makes them in a checkout, and hatch_build.py makes them for the wheel. A server without
bundles, or with bundles of other files, serves the files of client/ as they are.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from scramble.resources import BUNDLES, CLIENT

ESBUILD: Final = "npm:esbuild@0.28.2"

TIMEOUT_S: Final = 120

OPTIONS: Final = (
    "--bundle",  # without splitting: a bundle includes the modules of import(), so a page needs one request
    "--format=esm",
    "--target=es2022",
    "--minify",
    "--loader:.woff2=file",  # beside the bundles, with a hash in its name
    "--charset=utf8",
    "--log-level=warning",
)

SOURCES: Final = "sources"
"""The file beside the bundles with the digest of the files that they are made from."""

HTML: Final = ("*/index.html", "rooms/refused.html")
SCRIPT: Final = re.compile(r'<script type="module" src="client/([^"]+)"')
SHEET: Final = re.compile(r'<link rel="stylesheet" href="client/([^"]+)"')

WORKER: Final = "offline/worker.js"
"""The service worker's script. Its bundle is `offline.js`."""


def digest(client: Path = CLIENT) -> str:
    """Return a digest of all files that a bundle may include, and of this module. Blocks."""
    found = hashlib.sha256(Path(__file__).read_bytes())
    for file in sorted(client.rglob("*")):
        if file.suffix in (".js", ".css", ".html", ".woff2"):
            found.update(f"{file.relative_to(client).as_posix()}\n".encode() + file.read_bytes())
    return found.hexdigest()


def are_current() -> bool:
    """Return True if there are bundles, and they are of the files of client/. Blocks."""
    stamp = BUNDLES / SOURCES
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == digest()


def make_bundles(client: Path, target: Path) -> None:
    """Write the bundles of the pages in `client` into the folder `target`. Raises CalledProcessError or OSError."""
    deno = _deno()
    shutil.rmtree(target, ignore_errors=True)  # it may have fonts of an earlier version
    with tempfile.TemporaryDirectory() as folder:
        entries = []
        for name, text in _entries(client):
            entries.append(Path(folder) / name)
            entries[-1].write_text(text, encoding="utf-8")
        command = [
            deno,
            "run",
            "--quiet",
            "--no-config",
            "--no-lock",
            "--node-modules-dir=none",
            "--allow-all",
            ESBUILD,
        ]
        subprocess.run(
            [*command, *OPTIONS, f"--outdir={target}", *map(str, entries)], check=True, timeout=TIMEOUT_S, cwd=folder
        )
    (target / SOURCES).write_text(digest(client), encoding="utf-8")


def _entries(client: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each bundle's entry. An entry imports the files that a page's head names."""
    for pattern in HTML:
        for page in sorted(client.glob(pattern)):
            html = page.read_text(encoding="utf-8")
            scripts, sheets = ([(client / file).as_posix() for file in kind.findall(html)] for kind in (SCRIPT, SHEET))
            yield f"{page.parent.name}.js", "".join(f'import "{file}";\n' for file in scripts)
            yield f"{page.parent.name}.css", "".join(f'@import "{file}";\n' for file in sheets)
    yield "offline.js", f'import "{(client / WORKER).as_posix()}";\n'


def _deno() -> str:
    """Return the path of Deno, which runs esbuild. Raises FileNotFoundError."""
    if find_spec("deno") is None:
        raise FileNotFoundError("Deno is not installed")
    import deno

    return str(deno.find_deno_bin())


def main() -> None:
    """Make the bundles of this checkout. Without them the pages load more slowly, so a failure is only a line."""
    try:
        if not are_current():
            make_bundles(CLIENT, BUNDLES)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"the pages are served without bundles, and load more slowly: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
