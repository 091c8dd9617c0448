"""Bugs in the front ends: WebSockets, the rooms over the network, and each game over HTTP and telnet."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- rooms ---
    Bug(
        "front-names-not-prepared-again",
        "after a full disk, the pages in a room show IDs instead of names until everybody has left",
        "scramble/front/rooms/feed.py",
        """                    if not await self._is_prepared():
                        nursery.start_soon(self._prepare_later)
""",
        "                    await self._is_prepared()\n",
    ),
    Bug(
        "front-handover-closes-all-tabs",
        "a player who hands one seat over is thrown out of the seats in all other tabs, too",
        "scramble/front/rooms/gathering.py",
        "                if to != holder:\n                    self._feed.part_with(holder, player, SEAT_TAKEN)",
        "                if to != holder:\n                    self._feed.part_with(holder, None, SEAT_TAKEN)",
    ),
    Bug(
        "front-removed-player-keeps-cards",
        "the cards of a player whom the host has removed stay held",
        "scramble/front/rooms/gathering.py",
        "await self._room.release(player)",
        "self.seats.forget(player)",
    ),
    Bug(
        "front-cancelled-room-stays-counted",
        "an address that gives up opening rooms reaches its limit, although it has no rooms",
        "scramble/front/rooms/held.py",
        "        except BaseException:\n            self._drop(keys)",
        "        except Exception:\n            self._drop(keys)",
    ),
    Bug(
        "front-link-after-last",
        "a request for the QR code of the link after the last one is answered with a server error",
        "scramble/front/rooms/share.py",
        "int(number[:9]) < len(links)",
        "int(number[:9]) <= len(links)",
    ),
    Bug(
        "front-most-bots-refused",
        "a room with as many bots as the server allows is refused",
        "scramble/front/rooms/room_orders.py",
        "isinstance(given, list) and len(given) > most",
        "isinstance(given, list) and len(given) >= most",
    ),
    Bug(
        "front-control-file-readable",
        "every user of the machine can read the secret for closing and removing rooms",
        "scramble/front/rooms/control.py",
        "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600",
        "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644",
    ),
    Bug(
        "front-secret-settings-shown",
        "anybody can read the secret settings of a running game, and so knows its board",
        "scramble/front/rooms/views.py",
        """    if record.state == "ended":
        return settings""",
        """    if record.state != "closed":
        return settings""",
    ),
    Bug(
        "front-full-server-is-final",
        "a page that meets a full server gives its room up instead of trying again",
        "scramble/front/rooms/mount.py",
        "            return CloseReason(TRY_LATER, refused.code)",
        "            return close_reason_of(refused)",
    ),
    Bug(
        "front-page-data-ends-early",
        "the title of a room can put elements into the HTML of its page",
        "scramble/front/web/page_data.py",
        '.replace(b"<", rb"\\u003c")',
        "",
    ),
    Bug(
        "front-links-to-loopback",
        "a host who has opened the page at 127.0.0.1 gets links for friends that lead to their own machines",
        "scramble/front/rooms/share.py",
        "return address.is_loopback or address.is_unspecified",
        "return address.is_unspecified",
    ),
    Bug(
        "front-lobby-loses-update",
        "a room that opens while the lobby's list is made is missing until something else changes",
        "scramble/front/rooms/lobby.py",
        "            changes.catch_up()\n            await self.renew()\n",
        "            await self.renew()\n            changes.catch_up()\n",
    ),
    # --- WebSockets ---
    Bug(
        "front-changes-end-with-first-viewers",
        "once all viewers of a game have left, later viewers see no change any more",
        "scramble/front/web/feed.py",
        """                self._watching.__exit__(None, None, None)
                self._watching = None
""",
        "                self._watching.__exit__(None, None, None)\n",
    ),
    Bug(
        "front-old-own-score",
        "a player who connects again gets the own score of an earlier moment",
        "scramble/front/web/broadcast.py",
        "if self._own is None or self._own[0] is not snapshot:",
        "if self._own is None:",
    ),
    Bug(
        "front-announcement-without-snapshot",
        "pages are told of a new game, but go on showing the old board",
        "scramble/front/web/broadcast.py",
        "if frame is None or isinstance(frame, Announcement):",
        "if frame is None:",
    ),
    Bug(
        "front-player-never-leaves",
        "players who have closed their pages are still listed as present",
        "scramble/front/web/presence.py",
        "            leave()\n            self.here.leave(player)\n",
        "            leave()\n",
    ),
    Bug(
        "front-seat-cached-too-late",
        "a seat that is handed over during a request still belongs to the first device afterwards",
        "scramble/front/web/seats.py",
        "is_latest = is_kept and forgotten == self._forgotten",
        "is_latest = is_kept or forgotten == self._forgotten",
    ),
    Bug(
        "front-same-site-trusted",
        "a page at another port or host of the same domain may act with a player's cookie",
        "scramble/front/web/client.py",
        'by_browser in (b"cross-site", b"same-site")',
        'by_browser == b"cross-site"',
    ),
    Bug(
        "front-outcome-before-waiting",
        "a page is told that a move waits after it was told the outcome, and shows it as waiting for ever",
        "scramble/front/web/moves.py",
        """        if self._settled.is_set():
            await self._wait_sent.wait()
        else:""",
        "        if not self._settled.is_set():",
    ),
    # --- games ---
    Bug(
        "front-crossword-change-lost",
        "a slow crossword player does not see a change that comes while an earlier one is sent",
        "scramble/front/crossword/dialogue.py",
        """                self._change = None
                await send(change)""",
        """                await send(change)
                self._change = None""",
    ),
    Bug(
        "front-crossword-counted-again",
        "a crossword page gets each frame about its room once more with every view",
        "scramble/front/crossword/http.py",
        "                    is_counted = True\n",
        "",
    ),
    Bug(
        "front-minesweeper-two-viewers",
        "after a rejoin, a page gets each change of the field twice",
        "scramble/front/minesweeper/http.py",
        "self._viewer.leave()  # otherwise",
        "# otherwise",
    ),
    Bug(
        "front-minesweeper-debug-ignored",
        "a telnet player who digs up a bomb is disconnected even with --debug",
        "scramble/front/minesweeper/telnet.py",
        "if view.boom and not debug:",
        "if view.boom:",
    ),
    Bug(
        "front-memory-abandoned-flip",
        "a flip that waits takes the card after its client has disconnected",
        "scramble/front/memory/protocol.py",
        """Flip(player, *parse_spot(request.parts["spot"])), parked=request.parked)""",
        """Flip(player, *parse_spot(request.parts["spot"])))""",
    ),
    Bug(
        "front-memory-new-games-unlimited",
        "a page can begin new games all the time in spite of --new-every",
        "scramble/front/memory/websocket.py",
        "            self._permissions.new_games.begin()\n",
        "",
    ),
    Bug(
        "front-replay-of-nothing",
        "the replay of a game without moves does not show the beginning",
        "scramble/front/replay/archive.py",
        "if seq <= reel.length else None",
        "if seq < reel.length else None",
    ),
    Bug(
        "front-plain-waiting-move-forgotten",
        "a page of a small game with several waiting moves can withdraw only the latest",
        "scramble/front/plain/front.py",
        "self._parked = {number: move for number, move in self._parked.items() if not move.is_over}",
        "self._parked = {}",
    ),
)
