# ruff: noqa: ASYNC240 - nothing else runs while a test looks at files
"""Minesweeper and crossword with `--journal`: real servers are killed, stopped and restarted, or do not start.

Partitions:
- the end of the server: SIGKILL, SIGTERM, in the middle of a match and with connected players
- players return: to a match over telnet and over the WebSocket, with ID and token; to a field, as another player
- options when the journal has a game already: nothing; the same; another FILE, --size, --seed, PUZZLE_DIR: one line,
  exit code 1, and the file stays unchanged
- another game's journal; another game in the same file
- the file's mode
- SIGTERM while a journal is being opened
- a full disk: at the start; in a game: waiting clients are answered, one line, exit code 1; as JSON also an event
(Memory Scramble: tests/system/cli/test_memory.py and tests/system/faults. Recovered state:
tests/unit/journal/test_recording.py, tests/unit/minesweeper/test_kept.py, tests/unit/crossword/test_kept.py.)
"""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from pathlib import Path

import pytest
import trio

from tests.support import websocket
from tests.support.crossword.driver import EXTENDED, SIMPLE
from tests.support.crossword.typists import clients_of
from tests.support.linewise import Client, connected
from tests.support.minesweeper.diggers import Server as Diggers
from tests.support.process import ServerProcess

FIELD = "4 3\n0 0 0 0\n0 0 1 0\n0 0 0 0\n"
OTHER_FIELD = "4 3\n0 0 0 0\n0 0 0 1\n0 0 0 0\n"
STOPPED = """
import atexit, os, signal, trio
from scramble.cli.main import main
from scramble.journal.disk import Files

def stop_and_wait(disk):
    os.kill(os.getpid(), signal.SIGTERM)
    trio.from_thread.run(trio.sleep_forever)  # ends when the opening is cancelled

Files.check_cancelled = stop_and_wait
atexit.register(print, "ended, and was not ended")
main()
"""  # a server that gets the signal while it opens its journal
SIGNALS = [signal.SIGKILL, signal.SIGTERM]


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Path:
    """A folder with two fields, two folders of puzzles, and a place for a journal."""
    (tmp_path / "field.txt").write_text(FIELD)
    (tmp_path / "other.txt").write_text(OTHER_FIELD)
    for folder, text in (("puzzles", EXTENDED), ("others", SIMPLE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.puzzle").write_text(text)
    return tmp_path


@asynccontextmanager
async def crossword(place: Path, *arguments: str, file_bytes: int | None = None) -> AsyncIterator[ServerProcess]:
    """A crossword server with a journal: the address of its page, then its telnet address."""
    options = ("--port", "0", "--telnet-port", "0", "--journal", str(place / "journal.db"), *arguments)
    with ServerProcess("crossword", *options, lines=2, file_bytes=file_bytes) as running:
        yield running


@asynccontextmanager
async def minesweeper(place: Path, *arguments: str, file_bytes: int | None = None) -> AsyncIterator[ServerProcess]:
    """A minesweeper server with a journal: its telnet address, then the address of its page."""
    options = ("--port", "0", "--http-port", "0", "--journal", str(place / "journal.db"), *arguments)
    with ServerProcess("minesweeper", *options, lines=2, file_bytes=file_bytes) as running:
        yield running


async def until(client: Client, words: bytes) -> bytes:
    """Return the next line that begins with these words."""
    while not (line := await client.line()).startswith(words):
        pass
    return line


# --- games that continue ----------------------------------------------------------------------------


@pytest.mark.parametrize("number", SIGNALS)
async def test_both_players_come_back_to_their_match_over_telnet_and_websocket(
    number: signal.Signals, place: Path
) -> None:
    async with crossword(place, str(place / "puzzles")) as running:
        page, telnet = running.addresses
        async with clients_of(page) as pages, connected(telnet) as bob:
            ann = await pages.player("ann")
            await ann.do('NEW m1 p "so"')
            await bob.say(b"bob\n")
            token = (await until(bob, b"bob ")).split()[1]
            await bob.say(b"PLAY m1\nTRY 4 tax\n")
            await until(bob, b"You have entered tax")
            await ann.until(lambda _: "bob has entered tax" in ann.texts[-1])
            before = (await ann.do("TRY 2 mat"))["match"]
            running.send_signal(number)
            await running.ended()
    async with crossword(place) as running:
        page, telnet = running.addresses
        async with clients_of(page) as pages, connected(telnet) as bob:
            again = await pages.open()
            frame = await again.do(f"ann {ann.token}")
            assert (frame["state"], frame["match"]) == ("PLAY", before)
            await bob.say(b"bob " + token + b"\nCHALLENGE 2 bat\nTRY 1 cat\nTRY 3 car\n")
            await until(bob, b"Welcome back, bob")
            end = await again.until(lambda frame: frame["state"] == "SHOW SCORE")
            assert isinstance(end["result"], dict)
            assert end["result"]["points"] == {"ann": 1, "bob": 2}


async def test_who_does_not_come_back_within_the_grace_of_the_new_server_forfeits(place: Path) -> None:
    async with crossword(place, str(place / "puzzles")) as running, clients_of(running.address) as pages:
        await pages.match("p")
        running.kill()
    async with crossword(place, "--grace", "0") as running, clients_of(running.address) as pages:
        assert (await (await pages.open()).do("ann"))["matches"] == []


@pytest.mark.parametrize("number", SIGNALS)
async def test_pages_and_telnet_find_the_field_as_it_was_and_versions_go_on(
    number: signal.Signals, place: Path
) -> None:
    async with minesweeper(place, "--file", str(place / "field.txt"), "--debug") as running, diggers(running) as pages:
        ann, bob = await pages.open("ann"), await pages.open("bob")
        await ann.move("flag", 0, 0)
        assert (await bob.move("dig", 2, 1))["type"] == "boom"
        await bob.move("flag", 3, 2)  # the square is dug already: no effect
        await ann.until(lambda: ann.mirror.version == bob.mirror.version)
        before = ann.mirror
        running.send_signal(number)
        await running.ended()
    async with minesweeper(place, "--debug") as running, diggers(running) as pages:
        page = await pages.open("ann")
        assert page.mirror.lines == before.lines
        assert [name for name, _ in page.mirror.players.values()] == ["ann"]
        assert page.mirror.you not in before.players
        assert page.mirror.version == before.version + 3  # two players have left, one has come
        await page.move("deflag", 0, 0)
        async with connected(running.addresses[0]) as eve:
            assert b"Players: 2 including you" in await eve.line()
            await eve.say(b"look\n")
            assert await eve.lines(3) == b"-      \r\n       \r\n       \r\n"


def diggers(running: ServerProcess) -> AbstractAsyncContextManager[Diggers]:
    """Clients for the pages of a minesweeper server."""
    return websocket.clients_of(running.addresses[1], Diggers)


# --- rejected starts --------------------------------------------------------------------------------


async def refused(*arguments: str) -> str:
    """Run a server that must not start. Return its one line of error."""
    with ServerProcess(*arguments) as running:
        assert (await running.ended(), running.output.text) == (1, ""), running.complaints
        (line,) = [line for line in running.complaints.splitlines() if line.startswith("Error: ")]
    return line


def rows(file: Path) -> Sequence[tuple[object, ...]]:
    """Return all rows of a journal."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return [
            *connection.execute("SELECT name, kind, began, first FROM games"),
            *connection.execute("SELECT game, seq, command FROM commands"),
        ]


FIELDS = ("minesweeper", "--port", "0")
LOBBY = ("crossword", "--port", "0", "--telnet-port", "0")
BEGAN = (
    "'game' is a game of {} that began with {}: "
    "leave the settings out to continue it, or choose another name or file for a new game"
)


async def test_a_field_that_is_asked_for_must_be_the_one_in_the_journal(place: Path) -> None:
    file = place / "journal.db"
    async with minesweeper(place, "--size", "5,4", "--seed", "7"):
        pass
    before = rows(file)
    something = BEGAN.format("minesweeper", "other settings than the given ones")
    for arguments, why in (
        (("--file", str(place / "field.txt")), something),
        (("--size", "5,4", "--seed", "8"), something),
        (("--seed", "7"), something),  # ten by ten
        (("--size", "4,5"), BEGAN.format("minesweeper", "5 columns and 4 rows, not 4 and 5")),
    ):
        assert await refused(*FIELDS, "--journal", str(file), *arguments) == f"Error: {file}: {why}"
    assert "is a game of minesweeper, not of crossword" in await refused(*LOBBY, "--journal", str(file))
    assert rows(file) == before
    same: list[tuple[str, ...]] = [(), ("--size", "5,4"), ("--size", "5,4", "--seed", "7")]
    for given in same:
        async with minesweeper(place, *given):
            pass


async def test_the_puzzles_that_are_asked_for_must_be_those_in_the_journal(place: Path) -> None:
    file = place / "journal.db"
    async with crossword(place, str(place / "puzzles")):
        pass
    before = rows(file)
    why = BEGAN.format("crossword", "other settings than the given ones")
    assert await refused(*LOBBY, "--journal", str(file), str(place / "others")) == f"Error: {file}: {why}"
    assert "is a game of crossword, not of minesweeper" in await refused(*FIELDS, "--journal", str(file))
    assert rows(file) == before
    for arguments in ((str(place / "puzzles"),), ("--journal-name", "another", str(place / "others"))):
        async with crossword(place, *arguments):
            pass


@pytest.mark.parametrize("game", [FIELDS, LOBBY])
async def test_what_is_no_journal_is_refused_in_one_line(game: Sequence[str], place: Path) -> None:
    (place / "text").write_text("some text that somebody would miss\n" * 1000)
    assert f"{place / 'text'} is damaged, or is not a journal of scramble" in await refused(
        *game, "--journal", str(place / "text")
    )
    assert (place / "text").read_text() == "some text that somebody would miss\n" * 1000
    assert "'a b' is no name" in await refused(*game, "--journal", str(place / "new.db"), "--journal-name", "a b")
    assert not (place / "new.db").exists()


# --- the file ---------------------------------------------------------------------------------------


async def test_sigterm_is_heard_while_a_journal_is_being_opened_which_stays_as_it_is(place: Path) -> None:
    options = ("memory", "--port", "0", "--journal", place / "journal.db")
    with ServerProcess(*options, lines=1) as running:
        assert running.stop(signal.SIGTERM)[0] == 0
    before = (place / "journal.db").read_bytes()
    with ServerProcess(*options, program=(sys.executable, "-c", STOPPED)) as running:
        assert running.wait() == 0
        assert (running.output.text, running.complaints) == ("ended, and was not ended\n", "")
    assert (place / "journal.db").read_bytes() == before


async def test_a_lobbys_tokens_are_in_a_file_that_nobody_else_may_read(place: Path) -> None:
    async with crossword(place, str(place / "puzzles")) as running, clients_of(running.address) as pages:
        ann = await pages.player("ann")
        found = [file for file in place.glob("journal.db*") if ann.token.encode() in file.read_bytes()]
        assert found
        assert {file.stat().st_mode & 0o777 for file in found} == {0o600}


async def test_when_the_disk_is_full_diggers_are_told_and_the_server_ends_with_a_line(place: Path) -> None:
    async with minesweeper(place, file_bytes=100_000) as running, connected(running.addresses[0]) as ann:
        with suppress(EOFError, trio.BrokenResourceError):
            while True:
                await ann.say(b"flag 0 0\ndeflag 0 0\n")
                await ann.lines(20)
        assert await running.ended() == 1
        assert running.complaints == f"Error: {place / 'journal.db'}: its journal cannot be written: disk I/O error\n"
    async with minesweeper(place) as running, connected(running.addresses[0]) as ann:
        await ann.say(b"look\n")
        assert len(await ann.lines(11)) > 11


@pytest.mark.parametrize("file_bytes", [1000, 5000, 9000])
@pytest.mark.parametrize("game", [("memory", "--port", "0"), FIELDS, LOBBY])
async def test_when_there_is_no_room_to_begin_with_a_server_ends_with_a_line(
    game: Sequence[str], file_bytes: int, place: Path
) -> None:
    with pytest.raises(EOFError) as failed:
        ServerProcess(*game, "--journal", place / "journal.db", lines=1, file_bytes=file_bytes)
    (line,) = str(failed.value).removeprefix("it ended: ").splitlines()
    assert line.startswith(f"Error: {place / 'journal.db'}: ")


async def test_as_json_a_full_disk_is_an_event_too(place: Path) -> None:
    async with minesweeper(place, "--log-format", "json", file_bytes=100_000) as running:
        async with connected(running.addresses[0]) as ann:
            with suppress(EOFError, trio.BrokenResourceError):
                while True:
                    await ann.say(b"flag 0 0\ndeflag 0 0\n")
                    await ann.lines(20)
        assert await running.ended() == 1
        *events, last = map(json.loads, running.complaints.splitlines())
    assert [event["level"] for event in events if event["event"] == "game-stopped"] == ["error"]
    assert (last["event"], last["level"], last["code"]) == ("failed", "error", "journal-failed")


async def test_when_the_disk_is_full_typists_are_told_and_the_server_ends_with_a_line(place: Path) -> None:
    async with crossword(place, str(place / "puzzles"), file_bytes=100_000) as running:
        async with clients_of(running.address) as pages, connected(running.addresses[1]) as telnet:
            ann, bob = await pages.match("p")
            code: int | None = None
            with suppress(Exception):
                while True:
                    await ann.do("TRY 1 pet")
                    await ann.do("TRY 1 set")
            code = await bob.closed()
            assert code == 1011
            assert b"Closed: " in await telnet.rest()
        assert await running.ended() == 1
        assert running.complaints == f"Error: {place / 'journal.db'}: its journal cannot be written: disk I/O error\n"
