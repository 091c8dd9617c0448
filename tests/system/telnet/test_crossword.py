"""Crossword Extravaganza over telnet: real sockets, and a player in the browser as the opponent.

Other tests cover the effect of lines and the order of views. These tests check that lines arrive with every line
ending, that the text has exactly the content required by the interface, and that both front ends share one lobby.

Partitions:
- lines: LF, CRLF, CR NUL; byte by byte, several at once; empty; not UTF-8; of maximum length, longer, much longer
- text: in each state; after the player's own moves, after others'; every line ends with CRLF; no control characters
- matches: telnet against the WebSocket, to the end, with challenges; nonsense words that nobody has entered
- connections: EXIT; reset or half-closed in a match, then resumed by the token, also from the WebSocket; limits; full
- a slow reader; the server stops; the real `telnet`
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from scramble.crossword import Game, Puzzle, open_lobby
from scramble.crossword.limits import LobbyLimits
from scramble.front.crossword.dialogue import DialogueLimits
from scramble.front.crossword.telnet import serve_crossword_telnet
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from tests.support.crossword.typists import NO_LIMITS, PUZZLES, Server, serving_lobby
from tests.support.linewise import Client, connected, telnet_program

RULER = "-" * 78
LAST_LINES = {
    "match, type your ID, a space and your token to come back.",  # in START
    'The commands here are PLAY Match_ID, NEW Match_ID Puzzle_ID "Description" and EXIT.',
    "The only command here is EXIT.",
    "The commands here are TRY id word, CHALLENGE id word and EXIT.",
    "The commands here are NEW MATCH and EXIT.",
}


class Reader:
    """A telnet player who reads whole screens: from one ruler to the next."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.received = bytearray()
        self.token = ""

    async def screen(self) -> str:
        """Return the screen from the next ruler to the line that lists the possible commands."""
        lines: list[str] = []
        while not lines or lines[-1] not in LAST_LINES:
            line = await self.client.line()
            self.received += line
            assert line.endswith(b"\r\n")
            assert line[:-2].decode().isprintable()
            lines.append(line[:-2].decode())
            if lines[-1].startswith("ann ") and lines[-2].endswith("come back:"):
                self.token = lines[-1].removeprefix("ann ")
        assert lines[0] == RULER
        return "\n".join(lines[1:])

    async def say(self, line: str) -> str:
        """Type a line; return the screen in the answer."""
        await self.client.say(line.encode() + b"\r\n")
        return await self.screen()


@asynccontextmanager
async def telnet(
    lobby: Game, limits: DialogueLimits, server_limits: ServerLimits | None = None
) -> AsyncIterator[Address]:
    """Serve the lobby by telnet within the block, which has a time limit."""
    async with trio.open_nursery() as nursery:
        serve = partial(
            serve_crossword_telnet, lobby, host="127.0.0.1", port=0, limits=limits, server_limits=server_limits
        )
        yield await nursery.start(serve)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def reader(address: Address, name: str | None = None) -> AsyncIterator[Reader]:
    """Yield a connection that has received START, and has entered its ID if `name` is given."""
    async with connected(address) as client:
        reading = Reader(client)
        assert "Type an ID" in (await reading.screen()).replace("\n", " ")
        if name is not None:
            assert f"{name} - CHOOSE" in await reading.say(name)
        yield reading


@asynccontextmanager
async def alone(
    puzzles: Sequence[Puzzle] = PUZZLES,
    *,
    limits: LobbyLimits | None = None,
    telnet_limits: DialogueLimits = NO_LIMITS,
    server_limits: ServerLimits | None = None,
) -> AsyncIterator[tuple[Game, Address]]:
    """Serve a lobby by telnet."""
    async with open_lobby(puzzles, limits=limits) as lobby, telnet(lobby, telnet_limits, server_limits) as address:
        yield lobby, address


@asynccontextmanager
async def both(puzzles: Sequence[Puzzle] = PUZZLES) -> AsyncIterator[tuple[Address, Server]]:
    """Serve one lobby by telnet and by WebSocket."""
    async with alone(puzzles) as (lobby, address), serving_lobby(lobby) as server:
        yield address, server


async def conversation(address: Address, *segments: bytes) -> str:
    """Send these segments, then close this side; return all received text."""
    async with connected(address) as client:
        for segment in segments:
            await client.say(segment)
        await client.stream.send_eof()
        return (await client.rest()).decode()


# --- lines ------------------------------------------------------------------------------------------

