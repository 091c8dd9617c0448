"""Frames and parts of requests, byte for byte.

Strategy:

- parts of requests: valid | almost valid, in every way; absurdly long
- client frames: each kind with and without id | every field missing, of another type, too large | not an object, not
  JSON, not UTF-8, too deep; text and bytes
- server frames: each kind, each outcome, each event of a change, several events of one cell
- many players: as many as a frame names, more; with scores, waiting players, players of one change, connected players
- the examples of client frames in docs/reference/websocket.md

tests/search/models checks that the frames keep a client up to date.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest

from scramble.errors import CallerError, InvalidCommand
from scramble.kernel.protocol import Change, Event
from scramble.memory import frames
from scramble.memory.frames import FlipFrame, NewGameFrame, ReplaceFrame, WithdrawFrame
from scramble.memory.messages import (
    AlreadyWaiting,
    CardsReplaced,
    FaceDown,
    FaceUp,
    FlipFailed,
    Flipped,
    Forgotten,
    GameRestarted,
    Joined,
    NoCard,
    PairsLeft,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    ScoreCount,
    Scored,
    Snapshot,
    Took,
    TurnedDown,
    TurnedUp,
    View,
    Waiting,
    Withdrawn,
)
from scramble.memory.text import parse_card, parse_player, parse_spot, parse_version

# --- parts of requests -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "spot"),
    [("0,0", (0, 0)), ("00,01", (0, 1)), ("12,345", (12, 345)), ("0" * 5000 + "7,0", (7, 0))],
    ids=lambda value: str(value)[:20],
)
def test_a_spot_is_two_numbers_of_ascii_digits(text: str, spot: tuple[int, int]) -> None:
    assert parse_spot(text) == spot


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        "0",
        "0,",
        ",0",
        "0,0,0",
        "-0,0",
        "+1,0",
        "1.0,0",
        "0, 0",
        " 0,0",
        "0,0\n",
        "٠,٠",
        "0x1,0",
        "1_0,0",
        "a,b",
    ],
)
def test_anything_else_is_no_spot(text: str) -> None:
    with pytest.raises(InvalidCommand, match="is not a space: expected ROW,COLUMN"):
        parse_spot(text)


@pytest.mark.parametrize("text", ["9" * 5000 + ",0", "0," + "1" * 19])
def test_absurdly_long_numbers_are_out_of_range(text: str) -> None:
    with pytest.raises(InvalidCommand, match=r"out of range: a number of \d+ digits"):
        parse_spot(text)


def test_a_version_is_a_number_of_ascii_digits() -> None:
    assert parse_version("0012") == 12
    for text in ("", "-1", "1.0", "x", "٣"):
        with pytest.raises(InvalidCommand, match="is not a version"):
            parse_version(text)


def test_players_and_cards_are_accepted_or_refused_with_a_reason() -> None:
    assert parse_player("Alice_2") == "Alice_2"
    assert parse_card("🦄/%") == "🦄/%"
    for text in ("", "a b", "zoë", "a\n"):
        with pytest.raises(InvalidCommand, match="is not a player: a player is"):
            parse_player(text)
    for text in ("", "a b", "\u3000", "A\r", "\ud800"):
        with pytest.raises(InvalidCommand, match="is not a card: a card is"):
            parse_card(text)


def test_refused_text_is_quoted_in_one_short_line_of_ascii() -> None:
    for parse in (parse_player, parse_card, parse_spot, parse_version):
        with pytest.raises(InvalidCommand) as caught:
            parse("é\n\ud800" * 1000)
        assert str(caught.value).isascii()
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 500


# --- frames from the client ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ('{"type":"flip","id":7,"row":0,"column":1}', FlipFrame(0, 1, 7)),
        ('{"row":0, "column":1, "type":"flip"}', FlipFrame(0, 1)),
        ('{"type":"flip","id":null,"row":-1,"column":1,"more":[]}', FlipFrame(-1, 1)),
        ('{"type":"replace","id":8,"old":"A","new":"B"}', ReplaceFrame("A", "B", 8)),
        ('{"type":"replace","old":"","new":"\\ud83e\\udd84"}', ReplaceFrame("", "🦄")),
        ('{"type":"withdraw"}', WithdrawFrame()),
    ],
)
def test_a_clients_frame_is_decoded_from_text_and_from_bytes(text: str, frame: frames.ClientFrame) -> None:
    assert frames.decode_frame(text) == frame
    assert frames.decode_frame(text.encode()) == frame


def test_the_client_frames_in_the_reference_are_decoded() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "websocket.md"
    examples = page.read_text("utf-8").partition("## From the client")[2].partition("##")[0].splitlines()
    decoded = [frames.decode_frame(line) for line in examples if line.startswith("    ")]
    assert decoded == [FlipFrame(0, 1, 7), ReplaceFrame("A", "B", 8), NewGameFrame(9), WithdrawFrame()]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "not JSON"),
        ("flip", "not JSON"),
        ("{", "not JSON"),
        ('{"type":"withdraw"} x', "not JSON"),
        ("\ud800", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"type":"replace","old":"\xe9","new":"B"}', "not JSON"),
        ('{"type":"replace","old":"\\ud800","new":"B"}', "not JSON"),
        ("[]", "Expected `object`, got `array`"),
        ("null", "Expected `object`, got `null`"),
        ("{}", "missing required field `type`"),
        ('{"type":"fly"}', "Invalid value 'fly'"),
        ('{"type":"' + "x" * 3000 + '"}', "Invalid value 'xxx"),
        ('{"type":7}', "Expected `str`"),
        ('{"type":"flip","row":0}', "missing required field `column`"),
        ('{"type":"flip","row":"0","column":0}', "Expected `int`, got `str` - at `$.row`"),
        ('{"type":"flip","row":0,"column":1.5}', "Expected `int`, got `float` - at `$.column`"),
        ('{"type":"flip","row":true,"column":0}', "Expected `int`, got `bool`"),
        ('{"type":"flip","row":0,"column":9007199254740992}', "9007199254740991"),
        ('{"type":"flip","row":0,"column":1' + "0" * 4000 + "}", "9007199254740991"),
        ('{"type":"flip","row":0,"column":0,"id":"7"}', "at `$.id`"),
        ('{"type":"flip","row":0,"column":0,"id":1e30}', "at `$.id`"),
        ('{"type":"replace","old":"A","new":null}', "Expected `str`, got `null`"),
    ],
    ids=lambda value: ascii(value[:40]),
)
def test_any_other_frame_is_refused_with_a_reason(data: str | bytes, words: str) -> None:
    with pytest.raises(InvalidCommand) as caught:
        frames.decode_frame(data)
    assert words in str(caught.value)
    assert str(caught.value).startswith("not a frame: ")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_a_frame_that_is_nested_very_deeply_is_no_crash(depth: int) -> None:
    for text in ("[" * depth, f'{{"type":"withdraw","x":{"[" * depth}{"]" * depth}}}'):
        with contextlib.suppress(InvalidCommand):  # the limit for depth differs between versions of Python
            assert frames.decode_frame(text) == WithdrawFrame()


# --- frames to the client -----------------------------------------------------------------------


def test_a_board_frame_has_the_whole_state() -> None:
    snapshot = Snapshot(
        version=12,
        rows=2,
        columns=2,
        cells=(NoCard("alice"), FaceDown(), FaceUp("🦄", "bob"), FaceUp("A", None)),
        scores={"zoe": 2, "bob": 0},
        waiting={"carol": (0, 1)},
        pairs_left=3,
    )
    assert frames.board_frame(snapshot).decode() == (
        '{"type":"board","version":12,"rows":2,"columns":2,"cells":['
        '{"is":"none","by":"alice"},{"is":"down"},{"is":"up","card":"🦄","by":"bob"},{"is":"up","card":"A","by":null}],'
        '"scores":{"zoe":2,"bob":0},"waiting":{"carol":[0,1]},"pairs_left":3}'
    )


@pytest.mark.parametrize(
    ("events", "rest"),
    [
        ([TurnedUp(0, 1, "A")], '"cells":[{"row":0,"column":1,"cell":{"is":"up","card":"A","by":null}}]'),
        (
            [Joined("alice"), TurnedUp(0, 1, "A"), Took(0, 1, "alice", "A")],
            '"cells":[{"row":0,"column":1,"cell":{"is":"up","card":"A","by":"alice"}}],"scores":{"alice":0}',
        ),
        ([TurnedDown(2, 3)], '"cells":[{"row":2,"column":3,"cell":{"is":"down"}}]'),
        (
            [Removed(0, 0, "bob", "A"), Withdrawn(0, 0, "carol"), Scored("bob", 3, 0)],
            '"cells":[{"row":0,"column":0,"cell":{"is":"none","by":"bob"}}],'
            '"scores":{"bob":3},"waiting":{"carol":null},"pairs_left":0',
        ),
        (
            [Relinquished(0, 0, "alice", "A"), Took(0, 0, "bob", "A")],
            '"cells":[{"row":0,"column":0,"cell":{"is":"up","card":"A","by":"bob"}}],"waiting":{"bob":null}',
        ),
        (
            [Relinquished(0, 0, "alice", "A")],
            '"cells":[{"row":0,"column":0,"cell":{"is":"up","card":"A","by":null}}]',
        ),
        (
            [TurnedDown(0, 0), TurnedUp(0, 0, "A"), Took(0, 0, "bob", "A")],
            '"cells":[{"row":0,"column":0,"cell":{"is":"up","card":"A","by":"bob"}}]',
        ),
        (
            [Replaced(0, 0, "B", "bob"), Replaced(0, 1, None, None), PairsLeft(2)],
            '"cells":[{"row":0,"column":0,"cell":{"is":"up","card":"B","by":"bob"}}],"pairs_left":2',
        ),
        (
            [Replaced(0, 0, "B", "bob"), CardsReplaced("carol")],
            '"cells":[{"row":0,"column":0,"cell":{"is":"up","card":"B","by":"bob"}}],"replaced_by":["carol"]',
        ),
        ([Waiting(1, 2, "carol")], '"waiting":{"carol":[1,2]}'),
        ([Withdrawn(1, 2, "carol")], '"waiting":{"carol":null}'),
        ([Joined("dave")], '"scores":{"dave":0}'),
        (
            [Joined("dave"), Forgotten("bob"), ScoreCount(1000)],
            '"scores":{"dave":0,"bob":null},"score_count":1000',
        ),
    ],
)
def test_a_change_frame_has_the_changes_only(events: list[Event], rest: str) -> None:
    frame = frames.change_frame(Change(13, tuple(events)))
    assert frame is not None
    assert frame.decode() == f'{{"type":"change","version":13,{rest}}}'


def test_a_card_replaced_face_down_changes_the_version_and_its_place_stays_secret() -> None:
    assert frames.change_frame(Change(13, (Replaced(0, 1, None, None),))) == b'{"type":"change","version":13}'
    assert frames.change_frame(Change(13, (Replaced(0, 1, None, None), CardsReplaced("bob")))) == (
        b'{"type":"change","version":13,"replaced_by":["bob"]}'
    )


def test_a_change_without_events_makes_no_frame() -> None:
    assert frames.change_frame(Change(13, ())) is None


def test_a_new_game_and_missed_changes_need_a_snapshot() -> None:
    assert frames.needs_snapshot(Change(13, (Restarted("alice"),)))
    assert frames.needs_snapshot(Change(13, (TurnedDown(0, 0),), missed=2))
    assert not frames.needs_snapshot(Change(13, (TurnedDown(0, 0), Waiting(1, 2, "carol"))))


def snapshot_of(scores: dict[str, int], waiting: dict[str, tuple[int, int]] | None = None) -> Snapshot:
    return Snapshot(1, 1, 1, (FaceDown(),), scores, waiting or {}, 0)


def test_a_board_frame_names_the_best_200_and_other_players_get_their_own_score() -> None:
    some = {f"p{number}": number % 3 for number in range(200)}
    frame = msgspec.json.decode(frames.board_frame(snapshot_of(some)))
    assert frame["scores"] == some
    assert "score_count" not in frame
    assert frames.score_frames(snapshot_of(some)) == {}
    more = some | {f"q{number}": number for number in range(100)}
    frame = msgspec.json.decode(frames.board_frame(snapshot_of(more)))
    assert (len(frame["scores"]), frame["score_count"]) == (200, 300)
    assert frame["scores"].items() <= more.items()
    others = frames.score_frames(snapshot_of(more))
    assert set(others) == more.keys() - frame["scores"].keys()
    assert {player: msgspec.json.decode(data) for player, data in others.items()} == {
        player: {"type": "score", "pairs": more[player]} for player in others
    }
    assert max(more[player] for player in others) <= min(frame["scores"].values())
    assert {player for player in others if more[player] == 1} == {f"p{n}" for n in range(109, 200, 3)} | {"q1"}


def test_a_board_frame_names_200_waiting_players_and_the_number_of_all() -> None:
    waiting = {f"p{number}": (0, 0) for number in range(201)}
    frame = msgspec.json.decode(frames.board_frame(snapshot_of({}, waiting)))
    assert (list(frame["waiting"]), frame["waiting_count"]) == ([f"p{number}" for number in range(200)], 201)
    del waiting["p0"]
    frame = msgspec.json.decode(frames.board_frame(snapshot_of({}, waiting)))
    assert (len(frame["waiting"]), "waiting_count" in frame) == (200, False)


def test_a_change_of_more_than_200_names_needs_a_snapshot() -> None:
    gone = [Withdrawn(0, 0, f"p{number}") for number in range(201)]
    assert frames.needs_snapshot(Change(1, tuple(gone)))
    assert not frames.needs_snapshot(Change(1, (*gone[1:], TurnedDown(0, 0))))


def test_a_players_frame_has_the_number_of_others() -> None:
    assert frames.players_frame(["bob"], 3) == b'{"type":"players","players":["bob"],"others":3}'


def test_a_players_frame_names_everybody_once_in_order() -> None:
    assert frames.players_frame(["bob", "alice", "bob"]) == b'{"type":"players","players":["alice","bob"]}'


VIEW = View(3, "1x1\nup A\n")


@pytest.mark.parametrize("rule", ["1-B", "1-C", "2-D", "2-E"])
def test_a_flip_frame_has_the_rule_of_its_success(rule: str) -> None:
    frame = frames.flip_frame(FlipFrame(0, 1, 7), Flipped(3, "", rule)).decode()
    start, reason = frame.split(',"reason":')
    assert start == f'{{"type":"flip","id":7,"row":0,"column":1,"outcome":"ok","rule":"{rule}"'
    assert len(reason) > 10


@pytest.mark.parametrize(
    ("error", "rest"),
    [
        (FlipFailed("2-A", "no card", VIEW), '"outcome":"failed","rule":"2-A","reason":"no card"'),
        (
            AlreadyWaiting("one at a time"),
            '"outcome":"refused","rule":null,"reason":"one at a time","code":"already-waiting"',
        ),
        (GameRestarted("a new game"), '"outcome":"refused","rule":null,"reason":"a new game","code":"restarted"'),
        (InvalidCommand("no such space"), '"outcome":"refused","rule":null,"reason":"no such space","code":"invalid"'),
    ],
)
def test_a_flip_frame_has_the_reason_of_its_failure(error: CallerError, rest: str) -> None:
    frame = frames.flip_frame(FlipFrame(0, 1), error).decode()
    assert frame == f'{{"type":"flip","id":null,"row":0,"column":1,{rest}}}'


def test_a_flip_frame_reports_waiting_and_withdrawal() -> None:
    assert b'"outcome":"waiting","rule":"1-D","reason":"' in frames.flip_frame(FlipFrame(0, 1, 7), "waiting")
    assert b'"outcome":"withdrawn","rule":null,"reason":"' in frames.flip_frame(FlipFrame(0, 1, 7), "withdrawn")


def test_a_replace_frame_reports_success_or_refusal() -> None:
    ask = ReplaceFrame("A", "B", 8)
    assert frames.replace_frame(ask) == b'{"type":"replace","id":8,"outcome":"ok","reason":null}'
    refused = frames.replace_frame(ask, InvalidCommand("no"))
    assert refused == b'{"type":"replace","id":8,"outcome":"refused","reason":"no","code":"invalid"}'


def test_an_error_frame_has_a_reason() -> None:
    assert frames.error_frame('say "flip"') == b'{"type":"error","reason":"say \\"flip\\""}'
