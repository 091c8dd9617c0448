"""Bugs in Crossword Extravaganza: the matches, the lobby, the sessions, the puzzles and the bots."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- matches ---
    Bug(
        "crossword-conflicts-stay",
        "a player's new word leaves the player's crossing words with other letters on the board",
        "scramble/crossword/match.py",
        "        self._clear(conflicts)\n",
        "",
    ),
    Bug(
        "crossword-word-zero",
        "TRY 0 stops the game",
        "scramble/crossword/match.py",
        "if not 1 <= word <= count:",
        "if not 0 <= word <= count:",
    ),
    Bug(
        "crossword-end-untold",
        "the other player does not learn that the match is over",
        "scramble/crossword/matches.py",
        """result, seconds), result=result)
            self._followers.touch(session)
""",
        """result, seconds), result=result)
""",
    ),
    Bug(
        "crossword-back-but-missing",
        "a player who has come back to a match stays missing for the other player",
        "scramble/crossword/matches.py",
        "            running.sessions[player] = session\n",
        "",
    ),
    Bug(
        "crossword-clock-of-two-devices",
        "a player who moves to a second device while the clock runs loses the time until then",
        "scramble/crossword/solve_time.py",
        "return self.at(now) if self.is_running else type(self)(self.seconds, now)",
        "return type(self)(self.seconds, now)",
    ),
    Bug(
        "crossword-result-for-nobody",
        "the room stops at the end of the match if a request for the result was cancelled before",
        "scramble/crossword/onematch.py",
        "        self._ends.pop(ticket, None)\n",
        "",
    ),
    # --- lobby and sessions ---
    Bug(
        "crossword-moved-but-timed-out",
        "a match times out although a player has moved at the last moment",
        "scramble/crossword/lobby.py",
        "stalled.running is not None and stalled.number == seen:",
        "stalled.running is not None:",
    ),
    Bug(
        "crossword-name-of-missing-player",
        "a stranger can take the ID of a player who has lost the connection, and the match is forfeited",
        "scramble/crossword/lobby.py",
        """if holder.present or holder.state == "PLAY":""",
        """if holder.present:""",
    ),
    Bug(
        "crossword-change-between-two-requests",
        "a page does not show a move that the other player makes between two requests of the page",
        "scramble/crossword/followers.py",
        "            session.pushed = session.number\n",
        "",
    ),
    Bug(
        "crossword-solution-shown",
        "the frames of a running match contain the solution of the puzzle",
        "scramble/crossword/session.py",
        "solution=None if self.result is None else solution,",
        "solution=solution,",
    ),
    Bug(
        "crossword-quota-forgotten",
        "the limit of sessions of an address no longer holds after a restart",
        "scramble/crossword/lobbystate.py",
        "        quota=encoded.quota,\n",
        "",
    ),
    # --- times ---
    Bug(
        "crossword-lost-for-ever",
        "a match waits for ever for a player who has lost the connection",
        "scramble/crossword/game.py",
        """        if not session.view.closed:
            self._clocks.leave(session.id)
""",
        "",
    ),
    Bug(
        "crossword-view-held-by-cancelled-line",
        "a session whose command line was cancelled shows no new view until its next line",
        "scramble/crossword/game.py",
        """            self._unanswered -= 1
            self._order.unpark_all()
""",
        """            self._unanswered -= 1
""",
    ),
    Bug(
        "crossword-no-grace-after-restart",
        "a player who does not come back after a restart of the server never forfeits the match",
        "scramble/crossword/expiry.py",
        "for session in (*missing, *present):",
        "for session in missing:",
    ),
    Bug(
        "crossword-no-time-elsewhere",
        "the time of a player who plays alone through another process of the cluster does not count",
        "scramble/crossword/relay.py",
        "return msgspec.structs.replace(command, at=self._clocks.now()), self._end",
        "return command, self._end",
    ),
    # --- puzzles and bots ---
    Bug(
        "crossword-changed-puzzle-unread",
        "the server offers the old text of a puzzle file that has changed",
        "scramble/crossword/puzzle_folder.py",
        "known[name] if name in known and known[name].stamp == stamp else",
        "known[name] if name in known else",
    ),
    Bug(
        "crossword-imported-backslash",
        "an imported puzzle with a backslash in a clue cannot be played",
        "scramble/crossword/exchange/imported.py",
        """text.replace("\\\\", r"\\\\").replace("\\n", r"\\n")""",
        """text.replace("\\n", r"\\n")""",
    ),
    Bug(
        "crossword-remote-bot-token-lost",
        "a bot on another server cannot come back to its match after a lost connection",
        "scramble/crossword/bot.py",
        "self._token = self._view.token or self._token",
        "self._token = self._view.token",
    ),
)
