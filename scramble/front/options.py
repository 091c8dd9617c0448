"""Options of the commands that serve games. Each option is a field of a dataclass, and the field has the option's type.

    @dataclass(frozen=True, kw_only=True)
    class MemoryOptions:
        port: int = option("--port", 8080, type=PORT, help="The port to listen on.", hosted=False)
        no_new: bool = flag("--no-new", help="Refuse to start a new game.", section=Section.PERMISSIONS)

    command = click.Command("memory", params=[*params_of(MemoryOptions)], callback=...)
    options = options_of(MemoryOptions, values)         # `values`: the values that click has parsed

The type of an option is a type of click, or a function that raises click.BadParameter for an invalid value. This module
has some of these functions.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

import click
import msgspec

from scramble.errors import CannotRead
from scramble.front.sections import Section, SectionedOption
from scramble.plaintext import harmless
from scramble.server.protection.hosts import parse_host_name, parse_origin

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

V = TypeVar("V")

Values: TypeAlias = Mapping[str, object]
"""The values of a command's parameters by the parameters' names, as click parses them."""

PARAM: Final = "scramble.param"
"""The key of a parameter in the metadata of its field."""


def option(
    name: str,
    default: V,
    *,
    type: click.ParamType[V] | Callable[[str], V],
    help: str,
    metavar: str | None = None,
    written: str | None = None,
    words: str | None = None,
    envvar: str | None = None,
    section: Section = Section.OWN,
    hosted: bool = True,
) -> V:
    """Make a field with an option.

    The help shows the default value. `written` is the default as a user types it, for example 1G for 10**9. `words`
    replaces the default in the help, for example if the default None has a special meaning.
    """
    shown = f"{default:g}" if isinstance(default, float) else default
    made = SectionedOption(
        [name],
        help=help,
        type=type,
        default=shown if written is None else written,
        show_default=default is not None if words is None else words,
        metavar=metavar,
        envvar=envvar,
        section=section,
        hosted=hosted,
    )
    return field(default=default, metadata={PARAM: made})


def flag(name: str, *, help: str, section: Section = Section.OWN, hosted: bool = True) -> bool:
    """Make a field with an option without a value. The default is False."""
    made = SectionedOption([name], help=help, default=False, is_flag=True, section=section, hosted=hosted)
    return field(default=False, metadata={PARAM: made})


def several(
    name: str, *, type: click.ParamType[V] | Callable[[str], V], help: str, metavar: str, section: Section
) -> tuple[V, ...]:
    """Make a field with an option that users may repeat. The default is an empty tuple."""
    none: tuple[V, ...] = ()
    made = SectionedOption([name], help=help, type=type, default=none, multiple=True, metavar=metavar, section=section)
    return field(default=none, metadata={PARAM: made})


def argument(name: str, *, type: click.ParamType[V] | Callable[[str], V]) -> V | None:
    """Make a field with an optional argument."""
    return field(default=None, metadata={PARAM: click.Argument([name], type=type, required=False)})


def params_of(options: type[DataclassInstance]) -> tuple[click.Parameter, ...]:
    """Return the parameters of the fields of a class, in their order."""
    params: list[click.Parameter] = []
    for one in fields(options):
        param = one.metadata[PARAM]
        assert isinstance(param, click.Parameter)
        assert param.name == one.name, f"{param.name} is the parameter of the field {one.name}"
        params.append(param)
    return tuple(params)


def options_of(options: type[V], values: Values) -> V:
    """Make an instance of the class `options` from `values`.

    A field without a value gets its default. A value without a field is ignored.
    Raises msgspec.ValidationError if a value does not have the type of its field. That error is a bug.
    """
    return msgspec.convert(values, options)


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
MAX_PORT = 65535
PORT = click.IntRange(0, MAX_PORT)


def number_of(unit: str, fits: Callable[[float], bool], which: str) -> Callable[[str], float]:
    """Make an option's type: a finite number for which `fits` is true. `which` describes the condition in words."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and fits(value)):
            raise click.BadParameter(f"{text!r} is not a number of {unit} {which}")
        return value

    convert.__name__ = unit  # click's help shows this name for the value
    return convert


SECONDS = number_of("seconds", lambda value: value > 0, "above 0")
SECONDS_OR_ZERO = number_of("seconds", lambda value: value >= 0, "from 0")
MAX_DELAY_MS = 3_600_000  # an hour: no simulation needs more
MILLISECONDS = number_of("milliseconds", lambda value: 0 <= value <= MAX_DELAY_MS, f"from 0 to {MAX_DELAY_MS}")

TIMES = number_of("times", lambda value: 0 < value <= 10**6, "above 0, and at most a million")


def unreadable(path: Path, error: OSError) -> CannotRead:
    """Make an error with the reason why a file cannot be read, without the system's error number."""
    return CannotRead(f"{harmless(str(path))}: {error.strerror or error}")


def random_seed() -> int:
    """Return a random seed for a command without `--seed`. It is small, so that a user can type it again."""
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
