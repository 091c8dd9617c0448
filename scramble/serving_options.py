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

import click

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
)


def serving_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the shared options to a command's function, which gets them as one `Serving` by the name of `serving`."""
    make: Callable[..., Serving] = Serving  # the options have seen to the types

    @wraps(command)
    def with_serving(**values: object) -> None:
        common = {field.name: values.pop(field.name) for field in fields(Serving)}
        command(serving=make(**common), **values)

    return reduce(lambda function, option: option(function), reversed(OPTIONS), with_serving)
