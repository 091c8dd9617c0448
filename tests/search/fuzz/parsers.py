"""The permitted outcomes of fuzzed inputs at the parsers and the rules: a value, or the one documented error.

Each function takes a random source, makes one input of its kind, and raises an error if a claim fails.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from functools import cache
from typing import Final, cast

import msgspec

from scramble.crossword import Puzzle
from scramble.crossword.exchange import MAX_TEXT, CannotImport, import_puzzle
from scramble.crossword.frames import view_frame
from scramble.crossword.messages import State
from scramble.crossword.puzzlefile import PuzzleFileError, decode_bytes
from scramble.crossword.statetable import LineRefused, read_line
from scramble.crossword.text import view_text
from scramble.errors import FileFormatError, InvalidCommand
from scramble.kernel.protocol import Answered, Command, Durable, Refused, Ticket
from scramble.memory import Board
from scramble.memory import frames as wire
from scramble.memory.boardfile import BoardFileError, decode_board_file, format_board_file, parse_board_file
from scramble.memory.text import MAX_DIGITS, parse_card, parse_player, parse_spot, parse_version
from scramble.memory.validation import is_card
from scramble.minesweeper import BoardView, Field, FieldFileError, frames
from scramble.minesweeper.messages import Dig, Flag
from scramble.minesweeper.text import parse_message
from scramble.plaintext import harmless
from scramble.resources import BOARDS
from scramble.server.telnet.lines import OVERLONG, LineSplitter, TelnetLine
from scramble.server.telnet.options import DONT, IAC, WONT, TelnetFilter
from tests.search.fuzz.mutations import Mutator
from tests.support.crossword.driver import SIMPLE, Table, in_state
from tests.support.crossword.foreign import ipuz_file, puz_file, with_checksums

MEMORY_FRAMES: Final = (
    b'{"type":"flip","id":7,"row":0,"column":1}',
    b'{"type":"replace","id":8,"old":"A","new":"B"}',
    b'{"type":"withdraw"}',
)
MEMORY_PIECES: Final = (b"alice_1", b"0,2", b"17", b"A", "🦄".encode(), b"10,20")
FIELD_FRAMES: Final = (
    b'{"type":"dig","id":1,"x":3,"y":0}',
    b'{"type":"flag","x":0,"y":1}',
    b'{"type":"deflag","id":-3,"x":0,"y":1}',
    b'{"type":"chord","id":4,"x":0,"y":0}',
    b'{"type":"rejoin"}',
)
FIELD_LINES: Final = (b"look", b"dig 3 10", b"flag -1 0", b"deflag 0 2", b"help", b"bye")
TELNET: Final = (
    b"look\r\ndig 1 2\r\n",
    b"dig 1 2\r\0flag 3 4\rbye\n",
    b"\xff\xfd\x01\xff\xfb\x18look\r\n\xff\xfa\x18\0xterm\xff\xf0",
    b"help\n\xff\xff\xff\xf4" + b"a" * 1100 + b"\nlook\n",
)
CROSSWORD_LINES: Final[dict[State, tuple[bytes, ...]]] = {
    "START": (b"ann", b"bob_9", b"ann aToken"),
    "CHOOSE": (b"PLAY m1", b'NEW m1 simple "come and play"', b'NEW m2 my puzzle ""', b"EXIT"),
    "WAIT": (b"EXIT",),
    "PLAY": (b"TRY 1 cat", b"TRY 2 mat", b"CHALLENGE 1 cot", b"EXIT"),
    "SHOW SCORE": (b"NEW MATCH", b"EXIT"),
}
JSON: Final = json.JSONDecoder()
SAFE_INTEGER: Final = 2**53 - 1
LONGEST_REASON: Final = 1000  # characters: an answer to any input is short


@cache
def files(game: str, pattern: str) -> tuple[bytes, ...]:
    """The packaged boards of a game that are small enough for thousands of mangled copies."""
    return tuple(data for file in sorted((BOARDS / game).glob(pattern)) if len(data := file.read_bytes()) < 3000)


def well_said(error: Exception) -> None:
    """Check that the message for people is short and can be sent."""
    text = str(error)
    assert 0 < len(text) <= LONGEST_REASON, f"{len(text)} characters"
    text.encode()


# --- Memory Scramble -------------------------------------------------------------------------------


def memory_frame(rng: random.Random) -> None:
    """A WebSocket frame is a flip, a replacement or a withdrawal, or the parser raises InvalidCommand."""
    mutator = Mutator(rng)
    data = mutator.mangled(MEMORY_FRAMES) if rng.random() < 0.5 else mutator.text(MEMORY_FRAMES)
    try:
        frame = wire.decode_frame(data)
    except InvalidCommand as error:
        well_said(error)
        JSON.decode(wire.error_frame(str(error)).decode())
        return
    numbers = (frame.id, frame.row, frame.column) if isinstance(frame, wire.FlipFrame) else ()
    assert all(number is None or abs(number) <= SAFE_INTEGER for number in numbers)


def memory_piece(rng: random.Random) -> None:
    """A player, a card, a spot and a version follow the grammar, or the parser raises InvalidCommand."""
    text = Mutator(rng).text(MEMORY_PIECES)
    spot = re.fullmatch("([0-9]+),([0-9]+)", text)
    version = re.fullmatch("[0-9]+", text)
    agree(parse_player, text, re.fullmatch("[A-Za-z0-9_]+", text) is not None)
    agree(parse_spot, text, spot is not None and all(map(_in_range, spot.groups())))
    agree(parse_version, text, version is not None and _in_range(text))
    agree(parse_card, text, is_card(text))


def agree(parse: Callable[[str], object], text: str, valid: bool) -> None:
    """The parser accepts the text exactly if it is valid. Otherwise it gives the reason."""
    try:
        parse(text)
    except InvalidCommand as error:
        assert not valid
        well_said(error)
    else:
        assert valid


def _in_range(digits: str) -> bool:
    return len(digits.lstrip("0")) <= MAX_DIGITS


def board_file(rng: random.Random) -> None:
    """A board file is read, and keeps its meaning when it is written again.

    Or BoardFileError names the place of the error.
    """
    data = Mutator(rng).mangled(files("memory", "*.txt"))
    try:
        board = parse_board_file(decode_board_file(data, "x"), "x")
        Board.parse(data.decode())
    except BoardFileError as error:
        told_where(error)
        return
    assert parse_board_file(format_board_file(board.rows, board.columns, board.cards)) == board


def told_where(error: FileFormatError) -> None:
    """Check that a file's error names file and line, in one short line."""
    well_said(error)
    assert error.line >= 1
    assert error.column is None or error.column >= 1
    assert len(str(error).splitlines()) == 1


