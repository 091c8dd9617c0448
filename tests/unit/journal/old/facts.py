"""The facts that a journal leads to, in a form that can be compared for years.

The texts of a replay may change, and the data for a page may grow. These facts may not change: the player, action,
time, rule and score of each step, and the board after it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from scramble.crossword import Puzzle
from scramble.crossword.lobby import Lobby
from scramble.games.table import narrators
from scramble.journal import read_recording
from scramble.journal.recorder import Recording
from scramble.kernel.protocol import Answered, Command, Durable, Refused, Ticket, Withdraw
from scramble.memory import Board
from scramble.minesweeper import Field
from scramble.players.seats import Seated
from scramble.replay import Replay

LATER = frozenset({"turns", "streak", "memory"})
"""Figures that did not exist in the versions of these journals."""

PICTURE_EVERY = 10
"""Commands from one picture of the board to the next. The text of a large board is as long as many commands."""

LINE_EVERY = 100
"""Commands for each digest: a difference is located to within this number of commands."""

PUZZLE = '>> "Mini" "A mini"\n(cat, "feline", DOWN, 0, 1)\n(mat, "on the floor", ACROSS, 1, 0)\n'


class Facts(msgspec.Struct, frozen=True):
    """The facts of one game in a journal.

    `after` is the SHA-256 of the state after its last command. `opened` is the SHA-256 after the withdrawal of all
    waiting requests. `lines` has a digest of all steps up to each `LINE_EVERY` commands, and up to the last one.
    `summary` has the figures of each player, or of the first twelve. `players` is the number of all players.
    """

    commands: int
    version: int
    after: str
    opened: str
    lines: tuple[str, ...]
    players: int
    summary: dict[str, tuple[str, ...]]


def rules_of(kind: str) -> Durable:
    """Return a game of that kind that can restore other states."""
    match kind:
        case "memory":
            return Board.parse("1x2\nA\nA\n")
        case "minesweeper":
            return Field(1, 1)
        case _:
            return Lobby([Puzzle.parse(PUZZLE, id="mini")])


def facts_of(path: Path, name: str | None = None) -> Facts:
    """Return the facts of the game. Opens the file read-only."""
    recording = read_recording(path, name)
    version, after, opened = _states(recording)
    replay = Replay(recording, narrators=narrators())
    digest = hashlib.sha256()
    lines: list[str] = []
    while replay.at < replay.last:
        step = replay.step()
        digest.update(msgspec.json.encode((step.seq, step.time, step.player, step.rule, step.scores), order="sorted"))
        if step.seq % PICTURE_EVERY == 0 or step.seq == replay.last:
            spots = [[(spot.look, spot.text, spot.by) for spot in row] for row in replay.narrator.picture()]
            digest.update(msgspec.json.encode(spots))
        if step.seq % LINE_EVERY == 0 or step.seq == replay.last:
            lines.append(digest.hexdigest()[:16])
    summary, english = replay.narrator.summary(), replay.narrator.english
    rows, known = summary.rows, [index for index, name in enumerate(summary.columns) if name not in LATER]
    first = {
        player: tuple(english.figure(summary.columns[index], row[index]) for index in known)
        for player, row in list(rows.items())[:12]
    }
    return Facts(replay.last, version, after, opened, tuple(lines), len(rows), first)


def _states(recording: Recording) -> tuple[int, str, str]:
    """Return the version and state after the last command, and the state after the withdrawal of waiting requests."""
    rules = Seated(rules_of(recording.kind)).restore(recording.first)
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(rules.commands)
    waiting: dict[Ticket, None] = {}
    for record in recording.records:
        waiting[record.ticket] = None
        command = decoder.decode(record.command)
        outcomes = rules.apply(record.ticket, command)
        if isinstance(command, Withdraw):
            del waiting[record.ticket]
        for item in outcomes:
            if isinstance(item, Answered | Refused):
                del waiting[item.ticket]
    version, after = rules.version, digest_of(rules)
    for ticket in waiting:
        rules.apply(ticket, Withdraw())
    return version, after, digest_of(rules)


def digest_of(rules: Durable) -> str:
    """Return the SHA-256 of a state."""
    return hashlib.sha256(rules.state()).hexdigest()
