"""Types of options and arguments: valid values, and the command line's errors for invalid ones."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import click

from scramble.errors import CannotRead
from scramble.plaintext import harmless
from scramble.server.protection.hosts import parse_host_name, parse_origin

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
MAX_PORT = 65535
PORT = click.IntRange(0, MAX_PORT)


def number_of(unit: str, fits: Callable[[float], bool], which: str) -> Callable[[str], float]:
    """Make an option's type: a finite number for which `fits` is true; `which` describes that in words."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and fits(value)):
            raise click.BadParameter(f"{text!r} is not a number of {unit} {which}")
        return value

    convert.__name__ = unit  # click shows this for the value in its help
    return convert


SECONDS = number_of("seconds", lambda value: value > 0, "above 0")
SECONDS_OR_ZERO = number_of("seconds", lambda value: value >= 0, "from 0")
MAX_DELAY_MS = 3_600_000  # an hour: no simulation needs more
MILLISECONDS = number_of("milliseconds", lambda value: 0 <= value <= MAX_DELAY_MS, f"from 0 to {MAX_DELAY_MS}")

TIMES = number_of("times", lambda value: 0 < value <= 10**6, "above 0, and at most a million")


def unreadable(path: Path, error: OSError) -> CannotRead:
    """Make an error with the reason why a file cannot be used, without the system's error number."""
    return CannotRead(f"{harmless(str(path))}: {error.strerror or error}")


def random_seed() -> int:
    """Return a random seed for a command without `--seed`, small enough to be typed again."""
    return random.SystemRandom().randrange(10**6)


def metrics_place(text: str) -> Literal["on", "off"] | int:
    """Parse the place of the metrics as the type of an option: `on`, `off` or a port."""
    match text:
        case "on":
            return "on"
        case "off":
            return "off"
        case _ if re.fullmatch("[0-9]{1,5}", text) and int(text) <= MAX_PORT:
            return int(text)
        case _:
            raise click.BadParameter(f"{text!r} is not on, off or a port from 0 to {MAX_PORT}")


def origin(text: str) -> str:
    """Parse an origin such as https://play.example.org, as the type of an option."""
    try:
        return parse_origin(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def host_name(text: str) -> str:
    """Parse a host name such as play.example.org, as the type of an option."""
    try:
        return parse_host_name(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
