"""Recordings as files: real SQLite journals, written like a server's, with the times of the recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import trio

from scramble.journal import Journal, recorded
from scramble.journal.disk import Files
from scramble.journal.recorder import Record, Recording
from scramble.kernel.protocol import Command
from tests.support.replay.tape import BEGAN, Tape

BATCH = 1000  # commands in a transaction


class Clock(Files):
    """The disk of this machine, with another clock."""

    def __init__(self) -> None:
        self.time = BEGAN

    def now(self) -> float:
        return self.time


def write(tape: Tape, path: Path, name: str = "game") -> Path:
    """Write the game to the file, under that name."""
    return trio.run(write_async, tape, path, name)


async def write_async(tape: Tape, path: Path, name: str = "game") -> Path:
    """Write the game in the same way from a trio program."""
    disk = Clock()
    first = tape.rules.restore(tape.recording.first)
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(first.commands)
    async with recorded(first, Journal(path, name, disk=disk)) as kept:
        assert kept.log is not None
        for batch in _batches(tape.recording):
            for record in batch:
                disk.time = record.time
                command, prepared = kept.log.prepare(decoder.decode(record.command))
                kept.log.add(record.ticket, prepared, kept.rules.apply(record.ticket, command))
            await kept.log.commit()
    return path


def _batches(recording: Recording) -> Iterator[tuple[Record, ...]]:
    for start in range(0, len(recording.records), BATCH):
        yield recording.records[start : start + BATCH]
