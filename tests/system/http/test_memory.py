"""The text protocol over real sockets: a hypercorn on a free port in the same trio program, httpx as the browser.

Partitions:
- request: look, flip, replace, new; GET, POST, HEAD, OPTIONS, prefetch, another method; an invalid path
- player: valid; of maximum length, longer; empty; with a character that is not allowed; percent-encoded; of another
  script
- spot: valid; leading zeros; signs, fractions, blanks, other digits, huge numbers; outside the board
- card: ASCII; emoji, of several code points; of maximum length, longer; with a control character; with a slash,
  percent sign, question mark; empty; with white space; not UTF-8; badly encoded
- flip: succeeds; fails, in either edition; rejected
"""

from __future__ import annotations

import pytest
import trio

from scramble.front.memory.front import Edition
from scramble.server.protection.limits import ServerLimits
from tests.support.memory.served import served

# requests with an answer


async def test_look_answers_the_board_as_text_with_its_version_for_everybody_and_not_to_be_stored() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 1)
        answer = await s.get("/look/alice")
        assert answer.status_code == 200
        assert answer.text == "2x3\ndown\nmy B\ndown\ndown\ndown\ndown\n"
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["etag"] == '"1"'
        assert (await s.get("/look/bob")).text == "2x3\ndown\nup B\ndown\ndown\ndown\ndown\n"


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_flip_answers_the_board_after_the_flip(method: str) -> None:
    async with served() as s:
        answer = await s.client.request(method, "/flip/alice/1,2")
        assert (answer.status_code, answer.text) == (200, "2x3\ndown\ndown\ndown\ndown\ndown\nmy C\n")
        assert answer.headers["etag"] == '"1"'


async def test_a_failed_flip_of_the_2025_edition_is_409_with_the_reason_and_the_rule() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        answer = await s.get("/flip/alice/0,0")
        assert answer.status_code == 409
        assert answer.text.startswith("cannot flip this card: ")
        assert "2-B" in answer.text
        assert answer.text.count("\n") == 1


async def test_a_failed_flip_of_the_2022_edition_is_200_and_the_board() -> None:
    async with served(edition="2022") as s:
        await s.get("/flip/alice/0,0")
        answer = await s.get("/flip/alice/0,0")
        assert (answer.status_code, answer.text) == (200, "2x3\nup A\ndown\ndown\ndown\ndown\ndown\n")


