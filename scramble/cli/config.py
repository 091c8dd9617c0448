"""The configuration that all commands that serve a game share: their options, and the values of these.

command = click.Command("memory", params=[*own, *OPTIONS], callback=...)
config = take_config(values)       # removes the values of these options from `values`
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Literal, get_args

import click

from scramble.cli.limit_options import LIMIT_OPTIONS, take_limits
from scramble.cli.logging import Format, LogLevel
from scramble.front.options import host_name, metrics_place, origin
from scramble.journal import Journal
from scramble.journal.sqlite import DEFAULT_NAME
from scramble.server.http.tls import server_context
from scramble.server.protection.middleware import Protection

OPTIONS: Final[tuple[click.Option, ...]] = (
    click.Option(
        ["--host"],
        default="127.0.0.1",
        show_default=True,
        help="The address to listen on; 0.0.0.0 for a LAN.",
    ),
    click.Option(
        ["--journal"],
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep the game in this file, and continue the game in it.",
    ),
    click.Option(
        ["--journal-name"],
        default=DEFAULT_NAME,
        show_default=True,
        metavar="NAME",
        help="The name of the game in the journal.",
    ),
    click.Option(
        ["--metrics"],
        default="on",
        show_default=True,
        type=metrics_place,
        metavar="on|off|PORT",
        help="Serve metrics for Prometheus at /metrics: on the game's port, not at all, or on a separate port.",
    ),
    *LIMIT_OPTIONS,
    click.Option(
        ["--seats"],
        is_flag=True,
        help="Reserve a player's name for the browser, or client, that first plays under it.",
    ),
    click.Option(
        ["--origin"],
        multiple=True,
        type=origin,
        metavar="URL",
        help="Let only pages of this origin, such as https://play.example.org, open WebSockets; may be repeated.",
    ),
    click.Option(
        ["--host-name"],
        multiple=True,
        type=host_name,
        metavar="NAME",
        help="A name of this server, such as play.example.org, at which it serves metrics and seats; may be repeated.",
    ),
    click.Option(
        ["--certfile"],
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Serve HTTPS with the certificate in this PEM file.",
    ),
    click.Option(
        ["--keyfile"],
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The certificate's key, if it is in another file.",
    ),
    click.Option(
        ["--behind-proxy"],
        is_flag=True,
        help="Trust X-Forwarded-For and -Proto of a proxy. Only if clients cannot bypass the proxy.",
    ),
    click.Option(
        ["--log-format"],
        default="text",
        show_default=True,
        type=click.Choice(get_args(Format)),
        help="The format of the log on standard error: text for people or JSON for programs.",
    ),
    click.Option(
        ["--log-level"],
        type=click.Choice(get_args(LogLevel)),
        help="The lowest level that is logged. Default: info at a terminal and as JSON, otherwise warning.",
    ),
)


@dataclass(frozen=True)
class ServerConfig:
    """Configuration of a server, for any kind of game."""

    host: str = "127.0.0.1"  # the address to listen on
    journal: Path | None = None  # the file that keeps the game; None: the game is lost when the server ends
    journal_name: str = DEFAULT_NAME  # the name of the game in that file
    metrics: Literal["on", "off"] | int = "on"  # /metrics: on the game's port, nowhere, on this port
    protection: Protection = field(default_factory=Protection)  # limits, origins, seats, TLS
    log_format: Format = "text"  # on standard error
    log_level: LogLevel | None = None  # the lowest that is logged; None: see `logging_to_standard_error`

    def journal_of(self, *, same_start: bool) -> Journal | None:
        """Return the journal that keeps the game; None without one.

        With `same_start` a game in it must have begun in the same state as the given one. Raises JournalError for an
        invalid name.
        """
        if self.journal is None:
            return None
        return Journal(self.journal, self.journal_name, same_start=same_start)


def take_config(values: dict[str, object]) -> ServerConfig:
    """Remove the values of `OPTIONS` from `values` and return them as configuration; missing ones have their defaults.

    Blocks while it reads the certificate. Raises click.UsageError for a key without a certificate, BadCertificate for a
    certificate or key that TLS cannot use.
    """
    # The options have validated the types.
    make: Callable[..., ServerConfig] = ServerConfig
    make_protection: Callable[..., Protection] = Protection
    make_context: Callable[..., ssl.SSLContext] = server_context
    certfile, keyfile = values.pop("certfile", None), values.pop("keyfile", None)
    if keyfile is not None and certfile is None:
        raise click.UsageError("--keyfile is of no use without --certfile")
    protection = make_protection(
        limits=take_limits(values),
        origins=values.pop("origin", ()),
        host_names=values.pop("host_name", ()),
        seats=values.pop("seats", False),
        behind_proxy=values.pop("behind_proxy", False),
        tls=None if certfile is None else make_context(certfile, keyfile),
    )
    common = {name: values.pop(name) for name in [field.name for field in fields(ServerConfig)] if name in values}
    return make(protection=protection, **common)
