"""The real telnet program, for tests of pages that share a game with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from typing import Self

import pytest

from tests.support import TEST_S


class Telnet:
    """The real telnet program, with a test as its user."""

    def __init__(self, port: int, greeting: str = "") -> None:
        """Connect. If `greeting` is not empty, wait for a line that matches this pattern."""
        program = shutil.which("telnet")
        if program is None:
            pytest.skip("telnet is not installed")
        self._process = subprocess.Popen(
            [program, "127.0.0.1", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._timer = threading.Timer(TEST_S, self._process.kill)
        self._timer.start()
        if greeting:
            self.read_until(greeting)

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def read_until(self, pattern: str) -> str:
        """Return the first line that matches the pattern."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if re.search(pattern, line):
                return line.rstrip("\r\n")
        raise AssertionError(f"telnet ended before {pattern!r}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.communicate()
