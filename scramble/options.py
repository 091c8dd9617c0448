"""What the command line takes for an option's or an argument's value, and what it says of others."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import click

from scramble.front.guard import parse_origin
from scramble.minesweeper.fieldfile import MAX_SQUARES

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
MAX_PORT = 65535
PORT = click.IntRange(0, MAX_PORT)


def number_of(unit: str, fits: Callable[[float], bool], which: str) -> Callable[[str], float]:
    """A finite number for which `fits` is true, as a type; `which` says in words what that takes."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and fits(value)):
            raise click.BadParameter(f"{text!r} is not a number of {unit} {which}")
        return value

    convert.__name__ = unit  # what click shows for the value in its help
    return convert


SECONDS = number_of("seconds", lambda value: value > 0, "above 0")
SECONDS_OR_NONE_AT_ALL = number_of("seconds", lambda value: value >= 0, "from 0")
MAX_DELAY_MS = 3_600_000  # an hour is as good as never
MILLISECONDS = number_of("milliseconds", lambda value: 0 <= value <= MAX_DELAY_MS, f"from 0 to {MAX_DELAY_MS}")

TIMES = number_of("times", lambda value: 0 < value <= 10**6, "above 0, and at most a million")


def metrics_place(text: str) -> Literal["on", "off"] | int:
    """Where the metrics are, as the type of an option: `on`, `off` or a port."""
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
    """An origin such as https://play.example.org, as the type of an option."""
    try:
        return parse_origin(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def board_size(text: str) -> tuple[int, int]:
    """A size such as 4x6, as the type of an argument: rows, then columns."""
    match = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a size such as 4x6: ROWSxCOLUMNS")
    return int(match[1]), int(match[2])


def field_size(text: str) -> tuple[int, int]:
    """A size such as 30,16, as the type of an option: columns, then rows, at least one of each."""
    match = re.fullmatch(r"([0-9]{1,9}),([0-9]{1,9})", text)
    columns, rows = (int(match[1]), int(match[2])) if match else (0, 0)
    if columns < 1 or rows < 1:
        raise click.BadParameter(f"{text!r} is not a size such as 30,16: columns and rows, both positive")
    if columns * rows > MAX_SQUARES:
        raise click.BadParameter(f"{text} is more than {MAX_SQUARES} squares")
    return columns, rows