TALK = 'ann|NEW m1 simple "so"|EXIT|EXIT|'


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\0"])
async def test_lines_end_in_lf_or_crlf_and_a_conversation_is_the_same_however_its_bytes_come(end: bytes) -> None:
    async with alone() as (_, address):
        data = TALK.encode().replace(b"|", end)
        whole = await conversation(address, data)
        states = re.findall(r"Crossword Extravaganza (?:- ann )?- ([A-Z]+)", whole)
        assert states == ["START", "CHOOSE", "WAIT", "CHOOSE", "START"]
        assert "Goodbye, ann" in whole
        by_bytes = await conversation(address, *(data[i : i + 1] for i in range(len(data))))
        assert without_token(by_bytes) == without_token(whole)


def without_token(text: str) -> str:
    return re.sub(r"^ann \S+\r$", "ann TOKEN", text, flags=re.MULTILINE)


async def test_an_empty_line_and_one_that_is_not_utf8_are_refused() -> None:
    async with alone() as (_, address), reader(address, "ann") as ann:
        assert "REFUSED: Type a command." in await ann.say("")
        await ann.client.say(b"\xfe\x80\n")
        assert "REFUSED: That is not text in UTF-8." in await ann.screen()
        await ann.client.say(b"PLAY m\xc3\x28\n")
        assert "REFUSED: That is not text in UTF-8." in await ann.screen()


async def test_a_description_may_be_as_long_as_on_the_page_and_a_longer_line_than_any_command_is_refused() -> None:
    long = "🙂" * 200
    async with alone() as (_, address), reader(address, "ann") as ann:
        assert long in await ann.say(f'NEW m1 simple "{long}"')
        for letters in (5001, 20_001, 1_000_000):
            assert "longer than any command" in (await ann.say("x" * letters)).replace("\n", " ")
        assert "CHOOSE" in await ann.say("EXIT")


# --- text -------------------------------------------------------------------------------------------


async def test_choose_lists_the_puzzles_and_matches_with_their_ids_and_changes_by_itself() -> None:
    async with alone() as (_, address), reader(address, "ann") as ann, reader(address, "bob") as bob:
        assert re.search(r"^  simple  Simple Puzzle: A trivial", await ann.say("?"), re.MULTILINE)
        assert "m1 is waiting" in (await bob.say('NEW m1 simple "come and play"')).replace("\n", " ")
        assert re.search(r"^  m1  on simple, by bob: come and play$", await ann.screen(), re.MULTILINE)
        assert "REFUSED: No match m2 is waiting" in await ann.say("PLAY m2")
        await bob.say("EXIT")
        assert "by bob" not in await ann.screen()


async def test_play_shows_the_grid_clues_with_ids_owners_marks_and_points_and_the_score_says_who_won() -> None:
    async with alone() as (_, address), reader(address, "ann") as ann, reader(address, "bob") as bob:
        await ann.say('NEW m1 simple "so"')
        await bob.screen()
        await bob.say("PLAY m1")
        assert "ann (you) 0, bob 0" in await ann.screen()
        screen = await ann.say("TRY 1 pet")
        for line in (r"0 +\[p\]", r"1 +\[ \] \[e\] \[ \]", r"2 +\[t\]"):
            assert re.search(rf"^{line}$", screen, re.MULTILINE), line
        assert re.search(r"^ *1\. feline companion .* pet, by ann \(you\)$", screen, re.MULTILINE)
        assert re.search(r"^ *2\. lounging place for feline companion .* not entered$", screen, re.MULTILINE)
        assert re.search(r"^ *1\. feline companion .* pet, by ann$", await bob.screen(), re.MULTILINE)
        screen = await bob.say("CHALLENGE 1 cat")
        assert "ann 0, bob (you) 2" in screen
        assert re.search(r"^ *1\. feline companion .* cat, by bob \(you\), CONFIRMED$", screen, re.MULTILINE)
        await ann.screen()
        screen = await ann.say("TRY 2 mat")
        assert "Winner: bob" in screen
        assert "Points: ann (you) 1, bob 3" in screen
        assert "NEW MATCH" in screen
        assert "Winner: bob (you)" in await bob.screen()
        assert "CHOOSE" in await bob.say("NEW MATCH")


