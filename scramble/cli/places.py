"""Where the rooms of a server are: in a folder, by default one of the user's, or in a cluster."""

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
"""The environment variable with the address of a cluster's Redis: others on the machine can read a command line."""

FOR_EVER_S: Final = 1e10
"""How long rooms are kept while an operator's command looks at them: it is the server that knows its `--keep-days`."""


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """The option of the folder that keeps rooms."""

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
    """Where rooms are for the commands of an operator: a folder, or a cluster."""

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
    """Return the folder that keeps the rooms of this user if none is given."""
    return user_data_path("scramble", appauthor=False) / "rooms"


def puzzles_folder(data: Path | None) -> Path:
    """Return the folder of the crosswords that a server whose rooms are in the folder `data` offers, too."""
    return (data or default_folder()) / PUZZLES_FOLDER


def require_cluster() -> None:
    """Raise UsageError if what a cluster needs is not installed."""
    if find_spec("hiredis") is None:
        raise click.UsageError("a cluster needs the package hiredis: pip install 'hiredis>=3.5'")
