"""Bugs in Minesweeper: the field, the contest, the rooms, the frames and the bots."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- contest ---
    Bug(
        "minesweeper-points-unlimited",
        "one dig of a large empty area earns a point for each square",
        "scramble/minesweeper/contest.py",
        "                self._free[number - 1] += max(0, squares - self.terms.most_points)\n",
        "                pass\n",
    ),
    Bug(
        "minesweeper-clock-goes-back",
        "the game's clock goes back if one move overtakes another",
        "scramble/minesweeper/contest.py",
        "return self.now if at is None else max(self.now, at)",
        "return self.now if at is None else at",
    ),
    # --- field ---
    Bug(
        "minesweeper-safe-start-forgotten",
        "the first dig after a restart of the server can hit a bomb",
        "scramble/minesweeper/field.py",
        "        field._safe_start = saved.safe_start\n",
        "",
    ),
    Bug(
        "minesweeper-end-awaited-too-late",
        "a request for the end of a finished game is never answered",
        "scramble/minesweeper/field.py",
        """                self._ends[ticket] = None
                return self._end()
""",
        """                self._ends[ticket] = None
                return ()
""",
    ),
    Bug(
        "minesweeper-chord-with-more-flags",
        "a chord digs although the number has too many flags around it",
        "scramble/minesweeper/squares.py",
        "for j in around) != self._cells[i] - DUG[0]:",
        "for j in around) < self._cells[i] - DUG[0]:",
    ),
    Bug(
        "minesweeper-bomb-moved-beside",
        "the first dig sometimes has a bomb beside it, because a bomb moved there",
        "scramble/minesweeper/squares.py",
        "elif self._cells[j] != EDGE[0] and j not in taken:",
        "elif self._cells[j] != EDGE[0]:",
    ),
    # --- games, rooms and pages ---
    Bug(
        "minesweeper-ghosts",
        "players of the time before a restart stay on the field as connected players",
        "scramble/minesweeper/game.py",
        """            for player in left_behind:
                game.disconnect(player.id)
""",
        "",
    ),
    Bug(
        "minesweeper-ghosts-from-elsewhere",
        "the players of a crashed process of the cluster stay on the field",
        "scramble/minesweeper/relay.py",
        """        for player in relay.players:
            owner.tell(Disconnect(player))
""",
        """        relay.players.clear()
""",
    ),
    Bug(
        "minesweeper-search-from-the-start",
        "a long search for a field without guesses tries the same first fields again and again",
        "scramble/minesweeper/room.py",
        "            self._seed = (self._seed + 1) % (LARGEST_SEED + 1)\n",
        "",
    ),
    Bug(
        "minesweeper-first-unnamed-player",
        "the first player beyond the named players does not see itself on the page",
        "scramble/minesweeper/frames.py",
        "if MOST_NAMED <= place < len(players)",
        "if MOST_NAMED < place < len(players)",
    ),
    # --- bots ---
    Bug(
        "minesweeper-bot-pauses-for-hours",
        "a bot that hit a bomb does not move for more than an hour",
        "scramble/minesweeper/bot.py",
        "await trio.sleep(view.pause_ms / 1000)",
        "await trio.sleep(view.pause_ms)",
    ),
    Bug(
        "minesweeper-bot-digs-outside",
        "a bot that must guess sometimes digs outside of the field",
        "scramble/minesweeper/bot_mind.py",
        "return (after if after >= 0 else row.find(UNTOUCHED)), y",
        "return after, y",
    ),
)