# --- Minesweeper -----------------------------------------------------------------------------------


def field_file(rng: random.Random) -> None:
    """A field file is read as the field that it describes, or FieldFileError names the place of the error."""
    data = Mutator(rng).mangled((*files("minesweeper", "*.txt"), b"3 2\n0 0 1\n1 0 0\n", b"1 1\r1\r"))
    try:
        field = Field.parse(data, "x")
    except FieldFileError as error:
        told_where(error)
        return
    assert Field(field.columns, field.rows, field.bombs()).bombs() == field.bombs()
    assert len(field.bombs()) == data.split(None, 2)[2].count(b"1")


def field_frame(rng: random.Random) -> None:
    """A WebSocket frame is a move or a rejoin, or the parser raises BadFrame.

    For every id the answer can be encoded.
    """
    mutator = Mutator(rng)
    data = mutator.mangled(FIELD_FRAMES) if rng.random() < 0.5 else mutator.text(FIELD_FRAMES)
    try:
        frame = frames.decode(data)
    except frames.BadFrame as error:
        JSON.decode(frames.error_frame(str(error), error.id))
        well_said(error)
        return
    if isinstance(frame, frames.MoveFrame):
        JSON.decode(frames.done_frame(frame.id, BoardView(1, "")))
        field = Field(3, 3, {(1, 1)})
        outcomes = field.apply(Ticket(1), frame.command(1))
        assert isinstance(outcomes[-1], Refused)  # no player is connected
        assert field.version == 0


def field_line(rng: random.Random) -> None:
    """A line follows the handout's grammar, or it is no command.

    Its move changes one field according to the grammar.
    """
    line = Mutator(rng).mangled(FIELD_LINES)
    message = parse_message(line)
    valid = re.fullmatch(rb"look|help|bye|(?:dig|flag|deflag) -?[0-9]+ -?[0-9]+", line)
    assert (message is None) == (valid is None)
    if isinstance(message, Dig | Flag):
        field = Field(12, 12, {(3, 10)})
        field.apply(Ticket(1), message)
        assert field.version == (0 <= message.x < 12 and 0 <= message.y < 12)


def telnet_stream(rng: random.Random) -> None:
    """The lines and the telnet answers do not depend on the pieces of a stream. No line is too long."""
    mutator = Mutator(rng)
    data = mutator.mangled(TELNET)
    cr_ends = rng.random() < 0.5
    whole = _lines([data], cr_ends)
    assert whole == _lines(mutator.pieces(data), cr_ends)
    assert all(line is OVERLONG or len(line) <= 100 for line in whole[0])
    answers = whole[1]
    assert len(answers) % 3 == 0
    for start in range(0, len(answers), 3):
        assert answers[start] == IAC
        assert answers[start + 1] in (WONT, DONT)


def _lines(pieces: list[bytes], cr_ends: bool) -> tuple[list[TelnetLine], bytes]:
    telnet, splitter = TelnetFilter(), LineSplitter(cr_ends=cr_ends, max_line=100)
    lines: list[TelnetLine] = []
    answers = b""
    for piece in pieces:
        text, answer = telnet.receive(piece)
        lines += splitter.receive(text)
        answers += answer
    return lines, answers


# --- Crossword Extravaganza ------------------------------------------------------------------------


