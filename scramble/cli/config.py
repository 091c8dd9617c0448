"""Common configuration of all commands that serve a game: the options and their values.

command = click.Command("memory", params=[*own, *OPTIONS], callback=...)
config = config_of(values)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, get_args

import click

from scramble.cli.limit_options import LIMIT_OPTIONS, limits_of
from scramble.cli.logging import Format, LogLevel
from scramble.front.options import (
    Values,
    flag,
    host_name,
    metrics_place,
    option,
    options_of,
    origin,
    params_of,
    several,
)
from scramble.front.sections import Section
from scramble.journal import Journal
from scramble.journal.sqlite import DEFAULT_NAME
from scramble.server.http.tls import server_context
from scramble.server.protection.middleware import Protection


@dataclass(frozen=True, kw_only=True)
class OneGameOptions:
    """Options of a server of one game.

    A server of rooms does not have them: each room has its own journal, and has seats unless it was opened without.
    """

    journal: Path | None = option(
        "--journal",
        None,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Store the game in this file, or continue the game that the file already contains.",
        section=Section.KEEPING_GAME,
    )
    journal_name: str = option(
        "--journal-name",
        DEFAULT_NAME,
        type=str,
        metavar="NAME",
        help="The name of the game in the journal.",
        section=Section.KEEPING_GAME,
    )
    seats: bool = flag(
        "--seats",
        help="Reserve each player's name for the first browser or program that plays under it.",
        section=Section.PERMISSIONS,
    )


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Options of every server; the limits are in `limit_options`."""

    host: str = option(
        "--host", "127.0.0.1", type=str, help="The address to listen on; 0.0.0.0 for a LAN.", hosted=False
    )
    metrics: Literal["on", "off"] | int = option(
        "--metrics",
        "on",
        type=metrics_place,
        metavar="on|off|PORT",
        help="Serve metrics for Prometheus at /metrics: on the game's port, not at all, or on a separate port.",
        section=Section.OUTSIDE,
    )
    origin: tuple[str, ...] = several(
        "--origin",
        type=origin,
        metavar="URL",
        help="Only pages of this origin, such as https://play.example.org, may open WebSockets; may be repeated.",
        section=Section.PERMISSIONS,
    )
    host_name: tuple[str, ...] = several(
        "--host-name",
        type=host_name,
        metavar="NAME",
        help="A name of this server for metrics and seats, such as play.example.org; may be repeated.",
        section=Section.PERMISSIONS,
    )
    certfile: Path | None = option(
        "--certfile",
        None,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Serve HTTPS with the certificate in this PEM file.",
        section=Section.HTTPS,
        hosted=False,
    )
    keyfile: Path | None = option(
        "--keyfile",
        None,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The certificate's key, if it is in another file.",
        section=Section.HTTPS,
        hosted=False,
    )
    behind_proxy: bool = flag(
        "--behind-proxy",
        help="Trust X-Forwarded-For and X-Forwarded-Proto of a proxy. Use it only if clients cannot bypass the proxy.",
        section=Section.PERMISSIONS,
    )
    log_format: Format = option(
        "--log-format",
        "text",
        type=click.Choice(get_args(Format)),
        help="The format of the log on standard error: text for people or JSON for programs.",
        section=Section.OUTSIDE,
        hosted=False,
    )
    log_level: LogLevel | None = option(
        "--log-level",
        None,
        type=click.Choice(get_args(LogLevel)),
        help="The lowest level that is logged. Default: info at a terminal and as JSON, otherwise warning.",
        section=Section.OUTSIDE,
        hosted=False,
    )


ROOMS_OPTIONS: Final = (*params_of(ServerOptions), *LIMIT_OPTIONS)
"""Common parameters, for a server of rooms."""

OPTIONS: Final = (*params_of(OneGameOptions), *ROOMS_OPTIONS)
"""Common parameters, for a server of one game."""


@dataclass(frozen=True)
class ServerConfig:
    """Configuration of a server, for any kind of game."""

    options: ServerOptions = field(default_factory=ServerOptions)
    game: OneGameOptions = field(default_factory=OneGameOptions)  # the defaults for a server of rooms
    protection: Protection = field(default_factory=Protection)  # limits, origins, seats, TLS

    def journal_of(self, *, same_start: bool) -> Journal | None:
        """Return the journal of the game; None without a journal.

        With `same_start`, a recorded game must have begun in the same state as the new one. Raises JournalError for an
        invalid name.
        """
        if self.game.journal is None:
            return None
        return Journal(self.game.journal, self.game.journal_name, same_start=same_start)


def config_of(values: Values) -> ServerConfig:
    """Return the configuration from the values of `OPTIONS`. Missing values get their defaults.

    Blocks while it reads the certificate. Raises click.UsageError for a key without a certificate, and BadCertificate
    for an unusable certificate or key.
    """
    options, game = options_of(ServerOptions, values), options_of(OneGameOptions, values)
    if options.keyfile is not None and options.certfile is None:
        raise click.UsageError("--keyfile needs --certfile")
    protection = Protection(
        limits=limits_of(values),
        origins=options.origin,
        host_names=options.host_name,
        seats=game.seats,
        behind_proxy=options.behind_proxy,
        tls=None if options.certfile is None else server_context(options.certfile, options.keyfile),
    )
    return ServerConfig(options, game, protection)
