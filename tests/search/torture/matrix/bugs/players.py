"""Bugs in the players' names, seats and presence, in the parts that all games share, and in the bots."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- presence, hues and the release of cards ---
    Bug(
        "players-hue-never-free",
        "players get the same colour after a dozen other players have left",
        "scramble/players/hues.py",
        "        self._taken[self._hues[player]] -= 1\n",
        "        pass\n",
    ),
    Bug(
        "players-back-but-away",
        "a player who comes back in time still loses the cards",
        "scramble/players/idle.py",
        """        self._away.pop(player, None)
        try:
""",
        """        try:
""",
    ),
    Bug(
        "players-release-too-late",
        "a card is released too late if a later limit was set before",
        "scramble/players/idle.py",
        """        elif time < self._wake_at:
            self._sooner.unpark()
""",
        "",
    ),
    Bug(
        "players-left-elsewhere-present",
        "a player who has left during a lost connection of the cluster's processes stays present in the game",
        "scramble/players/presence.py",
        """        for player in self._players.keys() - set(state.players):
            self._end(player)
""",
        "",
    ),
    # --- names and seats ---
    Bug(
        "players-offer-too-long",
        "the name that is offered instead of a long taken name is too long",
        "scramble/players/names.py",
        "return name[: MAX_DISPLAY_NAME - len(suffix)].rstrip",
        "return name.rstrip",
    ),
    Bug(
        "players-hand-over-unrecorded",
        "a name that was handed over to another device belongs to the old device again after a restart",
        "scramble/players/seats.py",
        """            self._seats[command.player] = command.to
            self._changes += 1
""",
        """            self._seats[command.player] = command.to
""",
    ),
    Bug(
        "players-lookalikes-after-restart",
        "after a restart a player can take a name that looks like another player's name",
        "scramble/players/seats.py",
        "            seated._by_skeleton = {skeleton: player for player, (_, skeleton) in found.names.items()}\n",
        "",
    ),
    # --- parts of all games ---
    Bug(
        "players-half-character-accepted",
        "a file with half of a character in a comment is accepted, and the room cannot be stored",
        "scramble/games/settings.py",
        "text.encode()",
        "pass",
    ),
    Bug(
        "players-replay-board-of-before",
        "a replay shows the wrong board after a jump to another move",
        "scramble/games/narrator.py",
        """type=type(self.notes))
        self.begin()
""",
        """type=type(self.notes))
""",
    ),
    Bug(
        "players-two-of-three-draw",
        "a game of three players has no winners if two of them share the most points",
        "scramble/games/room.py",
        "drawn = len(winners) == len(ordered) > 1",
        "drawn = len(winners) > 1",
    ),
    Bug(
        "players-waiting-move-not-tried-again",
        "a waiting move stays waiting if another waiting move makes it possible",
        "scramble/games/plain/rules.py",
        """            if self.now is not before:
                tried.clear()
""",
        "",
    ),
    # --- bots ---
    Bug(
        "players-bot-misses-changes",
        "a bot that was too slow for a burst of moves plays on with an old board",
        "scramble/games/bot.py",
        "if change.missed or not self.mind.follow(change.events):",
        "if not self.mind.follow(change.events):",
    ),
    Bug(
        "players-bot-never-withdraws",
        "a bot on another server waits for ever for a card that another player keeps",
        "scramble/games/remote_bot.py",
        """            await self.send(as_json(type="withdraw", id=self._asked))
""",
        "",
    ),
    Bug(
        "players-bot-counts-old-failures",
        "a bot gives up after some lost connections, even if there are hours between them",
        "scramble/bots/remote.py",
        """            if trio.current_time() > began + LASTED_S:
                failures = 0
""",
        "",
    ),
)
