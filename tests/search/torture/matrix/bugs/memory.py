"""Bugs in Memory Scramble: the rules, the release of cards, the rooms, the frames and the bots."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- rules ---
    Bug(
        "memory-removed-card-awaited",
        "a flip that waits for a card is never answered if the card is removed",
        "scramble/memory/board.py",
        """                    step.flips.append((waiter.ticket, waiter.player, "1-A", _GONE))
""",
        "",
    ),
    Bug(
        "memory-first-card-kept",
        "a player who flips an empty space as the second card keeps the first card for ever",
        "scramble/memory/board.py",
        """            step.flips.append((ticket, player, "2-A", _EMPTY_SECOND))
            self._give_up(step, player, (first,), (first,))
""",
        """            step.flips.append((ticket, player, "2-A", _EMPTY_SECOND))
""",
    ),
    Bug(
        "memory-held-card-turned-down",
        "a player's next move turns down a left card that another player controls by now",
        "scramble/memory/board.py",
        "                if space.up and space.controller is None:",
        "                if space.up:",
    ),
    Bug(
        "memory-watch-at-once",
        "a watch with the current version returns at once, without a change",
        "scramble/memory/board.py",
        "if since is not None and self._version > since:",
        "if since is not None and self._version >= since:",
    ),
    Bug(
        "memory-half-pair-lost",
        "a player who must give up one card of a pair can never use or free the other card",
        "scramble/memory/board.py",
        """                for remaining in set(mine).difference(awaited):
                    self._plays[player] = FirstCard(remaining)
""",
        "",
    ),
    Bug(
        "memory-last-come-first-served",
        "the player who has waited shortest for a card gets it",
        "scramble/memory/waiting.py",
        "self.leave(next(iter(queue)))",
        "self.leave(next(reversed(queue)))",
    ),
    Bug(
        "memory-score-above-limit",
        "a game stores one score more than its limit, and its state cannot be read again",
        "scramble/memory/scores.py",
        "self._forget(len(self._pairs) + 1 - self.most)",
        "self._forget(len(self._pairs) - self.most)",
    ),
    Bug(
        "memory-row-below-the-board",
        "a flip in the row just below the board stops the game",
        "scramble/memory/validation.py",
        "0 <= row < rows and",
        "0 <= row <= rows and",
    ),
    # --- texts ---
    Bug(
        "memory-windows-lines",
        "a board file with Windows line ends is rejected",
        "scramble/memory/boardfile.py",
        """lines = [line.removesuffix("\\r") for line in lines]""",
        """lines = [line.removesuffix("\\n") for line in lines]""",
    ),
    Bug(
        "memory-own-side-stale",
        "a player who matches two face-up cards still sees the second card as not taken",
        "scramble/memory/rendering.py",
        "if cached is None or cached[0] != mine:",
        "if cached is None:",
    ),
    # --- release of cards ---
    Bug(
        "memory-no-longer-awaited",
        "a player is warned that a card must be given up although the waiting player has left",
        "scramble/memory/holdings.py",
        """                self._stop_waiting(player)
                self._report(self._holders.get((row, column)))
""",
        """                self._stop_waiting(player)
""",
    ),
    Bug(
        "memory-lost-for-ever",
        "after a burst of moves, absent players never give up their cards again",
        "scramble/memory/holdings.py",
        """            self._lost = False
            self.keep()
""",
        """            self.keep()
""",
    ),
    Bug(
        "memory-elsewhere-present",
        "a player who has moved on another process of the cluster never counts as absent",
        "scramble/memory/relay.py",
        "            present.__exit__(None, None, None)\n",
        "",
    ),
    # --- rooms ---
    Bug(
        "memory-end-missed",
        "a room with a burst of moves does not notice the end of its game",
        "scramble/memory/room.py",
        """        if change.missed:
            return
""",
        "",
    ),
    Bug(
        "memory-rematch-unshuffled",
        "another game with an uploaded board has all cards at the same places",
        "scramble/memory/room.py",
        "    random.Random(seed).shuffle(cards)\n",
        "",
    ),
    # --- pages and bots ---
    Bug(
        "memory-waiting-untold",
        "pages do not show that a player begins to wait for a card",
        "scramble/memory/frames.py",
        "if not (new.cells or new.replaced or new.waiting or new.scores):",
        "if not (new.cells or new.replaced or new.scores):",
    ),
    Bug(
        "memory-got-but-waiting",
        "pages show a player as waiting who has got the awaited card",
        "scramble/memory/difference.py",
        "                relinquished.add((row, column))\n",
        "",
    ),
    Bug(
        "memory-remote-bot-impatient",
        "a bot on another server flips again while its flip still waits",
        "scramble/memory/bot.py",
        """                if flip.outcome != "waiting":
                    self.answered(flip.id)
""",
        """                self.answered(flip.id)
""",
    ),
)
