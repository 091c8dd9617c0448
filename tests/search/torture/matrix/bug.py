"""A planted bug: one edit of the shipped code, of a kind that a programmer might make.

copy = copied(folder, 0)
with planted(BUGS["result-forgotten"], copy):
    ...                                        # run tests in the folder `copy`
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

from tests.support.process import ROOT


class Bug(NamedTuple):
    """An edit: `old` occurs exactly once in `path`, and `new` replaces it. `what` says what goes wrong for a user."""

    name: str
    what: str
    path: str
    old: str
    new: str

    def edited(self, text: str) -> str:
        """Return the text with the bug. Raises ValueError unless `old` occurs exactly once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {text.count(self.old)} places in {self.path} match")
        return text.replace(self.old, self.new)


def copied(parent: Path, number: int) -> Path:
    """Copy the files of the checkout that git knows, as a checkout with one commit."""
    copy = parent / str(number)
    copy.mkdir()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["cp", "--parents", "-t", copy, *files.decode().strip("\0").split("\0")], cwd=ROOT, check=True)
    person = ("-c", "user.name=matrix", "-c", "user.email=matrix@localhost")
    for command in (("init", "-q"), ("add", "--all"), (*person, "commit", "-q", "--message", "Copy the checkout")):
        subprocess.run(["git", *command], cwd=copy, check=True)
    return copy


@contextmanager
def planted(bug: Bug, root: Path) -> Iterator[None]:
    """Plant the bug in the tree `root` during the block."""
    file = root / bug.path
    shipped = file.read_text()
    _replace(file, bug.edited(shipped))
    try:
        yield
    finally:
        _replace(file, shipped)


def _replace(file: Path, text: str) -> None:
    """Write the file, and remove its bytecode: Python might use it for another text of equal size."""
    file.write_text(text)
    Path(cache_from_source(file)).unlink(missing_ok=True)
