"""Crossword Extravaganza's WebSocket and page over real sockets: hypercorn on a free port, and real clients.

tests/unit/front/crossword/test_dialogue.py tests the order of views and the end of dialogues without sockets. These
tests cover the public interface for clients, frame by frame with exact keys, and real connections.
test_crossword_limits tests clients that misbehave.

Partitions:
- frames: of each state; the answer to every command, rejected or not; pushes after acts of other players; token
- commands: every command of each state; EXIT in each state; matches played to the end, forfeited, drawn
- connections: closed properly, or dropped, in each state; back in time, too late, without grace, from a second tab
- servers: of one lobby: one, two, one that stops, one with a lobby that is closed or dies; the page
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

import httpx
import pytest
import trio

from scramble.crossword import Game, Lobby, open_lobby
from scramble.crossword.game import open_rules
from scramble.crossword.messages import Say
from scramble.front.crossword.http import serve_crossword_http
from scramble.kernel.protocol import Command, Outcome, Ticket
from tests.support.crossword.typists import PUZZLES, Typist, serving, serving_lobby
from tests.support.websocket import Frame

LISTED = [
    {"id": "simple", "name": "Simple Puzzle", "description": "A trivial puzzle designed to show how puzzles work"},
    {"id": "extended", "name": "Extended", "description": "cat and mat, and words that overlap with cat"},
]
M1 = {"id": "m1", "puzzle": "simple", "description": "come & play"}


def choose(player: str, *matches: dict[str, str]) -> Frame:
    return {"state": "CHOOSE", "player": player, "error": None, "puzzles": LISTED, "matches": list(matches)}


def words(
    cat: str | None = None, cat_by: str | None = None, mat: str | None = None, mat_by: str | None = None
) -> object:
    one = {"id": 1, "clue": "feline companion", "direction": "DOWN", "row": 0, "column": 1, "length": 3}
    two = {
        "id": 2,
        "clue": "lounging place for feline companion",
        "direction": "ACROSS",
        "row": 1,
        "column": 0,
        "length": 3,
    }
    confirmed = cat is not None and mat is not None
    return [
        {**one, "entered": cat, "by": cat_by, "confirmed": confirmed},
        {**two, "entered": mat, "by": mat_by, "confirmed": confirmed},
    ]


def match(letters: str, words: object) -> Frame:
    """The match of ann and bob on the simple puzzle.

    `letters` fill the cells c, m, a, t, t; a space leaves a cell empty.
    """
    c, m, a, t, end = (None if letter == " " else letter for letter in letters)
    return {
        **M1,
        "rows": 3,
        "columns": 3,
        "players": ["ann", "bob"],
        "cells": [
            [None, {"letter": c, "words": [1]}, None],
            [{"letter": m, "words": [2]}, {"letter": a, "words": [1, 2]}, {"letter": t, "words": [2]}],
            [None, {"letter": end, "words": [1]}, None],
        ],
        "words": words,
        "challenge_points": {"ann": 0, "bob": 0},
    }


def play(player: str, shown: Frame) -> Frame:
    return {"state": "PLAY", "player": player, "error": None, "match": shown}


async def test_every_frame_of_a_match_and_of_the_lobby_around_it_is_that_of_the_interface() -> None:
    async with serving() as server:
        ann, bob, cyd = await server.open(), await server.open(), await server.open()
        for name, typist in (("ann", ann), ("bob", bob), ("cyd", cyd)):
            first = await typist.say(name)
            token = first.pop("token")
            assert isinstance(token, str)
            assert len(token) >= 20
            assert first == choose(name)
        assert await ann.say('NEW m1 simple "come & play"') == {
            "state": "WAIT",
            "player": "ann",
            "error": None,
            "match": M1,
        }
        listing = {**M1, "player": "ann"}
        assert await bob.frame() == choose("bob", listing)
        assert await cyd.frame() == choose("cyd", listing)
        empty = match("     ", words())
        assert await bob.say("PLAY m1") == play("bob", empty)
        assert await ann.frame() == play("ann", empty)
        assert await cyd.frame() == choose("cyd")
        half = match("p e t", words("pet", "ann"))
        assert await ann.say("TRY 1 PET") == play("ann", half)
        assert await bob.frame() == play("bob", half)
        half = match("c a t", words("cat", "ann"))
        assert await ann.say("TRY 1 cat") == play("ann", half)
        assert await bob.frame() == play("bob", half)
        over = match("cmatt", words("cat", "ann", "mat", "bob"))
        result = {"winner": None, "points": {"ann": 1, "bob": 1}, "forfeited_by": None, "match": over}
        score = {"state": "SHOW SCORE", "error": None, "result": result}
        assert await bob.say("TRY 2 mat") == {**score, "player": "bob"}
        assert await ann.frame() == {**score, "player": "ann"}
        assert await ann.say("NEW MATCH") == choose("ann")
        assert await bob.say("EXIT") == {"state": "START", "player": None, "error": None}
        assert await bob.closed() == 1000


def takes_refusal(frame: dict[str, object]) -> bool:
    """Return True if a frame rejects a command, with a message and a code. Remove both from the frame."""
    told = (frame.pop("error"), frame.pop("code"), frame.pop("params", {}))
    return all(told[:2])


async def test_a_refused_command_is_answered_by_the_same_frame_with_an_error() -> None:
    async with serving() as server:
        ann = await server.open()
        for line in ("", "no good", "a" * 21, "ann\n", "NEW MATCH"):
            frame = await ann.say(line)
            assert takes_refusal(frame), line
            assert frame == {"state": "START", "player": None}
        await ann.do("ann")
        for line in ("", "exit", "PLAY", "PLAY m1", "TRY 1 cat", "NEW MATCH", "NEW m1 simple", 'NEW m-1 simple "a"'):
            frame = await ann.say(line)
            assert takes_refusal(frame), line
            assert frame == {key: value for key, value in choose("ann").items() if key != "error"}
        assert await ann.refused(f'NEW m1 simple "{"x" * 201}"')
        await ann.do(f'NEW m1 simple "{"x" * 200}"')
        waiting = await ann.say("NEW MATCH")
        assert takes_refusal(waiting)
        assert waiting.keys() == {"state", "player", "match"}
        bob = await server.player("bob")
        before = await bob.do("PLAY m1")
        await ann.frame()
        for line in ("TRY 3 cat", "TRY 1 cats", "TRY 1 c4t", "CHALLENGE 1 cat", "NEW MATCH", "try 1 cat", "TRY 1"):
            frame = await bob.say(line)
            assert takes_refusal(frame), line
            assert frame == {key: value for key, value in before.items() if key != "error"}
        score = await bob.do("EXIT")
        frame = await bob.say("TRY 1 cat")
        assert takes_refusal(frame)
        assert frame == {key: value for key, value in score.items() if key != "error"}


async def test_an_id_in_use_stays_in_start_and_is_free_after_exit() -> None:
    async with serving() as server:
        ann, other = await server.player("ann"), await server.open()
        frame = await other.say("ann")
        assert (frame["state"], frame["player"]) == ("START", None)
        assert frame["error"]
        await ann.do("EXIT")
        assert await ann.closed() == 1000
        await other.do("ann")


async def test_the_challenger_and_the_other_player_see_the_points() -> None:
    async with serving() as server:
        ann, bob = await server.match()
        await ann.do("TRY 1 pet")
        await bob.frame()
        for points, line in (({"ann": 0, "bob": -1}, "CHALLENGE 1 net"), ({"ann": 0, "bob": 1}, "CHALLENGE 1 cat")):
            for frame in (await bob.do(line), await ann.frame()):
                shown = frame["match"]
                assert isinstance(shown, dict)
                assert shown["challenge_points"] == points
            if points["bob"] == -1:
                await ann.do("TRY 1 pet")
                await bob.frame()
        await ann.do("EXIT")
        frame = await bob.frame()
        assert isinstance(frame["result"], dict)
        assert {key: frame["result"][key] for key in ("winner", "points", "forfeited_by")} == {
            "winner": "bob",
            "points": {"ann": 0, "bob": 2},
            "forfeited_by": "ann",
        }


async def test_whoever_stops_waiting_is_back_in_choose_and_the_match_gone_from_every_list() -> None:
    async with serving() as server:
        ann, bob = await server.player("ann"), await server.player("bob")
        await ann.do('NEW m1 simple "a"')
        assert (await bob.frame())["matches"] != []
        assert await ann.say("EXIT") == choose("ann")
        assert await bob.frame() == choose("bob")
        assert await bob.refused("PLAY m1")


async def test_of_two_who_join_a_match_at_once_one_plays_and_the_other_is_refused() -> None:
    async with serving() as server:
        ann, bob, cyd = await server.player("ann"), await server.player("bob"), await server.player("cyd")
        await ann.do('NEW m1 simple "a"')
        await bob.frame()
        await cyd.frame()
        await bob.send("PLAY m1")
        await cyd.send("PLAY m1")
        frames: dict[str, Frame] = {}

        async def answer(name: str, typist: Typist) -> None:
            frames[name] = await typist.until(lambda f: f["state"] == "PLAY" or f["error"] is not None)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer, "bob", bob)
            nursery.start_soon(answer, "cyd", cyd)
        assert sorted(str(frame["state"]) for frame in frames.values()) == ["CHOOSE", "PLAY"]
        assert (await ann.frame())["state"] == "PLAY"


async def test_two_who_move_at_once_get_an_answer_and_a_change_each() -> None:
    async with serving() as server:
        ann, bob = await server.match("extended")
        for letter in "abcdefghijklmnopqrstuvwxyz":
            await ann.send(f"TRY 3 {letter * 3}")  # these two words do not cross
            await bob.send(f"TRY 4 {letter * 3}")
            for typist in (ann, bob):
                await typist.frame()
                shown = (await typist.frame())["match"]
                assert isinstance(shown, dict)
                assert [word["entered"] for word in shown["words"]] == [None, None, letter * 3, letter * 3]


# --- connections ------------------------------------------------------------------------------------

GO = {"closing frame": Typist.leave, "RST": Typist.vanish}


@pytest.mark.parametrize("how", GO)
@pytest.mark.parametrize("state", ["START", "CHOOSE", "WAIT", "SHOW SCORE"])
async def test_a_lost_connection_ends_the_session_and_frees_the_id(state: str, how: str) -> None:
    async with serving() as server:
        if state == "SHOW SCORE":
            ann, bob = await server.match()
            await bob.do("EXIT")
            await ann.frame()
        else:
            ann = await (server.open() if state == "START" else server.player("ann"))
            if state == "WAIT":
                await ann.do('NEW m1 simple "so"')
        await GO[how](ann)
        again = await server.free("ann")
        assert json.loads(again.texts[-1])["matches"] == []


@pytest.mark.parametrize("how", GO)
async def test_a_player_comes_back_to_a_match_with_the_token_and_goes_on(how: str) -> None:
    async with serving() as server:
        ann, bob = await server.match()
        await ann.do("TRY 1 cat")
        board = (await bob.frame())["match"]
        await GO[how](ann)
        assert (await bob.frame())["match"] == board  # and the message names the missing player
        assert "ann has lost the connection" in bob.texts[-1]
        again = await server.open()
        assert await again.refused("ann")
        assert await again.refused("ann wrong-token")
        frame = await again.say(f"ann {ann.token}")
        assert frame == {"state": "PLAY", "player": "ann", "error": None, "match": board}
        assert (await bob.frame())["match"] == board
        assert "ann is back" in bob.texts[-1]
        assert (await again.do("TRY 2 mat"))["state"] == "SHOW SCORE"
        result = (await bob.frame())["result"]
        assert isinstance(result, dict)
        assert result["winner"] == "ann"


@pytest.mark.parametrize("grace", [0, 0.01])
async def test_a_player_who_stays_away_forfeits_when_the_grace_is_over(grace: float) -> None:
    async with serving(grace=grace) as server:
        ann, bob = await server.match()
        await ann.vanish()
        frame = await bob.until(lambda f: f["state"] == "SHOW SCORE")
        result = frame["result"]
        assert isinstance(result, dict)
        assert (result["winner"], result["forfeited_by"]) == ("bob", "ann")
        late = await server.open()
        assert await late.refused(f"ann {ann.token}")
        await late.do("ann")


async def test_coming_back_in_a_second_tab_closes_the_first_one() -> None:
    async with serving() as server:
        ann, bob = await server.match()
        again = await server.open()
        assert (await again.do(f"ann {ann.token}"))["state"] == "PLAY"
        assert await ann.closed() == 4001
        await again.do("TRY 1 cat")
        await bob.frame()
        assert "ann has entered cat" in bob.texts[-1]


# --- servers ----------------------------------------------------------------------------------------


async def test_two_servers_of_one_lobby_are_one_lobby() -> None:
    async with open_lobby(PUZZLES) as lobby, serving_lobby(lobby) as one, serving_lobby(lobby) as two:
        ann, bob = await one.player("ann"), await two.player("bob")
        assert await (await two.open()).refused("ann")
        await ann.do('NEW m1 simple "so"')
        await bob.frame()
        assert (await bob.do("PLAY m1"))["state"] == (await ann.frame())["state"] == "PLAY"


async def test_the_embedding_program_plays_with_those_in_the_browser() -> None:
    async with serving() as server, server.lobby.session() as robot:
        await robot.say("robot")
        await robot.say('NEW m1 simple "beat me"')
        ann = await server.player("ann")
        await ann.do("PLAY m1")
        assert (await robot.next_view()).state == "PLAY"
        await robot.say("TRY 1 cat")
        await ann.frame()
        assert "robot has entered cat" in ann.texts[-1]


async def test_when_the_lobby_closes_every_connection_does_with_1001() -> None:
    async with serving() as server:
        ann, bob = await server.match()
        cyd = await server.open()
        await server.lobby.aclose()
        assert [await typist.closed() for typist in (ann, bob, cyd)] == [1001] * 3


async def test_when_the_server_stops_every_connection_closes_with_1001() -> None:
    stop = trio.Event()
    async with serving(stop=stop.wait) as server:
        ann = await server.player("ann")
        stop.set()
        assert await ann.closed() == 1001


class Buggy:
    """A lobby with a bug."""

    def __init__(self) -> None:
        self._lobby = Lobby(PUZZLES)

    @property
    def version(self) -> int:
        return self._lobby.version

    @property
    def revision(self) -> int:
        return self._lobby.revision

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, Say) and command.line == "PLAY bug":
            raise ZeroDivisionError("a bug")
        return self._lobby.apply(ticket, command)


async def test_a_lobby_that_dies_of_a_bug_closes_its_connections_with_1011() -> None:
    async with trio.open_nursery() as nursery:
        ready, lobbies = trio.open_memory_channel[Game](1)

        async def own() -> None:
            with pytest.raises(ExceptionGroup):
                async with open_rules(Buggy(), grace=30) as lobby:
                    await ready.send(lobby)
                    await trio.sleep_forever()

        nursery.start_soon(own)
        async with serving_lobby(await lobbies.receive()) as server:
            ann, bob = await server.player("ann"), await server.player("bob")
            await bob.send("PLAY bug")
            assert [await ann.closed(), await bob.closed()] == [1011] * 2


async def test_the_page_and_what_it_asks_the_server_are_there() -> None:
    async with open_lobby(PUZZLES, grace=12) as lobby, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_crossword_http, lobby, port=0, telnet_port=4445))
        async with httpx.AsyncClient(base_url=address.url) as browser:
            page = await browser.get("/")
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
            assert "Crossword Extravaganza" in page.text
            assert (await browser.get("/server")).json() == {"grace": 12, "telnet": 4445}
            assert (await browser.get("/nothing")).status_code == 404
            assert (await browser.get("/client/../boards/crossword")).status_code == 404
        nursery.cancel_scope.cancel()
