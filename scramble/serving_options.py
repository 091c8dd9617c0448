"""The options that all serving commands share, as one decorator:

    @main.command()
    @click.option("--port", ...)
    @serving_options
    def memory(port: int, serving: Serving) -> None: ...

An option here is a field of `Serving` of the same name, and has that field's default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import reduce, wraps
from pathlib import Path
from typing import get_args

import click

from scramble.logs import Format, Level, logging_to_standard_error
from scramble.options import metrics_place
from scramble.serving import Serving

DEFAULTS = Serving()

OPTIONS = (
    click.option(
        "--host",
        default=DEFAULTS.host,
        show_default=True,
        help="The address to listen on; 0.0.0.0 for a LAN.",
    ),
    click.option(
        "--journal",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep the game in this file, and go on with the game that it holds.",
    ),
    click.option(
        "--journal-name",
        default=DEFAULTS.journal_name,
        show_default=True,
        metavar="NAME",
        help="Which game of the journal, if it holds several.",
    ),
    click.option(
        "--metrics",
        default=DEFAULTS.metrics,
        show_default=True,
        type=metrics_place,
        metavar="on|off|PORT",
        help="Serve numbers for Prometheus at /metrics: beside the game, not at all, or at a port of their own.",
    ),
    click.option(
        "--log-format",
        default=DEFAULTS.log_format,
        show_default=True,
        type=click.Choice(get_args(Format)),
        help="Tell what happens, on standard error, as text for people or as JSON for programs.",
    ),
    click.option(
        "--log-level",
        type=click.Choice(get_args(Level)),
        help="The least that is told there. Without this: info at a terminal and as JSON, otherwise warning.",
    ),
)


def serving_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the shared options to a command's function, which gets them as one `Serving` by the name of `serving`."""
    make: Callable[..., Serving] = Serving  # the options have seen to the types

    @wraps(command)
    def with_serving(**values: object) -> None:
        common = {field.name: values.pop(field.name) for field in fields(Serving)}
        serving = make(**common)
        with logging_to_standard_error(serving.log_format, serving.log_level):
            command(serving=serving, **values)

    return reduce(lambda function, option: option(function), reversed(OPTIONS), with_serving)
