"""Journals of older versions: they still lead to the same facts.

The files contain seats, names and cards of 300 characters, control characters in cards, withdrawn requests, several
processes one after another, over 1,000 players, and commands without a change (newer versions do not record them).
`make.py` and `make2.py` made the files, and name the versions.

- each game, and each of two games in one file: is read and replayed; is opened, continued, and opened again
"""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from scramble.crossword.messages import OpenSession
from scramble.games.table import narrators
from scramble.journal import Journal, read_recording, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.protocol import Command
from scramble.memory.messages import NewGame
from scramble.minesweeper.messages import Connect
from scramble.players.seats import Seated
from scramble.replay.reel import Reel
from tests.unit.journal.old.facts import Facts, digest_of, facts_of, rules_of

HERE = Path(__file__).parent
EXPECTED = msgspec.json.decode((HERE / "expected.json").read_bytes(), type=dict[str, Facts])
MOVES: dict[str, Command[object]] = {
    "memory": NewGame("ann", 1),
    "minesweeper": Connect("ann"),
    "crossword": OpenSession("a token"),
}


@pytest.fixture(params=EXPECTED)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, Facts]:
    """Return a file, the name of a game in it, and the facts of the game."""
    expected: Facts = EXPECTED[request.param]
    stem, name = request.param.split()
    file = tmp_path / f"{stem}.db"
    file.write_bytes(gzip.decompress((HERE / f"{stem}.db.gz").read_bytes()))
    return file, name, expected


def test_an_old_journal_is_read_and_replayed_as_it_was_and_not_changed(game: tuple[Path, str, Facts]) -> None:
    file, name, expected = game
    before = file.read_bytes()
    assert facts_of(file, name) == expected
    assert file.read_bytes() == before


def test_the_replay_page_gets_an_old_journal_to_its_end(game: tuple[Path, str, Facts]) -> None:
    file, name, expected = game
    recording = read_recording(file, name)
    reel = Reel(recording.kind, recording.name, recording.began, recording.first, narrators=narrators())
    for record in recording.records:
        reel.add(record)
    assert reel.length == expected.commands
    assert reel.overview()
    assert reel.piece(expected.commands)


async def test_an_old_journal_continues_from_its_last_state(game: tuple[Path, str, Facts]) -> None:
    file, name, expected = game
    kind = read_recording(file, name).kind
    async with recorded(Seated(rules_of(kind)), Journal(file, name)) as kept:
        assert (kept.commands, kept.recovered) == (expected.commands, True)
        assert kept.rules.version == expected.version
        assert digest_of(kept.rules) == expected.opened
        async with open_actor(kept.rules, log=kept.log) as actor:
            await actor.ask(MOVES[kind])
        after = digest_of(kept.rules)
        assert after != expected.opened
    async with recorded(Seated(rules_of(kind)), Journal(file, name)) as kept:
        assert kept.commands > expected.commands
        assert digest_of(kept.rules) == after
