"""Refusals of rooms: each has its own code, and its values beside its text. The reference lists them all.

Partitions:
- a refusal of the rooms API, of an act in a room, of a room that nobody can enter; a refusal that has no code
- its text has no value, one, two; a value that may be missing
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

import scramble.front.rooms
import scramble.kernel
import scramble.players
import scramble.rooms
from scramble.crossword.exchange import CannotImport
from scramble.errors import CallerError, DiskFull
from scramble.front.rooms.held import TooManyHeld
from scramble.front.rooms.refusals import BadBody, NamesAreOpen
from scramble.front.rooms.room_orders import MayNotOpen, TooManyOpened, parse_order
from scramble.front.rooms.room_routes import AnotherRoom, NoReplay, NoReplayYet
from scramble.front.rooms.share import NoSuchLink
from scramble.front.web.client import BadSecret
from scramble.games.settings import FIELD_CODES, BadSettings
from scramble.games.table import game_kinds
from scramble.players import names, seats
from scramble.rooms.classroom import (
    ClassesFull,
    ClassFull,
    ClassOver,
    NobodyWaits,
    NoSuchClass,
    NotTheTeacher,
    RoundMoved,
)
from scramble.rooms.days import AttemptGone, AttemptsFull, DayOver
from scramble.rooms.gathering.refusals import (
    HostStays,
    NobodyThere,
    NobodyWithSecret,
    NoSuchReaction,
    NoSuchTicket,
    NotMoved,
    NotPlaying,
    NotTheHost,
    OpenerStays,
    OthersAttempt,
    PlayerRemoved,
    StandsIn,
    TooFast,
)
from scramble.rooms.names import BadTitle, TitleTooLong
from scramble.rooms.protocol import (
    AwakeFull,
    MemoryFull,
    NoSuchGame,
    NoSuchRoom,
    RoomAsleep,
    RoomBroken,
    RoomClosed,
    RoomDamaged,
    RoomLost,
    RoomNameTaken,
    RoomRemoved,
    RoomsFull,
    SettingsFull,
)
from scramble.rooms.turns import Busy
from scramble.server.protection.origins import FromElsewhere, NotJson

REFERENCE = Path(__file__).parents[4] / "docs" / "reference"

ANSWERED = (
    BadSettings({}),
    CannotImport.of("locked", "the solution is locked"),
    BadSecret(16),
    FromElsewhere("not from there"),
    MayNotOpen("local"),
    NoSuchRoom("no such room"),
    RoomLost("lost"),
    NoSuchLink(1),
    RoomRemoved("removed"),
    NotJson(),
    TooManyOpened(7),
    TooManyHeld(100),
    Busy(5),
    RoomsFull(10),
    SettingsFull(4096),
    RoomDamaged("damaged"),
    DiskFull("full"),
    BadBody("it is cut off"),
    names.NameTooLong(24),
    names.InvisibleInName("\u200b"),
    names.StrayMark(4),
    names.EmptyName(),
    names.BotsName(),
    TitleTooLong(60),
    BadTitle("a title"),
    NotTheHost("rename"),
    StandsIn("rename", 15),
    NotMoved(),
    NotPlaying(),
    PlayerRemoved(),
    OthersAttempt(),
    DayOver(),
    AttemptGone(),
    AttemptsFull(2000),
    NoSuchClass(),
    ClassOver(),
    ClassFull(100),
    ClassesFull(200),
    NotTheTeacher(),
    RoundMoved(),
    NobodyWaits(),
    seats.SeatTaken("the name bob belongs to somebody else", "bob"),
    NobodyThere("bob"),
    NobodyWithSecret("bob"),
    seats.SeatFree("bob"),
    seats.NameTaken("bob", "bob 2"),
    HostStays(),
    OpenerStays(),
    NamesAreOpen(),
    NoSuchReaction("👍 👏"),
    NoSuchTicket(),
    TooFast(),
)
"""One refusal of each class that the server answers as JSON."""

AT_THE_DOOR = (RoomClosed("closed"), RoomBroken("broken"), NoSuchGame("chess"), AwakeFull(5), MemoryFull(4096))
"""More refusals at the door of a room, besides some of `ANSWERED`. Each is a page, a line of text or a close reason."""

IN_TEXT = (AnotherRoom, NoReplay, NoReplayYet)
"""Refusals that are a line of text at an address of a game."""

NEVER = (RoomNameTaken, RoomAsleep)
"""Refusals that no client receives."""

NOT_IN_WORDS = {"why", "act", "who", "offer"}
"""Values that the text replaces by other words, or leaves out."""


def defined() -> Iterator[type[CallerError]]:
    """All classes of refusals of rooms, of players and of the kernel."""
    packages = (scramble.kernel, scramble.players, scramble.rooms, scramble.front.rooms)
    for package in packages:
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    left = [CallerError]
    while left:
        kind = left.pop()
        left += kind.__subclasses__()
        if kind.__module__.startswith(tuple(f"{package.__name__}." for package in packages)):
            yield kind


def rows(page: str) -> dict[str, tuple[int, set[str]]]:
    """The status and the parameters of each code in a page of the reference."""
    text = (REFERENCE / page).read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d{3}) \| `([a-z-]+)` \|([^|]*)\|[^|]*\|$", text, re.MULTILINE)
    return {code: (int(status), set(re.findall(r"`(\w+)`", params))) for status, code, params in found}


def test_the_reference_has_all_codes_with_their_parameters_and_no_others() -> None:
    told = rows("rooms-api.md") | rows("rooms-together.md") | rows("classes.md")
    assert told == {refused.code: (refused.status, set(refused.params)) for refused in ANSWERED}
    for code, row in rows("rooms-api.md").items():
        assert rows("rooms-together.md").get(code, row)[0] == row[0]
    door = rows("games-in-rooms.md")
    here = {refused.code: refused.status for refused in (*ANSWERED, *AT_THE_DOOR)}
    assert {refused.code for refused in AT_THE_DOOR} <= door.keys()
    assert {code: status for code, (status, _) in door.items()} == {code: here[code] for code in door}


def test_every_refusal_of_rooms_is_known_here_and_has_a_code_of_its_own() -> None:
    known = {type(refused) for refused in (*ANSWERED, *AT_THE_DOOR)} | {*IN_TEXT, *NEVER}
    found = {kind for kind in defined() if not kind.__name__.startswith("_")}
    assert found <= known
    assert len({kind.code for kind in known}) == len(known)


@pytest.mark.parametrize("refused", [*ANSWERED, *AT_THE_DOOR], ids=lambda refused: type(refused).__name__)
def test_the_values_in_the_words_stand_beside_them(refused: CallerError) -> None:
    words = str(refused)
    beside = [str(value) for name, value in refused.params.items() if name not in NOT_IN_WORDS]
    assert isinstance(refused, SettingsFull | MemoryFull) or all(value in words for value in beside)
    for number in re.findall(r"[1-9][0-9]*", words):
        assert any(number in value for value in beside)


# --- fields of a request to open a room ---------------------------------------------------------------


def field_rows() -> dict[str, set[str]]:
    """The parameters of each code of a field in the reference."""
    text = (REFERENCE / "rooms-api.md").read_text(encoding="utf-8")
    table = text.partition("| code of a field |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|([^|]*)\|[^|]*\|$", table, re.MULTILINE)
    return {
        code: set(re.findall(r"`(\w+)`", params)) for codes, params in rows for code in re.findall("[a-z-]+", codes)
    }


def test_the_reference_has_all_codes_of_fields_and_no_others() -> None:
    assert field_rows().keys() == FIELD_CODES


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        (3, {"body": "not-object"}),
        (
            {"game": "chess", "title": 1, "public": 1},
            {"game": "not-one-of", "title": "not-text", "public": "not-boolean"},
        ),
        ({"game": "memory", "names": "mine", "colour": 1}, {"names": "not-one-of", "colour": "unknown-field"}),
        ({"game": "memory", "settings": []}, {"settings": "not-object"}),
        ({"game": "memory", "turn_clock": 21}, {"turn_clock": "not-one-of"}),
        ({"game": "memory", "bots": 1}, {"bots": "not-list"}),
        ({"game": "memory", "bots": [{}] * 4}, {"bots": "too-many-bots"}),
        (
            {"game": "memory", "bots": [{"level": "mad"}, {"x": 1}]},
            {"bots.0.level": "not-one-of", "bots.1": "bad-bot"},
        ),
        (
            {"game": "memory", "settings": {"size": "3x3", "theme": "x", "seed": -1, "colour": 1}},
            {"size": "bad-board-size", "theme": "not-one-of", "seed": "not-in-range", "colour": "unknown-field"},
        ),
        ({"game": "memory", "settings": {"board": "1x2\nA\n", "seed": 1}}, {"board": "bad-file", "seed": "excluded"}),
        ({"game": "memory", "settings": {"board": "1x2\nA\nB\n"}}, {"board": "no-pair"}),
        ({"game": "memory", "settings": {"board": "101x100\n" + "A\n" * 10_100}}, {"board": "too-many-cards"}),
        ({"game": "memory", "settings": {"board": 1}}, {"board": "not-text"}),
        (
            {"game": "minesweeper", "settings": {"size": "1x1", "safe_start": 1}},
            {"size": "bad-field-size", "safe_start": "not-boolean"},
        ),
        ({"game": "minesweeper", "settings": {"field": "1 1\n1\n"}}, {"field": "only-bombs"}),
        ({"game": "crossword", "settings": {"source": "x" * 100_001}}, {"source": "too-long"}),
    ],
)
def test_each_field_that_is_wrong_has_a_code_and_the_values_of_its_words(
    asked: object, codes: Mapping[str, str]
) -> None:
    with pytest.raises(BadSettings) as bad:
        game, given, _ = parse_order(msgspec.json.encode(asked), game_kinds())
        game_kinds()[game].settle(given, 1)
    wrong = {field.removeprefix("settings."): error for field, error in bad.value.codes.items()}
    assert {field: error["code"] for field, error in wrong.items()} == codes
    assert bad.value.errors.keys() == bad.value.codes.keys()
    for field, words in bad.value.errors.items():
        code, params = bad.value.codes[field]["code"], bad.value.codes[field]["params"]
        assert isinstance(params, dict)
        assert set(params) <= field_rows()[str(code)]
        numbers = [f"{value:,}" if isinstance(value, int) else value for value in params.values()]
        assert code in ("not-one-of", "unknown-field") or all(value in words for value in numbers)
