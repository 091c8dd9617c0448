"""Bugs in the kernel: the owner task, the history of changes, the commit, and the timers."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- owner task ---
    Bug(
        "kernel-answer-before-commit",
        "players see a move before it is recorded, and a crash at that moment loses it",
        "scramble/kernel/actor.py",
        """                    await self._commit(self._log)
                self._release()
""",
        """                    self._release()
                    await self._commit(self._log)
                self._release()
""",
    ),
    Bug(
        "kernel-withdrawal-too-late",
        "the game stops if a player leaves just before a move that ends the player's wait",
        "scramble/kernel/actor.py",
        """                self._apply_urgent()
                self._take(reply)
""",
        """                self._take(reply)
                self._apply_urgent()
""",
    ),
    Bug(
        "kernel-queued-at-the-end",
        "a request that is queued when the game stops is never answered",
        "scramble/kernel/actor.py",
        """            if reply is not None and reply.state is QUEUED:
                self._outbox.parked[reply.ticket] = reply
""",
        "",
    ),
    Bug(
        "kernel-snapshot-overlaps",
        "a follower gets changes again that its snapshot already contains",
        "scramble/kernel/outbox.py",
        """        if reply.changes is not None:
            reply.changes.catch_up()
""",
        "",
    ),
    # --- history ---
    Bug(
        "kernel-missed-off-by-one",
        "a follower that is one change too slow gets the newest change instead of the oldest, without a notice",
        "scramble/kernel/changes.py",
        "missed = max(0, self.published - HISTORY_SIZE - position)",
        "missed = max(0, self.published - HISTORY_SIZE - position - 1)",
    ),
    Bug(
        "kernel-end-unannounced",
        "a follower that waits for a change never learns that the game was closed",
        "scramble/kernel/changes.py",
        """        self._ended = error
        self._followers.unpark_all()
""",
        """        self._ended = error
""",
    ),
    # --- commit, timers, relay, statistics ---
    Bug(
        "kernel-leaver-held",
        "a player who leaves while the disk is full is held until the disk has room",
        "scramble/kernel/outbox.py",
        "                self._release_who_leaves(full)\n",
        "",
    ),
    Bug(
        "kernel-restarted-timer-first",
        "a restarted timer delays the other timers, so that they expire too late",
        "scramble/kernel/timers.py",
        """            self._until.pop(key, None)
            self._until[key] = trio""",
        """            self._until[key] = trio""",
    ),
    Bug(
        "kernel-relay-withdrawn-unended",
        "a withdrawn request from another process counts as a running request for ever",
        "scramble/kernel/relay.py",
        """        if end is not None:
            end(None)
        return withdrawn
""",
        """        return withdrawn
""",
    ),
    Bug(
        "kernel-total-without-moves",
        "the metrics of a server with rooms have no times of moves",
        "scramble/kernel/stats.py",
        "        moves.add(one.moves)\n",
        "",
    ),
)
