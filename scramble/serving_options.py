"""The options that all serving commands share, as one decorator:

    @main.command()
    @click.option("--port", ...)
    @serving_options
    def memory(port: int, serving: Serving) -> None: ...

An option here is a field of `Serving` of the same name, and has that field's default; the limits are in
`limit_options`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import get_args

import click

from scramble.limit_options import LIMIT_OPTIONS, Option, take_limits
from scramble.logs import Format, Level, logging_to_standard_error
from scramble.options import metrics_place, origin
from scramble.serving import Serving

DEFAULTS = Serving()

OPTIONS: tuple[Option, ...] = (
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
    *LIMIT_OPTIONS,
    click.option(
        "--seats",
        is_flag=True,
        help="Let a player's name belong to the browser, or client, that takes it first.",
    ),
    click.option(
        "--origin",
        multiple=True,
        type=origin,
        metavar="URL",
        help="Let only pages from there open WebSockets, such as https://play.example.org; may be repeated.",
    ),
    click.option(
        "--certfile",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Serve HTTPS, with the certificate in this PEM file.",
    ),
    click.option(
        "--keyfile",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The certificate's key, if it is not in the same file.",
    ),
    click.option(
        "--behind-proxy",
        is_flag=True,
        help="Believe X-Forwarded-For and -Proto: there is a proxy before this server, and no way past it.",
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
        limits = take_limits(values)
        common = {field.name: values.pop(field.name) for field in fields(Serving) if field.name != "limits"}
        serving = make(limits=limits, **common)
        if serving.keyfile is not None and serving.certfile is None:
            raise click.UsageError("--keyfile is of no use without --certfile")
        with logging_to_standard_error(serving.log_format, serving.log_level):
            command(serving=serving, **values)

    function: Callable[..., None] = with_serving
    for option in reversed(OPTIONS):
        function = option(function)
    return function
