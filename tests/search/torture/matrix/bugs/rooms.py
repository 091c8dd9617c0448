"""Bugs in the rooms: the register, the awake rooms, the gathering in a room, and the folder of rooms."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- register ---
    Bug(
        "rooms-removed-settings-counted",
        "a server refuses new rooms after a while, because the settings of removed rooms still count",
        "scramble/rooms/register.py",
        "        self._bytes -= len(bytes(record.settings))\n",
        "",
    ),
    Bug(
        "rooms-visited-never-swept",
        "an abandoned room is never removed if it was visited after its opening",
        "scramble/rooms/register.py",
        """            elif at is not None:
                heapq.heappush(heap, (at, number, name))
""",
        "",
    ),
    Bug(
        "rooms-given-up-awake",
        "a full server removes a room in which programs play without a connection",
        "scramble/rooms/rooms_base.py",
        "if self._supervision.find(name) is None and self.headcount(name) == Headcount():",
        "if self.headcount(name) == Headcount():",
    ),
    Bug(
        "rooms-refused-board-kept",
        "the file of a large board stays on the disk if the room could not be opened",
        "scramble/rooms/rooms_base.py",
        "            if record is None or record.name != command.name:",
        "            if record is not None and record.name != command.name:",
    ),
    # --- awake rooms ---
    Bug(
        "rooms-never-asleep",
        "a room stays awake for ever after its visitors have left",
        "scramble/rooms/live_room.py",
        """            self._wanted -= 1
            self._interest.unpark_all()
""",
        "            self._wanted -= 1\n",
    ),
    Bug(
        "rooms-news-after-crash",
        "who waits for news of a room whose game has crashed waits for ever",
        "scramble/rooms/live_room.py",
        """            if self.leaving:
                raise GameClosed("the room sleeps, or was closed") if self._failure is None else self._failure()
""",
        "",
    ),
    Bug(
        "rooms-never-broken",
        "a room whose game crashes again and again is never marked broken",
        "scramble/rooms/supervision.py",
        "if await self._store.note_death(name) >= DEATHS:",
        "if await self._store.note_death(name) > DEATHS:",
    ),
    Bug(
        "rooms-register-moved-unnoticed",
        "an awake room stays open if another process closed it while the register moved",
        "scramble/rooms/supervision.py",
        "unknown = change.missed or any(isinstance(event, LookAgain) for event in change.events)",
        "unknown = change.missed",
    ),
    # --- bots ---
    Bug(
        "rooms-bot-not-removed",
        "a bot that the host has removed plays on",
        "scramble/rooms/bothosts.py",
        'while record.state == "open" and holder not in record.expelled:',
        'while record.state == "open":',
    ),
    Bug(
        "rooms-bots-lose-seats",
        "after a restart the bots of a room come as new players, and their old seats stay",
        "scramble/rooms/bothosts.py",
        "        os.replace(fresh, path)\n",
        "",
    ),
    # --- gathering ---
    Bug(
        "rooms-removed-returns-by-ticket",
        "another player gets the seat of a removed player by a ticket made before the removal",
        "scramble/rooms/steward.py",
        "for one in (act.holder, ticket.holder):",
        "for one in (act.holder,):",
    ),
    Bug(
        "rooms-close-before-message",
        "some people in a room that is closed do not see who has closed it",
        "scramble/rooms/steward.py",
        """        with trio.move_on_after(DELIVERY_S):
            await gathering.ask(AwaitDelivery())
        await self._change(CloseRoom(""",
        "        await self._change(CloseRoom(",
    ),
    Bug(
        "rooms-removed-while-arriving",
        "a player who is removed while a connection to another process begins stays connected there",
        "scramble/rooms/gathering/rules.py",
        "command.player is not None and command.holder in self._removed",
        "False",
    ),
    Bug(
        "rooms-removed-becomes-host",
        "a removed player becomes the host once the host is gone",
        "scramble/rooms/gathering/people.py",
        "if (one.gone_at is None or now < one.gone_at + HOST_GONE_S) and not one.is_removed",
        "if one.gone_at is None or now < one.gone_at + HOST_GONE_S",
    ),
    Bug(
        "rooms-half-is-majority",
        "one of two players starts a new game against the will of the other",
        "scramble/rooms/gathering/ballots.py",
        "return self._agreeing, len(self._members) // 2 + 1",
        "return self._agreeing, (len(self._members) + 1) // 2",
    ),
    Bug(
        "rooms-names-not-loaded",
        "people who enter a room by a second process see IDs instead of the names of those who were there",
        "scramble/rooms/gathering/following.py",
        "                note_names(self.names, whole.names)\n",
        "",
    ),
    Bug(
        "rooms-seat-not-taken-back",
        "the old device cannot take a seat back by the ticket that has moved it",
        "scramble/rooms/gathering/tickets.py",
        "math.inf, only_for=ticket.holder)",
        "math.inf, only_for=holder)",
    ),
    Bug(
        "rooms-next-turn-ignored",
        "the next game has the turn clock of the last one, whatever the host has set",
        "scramble/rooms/nextgame.py",
        "after=record.name, turn_s=wanted.turn_s, demo=False",
        "after=record.name, demo=False",
    ),
    # --- folder ---
    Bug(
        "rooms-full-for-ever",
        "a server whose disk was full refuses new rooms although the operator has made room",
        "scramble/rooms/disk_quota.py",
        "            while not self._moved and not self.full:",
        "            while not self._moved:",
    ),
    Bug(
        "rooms-places-leak",
        "a server answers that it is busy for ever, once it has prepared a hundred games",
        "scramble/rooms/turns.py",
        "            self._count -= 1\n",
        "",
    ),
    Bug(
        "rooms-backup-without-boards",
        "a room with a large board cannot be entered after a backup was restored",
        "scramble/rooms/backup.py",
        "                shutil.copyfile(folder.settings(name), copy.settings(name))\n",
        "                folder.settings(name).stat()\n",
    ),
    Bug(
        "rooms-leftovers-kept",
        "the files of a room whose removal a crash has interrupted stay on the disk for ever",
        "scramble/rooms/local.py",
        "        await self.discard(left.intersection(removed))\n",
        "",
    ),
)
