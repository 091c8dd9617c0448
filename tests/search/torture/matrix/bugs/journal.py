"""Bugs in the journals of games, and in the replay of a recorded game."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- writing ---
    Bug(
        "journal-full-disk-loses-moves",
        "moves that met a full disk are missing in the journal, although they were answered once there was room",
        "scramble/journal/commandlog.py",
        "                    self._put_back(batch)\n",
        "",
    ),
    Bug(
        "journal-full-refuses-freeing",
        "a server whose disk is full refuses the commands that free space",
        "scramble/journal/commandlog.py",
        "if not (urgent or self._room_left() or command.gives_room):",
        "if not (urgent or self._room_left()):",
    ),
    Bug(
        "journal-marks-appended",
        "a journal with a damaged log is opened without an error, and the last moves are gone",
        "scramble/journal/disk.py",
        "        os.lseek(self._file, 0, os.SEEK_SET)\n",
        "",
    ),
    Bug(
        "journal-lock-shared",
        "two servers play the game of one journal at the same time",
        "scramble/journal/disk.py",
        "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)",
    ),
    Bug(
        "journal-locked-after-cancel",
        "a game that was cancelled cannot be opened again by the same server",
        "scramble/journal/recording.py",
        "with trio.CancelScope(shield=True):  # closing is short",
        "with trio.CancelScope():  # closing is short",
    ),
    # --- opening ---
    Bug(
        "journal-waiting-survives-restart",
        "after a crash and a restart, a card goes to a player who had waited for it before",
        "scramble/journal/recording.py",
        "            log.withdraw_parked()\n",
        "",
    ),
    Bug(
        "journal-moves-applied-twice",
        "after a restart the moves before the last snapshot have been made twice",
        "scramble/journal/recovery.py",
        """        if record.seq <= recovered.snapshot_at:
            continue
""",
        "",
    ),
    Bug(
        "journal-damaged-snapshot-used",
        "a damaged snapshot is used at a restart, so that the game continues from another state",
        "scramble/journal/snapshots.py",
        "if found._digest(parked.encode()) == digest:",
        "if digest:",
    ),
    Bug(
        "journal-played-meanwhile",
        "a game that another server has played between the reading and the locking of its journal is damaged",
        "scramble/journal/sqlite.py",
        "elif [found for *_, found in there] != [last]:",
        "elif not there:",
    ),
    # --- the operator's commands ---
    Bug(
        "journal-backup-not-verified",
        "the backup of a damaged journal succeeds without a word",
        "scramble/journal/backup.py",
        "            _verify(partial, path, marks)\n",
        "",
    ),
    Bug(
        "journal-repaired-still-refused",
        "a repaired journal that has lost moves cannot be played",
        "scramble/journal/repair.py",
        """            with closing(FILES.open_mark(path, name)) as mark:
                mark.write(game.mark.encode())
""",
        """            with closing(FILES.open_mark(path, name)):
                pass
""",
    ),
    # --- replay ---
    Bug(
        "journal-replay-piece-from-start",
        "the page of a long replay shows a wrong board after the first piece",
        "scramble/replay/reel.py",
        """            self._whole = self._encode(self._narrator.snapshot())
            self._steps = []
""",
        "            self._steps = []\n",
    ),
    Bug(
        "journal-replay-handover-forgotten",
        "the replay says that a player was refused who has taken a seat over from another device",
        "scramble/replay/seats.py",
        "            self._seats[take.player] = take.to\n",
        "",
    ),
    Bug(
        "journal-replay-slower",
        "a replay in the terminal at twice the speed takes twice as long",
        "scramble/replay/terminal.py",
        "LONGEST_SHOWN_PAUSE_S) / speed,",
        "LONGEST_SHOWN_PAUSE_S) * speed,",
    ),
)
