"""The command `scramble import-puzzle`: convert a crossword of another program to a puzzle of the server."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import click

from scramble.cli.commands import SectionedCommand
from scramble.cli.places import puzzles_folder
from scramble.crossword.exchange import MAX_IMPORT_BYTES, CannotImport, import_puzzle
from scramble.crossword.puzzle import SUFFIX
from scramble.errors import CannotRead
from scramble.front.options import FILE, unreadable
from scramble.plaintext import harmless

STDOUT = Path("-")


@click.command("import-puzzle", cls=SectionedCommand)
@click.argument("file", type=FILE)
@click.option(
    "--to",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="PLACE",
    help="A folder, or the file to write; - for standard output.  [default: the folder of `scramble serve`]",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the rooms, as for `scramble serve`.",
)
@click.option("--overwrite", is_flag=True, help="Replace a puzzle with the same name.")
def import_puzzle_command(file: Path, to: Path | None, overwrite: bool, data: Path | None) -> None:
    """Convert the crossword FILE, an .ipuz or a .puz file, to a puzzle file.

    Without --to, the command writes to the puzzle folder of `scramble serve` with the same --data. A running server
    offers the puzzle at once.
    """
    if to is not None and data is not None:
        raise click.UsageError("--to and --data do not go together")
    try:
        with file.open("rb") as opened:
            contents = opened.read(MAX_IMPORT_BYTES + 1)
    except OSError as error:
        raise unreadable(file, error) from None
    try:
        found = import_puzzle(contents, file.stem)
    except CannotImport as refused:
        raise CannotRead(f"{harmless(str(file))}: {harmless(str(refused))}") from None
    if to == STDOUT:
        click.echo(found.text, nl=False)
        return
    place = _offered(data) if to is None else to
    if place.is_dir():
        place = place / f"{_file_name(file)}{SUFFIX}"
    _write(place, found.text, overwrite=overwrite)
    click.echo(f"{harmless(found.title)}, {found.rows} x {found.columns}, {found.words} words: {place}")


def _offered(data: Path | None) -> Path:
    """Return the puzzle folder of `scramble serve`. Create the folder if it is missing. Raises CannotRead."""
    folder = puzzles_folder(data)
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the folder of the rooms
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise unreadable(folder, error) from None
    return folder


def _file_name(file: Path) -> str:
    """Return a name that players can type: small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", file.stem).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")[:60] or "puzzle"


def _write(place: Path, text: str, *, overwrite: bool) -> None:
    """Write a file atomically, because a server may read the folder meanwhile. Raises CannotRead."""
    if place.exists() and not overwrite:
        raise CannotRead(f"{harmless(str(place))}: this file exists; --overwrite replaces it")
    fresh = place.with_name(f".{place.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, place)
    except OSError as error:
        raise unreadable(place, error) from None
