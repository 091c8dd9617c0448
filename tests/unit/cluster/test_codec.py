"""The codec of messages between processes: each kind of message of the project arrives as it was sent.

Partitions:
- commands, answers: of each game with its seats; of the register; of a gathering; of the kernel
- changes: of no, one and many events; of events with tags and without tags
- answers: of a type that msgspec reads; of a union of structs without tags, at the top, in a field, in a tuple
- errors: each class of the project; with fields of its own; with fields that are not sent; of an unknown class; of a
  class that another version has in another module
- invalid bytes
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scramble.cluster.codec import Vocabulary, answer_of, decode_error, encode_error, members_of
from scramble.crossword import kind as crossword
from scramble.errors import CallerError, GameClosed, GameMoved, InvalidCommand, JournalFailed, ScrambleError
from scramble.games.settings import BadSettings, FieldError
from scramble.kernel.protocol import Change, Command, Event, Inspect, Ping, Withdraw
from scramble.memory import kind as memory
from scramble.memory.messages import (
    CardsMissing,
    CommitMap,
    Flip,
    FlipFailed,
    Flipped,
    Relinquish,
    RelinquishAwaited,
    View,
)
from scramble.minesweeper import kind as minesweeper
from scramble.players.seats import NameTaken, TakeSeat
from scramble.rooms import classroom, registermessages
from scramble.rooms.gathering import messages as gathering
from tests.support.cluster.values import values_of

R = TypeVar("R")

KINDS = {
    "memory": memory.memory_kind(100),
    "minesweeper": minesweeper.minesweeper_kind(100),
    "crossword": crossword.crossword_kind(),
}
REGISTER = (
    registermessages.OpenRoom
    | registermessages.BeginDay
    | registermessages.RoomChange
    | registermessages.RemoveRoom
    | registermessages.VisitRoom
    | registermessages.ForgetRooms
    | registermessages.FindRoom
    | registermessages.ListRooms
    | registermessages.CountRooms
    | registermessages.RemovedRooms
    | registermessages.UnenteredRooms
    | registermessages.IdleRooms
    | registermessages.EndedRooms
    | registermessages.DailyTables
    | classroom.ClassroomChange
    | classroom.FindClassroom
)
REGISTER_EVENTS = (
    registermessages.Opened | registermessages.Changed | registermessages.Removed | classroom.ClassroomChanged
)
UNIONS: dict[str, tuple[object, object]] = {
    **{name: (kind.requests, kind.events) for name, kind in KINDS.items()},
    "register": (REGISTER, REGISTER_EVENTS),
    "gathering": (gathering.GatheringCommand, gathering.GatheringEvent),
}
VOCABULARIES = {name: Vocabulary(*unions) for name, unions in UNIONS.items()}
COMMANDS = [(name, kind) for name, (commands, _) in UNIONS.items() for kind in members_of(commands)]
EVENTS = [(name, kind) for name, (_, events) in UNIONS.items() for kind in members_of(events)]


def below(kind: type[R]) -> Iterator[type[R]]:
    for one in kind.__subclasses__():
        if one.__module__.startswith("scramble."):
            yield one
            yield from below(one)


def test_every_command_of_the_project_is_in_a_vocabulary_unless_nobody_sends_it() -> None:
    bases = {kind for kind in below(Command) if kind.__subclasses__()} - {Relinquish, RelinquishAwaited}
    only_here = {Withdraw, TakeSeat, Ping, Inspect}
    missing = set(below(Command)) - bases - only_here - {kind for _, kind in COMMANDS}
    assert {kind.__name__ for kind in missing} <= set(GIVEN_AT_HOME)


GIVEN_AT_HOME = {
    "BoundScores": "when a game is opened",
    "Relinquish": "only in journals of older versions",
    "RelinquishAwaited": "only in journals of older versions",
    "ReleaseAwaited": "by the clock that runs where the game runs",
    "ExpireGrace": "by the clock that runs where the game runs",
    "EndIdle": "by the clock that runs where the game runs",
    "EndMatch": "by the clock that runs where the game runs",
    "TakeTask": "by the steward that runs where the gathering runs",
    "EndTask": "by the steward that runs where the gathering runs",
    "NoteAct": "by the steward that runs where the gathering runs",
    "NoteMoved": "by the steward that runs where the gathering runs",
    "CountVote": "by the steward that runs where the gathering runs",
    "NoteBegun": "by the steward that runs where the gathering runs",
    "NoteNotBegun": "by the steward that runs where the gathering runs",
    "AwaitDelivery": "by the steward that runs where the gathering runs",
    "FindHolder": "by the steward that runs where the gathering runs",
    "RemovePlayer": "by the steward that runs where the gathering runs",
    "GiveTicket": "by the steward that runs where the gathering runs",
    "FindTicket": "by the steward that runs where the gathering runs",
    "NoteHandover": "by the steward that runs where the gathering runs",
    "NoteExpelled": "by the room where the gathering runs",
    "BeginAgreed": "by the gathering itself",
    "LookAgain": "is no command of the register",
}


@pytest.mark.parametrize(("name", "kind"), COMMANDS, ids=[f"{name}-{kind.__name__}" for name, kind in COMMANDS])
@settings(max_examples=5)
@given(st.data())
def test_a_command_and_its_answer_arrive_as_they_were_sent(
    name: str, kind: type[Command[object]], data: st.DataObject
) -> None:
    vocabulary = VOCABULARIES[name]
    command = data.draw(values_of(kind))
    arrived = vocabulary.decode_command(vocabulary.encode_command(command))
    assert (type(arrived), arrived) == (type(command), command)
    answer = data.draw(values_of(answer_of(kind)))
    heard = vocabulary.decode_answer(command, vocabulary.encode_answer(command, answer))
    assert (type(heard), heard) == (type(answer), answer)


@pytest.mark.parametrize("name", [name for name, (_, events) in UNIONS.items() if events is not None])
@settings(max_examples=15)
@given(st.data())
def test_changes_arrive_as_they_were_sent(name: str, data: st.DataObject) -> None:
    vocabulary = VOCABULARIES[name]
    event = st.one_of([values_of(kind) for kind in members_of(UNIONS[name][1])])
    change = st.builds(Change, st.integers(0, 2**40), st.lists(event, max_size=3).map(tuple))
    changes = data.draw(st.lists(change, max_size=3))
    arrived = vocabulary.decode_changes(vocabulary.encode_changes(changes))
    assert arrived == changes
    for told, heard in zip(changes, arrived, strict=True):
        assert [type(event) for event in told.events] == [type(event) for event in heard.events]


def test_a_ping_is_understood_by_every_owner() -> None:
    for vocabulary in VOCABULARIES.values():
        assert vocabulary.decode_command(vocabulary.encode_command(Ping())) == Ping()
        assert vocabulary.decode_answer(Ping(), vocabulary.encode_answer(Ping(), None)) is None


class Left(msgspec.Struct, frozen=True):
    word: str


class Right(msgspec.Struct, frozen=True):
    word: str


class Both(msgspec.Struct, frozen=True):
    one: Left | Right | None
    many: tuple[Left | Right, ...] = ()


class AskBoth(Command[Both | Left | None], frozen=True):
    pass


@given(values_of(Both | Left | None))
def test_structs_that_look_alike_are_told_apart(answer: Both | Left | None) -> None:
    vocabulary = Vocabulary(AskBoth)
    heard = vocabulary.decode_answer(AskBoth(), vocabulary.encode_answer(AskBoth(), answer))
    assert (type(heard), heard) == (type(answer), answer)
    if isinstance(heard, Both) and isinstance(answer, Both):
        assert [type(one) for one in heard.many] == [type(one) for one in answer.many]


def test_making_a_vocabulary_fails_if_an_answer_cannot_be_sent() -> None:
    class Impossible(Command[ScrambleError], frozen=True):
        pass

    with pytest.raises(TypeError, match="cannot be sent to another process"):
        Vocabulary(Impossible)


def test_a_command_without_the_type_of_its_answer_is_found_out() -> None:
    class Vague(Command, frozen=True):  # type: ignore[type-arg]
        pass

    with pytest.raises(TypeError, match="Vague does not declare the type of its answer"):
        Vocabulary(Vague)


@pytest.mark.parametrize(
    "sent", [b"", b"{}", b"[]", b"null", b'{"type":"Fly"}', b'{"type":"Flip","player":1}', b"\xff"]
)
def test_an_invalid_command_is_refused(sent: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # msgspec's words
        VOCABULARIES["memory"].decode_command(sent)


@pytest.mark.parametrize("sent", [b"", b"{}", b"[[1]]", b'[[1,[["Sung",{}]]]]', b'[["x",[]]]'])
def test_an_invalid_change_is_refused(sent: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # msgspec's words
        VOCABULARIES["memory"].decode_changes(sent)


@pytest.mark.parametrize("word", ["\ud800", "a\udfff"])
def test_text_that_is_no_unicode_is_not_sent(word: str) -> None:
    with pytest.raises(InvalidCommand, match="cannot be sent"):
        VOCABULARIES["memory"].encode_command(Flip(word, 0, 0))


def test_an_answer_keeps_the_class_that_the_owner_gave_it() -> None:
    vocabulary, command = VOCABULARIES["memory"], CommitMap("a", {})
    for answer in (View(1, "x"), CardsMissing(("a",))):
        heard = vocabulary.decode_answer(command, vocabulary.encode_answer(command, answer))
        assert (type(heard), heard) == (type(answer), answer)
    flip = Flip("a", 0, 0)
    assert vocabulary.decode_answer(flip, vocabulary.encode_answer(flip, Flipped(1, "x", "1-B"))) == Flipped(
        1, "x", "1-B"
    )


# --- errors -----------------------------------------------------------------------------------------

ERRORS = [kind for kind in below(ScrambleError) if issubclass(kind, CallerError)]


def same(error: ScrambleError, heard: ScrambleError) -> None:
    assert type(heard) is type(error)
    assert str(heard) == str(error)
    assert heard.code == error.code
    assert heard.status == error.status
    assert dict(heard.params) == dict(error.params)
    assert vars(heard) == vars(error)


@pytest.mark.parametrize("kind", ERRORS, ids=[kind.__name__ for kind in ERRORS])
@settings(max_examples=5)
@given(st.data())
def test_a_refusal_arrives_with_all_that_it_says(kind: type[ScrambleError], data: st.DataObject) -> None:
    hints = get_type_hints(kind.__init__)
    if hints.pop("return", kind) is not kind:  # the class has a constructor of its own
        drawn = {name: data.draw(values_of(hint), name) for name, hint in hints.items()}
        try:
            error = kind(**drawn)
        except (KeyError, TypeError):  # its text exists for some values only, or some arguments have no names
            return
    else:
        error = kind(data.draw(st.text()))
    same(error, decode_error(encode_error(error)))


def test_the_refusals_of_the_games_have_their_fields() -> None:
    failed = FlipFailed("2-B", "another player controls the card", View(3, "x"))
    heard = decode_error(encode_error(failed))
    assert isinstance(heard, FlipFailed)
    assert (heard.rule, heard.reason, heard.view) == ("2-B", "another player controls the card", View(3, "x"))
    taken = decode_error(encode_error(NameTaken("alice", "alice2")))
    assert taken.params == {"name": "alice", "offer": "alice2"}


@pytest.mark.parametrize("error", [GameClosed("closed"), GameMoved("moved")])
def test_the_end_of_a_game_arrives(error: ScrambleError) -> None:
    same(error, decode_error(encode_error(error)))


def test_a_field_that_cannot_be_sent_stays_at_home() -> None:
    heard = decode_error(encode_error(JournalFailed("the disk is full", Path("/home/game.db"))))
    assert isinstance(heard, JournalFailed)
    assert str(heard) == "the disk is full"


def test_an_error_of_an_unknown_class_becomes_its_nearest_known_class() -> None:
    sent = encode_error(NameTaken("alice")).replace(b":NameTaken", b":NameSpentLater")
    heard = decode_error(sent)
    assert type(heard).__name__ == "SeatTaken"
    assert str(heard) == str(NameTaken("alice"))


def test_an_error_is_found_by_its_name_if_another_version_has_it_in_another_module() -> None:
    sent = encode_error(NameTaken("alice"))
    heard = decode_error(sent.replace(NameTaken.__module__.encode(), b"scramble.elsewhere"))
    assert sent.count(NameTaken.__module__.encode()) == 2
    same(NameTaken("alice"), heard)
    names = [kind.__qualname__ for kind in below(ScrambleError) if kind.__module__.startswith("scramble")]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("sent", [b"", b"{}", b"[]", b'[[],"x",{}]', b'[["a"],1,{}]'])
def test_an_invalid_error_becomes_game_moved(sent: bytes) -> None:
    assert isinstance(decode_error(sent), GameMoved)


def test_settings_that_are_refused_by_another_process_have_words_and_codes_for_each_field() -> None:
    fields = {
        "settings.size": FieldError.of("not-in-range", "1 to 9", least=1),
        "title": FieldError.of("bad-title", "x"),
    }
    heard = decode_error(encode_error(BadSettings(fields)))
    assert isinstance(heard, BadSettings)
    same(BadSettings(fields), heard)
    assert heard.errors == {"settings.size": "1 to 9", "title": "x"}
    assert heard.codes["settings.size"] == {"code": "not-in-range", "params": {"least": 1}}


def test_events_are_of_the_project() -> None:
    missing = {kind for kind in below(Event) if not kind.__subclasses__()} - {kind for _, kind in EVENTS}
    assert {kind.__name__ for kind in missing} <= {"LookAgain"}
