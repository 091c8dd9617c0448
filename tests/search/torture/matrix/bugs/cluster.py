"""Bugs in the cluster: the link to Redis, the ownership of rooms, joined rooms, the register, and backups."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- Redis ---
    Bug(
        "cluster-deaf-after-reconnect",
        "after a lost connection to Redis, a process no longer hears the others in most of its rooms",
        "scramble/cluster/link.py",
        """            for channel in others:
                connection.send("SUBSCRIBE", channel)
""",
        "",
    ),
    Bug(
        "cluster-living-taken-for-dead",
        "after an outage of Redis, processes take rooms over from processes that live",
        "scramble/cluster/liveness.py",
        "self._judge_from = trio.current_time() + ALIVE_S",
        "self._judge_from = trio.current_time()",
    ),
    Bug(
        "cluster-password-not-decoded",
        "a Redis whose password has special characters refuses the log-in",
        "scramble/cluster/address.py",
        "(None if text is None else unquote(text) for text in (parts.username, parts.password))",
        "(parts.username, parts.password)",
    ),
    Bug(
        "cluster-memory-not-measured-again",
        "after one lost connection, a process no longer notices that Redis is full, or has room again",
        "scramble/cluster/redis_memory.py",
        "continue  # keep the last measurement",
        "return  # keep the last measurement",
    ),
    Bug(
        "cluster-append-not-repeatable",
        "a game stops if the connection breaks just when Redis has recorded a move",
        "scramble/cluster/scripts.py",
        "if found[2] == ARGV[3] then return {'appended', ''} end\n",
        "",
    ),
    Bug(
        "cluster-release-of-later-owner",
        "a process that was paused gives up a room that another process owns by now, and its players are thrown out",
        "scramble/cluster/scripts.py",
        """if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'owner')""",
        "return redis.call('HDEL', KEYS[1], 'owner')",
    ),
    # --- owners ---
    Bug(
        "cluster-cancelled-claim-kept",
        "a room cannot be entered by other processes if its first visitor left while the room was claimed",
        "scramble/cluster/ownership.py",
        "            self._nursery.start_soon(self._give_up_all, room)\n",
        "",
    ),
    Bug(
        "cluster-late-release-missing",
        "a room that fell asleep during an outage of Redis cannot be entered by other processes",
        "scramble/cluster/ownership.py",
        """            return
        self._nursery.start_soon(self._release, room, token)
""",
        "            return\n",
    ),
    Bug(
        "cluster-waiting-request-survives-owner",
        "a card goes to a player who had waited for it when the process of the game died",
        "scramble/cluster/log.py",
        "        log.withdraw_parked()\n",
        "",
    ),
    Bug(
        "cluster-dead-process-waits-on",
        "a card goes to a player whose process has died, once the card is free",
        "scramble/cluster/serving.py",
        """                self._drop(caller)
                caller.withdraw_all()
            await caller.until_idle()
""",
        "                self._drop(caller)\n",
    ),
    Bug(
        "cluster-lost-change-unnoticed",
        "a page lacks the last moves before a lost connection to Redis until the next move",
        "scramble/cluster/serving.py",
        "self._tell_changes(part, position_too=True)",
        "self._tell_changes(part)",
    ),
    # --- joined rooms ---
    Bug(
        "cluster-handover-ignored",
        "when the process of a game ends, the pages at other processes show a game that stands still",
        "scramble/cluster/calling.py",
        """        elif isinstance(message, RoomHandedOver):
            self._end_moved("the game moves to another process")
""",
        "",
    ),
    Bug(
        "cluster-answer-before-changes",
        "a player at another process sees a move succeed while the board still shows the state before it",
        "scramble/cluster/calls.py",
        "call.mirror.when_at(message.position, partial(call.send, answer))",
        "call.send(answer)",
    ),
    # --- all rooms ---
    Bug(
        "cluster-room-opened-twice",
        "one click opens two rooms if the owner of the register dies meanwhile",
        "scramble/cluster/register.py",
        """                if _is_of(found, command):
                    return (cast(R, found),)
""",
        "",
    ),
    Bug(
        "cluster-outage-never-ends",
        "pages say that moves wait, long after Redis has come back",
        "scramble/cluster/rooms.py",
        "                self.outage.put(False)\n",
        "",
    ),
    Bug(
        "cluster-fresh-board-deleted",
        "a room with a large board cannot be entered if it was opened during a search for leftovers",
        "scramble/cluster/rooms.py",
        "await self.discard(removed | (unopened & self._unopened))",
        "await self.discard(removed | unopened)",
    ),
    Bug(
        "cluster-headcount-of-the-departed",
        "the lobby counts people who left a room at another process during an outage of Redis",
        "scramble/cluster/headcounts.py",
        """        if told.whole:
            now = now | dict.fromkeys(rooms.keys() - now.keys(), NOBODY)
""",
        "",
    ),
    Bug(
        "cluster-damaged-backup-restored",
        "a backup with a flipped bit is restored without an error",
        "scramble/cluster/backupfile.py",
        "if frame.sha256 != digest.digest() or file.read(1):",
        "if file.read(1):",
    ),
)
