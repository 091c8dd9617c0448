"""Crossword Extravaganza's WebSocket over real sockets, with clients that are malicious or slow.

Partitions:
- limits: not text; too long; much too long; too many commands, sessions, matches; sessions and matches of one address,
  of this machine's and of an address behind a proxy; idle sessions
- secrecy: puzzles of nonsense words, good and bad guesses and challenges, by players and beside a spectator
- readers: a client that does not read changes, a client that sends commands without reading the answers
"""

from __future__ import annotations

import json

import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scramble.crossword import Puzzle, open_lobby
from scramble.crossword.limits import LobbyLimits
from scramble.front.crossword.dialogue import DialogueLimits
from scramble.front.site import SiteConfig
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.crossword.typists import PUZZLES, serving, serving_behind, serving_lobby

# --- limits -----------------------------------------------------------------------------------------

STRICT = DialogueLimits(commands=20, commands_per_s=0, faults=3, faults_per_s=0)


async def test_a_frame_that_is_no_text_is_refused_and_then_closed() -> None:
    async with serving(limits=STRICT) as server:
        ann = await server.open()
        for binary in (b"ann", b"", b"\xff\xfe"):
            assert "text" in await ann.refused(binary)
        await ann.send(b"again")
        assert await ann.closed() == 1003
        assert "binary" in ann.texts[-1]


async def test_a_line_longer_than_any_command_is_refused_and_then_closed() -> None:
    async with serving(limits=STRICT) as server:
        ann = await server.open()
        for line in ("x" * 5001, "é" * 5001, "🙂" * 5001):
            assert "longer" in await ann.refused(line)
        assert (await ann.say("🙂" * 5000))["error"]  # the longest valid message causes no fault
        await ann.do("ann")
        await ann.send("x" * 5001)
        assert await ann.closed() == 1009


async def test_a_frame_that_no_client_can_mean_closes_the_connection() -> None:
    async with serving() as server:
        ann = await server.open()
        await ann.send("x" * 1_000_000)
        assert await ann.closed() == 1009


async def test_too_many_commands_are_refused_and_then_the_connection_is_closed() -> None:
    async with serving(limits=STRICT) as server:
        ann = await server.player("ann")
        for _ in range(19):
            assert "no command" in await ann.refused("?")
        for _ in range(3):
            assert "too many commands" in await ann.refused('NEW m1 simple "a"')
        await ann.send("EXIT")
        assert await ann.closed() == 1008
        assert json.loads(ann.texts[-1])["state"] == "CHOOSE"  # the server did not execute it


async def test_a_full_server_says_so_and_closes_and_has_room_again_later() -> None:
    async with serving(lobby_limits=LobbyLimits(sessions=2)) as server:
        _ann, bob = await server.open(), await server.open()
        late = await server.connect()
        frame = await late.frame()
        assert (frame["state"], frame["player"]) == ("START", None)
        assert "players" in str(frame["error"])
        assert await late.closed() == 1013
        await bob.leave()
        while (await (late := await server.connect()).frame())["error"] is not None:
            assert await late.closed() == 1013
        await late.do("cyd")


async def test_no_more_matches_than_the_limit_are_made() -> None:
    async with serving(lobby_limits=LobbyLimits(matches=1)) as server:
        ann, bob = await server.player("ann"), await server.player("bob")
        await ann.do('NEW m1 simple "so"')
        await bob.frame()
        assert "matches" in await bob.refused('NEW m2 simple "so"')


async def test_an_address_that_a_proxy_names_has_its_own_quota_and_is_refused_in_words() -> None:
    limits = ServerLimits(sessions_by_address=2, matches_by_address=1)
    site = SiteConfig(Protection(limits=limits, behind_proxy=True))
    async with open_lobby(PUZZLES) as lobby, serving_behind(lobby, site) as server:
        ann, bob = [await server.connect(forwarded_for="192.0.2.1") for _ in range(2)]
        for typist, name in ((ann, "ann"), (bob, "bob")):
            await typist.frame()
            await typist.do(name)
        await ann.do('NEW m1 simple "so"')
        await bob.frame()
        assert "waiting from your address" in await bob.refused('NEW m2 simple "so"')
        late = await server.connect(forwarded_for="192.0.2.1")
        assert "players from your address" in str((await late.frame())["error"])
        assert await late.closed() == 1013
        cyd = await server.connect(forwarded_for="192.0.2.2")
        await cyd.frame()
        await cyd.do("cyd")
        assert (await cyd.do('NEW m2 simple "so"'))["state"] == "WAIT"


