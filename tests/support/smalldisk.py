"""A small file system that a test can fill."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

LARGEST_WRITE_BYTES: Final = 2**20


class SmallDisk:
    """A file system in memory, mounted at `place`."""

    def __init__(self, place: Path) -> None:
        self.place: Final = place
        self._ballast: Final = place / "ballast"

    def fill(self) -> None:
        """Write a file until the file system is full."""
        with self._ballast.open("wb", buffering=0) as ballast:
            size = LARGEST_WRITE_BYTES
            while size:
                try:
                    ballast.write(b"x" * size)
                except OSError:
                    size //= 2

    def empty(self) -> None:
        """Delete that file."""
        self._ballast.unlink()


@contextmanager
def small_disk(place: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """Mount a file system of that size at `place` during the block; skip the test if mounting is impossible."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
