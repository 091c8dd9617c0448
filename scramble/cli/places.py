"""Place of the rooms of a server: a folder, by default in the user's data, or a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click
from platformdirs import user_data_path

from scramble.front.options import option, params_of
from scramble.front.sections import Section
from scramble.resources import PUZZLES_FOLDER

CLUSTER_VARIABLE: Final = "SCRAMBLE_CLUSTER"
"""The environment variable with the address of a cluster's Redis. Other users of the machine can read the command line,
but not this variable."""

FOR_EVER_S: Final = 1e10
"""Time for which rooms are kept while an operator's command uses them: only the server knows its `--keep-days`."""


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """The option for the folder of the rooms."""

    data: Path | None = option(
        "--data",
        None,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Keep the rooms in this folder. Default: a folder of the user's data.",
        section=Section.KEEPING_ROOMS,
    )


@dataclass(frozen=True, kw_only=True)
class RoomsPlace(FolderOptions):
    """Options of an operator's command for the place of the rooms: a folder, or a cluster."""

    cluster: str | None = option(
        "--cluster",
        None,
        type=str,
        metavar="URL",
        envvar=CLUSTER_VARIABLE,
        help="The address of the Redis server that keeps the rooms of a cluster, such as redis://localhost.",
    )


FOLDER_OPTION, CLUSTER_OPTION = params_of(RoomsPlace)


def default_folder() -> Path:
    """Return the default folder for the rooms of this user."""
    return user_data_path("scramble", appauthor=False) / "rooms"


def puzzles_folder(data: Path | None) -> Path:
    """Return the folder of additional crosswords for a server with rooms in `data`; None: in the default folder."""
    return (data or default_folder()) / PUZZLES_FOLDER


def require_cluster() -> None:
    """Raise UsageError if the package that a cluster needs is not installed."""
    if find_spec("hiredis") is None:
        raise click.UsageError("a cluster needs the package hiredis: pip install 'hiredis>=3.5'")