@pytest.mark.parametrize("edition", ["2022", "2025"])
async def test_a_flip_while_the_players_previous_one_waits_is_refused_in_either_edition(edition: Edition) -> None:
    async with served(edition=edition) as s:
        await s.game.flip("alice", 0, 0)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(s.get, "/flip/bob/0,0")
            await s.until_waiting("bob")
            answer = await s.get("/flip/bob/0,1")
            assert answer.status_code == 409
            assert answer.text == "cannot flip this card: you are still waiting for a card: one flip at a time\n"
            assert (await s.game.look("bob")).count("down") == 5
            await s.game.flip("alice", 0, 1)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("A", "Z", "A/Z"),
        ("A", "🦄", "A/%F0%9F%A6%84"),
        ("A", "1/2", "A/1%2F2"),
        ("A", "50%?#", "A/50%25%3F%23"),
        ("A", "..", "A/.."),
        ("A", "a+b", "A/a+b"),
        ("A", "replace", "A/replace"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_replace_takes_percent_encoded_cards(method: str, old: str, new: str, path: str) -> None:
    async with served("1x2\nA\nB\n") as s:
        await s.game.flip("alice", 0, 0)
        head, body = await s.exchange(method, f"/replace/alice/{path}")
        assert " 200 " in head.splitlines()[0]
        assert body == f"1x2\nmy {new}\ndown\n"


async def test_player_and_cards_may_be_called_replace() -> None:
    async with served("1x2\nreplace\nB\n") as s:
        await s.game.flip("replace", 0, 0)
        assert (await s.get("/replace/replace/replace/C")).text == "1x2\nmy C\ndown\n"


async def test_new_deals_the_same_cards_again() -> None:
    async with served("1x2\nA\nA\n") as s:
        await s.game.flip("alice", 0, 0)
        answer = await s.client.post("/new/bob")
        assert (answer.status_code, answer.text) == (200, "1x2\ndown\ndown\n")
        assert (await s.get("/new/bob")).status_code == 405


async def test_figures_tell_how_well_each_player_has_remembered() -> None:
    async with served("1x4\nA\nB\nA\nB\n") as s:
        for column in (0, 1, 2, 0):
            await s.game.flip("alice", 0, column)
        await s.game.look("bob")
        answer = await s.get("/figures")
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == {"figures": {"alice": {"turns": 2, "found": 1, "streak": 1, "memory": 1}}}


# rejected requests


@pytest.mark.parametrize("path", ["look/{}", "flip/{}/0,0", "replace/{}/A/B", "watch/{}?since=0"])
async def test_a_name_has_at_most_255_characters_and_a_longer_one_is_refused_in_words(path: str) -> None:
    async with served() as s:
        await s.game.flip("bob", 0, 1)
        assert (await s.get("/" + path.format("a" * 255))).status_code == 200
        answer = await s.get("/" + path.format("a" * 256))
        assert (answer.status_code, answer.text) == (400, "a name has at most 255 characters on this server, not 256\n")
        assert "a" * 256 not in (await s.game.snapshot()).scores


async def test_nobody_with_a_long_name_begins_a_new_game() -> None:
    async with served() as s:
        await s.game.flip("bob", 0, 1)
        assert (await s.client.post("/new/" + "a" * 256)).status_code == 400
        assert (await s.game.snapshot()).scores == {"bob": 0}
        assert "up B" in await s.game.look("carol")


async def test_a_new_card_has_at_most_255_characters_and_board_files_have_longer_ones() -> None:
    long = "L" * 300
    async with served(f"1x2\nA\n{long}\n") as s:
        assert (await s.get("/replace/bob/A/" + "é" * 255)).status_code == 200
        answer = await s.get("/replace/bob/" + "%C3%A9" * 255 + "/" + "C" * 256)
        assert (answer.status_code, answer.text) == (
            400,
            "a new card has at most 255 characters on this server, not 256\n",
        )
        await s.get(f"/replace/bob/{long}/short")  # the name of an old card may be as long as the card
        await s.game.flip("bob", 0, 1)
        assert await s.game.look("bob") == "1x2\ndown\nmy short\n"
        await s.game.replace("bob", "short", long)  # and a program has no limits
        assert await s.game.look("bob") == f"1x2\ndown\nmy {long}\n"


async def test_the_bounds_of_names_and_cards_are_the_servers_limits() -> None:
    async with served(limits=ServerLimits(name_chars=3, card_chars=2)) as s:
        assert (await s.get("/replace/bob/A/ZZ")).status_code == 200
        assert (await s.get("/replace/bob/A/ZZZ")).text.startswith("a new card has at most 2 characters")
        assert (await s.get("/look/carl")).text.startswith("a name has at most 3 characters")


@pytest.mark.parametrize(("encoded", "code"), [("%00", 0), ("%1B[2J", 0x1B), ("a%7F", 0x7F), ("%C2%9B31m", 0x9B)])
async def test_a_new_card_with_a_control_character_is_refused_in_words(encoded: str, code: int) -> None:
    async with served() as s:
        answer = await s.get(f"/replace/bob/A/{encoded}")
        words = f"a new card has no control characters, and this one has U+{code:04X}\n"
        assert (answer.status_code, answer.text) == (400, words)


@pytest.mark.parametrize("card", ["👩‍💻", "🏴󠁧󠁢󠁿", "‮abc", "﻿", ""])
async def test_any_other_character_may_be_in_a_new_card(card: str) -> None:
    async with served("1x1\nA\n") as s:
        assert (await s.get(f"/replace/bob/A/{card}")).status_code == 200
        await s.game.flip("bob", 0, 0)
        assert (await s.get("/look/bob")).text == f"1x1\nmy {card}\n"


BAD = [
    ("/look/al%20ice", 400),
    ("/look/al-ice", 400),
    ("/look/%C3%A9ve", 400),
    ("/look/", 404),
    ("/look", 404),
    ("/look/alice/", 404),
    ("/", 200),
    ("/nowhere", 404),
    ("/flip/alice", 404),
    ("/flip/alice/0", 400),
    ("/flip/alice/0,0,0", 400),
    ("/flip/alice/,", 400),
    ("/flip/alice/-0,0", 400),
    ("/flip/alice/+1,0", 400),
    ("/flip/alice/1.0,0", 400),
    ("/flip/alice/0,%200", 400),
    ("/flip/alice/0,0%0A", 400),
    ("/flip/alice/%D9%A1,0", 400),
    ("/flip/alice/2,0", 400),
    ("/flip/alice/0,3", 400),
    ("/flip/alice/0," + "9" * 6000, 400),
    ("/flip/al%0Aice/0,0", 400),
    ("/replace/alice/A", 400),
    ("/replace/alice/A/B/C", 400),
    ("/replace/alice/A/", 400),
    ("/replace/alice/A/%20", 400),
    ("/replace/alice/A/x%E2%80%83y", 400),
    ("/replace/alice/A/%FF", 400),
    ("/replace/alice/A/%", 400),
    ("/replace/alice/A/%4", 400),
    ("/replace/alice/A/%ZZ", 400),
    ("/replace/alice/%ED%A0%80/B", 400),
    ("/replace/al%20ice/A/B", 400),
    ("/watch/alice?since=x", 400),
    ("/watch/alice?since=-1", 400),
    ("/watch/al%20ice", 400),
    ("/play/alice", 400),
]


@pytest.mark.parametrize(("path", "status"), BAD)
async def test_what_cannot_be_understood_is_refused_in_one_plain_line_and_changes_nothing(
    path: str, status: int
) -> None:
    async with served() as s:
        before = await s.game.snapshot()
        head, body = await s.exchange("GET", path)
        assert head.split()[1] == str(status), head + body
        if status != 200:
            assert body.endswith("\n")
            assert body.count("\n") == 1
            assert "content-type: text/plain" in head.lower()
        assert await s.game.snapshot() == before


async def test_00_is_0() -> None:
    async with served() as s:
        assert (await s.get("/flip/alice/00,001")).text.splitlines()[2] == "my B"


async def test_an_invalid_flip_is_no_move_so_the_previous_play_stays_unfinished() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        await s.get("/flip/alice/0,1")
        await s.get("/flip/alice/9,9")
        assert (await s.get("/look/alice")).text.count("up ") == 2


@pytest.mark.parametrize("path", ["/flip/alice/0,0", "/replace/alice/A/B", "/watch/alice", "/new/alice"])
async def test_head_and_prefetches_never_move_a_card(path: str) -> None:
    async with served() as s:
        before = await s.game.snapshot()
        head = await s.client.head(path)
        assert head.status_code == 405
        assert "HEAD" not in head.headers["allow"]
        refused = 405 if path.startswith("/new/") else 503  # GET does not begin a new game
        assert (await s.get(path, **{"Sec-Purpose": "prefetch"})).status_code == refused
        assert (await s.get(path, **{"Sec-Purpose": "prefetch;prerender"})).status_code == refused
        assert (await s.get(path, **{"Sec-Purpose": "PREFETCH"})).status_code == refused
        assert (await s.get(path, Purpose="prefetch")).status_code == refused
        assert (await s.get(path, **{"X-Purpose": "preview"})).status_code == refused
        assert (await s.get(path, **{"X-Moz": "prefetch"})).status_code == refused
        assert (await s.client.put(path)).status_code == 405
        assert await s.game.snapshot() == before


async def test_options_answers_a_preflight_without_doing_anything() -> None:
    async with served() as s:
        answer = await s.client.options("/flip/alice/0,0", headers={"Origin": "http://elsewhere"})
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "POST" in answer.headers["access-control-allow-methods"]
        assert answer.headers["access-control-allow-private-network"] == "true"
        assert (await s.game.snapshot()).version == 0


async def test_errors_too_may_be_read_by_a_page_from_elsewhere() -> None:
    async with served() as s:
        for path in ("/nowhere", "/look/b-b", "/flip/alice/9,9"):
            assert (await s.get(path)).headers["access-control-allow-origin"] == "*"