async def test_nothing_that_a_player_or_a_file_says_reaches_the_terminal_as_a_control_character() -> None:
    evil = Puzzle.parse('>> "a\x1b[2J" "b\\r\\n--- c\\t"\n (cat, "\x07\\nclue\x7f", DOWN, 0, 0)\n', id="evil")
    async with alone([evil]) as (lobby, address), lobby.session() as robot, reader(address, "ann") as ann:
        await robot.say("robot")
        await robot.say('NEW m1 evil "\x1b[31mred\x08"')
        assert "red" in await ann.screen()
        assert "clue" in await ann.say("PLAY m1")


# --- telnet and page --------------------------------------------------------------------------------


async def test_a_player_on_telnet_and_one_in_the_browser_play_a_match_to_its_end() -> None:
    async with both() as (address, server), reader(address, "ann") as ann:
        bob = await server.player("bob")
        await ann.say('NEW m1 simple "from telnet"')
        matches = (await bob.frame())["matches"]
        assert matches == [{"id": "m1", "puzzle": "simple", "description": "from telnet", "player": "ann"}]
        assert (await bob.do("PLAY m1"))["state"] == "PLAY"
        assert "bob has joined" in await ann.screen()
        await bob.do("TRY 2 set")
        assert "bob has entered set" in await ann.screen()
        assert "REFUSED" in await ann.say("TRY 1 cat")
        assert "You are right" in await ann.say("CHALLENGE 2 mat")
        shown = (await bob.frame())["match"]
        assert isinstance(shown, dict)
        assert shown["challenge_points"] == {"ann": 2, "bob": 0}
        frame = await bob.do("TRY 1 cat")
        assert isinstance(frame["result"], dict)
        assert frame["result"]["points"] == {"ann": 3, "bob": 1}
        assert "Winner: ann (you)" in await ann.screen()


async def test_no_text_ever_has_a_solution_that_nobody_has_entered() -> None:
    nonsense = '>> "N" "n"\n (qxzvwkj, "first", ACROSS, 0, 0)\n (jyfpqgh, "second", DOWN, 0, 6)\n'
    async with both([Puzzle.parse(nonsense, id="nonsense")]) as (address, server), reader(address, "ann") as ann:
        bob = await server.player("bob")
        await ann.say('NEW m1 nonsense "so"')
        await bob.frame()
        await bob.do("PLAY m1")
        await ann.screen()
        await ann.say("TRY 1 aaaaaaj")
        await bob.frame()
        await bob.do("CHALLENGE 1 bbbbbbb")
        assert "is cleared" in (await ann.screen()).replace("\n", " ")
        await ann.say("TRY 2 ccccccc")
        await bob.frame()
        await bob.do("CHALLENGE 2 jyfpqgh")
        await ann.screen()
        assert "Winner: bob" in await ann.say("EXIT")
        assert b"jyfpqgh" in ann.received
        assert b"qxzvwkj" not in ann.received


# --- connections ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["reset", "half-closed"])
@pytest.mark.parametrize("back", ["telnet", "WebSocket"])
async def test_a_player_whose_connection_is_lost_comes_back_by_the_token(how: str, back: str) -> None:
    async with both() as (address, server):
        bob = await server.player("bob")
        async with reader(address, "ann") as ann:
            await ann.say('NEW m1 simple "so"')
            await bob.frame()
            await bob.do("PLAY m1")
            await ann.screen()
            await ann.say("TRY 1 cat")
            await bob.frame()
            if how == "reset":
                await ann.client.reset()
            else:
                await ann.client.stream.send_eof()
            await bob.frame()
            assert "ann has lost the connection" in bob.texts[-1]
        if back == "telnet":
            async with reader(address) as again:
                assert "Welcome back, ann." in (screen := await again.say(f"ann {ann.token}"))
                assert "cat, by ann (you)" in screen
        else:
            typist = await server.open()
            assert (await typist.do(f"ann {ann.token}"))["state"] == "PLAY"
        await bob.frame()
        assert "ann is back" in bob.texts[-1]


async def test_coming_back_elsewhere_closes_the_connection_that_only_seemed_to_live() -> None:
    async with both() as (address, server), reader(address, "ann") as ann:
        again = await server.open()
        await again.do(f"ann {ann.token}")
        assert await ann.client.rest() == b"Closed: the player has come back on another connection.\r\n"


async def test_exit_says_goodbye_and_closes_and_the_id_is_free() -> None:
    async with alone() as (_, address):
        async with reader(address, "ann") as ann:
            await ann.client.say(b"EXIT\nnever read\n")
            assert (await ann.client.rest()).decode().endswith("Connect again to play.\r\n")
        async with reader(address, "ann"):
            pass


