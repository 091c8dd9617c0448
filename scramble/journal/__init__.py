"""Journals: SQLite files with the commands of games. The function `recorded` records a game in a `Journal`."""

from scramble.journal.backup import back_up
from scramble.journal.recording import (
    Journal,
    JournalError,
    JournalFailed,
    Kept,
    Record,
    Recorder,
    Recording,
    read_recording,
    recorded,
)
from scramble.journal.supervised import Supervised, open_supervised

__all__ = [
    "Journal",
    "JournalError",
    "JournalFailed",
    "Kept",
    "Record",
    "Recorder",
    "Recording",
    "Supervised",
    "back_up",
    "open_supervised",
    "read_recording",
    "recorded",
]
