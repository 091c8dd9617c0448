"""Lines of code at which tasks wait, for people."""

from __future__ import annotations

import contextlib
import inspect
import linecache
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import Final

import outcome
import trio

import scramble

_TESTING: Final = str(Path(__file__).parent)
_HIDDEN: Final = (
    *(f"{Path(module.__file__ or '').parent}/" for module in (trio, outcome)),
    f"{_TESTING}/",
    contextlib.__file__,
)
"""Files whose lines tell nothing about the program."""

_LIBRARIES: Final = (
    sysconfig.get_path("stdlib") + "/",
    sysconfig.get_path("purelib") + "/",
    str(Path(scramble.__file__ or _TESTING).parent) + "/",
)
"""Files of libraries. A line of the program itself tells more."""

TRIO: Final = "a function of trio"
"""The place of a task that runs only functions of trio."""

BEGINNING: Final = "its beginning"
"""The place of the program before its first step."""

MAX_LINE: Final = 80
"""Characters of a line of code that are shown."""


def place(task: trio.lowlevel.Task) -> str:
    """Return the line at which a task waits or will begin, as in "bank.py:12"; "" if the task has ended.

    It is the innermost line of the program; without such a line, the innermost line of a library.
    """
    program = library = ""
    if inspect.iscoroutine(task.coro) and inspect.getcoroutinestate(task.coro) == inspect.CORO_CLOSED:
        return ""
    for frame, line in task.iter_await_frames():
        file = frame.f_code.co_filename
        if file.startswith(_HIDDEN):
            continue
        library = f"{file}:{line}"
        if not file.startswith(_LIBRARIES):
            program = library
    return program or library or TRIO


def shown(place: str) -> str:
    """Return a place with its code, as in "bank.py:12  await trio.sleep(1)"."""
    file, _, line = place.rpartition(":")
    if not file:
        return where(place)
    code = linecache.getline(file, int(line)).strip()
    return f"{where(place)}  {code if len(code) <= MAX_LINE else code[: MAX_LINE - 3] + '...'}".rstrip()


def where(place: str) -> str:
    """Return a place with a short path, as in "bank.py:12"."""
    file, _, line = place.rpartition(":")
    return f"{_short(file)}:{line}" if file else place


@lru_cache
def _short(file: str) -> str:
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file