def puzzle_file(rng: random.Random) -> None:
    """A puzzle file is read as a consistent puzzle, or PuzzleFileError names the place of the error."""
    data = Mutator(rng).mangled((SIMPLE.encode(), *files("crossword", "*.puzzle")))
    try:
        puzzle = Puzzle.parse(decode_bytes(data, "x"), file="x")
    except PuzzleFileError as error:
        told_where(error)
        return
    assert Puzzle("again", puzzle.name, puzzle.description, puzzle.entries).entries == puzzle.entries


def foreign_puzzle(rng: random.Random) -> None:
    """A puzzle of another program becomes a consistent puzzle in the handout's grammar, or CannotImport is raised."""
    data = Mutator(rng).mangled((ipuz_file(), puz_file(), puz_file(extensions={b"GEXT": bytes(12)})))
    if rng.random() < 0.5:
        data = with_checksums(data)  # otherwise most mangled .puz files would fail their checksums
    try:
        found = import_puzzle(data, Mutator(rng).text((b"saturday",)))
    except CannotImport as refused:
        well_said(refused)
        json.dumps(dict(refused.params))
        return
    assert len(found.text) <= MAX_TEXT
    puzzle = Puzzle.parse(found.text)
    assert (puzzle.name, puzzle.shape.rows, puzzle.shape.columns) == (found.title, found.rows, found.columns)
    assert len(puzzle.entries) == found.words


def crossword_line(rng: random.Random) -> None:
    """A line is a command of its state, or raises LineRefused. No shown text can move a terminal's cursor."""
    state = rng.choice(list(CROSSWORD_LINES))
    line = Mutator(rng).text(CROSSWORD_LINES[state])
    shown = harmless(line)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]", shown)
    shown.encode()
    try:
        read_line(state, line)
    except LineRefused as refused:
        well_said(refused)


@cache
def _puzzles() -> tuple[Puzzle, ...]:
    return (Puzzle.parse(SIMPLE, id="simple"),)


def crossword_session(rng: random.Random) -> None:
    """A rejected line changes only the shown error. Every view can be sent."""
    table = Table(_puzzles())
    state = rng.choice(list(CROSSWORD_LINES))
    session = in_state(table, state)
    before, version = table.look(session), table.lobby.version
    view = table.say(session, Mutator(rng).text((*CROSSWORD_LINES[state], b"ann ann-token")))
    JSON.decode(view_frame(view).decode())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", view_text(view))
    if view.error is not None:
        assert table.look(session) == before
        assert table.lobby.version == version
        assert len(view.error) <= LONGEST_REASON


# --- the rules, and their stored state -------------------------------------------------------------

COMMANDS: Final = (
    b'{"type":"Flip","player":"alice","row":0,"column":1}',
    b'{"type":"Flip","player":"bob","row":1,"column":1}',
    b'{"type":"Replace","player":"alice","old":"A","new":"B"}',
    b'{"type":"CommitMap","player":"bob","mapping":{"A":"B","B":"A"}}',
    b'{"type":"NewGame","player":"alice","seed":7}',
    b'{"type":"Withdraw"}',
    b'{"type":"Dig","x":1,"y":1,"player":1}',
    b'{"type":"Flag","x":0,"y":2,"player":null}',
    b'{"type":"Deflag","x":0,"y":2,"player":1}',
    b'{"type":"Connect","name":"alice"}',
    b'{"type":"Disconnect","player":1}',
)


def command(rng: random.Random) -> None:
    """A command from a journal's bytes takes effect in one step. An invalid command changes nothing."""
    game: Durable = Board.parse("2x2\nA\nB\nA\nB\n") if rng.random() < 0.5 else Field(3, 3, {(1, 1)})
    mutator = Mutator(rng)
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(cast(type[Command[object]], game.commands))
    for number in range(1, 4):
        try:
            given = decoder.decode(mutator.mangled(COMMANDS))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        before = game.state()
        answered = [it for it in game.apply(Ticket(number), given) if isinstance(it, Answered | Refused)]
        assert len({it.ticket for it in answered}) == len(answered)
        if any(isinstance(it, Refused) and type(it.error) is InvalidCommand for it in answered):
            assert game.state() == before
        assert game.restore(game.state()).state() == game.state()


@cache
def _states() -> dict[str, tuple[Durable, tuple[bytes, ...]]]:
    board = Board.parse("2x2\nA\nB\nA\nB\n")
    field = Field(3, 2, {(1, 1)})
    states: dict[str, tuple[Durable, list[bytes]]] = {"board": (board, []), "field": (field, [])}
    for number, data in enumerate(COMMANDS, 1):
        for game, known in states.values():
            try:
                given = msgspec.json.decode(data, type=game.commands)
            except msgspec.ValidationError:
                continue
            game.apply(Ticket(number), given)
            known.append(game.state())
    return {kind: (game, tuple(known)) for kind, (game, known) in states.items()}


def state(rng: random.Random) -> None:
    """Check that an invalid state raises ValueError, and that a restored state is stored in the same form again."""
    game, examples = rng.choice(list(_states().values()))
    try:
        restored = game.restore(Mutator(rng).mangled(examples))
    except ValueError:
        return
    assert game.restore(restored.state()).state() == restored.state()