async def test_a_session_that_does_nothing_is_closed_with_words() -> None:
    async with open_lobby(PUZZLES, idle=0.05) as lobby, serving_lobby(lobby) as server:
        ann = await server.connect()
        assert await ann.closed() == 4002
        assert ann.socket.closed is not None
        assert ann.socket.closed.reason == "nothing was done here for 0.05 seconds"


# --- secrecy ----------------------------------------------------------------------------------------

NONSENSE = """>> "Nonsense" "Nobody guesses this"
 (qxzvwkj, "first", ACROSS, 0, 0)
 (jyfpqgh, "second", DOWN, 0, 6)
 (zubxkvy, "third", DOWN, 0, 2)
 (hwqmzjd, "fourth", ACROSS, 6, 6)
"""
SECRETS = ["qxzvwkj", "jyfpqgh", "zubxkvy", "hwqmzjd"]
GUESSES = [*SECRETS, "aaaaaaa", "qxzvwka", "zaaaaaa", "jaaaaaa", "qxz", "b" * 8]


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from(["TRY", "CHALLENGE"]), st.integers(0, 5), st.sampled_from(GUESSES)), max_size=25)
)
def test_no_frame_ever_has_a_solution_that_nobody_has_entered(moves: list[tuple[str, int, str]]) -> None:
    async def main() -> None:
        async with serving([Puzzle.parse(NONSENSE, id="nonsense")]) as server:
            ann, bob = await server.match("nonsense")
            cyd = await server.player("cyd")
            said: set[str] = set()
            for number, (command, word, guess) in enumerate(moves):
                said.add(guess)
                typist = (ann, bob)[number % 2]
                frame = await typist.say(f"{command} {word} {guess}")
                for text in (text for t in server.typists for text in t.texts):
                    assert not any(secret in text for secret in SECRETS if secret not in said)
                if frame["state"] == "SHOW SCORE":
                    break
            await bob.send("EXIT")
            await bob.until(lambda f: f["state"] in ("SHOW SCORE", "START"))
            await cyd.refused("?")
            for text in (text for t in server.typists for text in t.texts):
                assert not any(secret in text for secret in SECRETS if secret not in said)
                shown = json.loads(text).get("match", json.loads(text).get("result", {}).get("match", {}))
                letters = {cell["letter"] for row in shown.get("cells", []) for cell in row if cell} - {None}
                assert letters <= set("".join(said))

    trio.run(main)


async def test_a_right_and_a_wrong_guess_are_answered_alike() -> None:
    async with serving([Puzzle.parse(NONSENSE, id="nonsense")]) as server:
        ann, bob = await server.match("nonsense")
        answers = [json.dumps(await ann.do(f"TRY 1 {guess}")).replace(guess, "?") for guess in ("qxzvwka", "qxzvwkj")]
        await bob.frame()
        await bob.frame()
        strip = str.maketrans("", "", "qxzvwkja")
        assert answers[0].translate(strip) == answers[1].translate(strip)
        messages = [json.loads(text)["message"] for text in ann.texts[-2:]]
        assert messages[0].replace("qxzvwka", "?") == messages[1].replace("qxzvwkj", "?")


# --- readers ----------------------------------------------------------------------------------------


async def test_a_connection_that_does_not_read_delays_nobody_and_gets_the_latest_instead_of_a_backlog() -> None:
    big = Puzzle.parse(
        f'>> "Big" "{"x" * 20_000}"\n (cat, "feline companion", DOWN, 0, 1)\n', id="big"
    )  # all frames together are larger than any socket buffer
    async with serving([big]) as server:
        slow = await server.connect(receive_buffer=4096)
        await slow.frame()
        await slow.do("slow")
        ann = await server.player("ann")
        changes = 400
        for number in range(changes // 2):
            # each command waits for its answer: the slow client delays no other client
            await ann.do(f'NEW m{number} big "so"')
            await ann.do("EXIT")
        await ann.do('NEW last big "so"')
        count = 1
        while (await slow.frame())["matches"] != [
            {"id": "last", "puzzle": "big", "description": "so", "player": "ann"}
        ]:
            count += 1
        assert count < changes - 50
        assert await slow.refused("?")


async def test_a_client_that_asks_without_reading_is_answered_in_full_once_it_reads() -> None:
    async with serving() as server:
        ann = await server.connect(receive_buffer=4096)
        await ann.frame()
        await ann.do("ann")
        lines = 300

        async def ask() -> None:
            for number in range(lines):
                await ann.send(f"line {number}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            for _ in range(lines):
                assert (await ann.frame())["error"]
        await ann.do("EXIT")
