"""The JSON frames between page and server, exactly as in docs/reference/minesweeper-websocket.md.

Testing strategy. Each frame, and the tests that cover it by name:

- from the client: dig, flag, deflag with and without id, coordinates of any size; rejoin; additional keys:
  test_a_clients_...; not JSON, not an object, a missing or wrong type, keys that are missing or of another type, not
  UTF-8, nested too deeply, numbers too long; with a readable id, with an unreadable id: test_a_bad_frame_...
- from the server: field for a player and for a loser; change with each event; done, boom, error, each with id and
  without: test_the_field_frame_..., test_a_change_frame_..., test_an_answer_...
- every example in the reference is a real frame of a game: test_the_reference_...
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Change, Event, Outcome, Ticket
from scramble.minesweeper import BoardView, Field, Player, Snapshot
from scramble.minesweeper.frames import (
    BadFrame,
    ChordFrame,
    ClientFrame,
    DeflagFrame,
    DigFrame,
    FlagFrame,
    MoveFrame,
    Rejoin,
    boom_frame,
    change_frame,
    decode,
    done_frame,
    error_frame,
    field_frame,
    field_start,
)
from scramble.minesweeper.messages import (
    Chord,
    Connect,
    Connected,
    Deflag,
    Deflagged,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Exploded,
    Flag,
    Flagged,
    Move,
    Score,
    Standing,
    TakeSnapshot,
)

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "minesweeper-websocket.md"
SNAPSHOT = Snapshot(12, 4, 3, ("1 1-", "F 1-", "1 1-"), (Player(1, "telnet 1"), Player(3, "alice", (1, 0))))


# --- from the client ---


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ('{"type":"dig","id":7,"x":0,"y":2}', DigFrame(0, 2, 7)),
        ('{"type":"flag","id":null,"x":-1,"y":1}', FlagFrame(-1, 1)),
        ('{"y":1,"x":1,"type":"deflag"}', DeflagFrame(1, 1)),
        ('{"type":"dig","x":%s,"y":0,"id":1}' % ("9" * 3000), DigFrame(10**3000 - 1, 0, 1)),
        ('{"type":"rejoin"}', Rejoin()),
        (' {"type":"rejoin","more":[{}]} ', Rejoin()),
    ],
)
def test_a_clients_frame_is_read(text: str, frame: ClientFrame) -> None:
    assert decode(text) == decode(text.encode()) == frame


@pytest.mark.parametrize(
    ("frame", "command"),
    [(DigFrame(1, 2), Dig(1, 2, 5)), (FlagFrame(1, 2), Flag(1, 2, 5)), (DeflagFrame(1, 2), Deflag(1, 2, 5))],
)
def test_a_clients_move_is_a_command_of_its_player(frame: MoveFrame, command: Move) -> None:
    assert frame.command(player=5) == command


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("", None),
        ("dig 1 2", None),
        ("[]", None),
        ("{}", None),
        ('{"type":"dig","x":1}', None),
        ('{"type":"dig","x":1,"id":3}', 3),
        ('{"type":"dig","x":"1","y":2,"id":3}', 3),
        ('{"type":"dig","x":1.5,"y":2,"id":3}', 3),
        ('{"type":"dig","x":true,"y":2,"id":3}', 3),
        ('{"type":"dig","x":1e400,"y":2,"id":3}', 3),
        ('{"type":"dig","x":1,"y":2,"id":"3"}', None),
        ('{"type":"look","id":3}', 3),
        ('{"id":3}', 3),
        ('{"type":"rejoin"', None),
        ('{"type":"rejoin"}{"type":"rejoin"}', None),
        ('{"type":"rejoin","more":' + "[" * 4000, None),
        ('{"type":"dig","x":' + "9" * 4500 + ',"y":2,"id":3}', 3),
        ("\ud800", None),
    ],
)
def test_a_bad_frame_is_the_clients_fault_and_has_its_id_if_there_is_one(text: str, id: int | None) -> None:
    with pytest.raises(BadFrame) as caught:
        decode(text)
    assert isinstance(caught.value, InvalidCommand)
    assert caught.value.id == id
    assert str(caught.value)


def test_a_bad_frame_may_be_no_text_at_all() -> None:
    with pytest.raises(BadFrame):
        decode(b'{"type":"rejoin\xff"}')


# --- from the server ---


@pytest.mark.parametrize("you", [3, None])
def test_the_field_frame_has_everything_and_who_you_are(you: int | None) -> None:
    assert json.loads(field_frame(SNAPSHOT, you)) == {
        "type": "field",
        "version": 12,
        "columns": 4,
        "rows": 3,
        "lines": ["1 1-", "F 1-", "1 1-"],
        "players": [{"id": 1, "name": "telnet 1", "at": None}, {"id": 3, "name": "alice", "at": [1, 0]}],
        "you": you,
    }


@pytest.mark.parametrize(
    ("count", "you", "named", "others"),
    [
        (0, None, range(0), None),
        (200, 200, range(1, 201), None),
        (201, 5, range(1, 201), 1),
        (201, None, range(1, 201), 1),
        (201, 201, range(1, 202), None),
        (300, 250, [*range(1, 201), 250], 99),
        (300, 999, range(1, 201), 100),
    ],
)
def test_the_field_frame_names_200_players_and_you_and_counts_the_others(
    count: int, you: int | None, named: Iterable[int], others: int | None
) -> None:
    players = tuple(Player(number, f"p{number}") for number in range(1, count + 1))
    snapshot = Snapshot(1, 1, 1, ("-",), players)
    frame = json.loads(field_frame(snapshot, you))
    assert [player["id"] for player in frame["players"]] == list(named)
    assert (frame.get("others"), frame["you"]) == (others, you)
    assert field_frame(snapshot, you, field_start(snapshot)) == field_frame(snapshot, you)


def test_the_field_frame_of_a_game_with_scores_has_the_best_scores_and_the_rest() -> None:
    scores = {f"p{number}": Score(number, 0, 0, number) for number in range(300)}
    snapshot = msgspec.structs.replace(SNAPSHOT, standing=Standing(7, scores))
    frame = json.loads(field_frame(snapshot, 3))
    assert frame["left"] == 7
    assert list(frame["scores"].values()) == list(range(299, 99, -1))
    assert {key: frame[key] for key in frame.keys() - {"left", "scores"}} == json.loads(field_frame(SNAPSHOT, 3))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Dug(0, 2, 3, ((0, 1, "F"), (0, 2, "12"))), ("dug", 0, 2, 3, [[0, 1, "F"], [0, 2, "12"]])),
        (Exploded(1, 0, 3, ((1, 0, " "),)), ("exploded", 1, 0, 3, [[1, 0, " "]])),
        (Flagged(1, 0, None, ((1, 0, "F"),)), ("flagged", 1, 0, None, [[1, 0, "F"]])),
        (Deflagged(1, 0, 3, ((1, 0, "-"),)), ("deflagged", 1, 0, 3, [[1, 0, "-"]])),
    ],
)
def test_a_change_frame_contains_a_move(event: Event, expected: tuple[object, ...]) -> None:
    told = dict(zip(("is", "x", "y", "player", "runs"), expected, strict=True))
    assert json.loads(change_frame(Change(13, (event,)))) == {"type": "change", "version": 13, "events": [told]}


def test_a_change_frame_contains_arrivals_and_departures() -> None:
    frame = json.loads(change_frame(Change(13, (Connected(Player(4, "bob")), Disconnected(3)))))
    assert frame["events"] == [
        {"is": "connected", "player": {"id": 4, "name": "bob", "at": None}},
        {"is": "disconnected", "player": 3},
    ]


@pytest.mark.parametrize("id", [7, None])
def test_an_answer_has_the_id_that_its_frame_had(id: int | None) -> None:
    assert json.loads(done_frame(id, BoardView(13, ""))) == {"type": "done", "id": id, "version": 13}
    assert json.loads(error_frame("no", id)) == {"type": "error", "id": id, "reason": "no"}
    boom = {"type": "boom", "id": id, "version": 14, "x": 3, "y": 1}
    assert json.loads(boom_frame(DigFrame(3, 1, id), BoardView(14, "", True), lost=True)) == {**boom, "lost": True}
    assert json.loads(boom_frame(DigFrame(3, 1, id), BoardView(14, "", True), lost=False)) == {**boom, "lost": False}


def examples() -> dict[str, list[dict[str, object]]]:
    """Return the frames in the reference, by type."""
    found: dict[str, list[dict[str, object]]] = {}
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    text = " ".join(line for line in lines if line.startswith("    ")).strip()
    while text:
        frame, end = json.JSONDecoder().raw_decode(text)
        found.setdefault(frame.get("type", "player"), []).append(frame)
        text = text[end:].strip()
    return found


def contest() -> tuple[object, object]:
    """Return two frames of a game with scores: its field after a boom, and its last change."""
    field = Field(4, 3, [(2, 1), (3, 0)])
    field.keep_scores(pause_ms=5000, closes=True)
    commands = (Connect("alice"), Connect("bob"), Flag(3, 0, 1, 900), Dig(0, 0, 1, 1000))
    for command in (*commands, Flag(2, 0, 2, 2000), Deflag(2, 0, 2, 2100), Dig(2, 1, 2, 4000)):
        field.apply(Ticket(1), command)
    scored = field_frame(field.snapshot(), 2, now=5200)
    won = tuple(event for event in field.apply(Ticket(1), Chord(2, 1, 1, 7000)) if isinstance(event, Event))
    return json.loads(scored), json.loads(change_frame(Change(field.version, won)))


def test_an_answer_has_the_reason_of_a_useless_move_and_the_cost_of_a_boom() -> None:
    done = {"type": "done", "id": 7, "version": 3}
    assert json.loads(done_frame(7, BoardView(3, "", pause_ms=20))) == {**done, "pause": 20}
    assert json.loads(done_frame(7, BoardView(3, "", start=(1, 2)))) == {**done, "start": [1, 2]}
    view = BoardView(3, "", True, ((4, 5), (5, 5)), 5000)
    boom = {"type": "boom", "id": 7, "version": 3, "x": 4, "y": 5, "lost": False, "pause": 5000}
    assert json.loads(boom_frame(ChordFrame(4, 4, 7), view, lost=False)) == {**boom, "booms": [[4, 5], [5, 5]]}


def test_the_frames_of_the_end_have_the_best_200_scores() -> None:
    field = Field(1, 1)
    field.keep_scores()
    for number in range(1, 301):
        for command in (Connect(f"p{number}"), Flag(0, 0, number), Deflag(0, 0, number)):
            field.apply(Ticket(1), command)
    won = tuple(event for event in field.apply(Ticket(1), Dig(0, 0, 300)) if isinstance(event, Event))
    told = json.loads(change_frame(Change(1, won)))["events"][1], json.loads(field_frame(field.snapshot(), 1))
    for end in (frame["end"] for frame in told):
        assert (len(end["names"]), len(end["tallies"])) == (300, 200)
        assert end["tallies"]["p300"]["points"] == 1


def test_the_reference_shows_real_frames_of_a_game() -> None:
    field = Field(4, 3, [(2, 1)])
    said: list[Outcome] = []
    for command in (Connect(), Connect("bob"), Disconnect(2), Connect("alice"), Flag(2, 1, 3), TakeSnapshot()):
        said += field.apply(Ticket(1), command)
    snapshot = said[-1]
    assert isinstance(snapshot, Answered)
    assert isinstance(snapshot.value, Snapshot)
    dug = field.apply(Ticket(2), Dig(0, 0, 3))[0]
    assert isinstance(dug, Dug)
    shown = examples()
    scored, won = contest()
    assert shown["field"] == [json.loads(field_frame(snapshot.value, you=3)), scored]
    assert shown["change"] == [json.loads(change_frame(Change(field.version, (dug,)))), won]
    assert shown["done"] == [json.loads(done_frame(7, field.look()))]
    assert shown["boom"] == [json.loads(boom_frame(DigFrame(2, 1, 8), BoardView(9, "", True), lost=True))]
    assert shown["error"] == [json.loads(error_frame("...", 10, "has-lost"))]
    client = [decode(json.dumps(shown[type][0])) for type in ("dig", "flag", "deflag", "chord", "rejoin")]
    moves = [DigFrame(0, 0, 7), FlagFrame(2, 1, 8), DeflagFrame(2, 1, 9), ChordFrame(1, 0, 10)]
    assert client == [*moves, Rejoin()]