async def test_too_many_commands_are_refused_and_then_the_connection_is_closed() -> None:
    strict = DialogueLimits(commands=5, commands_per_s=0, faults=2, faults_per_s=0)
    async with alone(telnet_limits=strict) as (_, address):
        text = await conversation(address, b"? ?\n" * 100)
        assert text.count("too many commands a second") == 2 + 1 + 1
        assert text.endswith("Closed: too many commands a second.\r\n")


async def test_a_full_server_says_so_and_closes() -> None:
    async with alone(limits=LobbyLimits(sessions=1)) as (_, address), reader(address):
        text = await conversation(address)
        assert "REFUSED: There are as many players as this server allows." in text
        assert text.endswith("Closed: the server is full.\r\n")


async def test_an_address_has_no_more_sessions_and_waiting_matches_than_its_quota() -> None:
    limits = ServerLimits(sessions_by_address=2, matches_by_address=1)
    async with (
        alone(server_limits=limits) as (_, address),
        reader(address, "ann") as ann,
        reader(address, "bob") as bob,
    ):
        assert "ann - WAIT" in await ann.say('NEW m1 simple "so"')
        await bob.screen()
        refused = (await bob.say('NEW m2 simple "so"')).replace("\n", " ")
        assert "REFUSED: There are as many matches waiting from your address as this server allows." in refused
        text = (await conversation(address)).replace("\r\n", " ")
        assert "REFUSED: There are as many players from your address as this server allows." in text
        assert text.endswith("Closed: the server is full. ")


async def test_who_has_lost_the_connection_is_told_with_the_seconds_left_and_comes_back_to_a_full_server() -> None:
    full = alone(limits=LobbyLimits(sessions=2))
    async with full as (_, address), reader(address, "bob") as bob:
        async with reader(address, "ann") as ann:
            token = ann.token
            await ann.say('NEW m1 simple "so"')
            await bob.screen()
            await bob.say("PLAY m1")
        told = (await bob.screen()).replace("\n", " ")
        assert re.search(r"ann has lost the connection, and has (30|29) seconds left to come back\.", told)
        text = await conversation(address, f"ann {token}\r\n".encode())
        assert "REFUSED: There are as many players as this server allows." in text
        assert "ann - PLAY" in text
        assert "ann is back." in await bob.screen()


async def test_who_has_left_has_not_given_up() -> None:
    gone = open_lobby(PUZZLES, grace=0)
    async with gone as lobby, telnet(lobby, NO_LIMITS) as address, reader(address, "bob") as bob:
        async with reader(address, "ann") as ann:
            await ann.say('NEW m1 simple "so"')
            await bob.screen()
            await bob.say("PLAY m1")
        score = await bob.screen()
        assert "Left, after a lost connection: ann" in score
        assert "iven up" not in score


async def test_when_the_lobby_closes_everybody_is_told_and_the_connections_close() -> None:
    async with alone() as (lobby, address), reader(address, "ann") as ann:
        await lobby.aclose()
        assert await ann.client.rest() == b"Closed: the server is shutting down.\r\n"


async def test_a_client_that_does_not_read_delays_nobody_and_gets_the_latest_instead_of_a_backlog() -> None:
    big = Puzzle.parse(f'>> "Big" "{"x" * 20_000}"\n (cat, "feline companion", DOWN, 0, 1)\n', id="big")
    small = partial(connected, receive_buffer=4096)
    async with alone([big]) as (lobby, address), lobby.session() as robot, small(address) as client:
        slow = Reader(client)
        await slow.screen()
        await slow.say("slow")
        await robot.say("robot")
        changes = 400
        for number in range(changes // 2):
            await robot.say(f'NEW m{number} big "so"')
            await robot.say("EXIT")
            await trio.lowlevel.checkpoint()
        await robot.say('NEW last big "so"')
        count = 1
        while "last  on big, by robot" not in await slow.screen():
            count += 1
        assert count < changes - 50
        assert "PLAY" in await slow.say("PLAY last")


async def test_the_real_telnet_can_play() -> None:
    async with alone() as (_, address), telnet_program(address.host, str(address.port)) as telnet:
        for state, line in (
            (b"START", b"ann"),
            (b"ann - CHOOSE", b'NEW m1 simple "so"'),
            (b"ann - WAIT", b"EXIT\nEXIT"),
            (b"Goodbye, ann.", None),
        ):
            await telnet.until(state)
            if line is not None:
                await telnet.enter(line)
